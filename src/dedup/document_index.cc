#include "dedup/document_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "storage/inputs.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr int kFilesVersion = 1;
constexpr int kVersionWithTexts = 2;
constexpr const char* kIndexFile = "index.json";
// In it, beside the options.
constexpr const char* kVersionKey = "version";
constexpr const char* kKeepKey = "keep";
constexpr const char* kFilesKey = "files";
constexpr const char* kDocumentsFile = "documents";
constexpr const char* kIdsFile = "ids";
constexpr const char* kBucketsFile = "buckets";
constexpr size_t kWriteBuffer = size_t{256} << 10;
constexpr uint64_t kBucketsRead = 2048;

constexpr size_t RecordBytes(size_t sketch_bytes) { return sizeof(uint64_t) + (sketch_bytes + 7) / 8 * 8; }

// What was read, or an error that names the file.
arrow::Status ReadWhole(arrow::io::ReadableFile* file, const std::string& name, uint64_t offset, void* to,
                        uint64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(const int64_t read,
                        file->ReadAt(static_cast<int64_t>(offset), static_cast<int64_t>(bytes), to));
  if (read == static_cast<int64_t>(bytes)) return arrow::Status::OK();
  return arrow::Status::IOError(name, ": this index is damaged: a file of it is cut off");
}

}  // namespace

// --- documents ---

arrow::Result<std::unique_ptr<DocumentTable>> DocumentTable::Open(const std::filesystem::path& folder,
                                                                  size_t sketch_bytes) {
  std::unique_ptr<DocumentTable> table(new DocumentTable());
  table->name_ = folder.string();
  table->sketch_bytes_ = sketch_bytes;
  ARROW_ASSIGN_OR_RAISE(table->documents_, arrow::io::ReadableFile::Open((folder / kDocumentsFile).string()));
  ARROW_ASSIGN_OR_RAISE(table->ids_, arrow::io::ReadableFile::Open((folder / kIdsFile).string()));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, table->documents_->GetSize());
  ARROW_ASSIGN_OR_RAISE(const int64_t id_bytes, table->ids_->GetSize());
  const size_t record = RecordBytes(sketch_bytes);
  if (static_cast<uint64_t>(bytes) % record != 0) {
    return arrow::Status::Invalid(table->name_, ": this index is damaged: a document of it is cut off");
  }
  table->size_ = static_cast<uint64_t>(bytes) / record;
  table->id_bytes_ = static_cast<uint64_t>(id_bytes);
  return table;
}

arrow::Result<IndexedDocument> DocumentTable::Read(uint64_t number) const {
  if (number >= size_) {
    return arrow::Status::Invalid(name_, ": this index is damaged: it names document ", number, " of ", size_);
  }
  const size_t bytes = RecordBytes(sketch_bytes_);
  // The end of the id before, and the record.
  const uint64_t before = number == 0 ? 0 : bytes;
  std::vector<char> records(before + bytes);
  ARROW_RETURN_NOT_OK(ReadWhole(documents_.get(), name_, number * bytes - before, records.data(), records.size()));
  uint64_t begin = 0;
  uint64_t end = 0;
  if (number > 0) std::memcpy(&begin, records.data(), sizeof begin);
  std::memcpy(&end, records.data() + before, sizeof end);
  if (begin > end || end > id_bytes_) {
    return arrow::Status::Invalid(name_, ": this index is damaged: document ", number, " has no id");
  }
  IndexedDocument document;
  document.id.resize(end - begin);
  ARROW_RETURN_NOT_OK(ReadWhole(ids_.get(), name_, begin, document.id.data(), end - begin));
  const auto* sketch = reinterpret_cast<const uint8_t*>(records.data() + before + sizeof end);
  document.sketch.assign(sketch, sketch + sketch_bytes_);
  return document;
}

// --- writing ---

