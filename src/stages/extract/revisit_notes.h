// What is noted of pages and of revisits while files are read, so that revisits can be resolved afterwards.
#pragma once

#include <arrow/result.h>

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/hashed_file.h"
#include "storage/input_window.h"
#include "warc/headers.h"
#include "warc/warc_reader.h"

namespace uzushio {

// A number for a text; zeros where it is not known. Those of different texts are equal with a probability of 2^-128.
struct CaptureKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool is_known() const { return high != 0 || low != 0; }
  auto operator<=>(const CaptureKey&) const = default;
};

// By what revisits name the page that they repeat, what names it best first: its record id, its URL and date, the
// digest of its payload.
using CaptureKeys = std::array<CaptureKey, 3>;

// Of a record that holds a page.
CaptureKeys KeysOfPage(const Headers& headers);

// A revisit that may be a document: a page that was fetched again, and had not changed.
struct Revisit {
  CaptureKeys page;  // that it repeats
  int64_t offset = 0;
  int64_t length = 0;
  std::string record_id;
  std::string url;
  std::string date;           // WARC-Date
  std::string http_date;      // of its HTTP header, where it has one: Date
  std::string last_modified;  // the same

  size_t bytes() const {
    return sizeof(Revisit) + record_id.size() + url.size() + date.size() + http_date.size() + last_modified.size();
  }
};

// Nothing where the record is no revisit, or none of a page: it has another profile than that payload or page have not
// changed (WARC 1.1, section 6.7), no URL, or an HTTP status that says neither 200 nor 304.
std::optional<Revisit> ReadRevisit(const WarcRecord& record);

// A revisit as bytes, behind others; and back, from the begin of what is there, which is read. Errors: it is none.
void AppendRevisit(const Revisit& revisit, std::string* bytes);
arrow::Status TakeRevisit(std::string_view* bytes, Revisit* revisit);

// Writes the notes of one input, in the order of its documents and of its revisits.
class RevisitNotes {
 public:
  // `folder` is the output's, `path` the file's below it, which is written where there is something to note.
  RevisitNotes(std::filesystem::path folder, std::string path) : folder_(std::move(folder)), path_(std::move(path)) {}

  arrow::Status AddDocument(std::string_view language, const CaptureKeys& keys);
  arrow::Status Add(const Revisit& revisit);
  // Completes and syncs the file; its rows are the revisits.
  arrow::Result<std::optional<WrittenFile>> Finish();

 private:
  arrow::Status Flush();

  std::filesystem::path folder_;
  std::string path_;
  std::shared_ptr<HashedFile> file_;
  std::string buffer_;
  int64_t revisits_ = 0;
};

// Reads them again.
class RevisitNotesReader {
 public:
  static arrow::Result<std::unique_ptr<RevisitNotesReader>> Open(const std::filesystem::path& path);

  struct Note {
    bool is_revisit = false;
    std::string language;  // of a document
    CaptureKeys keys;      // of a document
    Revisit revisit;
  };
  // False at the end.
  arrow::Result<bool> Next(Note* note);

 private:
  explicit RevisitNotesReader(std::unique_ptr<InputWindow> file) : file_(std::move(file)) {}
  std::unique_ptr<InputWindow> file_;
};

}  // namespace uzushio
