// The index of a set of documents: their buckets, ids and sketches, in a folder, and, if later runs are to compare
// texts, these, too. Later runs find duplicates of these documents by it.
//
//   index.json   version (2: with texts, 1: without), what signatures are made of (ngram, buckets, values; tokens,
//                unless these are characters, and the XXH64 of the dictionary), how documents were chosen (keep, with
//                the columns that it looks at), and the files with their sizes and XXH64
//   documents    of each document, by number: where its id ends in `ids`, uint64, and its sketch (dedup/
//                document_signature.h), filled with zeros to 8 bytes
//   ids          the ids, one after the other
//   buckets      24 bytes of each bucket, in increasing order of these, little-endian: the bucket, uint64, and the
//                priority (dedup/priority.h) of the document that stands highest in it, 2 uint64. With texts, so many
//                bytes of each of the kVerifiedLeaders documents that stand highest, in order
//   texts, text_places   with texts only: dedup/indexed_texts.h
#pragma once

#include <arrow/io/file.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dedup/document_signature.h"
#include "dedup/indexed_texts.h"
#include "dedup/priority.h"
#include "storage/hashed_file.h"
#include "storage/output_names.h"

namespace uzushio {

// Where the index of a run lies in its output.
inline constexpr OutputName kDocumentIndexFolder = {".uzushio/minhash", "_minhash"};

// What documents are cut into where nothing else is said.
inline constexpr const char* kCharacterTokens = "characters";

// Of a bucket's documents, where texts decide, so many are compared with each other one: those that stand highest.
inline constexpr size_t kVerifiedLeaders = 8;

// What documents have to have in common to be compared, and what there is of them.
struct DocumentIndexKind {
  SignatureOptions signature;  // what `options` say of it
  // Of all options that decide about signatures, the values by key: `ngram`, `buckets`, `values`; `tokens`, where they
  // are not kCharacterTokens, and `dictionary`, its XXH64; others that do not have their default.
  nlohmann::json options = nlohmann::json::object();
  std::string keep;  // which of two documents is kept, as on a command line
  bool texts = false;

  // Documents that are kept of a bucket.
  size_t leaders() const { return texts ? kVerifiedLeaders : 1; }
  bool operator==(const DocumentIndexKind&) const = default;
};

struct IndexedDocument {
  std::string id;
  std::vector<uint8_t> sketch;
};

// Ids and sketches by number. Threads may share it.
class DocumentTable {
 public:
  // `folder` has the files `documents` and `ids`.
  static arrow::Result<std::unique_ptr<DocumentTable>> Open(const std::filesystem::path& folder, size_t sketch_bytes);

  uint64_t size() const { return size_; }
  // Errors: there is no such document, or the files are damaged.
  arrow::Result<IndexedDocument> Read(uint64_t number) const;

 private:
  DocumentTable() = default;
  std::string name_;
  size_t sketch_bytes_ = 0;
  uint64_t size_ = 0;
  uint64_t id_bytes_ = 0;
  std::shared_ptr<arrow::io::ReadableFile> documents_;
  std::shared_ptr<arrow::io::ReadableFile> ids_;
};

// Writes an index: all documents by number, then all buckets in order.
class DocumentIndexWriter {
 public:
  static arrow::Result<std::unique_ptr<DocumentIndexWriter>> Create(const std::filesystem::path& folder,
                                                                    const DocumentIndexKind& kind);
  // The next document, from number 0 on. `text` is its frame (dedup/indexed_texts.h), where texts are kept.
  arrow::Status AddDocument(std::string_view id, std::span<const uint8_t> sketch, std::string_view text = {});
  const DocumentIndexKind& kind() const { return kind_; }
  uint64_t documents() const { return documents_; }
  // After the last document: completes and syncs their files, and gives what tells this set from others.
  arrow::Result<std::string> FinishDocuments();
  uint64_t text_bytes() const { return text_place_.end; }  // on disk
  // Buckets must increase; with texts, at most kVerifiedLeaders documents of one follow each other.
  arrow::Status AddBucket(const DocumentBucket& bucket);
  uint64_t buckets() const { return buckets_; }
  // Completes and syncs all.
  arrow::Status Finish();
  // All files, by their paths in `folder`.
  const std::vector<WrittenFile>& files() const { return files_; }

 private:
  DocumentIndexWriter() = default;
  // A file with a buffer.
  struct Out {
    std::shared_ptr<HashedFile> file;
    std::vector<char> buffer;
    arrow::Status Write(const void* data, size_t bytes);
    arrow::Status Finish();
  };

  std::filesystem::path folder_;
  DocumentIndexKind kind_;
  Out documents_file_;
  Out ids_file_;
  Out buckets_file_;
  Out texts_file_;        // where texts are kept
  Out text_places_file_;  // likewise
  TextPlace text_place_;  // of the last document
  uint64_t documents_ = 0;
  uint64_t id_bytes_ = 0;
  uint64_t buckets_ = 0;  // different ones
  uint64_t entries_ = 0;
  uint64_t last_bucket_ = 0;
  size_t of_last_bucket_ = 0;  // documents
  std::vector<WrittenFile> files_;
};

// An index that is read. Threads may share it.
class DocumentIndex {
 public:
  // `place` is the folder of an index in an output, which is called `name`. All of it but the texts, which have a
  // checksum each, is read once for its checksums; the files stay open, wherever they go. Errors: there is none, or it
  // is damaged, or of another version.
  static arrow::Result<std::unique_ptr<DocumentIndex>> Open(const std::filesystem::path& place,
                                                            const std::string& name);
  // Of a local output.
  static arrow::Result<std::unique_ptr<DocumentIndex>> Open(const std::string& output);

  const std::string& name() const { return name_; }
  const DocumentIndexKind& kind() const { return kind_; }
  const std::string& identity() const { return identity_; }  // of the documents
  const std::string& checksum() const { return checksum_; }  // of all
  const DocumentTable& documents() const { return *documents_; }
  const IndexedTexts* texts() const { return texts_.get(); }  // null: none are kept
  uint64_t entries() const { return size_; }                  // of buckets: documents in them

  // One thread's way through the buckets, in order.
  class Cursor {
   public:
    explicit Cursor(const DocumentIndex* index) : index_(index) {}
    // Goes to the first bucket that is not less than this, which is not less than any asked for before. Errors: the
    // buckets are not in order, or name documents that there are not.
    arrow::Status SeekTo(uint64_t bucket);
    // The bucket there, or null after the last.
    const DocumentBucket* get() const { return at_ < buffer_.size() ? &buffer_[at_] : nullptr; }
    // Goes on by one, which may be of the same bucket. Not after the last.
    arrow::Status Next();

   private:
    arrow::Status Load();
    const DocumentIndex* index_;
    bool is_placed_ = false;
    uint64_t next_ = 0;  // that is not read yet
    size_t at_ = 0;
    std::vector<DocumentBucket> buffer_;
  };

 private:
  DocumentIndex() = default;
  arrow::Status ReadBuckets(uint64_t first, std::span<DocumentBucket> buckets) const;

  std::string name_;
  DocumentIndexKind kind_;
  std::string identity_;
  std::string checksum_;
  std::unique_ptr<DocumentTable> documents_;
  std::unique_ptr<IndexedTexts> texts_;
  std::shared_ptr<arrow::io::ReadableFile> file_;
  uint64_t size_ = 0;
};

}  // namespace uzushio