arrow::Status DocumentIndexWriter::Out::Write(const void* data, size_t bytes) {
  const char* const begin = static_cast<const char*>(data);
  buffer.insert(buffer.end(), begin, begin + bytes);
  if (buffer.size() < kWriteBuffer) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(file->Write(buffer.data(), static_cast<int64_t>(buffer.size())));
  buffer.clear();
  return arrow::Status::OK();
}

arrow::Status DocumentIndexWriter::Out::Finish() {
  ARROW_RETURN_NOT_OK(file->Write(buffer.data(), static_cast<int64_t>(buffer.size())));
  buffer.clear();
  return file->Close();
}

arrow::Result<std::unique_ptr<DocumentIndexWriter>> DocumentIndexWriter::Create(const std::filesystem::path& folder,
                                                                                const DocumentIndexKind& kind) {
  std::unique_ptr<DocumentIndexWriter> writer(new DocumentIndexWriter());
  writer->folder_ = folder;
  writer->kind_ = kind;
  ARROW_ASSIGN_OR_RAISE(writer->documents_file_.file, HashedFile::Create(folder / kDocumentsFile));
  ARROW_ASSIGN_OR_RAISE(writer->ids_file_.file, HashedFile::Create(folder / kIdsFile));
  ARROW_ASSIGN_OR_RAISE(writer->buckets_file_.file, HashedFile::Create(folder / kBucketsFile));
  if (!kind.texts) return writer;
  ARROW_ASSIGN_OR_RAISE(writer->texts_file_.file, HashedFile::Create(folder / kTextsFile));
  ARROW_ASSIGN_OR_RAISE(writer->text_places_file_.file, HashedFile::Create(folder / kTextPlacesFile));
  return writer;
}

arrow::Status DocumentIndexWriter::AddDocument(std::string_view id, std::span<const uint8_t> sketch,
                                               std::string_view text) {
  if (documents_ == Priority::kMostNumber) return arrow::Status::Invalid("more than 2^40 documents in one run");
  id_bytes_ += id.size();
  ++documents_;
  const uint64_t filling = 0;
  const size_t fill = RecordBytes(sketch.size()) - sizeof id_bytes_ - sketch.size();
  ARROW_RETURN_NOT_OK(ids_file_.Write(id.data(), id.size()));
  ARROW_RETURN_NOT_OK(documents_file_.Write(&id_bytes_, sizeof id_bytes_));
  ARROW_RETURN_NOT_OK(documents_file_.Write(sketch.data(), sketch.size()));
  ARROW_RETURN_NOT_OK(documents_file_.Write(&filling, fill));
  if (!kind_.texts) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(text_place_.bytes, TextBytes(text));
  text_place_.end += text.size();
  ARROW_RETURN_NOT_OK(texts_file_.Write(text.data(), text.size()));
  return text_places_file_.Write(&text_place_, sizeof text_place_);
}

arrow::Result<std::string> DocumentIndexWriter::FinishDocuments() {
  ARROW_RETURN_NOT_OK(documents_file_.Finish());
  ARROW_RETURN_NOT_OK(ids_file_.Finish());
  const auto documents = static_cast<int64_t>(documents_);
  files_ = {documents_file_.file->Written(kDocumentsFile, documents), ids_file_.file->Written(kIdsFile, documents)};
  std::string identity = files_[0].xxh64 + files_[1].xxh64;
  if (kind_.texts) {
    ARROW_RETURN_NOT_OK(texts_file_.Finish());
    ARROW_RETURN_NOT_OK(text_places_file_.Finish());
    files_.push_back(texts_file_.file->Written(kTextsFile, documents));
    files_.push_back(text_places_file_.file->Written(kTextPlacesFile, documents));
  }
  return identity;
}

arrow::Status DocumentIndexWriter::AddBucket(const DocumentBucket& bucket) {
  const bool is_same = buckets_ > 0 && bucket.bucket == last_bucket_;
  of_last_bucket_ = is_same ? of_last_bucket_ + 1 : 1;
  if ((buckets_ > 0 && bucket.bucket < last_bucket_) || of_last_bucket_ > kind_.leaders()) {
    return arrow::Status::UnknownError("index: buckets not in order");
  }
  last_bucket_ = bucket.bucket;
  buckets_ += is_same ? 0 : 1;
  ++entries_;
  return buckets_file_.Write(&bucket, sizeof bucket);
}

