#include "lm/tokenizer.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file_stamp.h"
#include "base/installation.h"
#include "base/native.h"

namespace uzushio {
namespace {

constexpr const char* kHelp =
    "get one by pip install sudachidict_core; it is sudachidict_core/resources/system.dic in its site-packages";

}  // namespace

SudachiDictionary::~SudachiDictionary() { uz_sudachi_close(native_); }

arrow::Result<std::string> SudachiDictionary::Find(const std::string& name) {
  if (!name.empty()) return name;
  for (const char* size : {"core", "full", "small"}) {
    for (const std::filesystem::path& packages : PythonPackageFolders()) {
      const auto file = packages / (std::string("sudachidict_") + size) / "resources" / "system.dic";
      std::error_code unknown;
      if (std::filesystem::is_regular_file(file, unknown)) return file.string();
    }
  }
  return arrow::Status::Invalid("there is no Sudachi dictionary in the active virtual environment: ",
                                "pip install sudachidict_core there, or name one");
}

arrow::Status SudachiDictionary::CheckIsThere(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown)) return arrow::Status::OK();
  return arrow::Status::Invalid("there is no Sudachi dictionary '", path, "'; ", kHelp);
}

arrow::Result<std::string> SudachiDictionary::Checksum(const std::string& path) {
  ARROW_RETURN_NOT_OK(CheckIsThere(path));
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  ARROW_ASSIGN_OR_RAISE(const auto bytes, file->ReadAt(0, size));
  return fmt::format("{:016x}", XXH64(bytes->data(), static_cast<size_t>(bytes->size()), 0));
}

arrow::Result<std::shared_ptr<const SudachiDictionary>> SudachiDictionary::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const SudachiDictionary>> opened;
  const std::lock_guard lock(mutex);
  const std::string stamp = FileStamp(path);
  if (auto dictionary = opened[stamp].lock()) return dictionary;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  ARROW_RETURN_NOT_OK(CheckIsThere(path));
  std::array<uint8_t, 512> error{};
  size_t error_length = 0;
  UzSudachiDictionary* native = uz_sudachi_open(AsBytes(path), path.size(), error.data(), error.size(), &error_length);
  if (native == nullptr) {
    return arrow::Status::Invalid("'", path, "' can not be used as a Sudachi dictionary (",
                                  std::string_view(reinterpret_cast<const char*>(error.data()), error_length), "); ",
                                  kHelp);
  }
  std::shared_ptr<const SudachiDictionary> dictionary(new SudachiDictionary(native));
  opened[stamp] = dictionary;
  return dictionary;
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

Tokenizer& Tokenizers::Of(const std::shared_ptr<const SudachiDictionary>& dictionary, SplitMode mode) {
  for (const One& one : all_) {
    if (one.dictionary == dictionary && one.mode == mode) return *one.tokenizer;
  }
  all_.push_back({dictionary, mode, std::make_unique<Tokenizer>(dictionary, mode)});
  return *all_.back().tokenizer;
}

}  // namespace uzushio
