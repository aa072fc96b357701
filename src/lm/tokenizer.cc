#include "lm/tokenizer.h"

#include <array>
#include <filesystem>
#include <map>
#include <mutex>

namespace uzushio {
namespace {

constexpr size_t kMaxSentencePoints = size_t{16} << 10;
constexpr size_t kMaxSentenceBytes = 49149;  // of one call of Sudachi

const uint8_t* AsBytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace

SudachiDictionary::~SudachiDictionary() { uz_sudachi_close(native_); }

arrow::Result<std::shared_ptr<const SudachiDictionary>> SudachiDictionary::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const SudachiDictionary>> opened;
  const std::lock_guard lock(mutex);
  if (auto dictionary = opened[path].lock()) return dictionary;
  constexpr const char* kHelp =
      "get one by pip install sudachidict_core; it is sudachidict_core/resources/system.dic in its site-packages";
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there is no Sudachi dictionary '", path, "'; ", kHelp);
  }
  std::array<uint8_t, 512> error{};
  size_t error_length = 0;
  UzSudachiDictionary* native = uz_sudachi_open(AsBytes(path), path.size(), error.data(), error.size(), &error_length);
  if (native == nullptr) {
    return arrow::Status::Invalid("'", path, "' is no Sudachi dictionary (",
                                  std::string_view(reinterpret_cast<const char*>(error.data()), error_length), "); ",
                                  kHelp);
  }
  std::shared_ptr<const SudachiDictionary> dictionary(new SudachiDictionary(native));
  opened[path] = dictionary;
  return dictionary;
}

namespace {

// Where a part of the text ends that Sudachi can take: after the first character for which `separates` holds, if any.
template <typename Separates>
size_t PartEnd(std::string_view text, size_t begin, Separates separates) {
  size_t points = 0;
  size_t at = begin;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (at + bytes - begin > kMaxSentenceBytes) return at;
    const std::string_view point = text.substr(at, bytes);
    at = std::min(at + bytes, text.size());
    ++points;
    if (separates(point) || points == kMaxSentencePoints) return at;
  }
  return at;
}

}  // namespace

size_t SentenceEnd(std::string_view text, size_t begin) {
  return PartEnd(text, begin, [](std::string_view point) {
    return point == "\n" || point == "!" || point == "?" || point == "。" || point == "、" || point == "！" ||
           point == "？";
  });
}

size_t LineEnd(std::string_view text, size_t begin) {
  const size_t end = PartEnd(text, begin, [](std::string_view point) { return point == "\n"; });
  return end > begin && text[end - 1] == '\n' ? end - 1 : end;
}

Tokenizer::Tokenizer(std::shared_ptr<const SudachiDictionary> dictionary, SplitMode mode)
    : dictionary_(std::move(dictionary)),
      native_(uz_sudachi_tokenizer(dictionary_->native(), static_cast<uint32_t>(mode))) {}
Tokenizer::~Tokenizer() { uz_sudachi_tokenizer_free(native_); }

bool Tokenizer::Analyse(std::string_view sentence) {
  morphemes_.resize(sentence.size());
  const int64_t count = uz_sudachi_tokenize(native_, AsBytes(sentence), sentence.size(), morphemes_.data());
  morphemes_.resize(static_cast<size_t>(std::max<int64_t>(count, 0)));
  return count >= 0;
}

}  // namespace uzushio
