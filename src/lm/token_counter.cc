#include "lm/token_counter.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "base/file_stamp.h"
#include "base/machine.h"
#include "base/native.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr int64_t kMaxTokenizerFile = int64_t{128} << 20;  // those of vocabularies of 250,000 words have 33 MiB

}  // namespace

size_t CountedPart(std::string_view text) {
  if (text.size() <= kMaxCountedBytes) return text.size();
  const std::string_view prefix = Utf8Prefix(text, kMaxCountedBytes);
  const size_t line_break = prefix.rfind('\n');
  return line_break != std::string_view::npos && line_break >= kMaxCountedBytes / 2 ? line_break + 1 : prefix.size();
}

TokenCounter::~TokenCounter() { uz_tokens_close(native_); }

arrow::Result<std::shared_ptr<const TokenCounter>> TokenCounter::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const TokenCounter>> opened;
  const std::lock_guard lock(mutex);
  const std::string stamp = FileStamp(path);
  if (auto counter = opened[stamp].lock()) return counter;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  ARROW_ASSIGN_OR_RAISE(auto counter, Read(path));
  opened[stamp] = counter;
  return counter;
}

arrow::Result<std::shared_ptr<const TokenCounter>> TokenCounter::Read(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there is no tokenizer '", path,
                                  "'; models on Hugging Face have theirs as tokenizer.json");
  }
  const int64_t before = ResidentMemory();
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > kMaxTokenizerFile) {
    return arrow::Status::Invalid("'", path, "' is no tokenizer: it is larger than ", kMaxTokenizerFile >> 20, " MiB");
  }
  ARROW_ASSIGN_OR_RAISE(const auto json, file->Read(size));
  const auto length = static_cast<size_t>(json->size());
  NativeError error;
  UzTokenCounter* native = uz_tokens_open(json->data(), length, error.bytes.data(), error.bytes.size(), &error.length);
  if (native == nullptr) {
    return arrow::Status::Invalid("'", path, "' can not be opened as a tokenizer (", error.text(),
                                  "); models on Hugging Face have theirs as tokenizer.json");
  }
  const std::string contents = fmt::format("{:016x}", XXH64(json->data(), length, 0));
  const int64_t memory = std::max<int64_t>(0, ResidentMemory() - before);
  return std::shared_ptr<const TokenCounter>(new TokenCounter(native, path, contents, memory));
}

arrow::Result<int64_t> TokenCounter::Count(std::string_view text) const {
  int64_t tokens = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, CountedPart(text));
    NativeError error;
    const int64_t count =
        uz_tokens_count(native_, AsBytes(part), part.size(), error.bytes.data(), error.bytes.size(), &error.length);
    if (count < 0) return arrow::Status::Invalid("'", path_, "' can not cut it into tokens: ", error.text());
    tokens += count;
    text.remove_prefix(part.size());
  }
  return tokens;
}

arrow::Status TokenCounter::Ids(std::string_view part, std::vector<uint32_t>* ids) const {
  ids->resize(part.size());  // enough for most texts
  while (true) {
    NativeError error;
    const int64_t count = uz_tokens_ids(native_, AsBytes(part), part.size(), ids->data(), ids->size(),
                                        error.bytes.data(), error.bytes.size(), &error.length);
    if (count < 0) return arrow::Status::Invalid("'", path_, "' can not cut it into tokens: ", error.text());
    const auto tokens = static_cast<size_t>(count);
    const bool all = tokens <= ids->size();
    ids->resize(tokens);
    if (all) return arrow::Status::OK();
  }
}

TokenVocabulary TokenCounter::Vocabulary() const {
  TokenVocabulary vocabulary;
  int64_t unknown = -1;
  uz_tokens_vocabulary(native_, &vocabulary.size, &unknown, &vocabulary.median_length);
  if (unknown >= 0) vocabulary.unknown = static_cast<uint32_t>(unknown);
  return vocabulary;
}

}  // namespace uzushio
