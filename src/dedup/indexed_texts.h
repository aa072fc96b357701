// Texts of an index's documents, each compressed by itself: of many, those of candidate pairs are read alone.
//
//   texts        Zstandard frames with a checksum of their content (RFC 8878), one after the other
//   text_places  of each document, by number: where its frame ends in `texts`, uint64, and the bytes of its text,
//   uint64
#pragma once

#include <arrow/io/file.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace uzushio {

inline constexpr const char* kTextsFile = "texts";
inline constexpr const char* kTextPlacesFile = "text_places";

// A record of `text_places`; written to disk as it is.
struct TextPlace {
  uint64_t end = 0;
  uint64_t bytes = 0;
};
static_assert(sizeof(TextPlace) == 16);

// One thread's.
class TextCompressor {
 public:
  TextCompressor();
  // Appends the frame of a text.
  arrow::Status Append(std::string_view text, std::string* frames);

 private:
  std::shared_ptr<ZSTD_CCtx_s> context_;
};

// The bytes of the text whose frame this is. Errors: it is none of TextCompressor's.
arrow::Result<uint64_t> TextBytes(std::string_view frame);

// What one thread reads texts with.
class TextDecompressor {
 public:
  TextDecompressor();

 private:
  friend class IndexedTexts;
  std::shared_ptr<ZSTD_DCtx_s> context_;
  std::string frame_;
};

// Texts by number. Threads may share it.
class IndexedTexts {
 public:
  // `folder` has the two files; `name` is what errors call it.
  static arrow::Result<std::unique_ptr<IndexedTexts>> Open(const std::filesystem::path& folder,
                                                           const std::string& name);
  uint64_t size() const { return size_; }
  // Errors: there is no such document, or its text is damaged.
  arrow::Status Read(uint64_t number, TextDecompressor* with, std::string* text) const;

 private:
  IndexedTexts() = default;
  std::string name_;
  uint64_t size_ = 0;
  uint64_t bytes_ = 0;
  std::shared_ptr<arrow::io::ReadableFile> texts_;
  std::shared_ptr<arrow::io::ReadableFile> places_;
};

}  // namespace uzushio
