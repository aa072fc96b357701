// What mutators that know a format have in common.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace uzushio_fuzz {

inline std::string_view View(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Says where it is called (Clang 14 has no std::source_location).
inline void Check(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: this does not hold\n", file, line);
  std::abort();
}

// A file of these bytes, for readers that take files alone. It goes with this.
class File {
 public:
  File(std::string_view bytes, const std::string& ending)
      : path_("/tmp/uzushio-fuzz-" + std::to_string(getpid()) + ending) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    Check(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
    Check(std::fclose(file) == 0);
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Choices that a seed makes.
class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  size_t Below(size_t most) { return most == 0 ? 0 : random_() % most; }
  bool OneIn(size_t times) { return Below(times) == 0; }
  template <typename List>
  auto& Of(List& list) {
    return list[Below(list.size())];
  }

 private:
  std::minstd_rand random_;
};

// Puts a text into the buffer as far as it fits; its size there.
inline size_t Put(std::string_view text, uint8_t* data, size_t max_size) {
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), size);
  return size;
}

// The text after libFuzzer's own mutations.
inline std::string Mutated(std::string text, size_t room) {
  const size_t size = text.size();
  text.resize(size + room);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
  return text;
}

// Takes parts (of tokens, lines, records) away, doubles, moves and repeats some, and puts new ones between.
inline void MutateParts(std::vector<std::string>* parts, const std::vector<std::string>& others, Chance* chance) {
  for (size_t times = 1 + chance->Below(4); times > 0; --times) {
    const size_t at = chance->Below(parts->size() + 1);
    const auto place = parts->begin() + static_cast<std::ptrdiff_t>(at);
    switch (chance->Below(5)) {
      case 0:
        if (at < parts->size()) parts->erase(place);
        break;
      case 1:
        if (at < parts->size()) parts->insert(place, chance->Below(200), std::string((*parts)[at]));
        break;
      case 2:
        if (at < parts->size()) std::swap((*parts)[at], chance->Of(*parts));
        break;
      case 3:
        if (at < parts->size()) (*parts)[at] = Mutated((*parts)[at], 16);
        break;
      default:
        if (!others.empty()) parts->insert(place, chance->Of(others));
    }
  }
}

// The parts of a text, of which each but the first begins with one of these characters.
inline std::vector<std::string> PartsBefore(std::string_view text, std::string_view beginnings) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(beginnings, 1), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

inline std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace uzushio_fuzz
