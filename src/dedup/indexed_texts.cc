#include "dedup/indexed_texts.h"

#include <zstd.h>

#include <array>

#include "base/buffer.h"
#include "base/library_memory.h"

namespace uzushio {
namespace {

// 3 makes texts of real pages 5 % smaller and takes 1.4 times as long.
constexpr int kTextLevel = 1;

arrow::Status DamagedText(const std::string& name, uint64_t number, const std::string& what) {
  return arrow::Status::IOError(name, ": this index is damaged: the text of document ", number, " ", what);
}

}  // namespace

TextCompressor::TextCompressor() : context_(Allocated(ZSTD_createCCtx()), ZSTD_freeCCtx) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kTextLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

arrow::Status TextCompressor::Append(std::string_view text, std::string* frames) {
  const size_t before = frames->size();
  const size_t most = ZSTD_compressBound(text.size());
  frames->resize(before + most);
  const size_t made = ZSTD_compress2(context_.get(), frames->data() + before, most, text.data(), text.size());
  if (IsZstdError(made)) return arrow::Status::UnknownError("Zstandard: ", ZSTD_getErrorName(made));
  frames->resize(before + made);
  return arrow::Status::OK();
}

arrow::Result<uint64_t> TextBytes(std::string_view frame) {
  const unsigned long long bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes == ZSTD_CONTENTSIZE_ERROR) {
    return arrow::Status::UnknownError("a document of an index has no text");
  }
  return bytes;
}

TextDecompressor::TextDecompressor() : context_(Allocated(ZSTD_createDCtx()), ZSTD_freeDCtx) {}

arrow::Result<std::unique_ptr<IndexedTexts>> IndexedTexts::Open(const std::filesystem::path& folder,
                                                                const std::string& name) {
  std::unique_ptr<IndexedTexts> texts(new IndexedTexts());
  texts->name_ = name;
  ARROW_ASSIGN_OR_RAISE(texts->texts_, arrow::io::ReadableFile::Open((folder / kTextsFile).string()));
  ARROW_ASSIGN_OR_RAISE(texts->places_, arrow::io::ReadableFile::Open((folder / kTextPlacesFile).string()));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, texts->texts_->GetSize());
  ARROW_ASSIGN_OR_RAISE(const int64_t places, texts->places_->GetSize());
  texts->bytes_ = static_cast<uint64_t>(bytes);
  texts->size_ = static_cast<uint64_t>(places) / sizeof(TextPlace);
  return texts;
}

arrow::Status IndexedTexts::Read(uint64_t number, TextDecompressor* with, std::string* text) const {
  if (number >= size_) return DamagedText(name_, number, "is missing");
  // The end of the one before, too.
  std::array<TextPlace, 2> places{};
  const uint64_t first = number == 0 ? 1 : 0;
  const auto wanted = static_cast<int64_t>((2 - first) * sizeof(TextPlace));
  const auto at = static_cast<int64_t>((number - 1 + first) * sizeof(TextPlace));
  ARROW_ASSIGN_OR_RAISE(const int64_t read, places_->ReadAt(at, wanted, places.data() + first));
  const auto [end, bytes] = places[1];
  const uint64_t begin = places[0].end;
  if (read != wanted || begin > end || end > bytes_) return DamagedText(name_, number, "lies in no place");
  std::string& frame = with->frame_;
  frame.resize(end - begin);
  ARROW_ASSIGN_OR_RAISE(const int64_t read_of_frame,
                        texts_->ReadAt(static_cast<int64_t>(begin), static_cast<int64_t>(frame.size()), frame.data()));
  text->resize(bytes);
  const size_t made = ZSTD_decompressDCtx(with->context_.get(), text->data(), text->size(), frame.data(), frame.size());
  if (static_cast<size_t>(read_of_frame) != frame.size() || IsZstdError(made) || made != bytes) {
    return DamagedText(name_, number, "is not what was written");
  }
  TrimBuffer(&frame);
  return arrow::Status::OK();
}

}  // namespace uzushio