arrow::Status DocumentIndexWriter::Finish() {
  ARROW_RETURN_NOT_OK(buckets_file_.Finish());
  files_.push_back(buckets_file_.file->Written(kBucketsFile, static_cast<int64_t>(entries_)));
  nlohmann::json json = kind_.options;
  json[kVersionKey] = kind_.texts ? kVersionWithTexts : kFilesVersion;
  json[kKeepKey] = kind_.keep;
  json[kFilesKey] = files_;
  ARROW_ASSIGN_OR_RAISE(const auto file, HashedFile::Create(folder_ / kIndexFile));
  const std::string text = JsonText(json, 2) + "\n";
  ARROW_RETURN_NOT_OK(file->Write(text.data(), static_cast<int64_t>(text.size())));
  ARROW_RETURN_NOT_OK(file->Close());
  files_.push_back(file->Written(kIndexFile, 1));
  return arrow::Status::OK();
}

// --- reading ---

namespace {

// What index.json says. Exceptions of JSON are the caller's.
DocumentIndexKind KindOf(const nlohmann::json& json) {
  DocumentIndexKind kind;
  kind.options = json;
  for (const char* key : {kVersionKey, kKeepKey, kFilesKey}) kind.options.erase(key);
  kind.signature.ngram = json.at("ngram").get<int>();
  kind.signature.buckets = json.at("buckets").get<int>();
  kind.signature.values = json.at("values").get<int>();
  if (json.value("tokens", kCharacterTokens) != kCharacterTokens) kind.signature.form = TokenForm::kHashes;
  kind.keep = json.at(kKeepKey).get<std::string>();
  kind.texts = json.at(kVersionKey).get<int>() == kVersionWithTexts;
  return kind;
}

bool IsSound(const SignatureOptions& options) {
  return options.ngram > 0 && options.buckets > 0 && options.values > 0 && options.functions() <= kMaxHashFunctions;
}

}  // namespace

arrow::Result<std::unique_ptr<DocumentIndex>> DocumentIndex::Open(const std::string& output) {
  ARROW_ASSIGN_OR_RAISE(const auto place, FindInOutput(PathOfName(output), kDocumentIndexFolder));
  return Open(place, output);
}

arrow::Result<std::unique_ptr<DocumentIndex>> DocumentIndex::Open(const std::filesystem::path& place,
                                                                  const std::string& name) {
  std::unique_ptr<DocumentIndex> index(new DocumentIndex());
  index->name_ = name;
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(place / kIndexFile));
  if (!there) {
    return arrow::Status::Invalid(name, ": there is no index in it, ", kDocumentIndexFolder.path, "/", kIndexFile,
                                  "; make one by uzushio minhash INPUT --index-only --output DIR");
  }
  const auto damaged = [&name](const std::string& what) {
    return arrow::Status::Invalid(name, ": this index is damaged: ", what);
  };
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json json, ReadJsonObject(place / kIndexFile));
  try {
    if (const int version = json.at(kVersionKey).get<int>(); version != kFilesVersion && version != kVersionWithTexts) {
      return arrow::Status::Invalid(name, ": this index is of version ", version, "; this program reads ",
                                    kFilesVersion, " and ", kVersionWithTexts);
    }
    index->kind_ = KindOf(json);
  } catch (const nlohmann::json::exception& error) {
    return damaged(error.what());
  }
  if (!IsSound(index->kind_.signature)) return damaged("no signatures are of its numbers");
  const auto files = ReadWrittenFiles(json);
  if (!files.ok()) return damaged(files.status().message());
  std::vector<std::string_view> names = {kDocumentsFile, kIdsFile, kBucketsFile};
  if (index->kind_.texts) names.insert(names.end(), {kTextPlacesFile, kTextsFile});
  for (const std::string_view part : names) {
    const auto file = std::ranges::find(*files, part, &WrittenFile::path);
    if (file == files->end() || file->xxh64.empty()) return damaged("it does not list " + std::string(part));
    const bool is_texts = part == kTextsFile;
    if (is_texts) {
      // Most of them are never read.
      std::error_code error;
      const uintmax_t bytes = std::filesystem::file_size(place / kTextsFile, error);
      if (error || bytes != static_cast<uintmax_t>(file->bytes)) {
        return arrow::Status::IOError(name, ": this index is damaged: its texts are cut off or missing");
      }
    } else {
      ARROW_RETURN_NOT_OK(CheckWrittenFile(place, *file));
    }
    if (part == kDocumentsFile || part == kIdsFile) index->identity_ += file->xxh64;
    index->checksum_ += file->xxh64;
  }
  ARROW_ASSIGN_OR_RAISE(index->documents_, DocumentTable::Open(place, index->kind_.signature.sketch_bytes()));
  if (index->kind_.texts) {
    ARROW_ASSIGN_OR_RAISE(index->texts_, IndexedTexts::Open(place, name));
    if (index->texts_->size() != index->documents_->size()) return damaged("it has not a text for each document");
  }
  ARROW_ASSIGN_OR_RAISE(index->file_, arrow::io::ReadableFile::Open((place / kBucketsFile).string()));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, index->file_->GetSize());
  if (static_cast<uint64_t>(bytes) % sizeof(DocumentBucket) != 0) return damaged("a bucket of it is cut off");
  index->size_ = static_cast<uint64_t>(bytes) / sizeof(DocumentBucket);
  return index;
}

arrow::Status DocumentIndex::ReadBuckets(uint64_t first, std::span<DocumentBucket> buckets) const {
  return ReadWhole(file_.get(), name_, first * sizeof(DocumentBucket), buckets.data(), buckets.size_bytes());
}

arrow::Status DocumentIndex::Cursor::Load() {
  const bool has_before = !buffer_.empty();
  const uint64_t before = has_before ? buffer_.back().bucket : 0;
  buffer_.resize(std::min(kBucketsRead, index_->size_ - next_));
  at_ = 0;
  ARROW_RETURN_NOT_OK(index_->ReadBuckets(next_, buffer_));
  next_ += buffer_.size();
  for (size_t i = 0; i < buffer_.size(); ++i) {
    const uint64_t last = i > 0 ? buffer_[i - 1].bucket : before;
    const bool is_first = i == 0 && !has_before;
    const bool is_after = index_->kind_.texts ? buffer_[i].bucket >= last : buffer_[i].bucket > last;
    if (!is_first && !is_after) {
      return arrow::Status::Invalid(index_->name_, ": this index is damaged: buckets are not in order");
    }
    if (buffer_[i].priority.number() >= index_->documents_->size()) {
      return arrow::Status::Invalid(index_->name_, ": this index is damaged: a bucket is of no document");
    }
  }
  return arrow::Status::OK();
}

arrow::Status DocumentIndex::Cursor::Next() {
  if (++at_ < buffer_.size() || next_ == index_->size_) return arrow::Status::OK();
  return Load();
}

arrow::Status DocumentIndex::Cursor::SeekTo(uint64_t bucket) {
  if (!is_placed_) {
    uint64_t low = 0;
    uint64_t high = index_->size_;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      DocumentBucket probe;
      ARROW_RETURN_NOT_OK(index_->ReadBuckets(middle, {&probe, 1}));
      (probe.bucket < bucket ? low : high) = probe.bucket < bucket ? middle + 1 : middle;
    }
    next_ = low;
    is_placed_ = true;
    ARROW_RETURN_NOT_OK(Load());
  }
  while (true) {
    while (at_ < buffer_.size() && buffer_[at_].bucket < bucket) ++at_;
    if (at_ < buffer_.size() || next_ == index_->size_) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(Load());
  }
}

}  // namespace uzushio
