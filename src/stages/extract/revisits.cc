// The idea: joins out of core, by numbers of 128 bits for ids, captures and digests.
//
// 1. Each document gives an entry of 32 bytes for each of its keys, and each revisit one for each key of its page. They
//    are partitioned by key.
// 2. In each partition, sorted by key, the first document of a key is that of all its revisits: a match of 24 bytes,
//    partitioned by revisit.
// 3. In each partition, sorted by revisit, the best match of each stays. Its revisit follows in the notes, which are
//    read along, and goes to the partition of its document.
// 4. In each partition, sorted by document, documents are read again, a row group at a time, and written with what is
//    the revisit's.
//
// Partitions that pass their memory are cut by ranges of their keys (storage/spill_ranges.h). An entry is written some
// three times, a revisit twice; documents that are repeated are read once more. Example: a crawl of a year with 10^8
// revisits and 3 * 10^7 documents takes 6 GB of entries, and 2 GB of matches.
#include "stages/extract/revisits.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "base/stop.h"
#include "datasets/columns.h"
#include "datasets/documents_writer.h"
#include "datasets/parquet_file.h"
#include "document/markup.h"
#include "document/provenance.h"
#include "html/encoding.h"
#include "stages/extract/part_name.h"
#include "stages/extract/revisit_notes.h"
#include "stages/extract/warc_documents.h"
#include "storage/spill.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kRevisitPartitions = 64;
constexpr size_t kSpillBuffer = size_t{8} << 10;
constexpr int64_t kRepeatedAllowance = int64_t{64} << 20;

// A number for a document (input, language, row) or a revisit (input, number), in order of these.
constexpr int kInputBits = 24;
constexpr int kLanguageBits = 8;
constexpr int kRowBits = 32;
constexpr int kRevisitBits = 40;
constexpr uint64_t kMostInputs = uint64_t{1} << kInputBits;
constexpr uint64_t kMostLanguages = uint64_t{1} << kLanguageBits;

uint64_t DocumentCode(size_t input, size_t language, uint64_t row) {
  return static_cast<uint64_t>(input) << (kLanguageBits + kRowBits) | static_cast<uint64_t>(language) << kRowBits | row;
}
uint64_t RevisitCode(size_t input, uint64_t number) { return static_cast<uint64_t>(input) << kRevisitBits | number; }
// Of a file of documents, `language=ja/…`.
std::string LanguageOfFile(std::string_view path) {
  const size_t begin = path.find('=') + 1;
  return std::string(path.substr(begin, path.find('/') - begin));
}

size_t InputOf(uint64_t code) { return code >> (64 - kInputBits); }
size_t LanguageOf(uint64_t code) { return code >> kRowBits & ((1U << kLanguageBits) - 1); }
int64_t RowOf(uint64_t code) { return static_cast<int64_t>(code & UINT32_MAX); }

// What a document is known by, or a revisit asks for.
struct KeyEntry {
  CaptureKey key;
  uint64_t rank = 0;  // 0: a document; else which of a revisit's keys it is, from 1
  uint64_t code = 0;

  auto operator<=>(const KeyEntry&) const = default;
};
static_assert(sizeof(KeyEntry) == 32);

struct RevisitMatch {
  uint64_t revisit = 0;
  uint64_t rank = 0;
  uint64_t document = 0;

  auto operator<=>(const RevisitMatch&) const = default;
};
static_assert(sizeof(RevisitMatch) == 24);

// What is before a revisit's bytes in the partitions of documents.
struct RepeatHead {
  uint64_t document = 0;
  uint64_t revisit = 0;
  uint64_t size = 0;
};

class RevisitResolver {
 public:
  RevisitResolver(const std::filesystem::path& folder, const std::vector<NotedInput>& inputs, int64_t max_inflation,
                  int threads, const RevisitMemory& memory)
      : folder_(folder),
        inputs_(inputs),
        max_inflation_(max_inflation),
        threads_(threads),
        most_(memory.records),
        budget_(memory.entries),
        space_(folder),
        entries_(kRevisitPartitions, &budget_, &space_),
        matches_(kRevisitPartitions, &budget_, &space_),
        repeats_(kRevisitPartitions, &budget_, &space_) {}

  arrow::Result<ResolvedRevisits> Run() {
    int64_t all = 0;
    for (const NotedInput& input : inputs_) all += input.notes ? input.notes->rows : 0;
    if (all == 0) return ResolvedRevisits();
    if (inputs_.size() > kMostInputs) {
      return arrow::Status::CapacityError("--revisits resolved: more than ", kMostInputs, " inputs");
    }
    ARROW_RETURN_NOT_OK(ParallelFor(threads_, inputs_.size(), [&](int, size_t input) { return Enter(input); }));
    ARROW_RETURN_NOT_OK(ParallelFor(threads_, kRevisitPartitions, [&](int, size_t part) { return Match(part); }));
    ARROW_RETURN_NOT_OK(ParallelFor(threads_, kRevisitPartitions, [&](int, size_t part) { return Choose(part); }));
    ARROW_RETURN_NOT_OK(ParallelFor(threads_, kRevisitPartitions, [&](int, size_t part) { return Write(part); }));
    ResolvedRevisits result;
    for (Written& written : written_) {
      result.counts.Add(written.counts);
      result.inflated += written.inflated;
      result.files.insert(result.files.end(), written.files.begin(), written.files.end());
    }
    result.unresolved = all - result.counts.documents - result.inflated;
    return result;
  }

 private:
  // What became of a partition's documents.
  struct Written {
    ExtractCounts counts;
    int64_t inflated = 0;
    std::vector<WrittenFile> files;
  };
  class Writer;

  size_t PartitionOfInput(size_t input) const { return input * kRevisitPartitions / inputs_.size(); }
  static size_t PartitionOfKey(const CaptureKey& key) {
    static_assert(kRevisitPartitions == 64);
    return key.high >> 58;
  }

  arrow::Status Enter(size_t input) {
    const NotedInput& noted = inputs_[input];
    if (!noted.notes) return arrow::Status::OK();
    if (noted.documents.size() > kMostLanguages) {
      return arrow::Status::CapacityError("--revisits resolved: more than ", kMostLanguages, " languages in one input");
    }
    std::map<std::string, std::pair<size_t, uint64_t>, std::less<>> languages;  // their places, and rows so far
    for (size_t i = 0; i < noted.documents.size(); ++i) languages[LanguageOfFile(noted.documents[i].path)] = {i, 0};
    SpillPartitions::Writer writer(&entries_, kSpillBuffer);
    const auto enter = [&writer](const CaptureKeys& keys, bool is_revisit, uint64_t code) -> arrow::Status {
      for (size_t i = 0; i < keys.size(); ++i) {
        if (!keys[i].is_known()) continue;
        const KeyEntry entry{.key = keys[i], .rank = is_revisit ? i + 1 : 0, .code = code};
        ARROW_RETURN_NOT_OK(writer.AppendRecord(PartitionOfKey(entry.key), entry));
      }
      return arrow::Status::OK();
    };
    ARROW_ASSIGN_OR_RAISE(const auto reader, RevisitNotesReader::Open(folder_ / noted.notes->path));
    RevisitNotesReader::Note note;
    uint64_t revisits = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&note));
      if (!more) return writer.Flush();
      if (note.is_revisit) {
        ARROW_RETURN_NOT_OK(enter(note.revisit.page, true, RevisitCode(input, revisits++)));
        continue;
      }
      const auto language = languages.find(note.language);
      if (language == languages.end()) return arrow::Status::UnknownError("revisits: a document without a file");
      ARROW_RETURN_NOT_OK(
          enter(note.keys, false, DocumentCode(input, language->second.first, language->second.second++)));
    }
  }

  arrow::Status Match(size_t part) {
    SpillPartitions::Writer writer(&matches_, kSpillBuffer);
    const auto high = [](const KeyEntry& entry) { return entry.key.high; };
    const auto low = [](const KeyEntry& entry) { return entry.key.low; };
    const auto sorted = [&](std::span<KeyEntry> entries) {
      std::ranges::sort(entries);
      return MatchSorted(entries, &writer);
    };
    const auto of_one_key = [&](SpillPartitions* from, size_t partition) {
      return MatchOneKey(from, partition, &writer);
    };
    const auto of_one_high = [&](SpillPartitions* from, size_t partition) {
      return ForEachRange<KeyEntry>(from, partition, most_, low, sorted, of_one_key);
    };
    ARROW_RETURN_NOT_OK(ForEachRange<KeyEntry>(&entries_, part, most_, high, sorted, of_one_high));
    return writer.Flush();
  }

  arrow::Status MatchSorted(std::span<const KeyEntry> entries, SpillPartitions::Writer* writer) {
    ARROW_RETURN_NOT_OK(CheckStop());
    const KeyEntry* document = nullptr;
    for (const KeyEntry& entry : entries) {
      const bool is_new = document == nullptr || document->key != entry.key;
      if (entry.rank == 0 && is_new) document = &entry;
      if (entry.rank > 0 && !is_new) ARROW_RETURN_NOT_OK(Add(entry, document->code, writer));
    }
    return arrow::Status::OK();
  }

  // A page that millions repeat, perhaps.
  arrow::Status MatchOneKey(SpillPartitions* from, size_t partition, SpillPartitions::Writer* writer) {
    uint64_t first = UINT64_MAX;
    ARROW_RETURN_NOT_OK(from->ReadChunks(partition, [&first](std::span<const char> bytes) {
      for (const KeyEntry& entry : EntriesIn(bytes)) first = entry.rank == 0 ? std::min(first, entry.code) : first;
      return arrow::Status::OK();
    }));
    return from->TakeChunks(partition, [&](std::span<const char> bytes) -> arrow::Status {
      if (first == UINT64_MAX) return arrow::Status::OK();
      for (const KeyEntry& entry : EntriesIn(bytes)) {
        if (entry.rank > 0) ARROW_RETURN_NOT_OK(Add(entry, first, writer));
      }
      return CheckStop();
    });
  }

  static std::span<const KeyEntry> EntriesIn(std::span<const char> bytes) {
    return {reinterpret_cast<const KeyEntry*>(bytes.data()), bytes.size() / sizeof(KeyEntry)};
  }

  arrow::Status Add(const KeyEntry& revisit, uint64_t document, SpillPartitions::Writer* writer) {
    const RevisitMatch match{.revisit = revisit.code, .rank = revisit.rank, .document = document};
    return writer->AppendRecord(PartitionOfInput(InputOf(match.revisit)), match);
  }

  // The notes of inputs, of which each revisit is asked for once, in order.
  class RevisitCursor {
   public:
    explicit RevisitCursor(const RevisitResolver& resolver) : resolver_(resolver) {}

    arrow::Result<const Revisit*> Find(uint64_t code) {
      const size_t input = InputOf(code);
      if (reader_ == nullptr || input != input_) {
        input_ = input;
        next_ = RevisitCode(input, 0);
        ARROW_ASSIGN_OR_RAISE(reader_,
                              RevisitNotesReader::Open(resolver_.folder_ / resolver_.inputs_[input].notes->path));
      }
      while (next_ <= code) {
        ARROW_ASSIGN_OR_RAISE(const bool more, reader_->Next(&note_));
        if (!more) return arrow::Status::UnknownError("revisits: one that was noted is missing");
        next_ += note_.is_revisit ? 1 : 0;
      }
      return &note_.revisit;
    }

   private:
    const RevisitResolver& resolver_;
    std::unique_ptr<RevisitNotesReader> reader_;
    size_t input_ = 0;
    uint64_t next_ = 0;  // the code of the next revisit
    RevisitNotesReader::Note note_;
  };

  arrow::Status Choose(size_t part) {
    SpillPartitions::Writer writer(&repeats_, kSpillBuffer);
    RevisitCursor cursor(*this);
    std::string bytes;
    const auto choose = [&](std::span<RevisitMatch> matches) -> arrow::Status {
      ARROW_RETURN_NOT_OK(CheckStop());
      std::ranges::sort(matches);
      uint64_t last = UINT64_MAX;
      for (const RevisitMatch& match : matches) {
        if (std::exchange(last, match.revisit) == match.revisit) continue;
        ARROW_ASSIGN_OR_RAISE(const Revisit* const revisit, cursor.Find(match.revisit));
        bytes.clear();
        AppendRevisit(*revisit, &bytes);
        const RepeatHead head{.document = match.document, .revisit = match.revisit, .size = bytes.size()};
        const std::span<const char> head_bytes(reinterpret_cast<const char*>(&head), sizeof head);
        ARROW_RETURN_NOT_OK(writer.Append(PartitionOfInput(InputOf(match.document)), head_bytes, bytes));
      }
      return arrow::Status::OK();
    };
    // A revisit has three matches at most.
    const auto of_one = [](SpillPartitions*, size_t) {
      return arrow::Status::UnknownError("revisits: one has too many matches");
    };
    const auto key = [](const RevisitMatch& match) { return match.revisit; };
    ARROW_RETURN_NOT_OK(ForEachRange<RevisitMatch>(&matches_, part, most_, key, choose, of_one));
    return writer.Flush();
  }

  arrow::Status Write(size_t part);

  const std::filesystem::path& folder_;
  const std::vector<NotedInput>& inputs_;
  const int64_t max_inflation_;
  const int threads_;
  const int64_t most_;  // bytes that are sorted at a time
  MemoryBudget budget_;
  SpillSpace space_;
  SpillPartitions entries_;
  SpillPartitions matches_;
  SpillPartitions repeats_;
  std::array<Written, kRevisitPartitions> written_;
};

// Reads documents in order of their numbers.
class RepeatedDocuments {
 public:
  RepeatedDocuments(const std::filesystem::path& folder, const std::vector<NotedInput>& inputs)
      : folder_(folder), inputs_(inputs) {}

  // Those parts of the document that its revisits have, too.
  arrow::Status Find(uint64_t code, Document* document) {
    if (code == code_) return arrow::Status::OK();
    const WrittenFile& file = inputs_[InputOf(code)].documents[LanguageOf(code)];
    if (metadata_ == nullptr || file.path != path_) ARROW_RETURN_NOT_OK(Open(file.path));
    int64_t row = RowOf(code) - first_;
    while (row >= rows_) {
      row -= rows_;
      ARROW_RETURN_NOT_OK(NextGroup());
    }
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches_) {
      if (row < batch->num_rows()) {
        code_ = code;
        return Take(*batch, row, document);
      }
      row -= batch->num_rows();
    }
    return arrow::Status::UnknownError("revisits: a row is missing");
  }

 private:
  arrow::Status Open(const std::string& path) {
    language_ = LanguageOfFile(path);
    path_ = path;
    ARROW_ASSIGN_OR_RAISE(file_, OpenInput(NameOfPath((folder_ / path).string())));
    ARROW_ASSIGN_OR_RAISE(metadata_, ReadParquetMetadata(file_));
    group_ = -1;
    first_ = 0;
    rows_ = 0;
    batches_.clear();
    return arrow::Status::OK();
  }

  arrow::Status NextGroup() {
    if (++group_ >= metadata_->num_row_groups()) return arrow::Status::UnknownError("revisits: a row group is missing");
    first_ += rows_;
    batches_.clear();
    RowGroupOptions options;
    for (const char* name : kOfPage) options.columns.push_back(PlaceInParquet(*metadata_, name));
    rows_ = metadata_->RowGroup(group_)->num_rows();
    return ReadRowGroup(file_, metadata_, group_, options, [this](const arrow::RecordBatch& batch) {
      batches_.push_back(batch.Slice(0));
      return arrow::Status::OK();
    });
  }

  arrow::Status Take(const arrow::RecordBatch& batch, int64_t row, Document* document) const {
    const std::array<std::string*, kOfPage.size()> texts = {&document->charset, &document->text, &document->title,
                                                            &document->robots, &document->license};
    for (size_t i = 0; i < kOfPage.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto column, TextColumn(batch, kOfPage[i]));
      *texts[i] = column->GetView(row);
    }
    document->language = language_;
    document->paragraphs = 0;
    ParagraphReader reader(document->text);
    while (reader.Next()) ++document->paragraphs;
    return arrow::Status::OK();
  }

  // Columns that are the page's, and so those of what repeats it.
  static constexpr std::array<const char*, 5> kOfPage = {"charset", "text", "title", "robots", "license"};

  const std::filesystem::path& folder_;
  const std::vector<NotedInput>& inputs_;
  uint64_t code_ = UINT64_MAX;  // what the last was
  std::string path_;
  std::string language_;
  InputFile file_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  int group_ = -1;
  int64_t first_ = 0;  // row of the group
  int64_t rows_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
};

// Writes the documents of a partition: those of one input's pages to a file of their own for each language.
class RevisitResolver::Writer {
 public:
  Writer(const RevisitResolver& resolver, Written* written)
      : resolver_(resolver), written_(*written), documents_(resolver.folder_, resolver.inputs_) {}

  arrow::Status Add(const RepeatHead& head, std::string_view bytes) {
    const size_t input = InputOf(head.document);
    if (file_ == nullptr || input != input_) {
      ARROW_RETURN_NOT_OK(Finish());
      input_ = input;
      allowed_ = kRepeatedAllowance;
      const std::string name = "revisits" + PartName(input).substr(PartName(input).find('-'));
      file_ = std::make_unique<DocumentsWriter>(resolver_.folder_, name);
    }
    ARROW_RETURN_NOT_OK(TakeRevisit(&bytes, &revisit_));
    ARROW_RETURN_NOT_OK(documents_.Find(head.document, &document_));
    constexpr int64_t kMostLength = int64_t{1} << 30;  // products stay numbers
    const int64_t inflation = std::min<int64_t>(resolver_.max_inflation_, kMostLength);
    allowed_ = std::min(allowed_ + inflation * std::clamp<int64_t>(revisit_.length, 0, kMostLength), INT64_MAX / 4);
    const auto size = static_cast<int64_t>(document_.text.size());
    if (size > allowed_) {
      ++written_.inflated;
      return arrow::Status::OK();
    }
    allowed_ -= size;
    document_.doc_id = DocumentId(revisit_.record_id, revisit_.url, revisit_.date, revisit_.offset);
    document_.url = Encoding::Utf8().Decode(revisit_.url, &buffer_);
    document_.date = DocumentDate(revisit_.date, revisit_.http_date, revisit_.last_modified);
    document_.warc = resolver_.inputs_[InputOf(head.revisit)].name;
    document_.offset = revisit_.offset;
    document_.length = revisit_.length;
    TakeOutcome({}, {.kind = PageOutcome::Kind::kDocument}, document_, &written_.counts, {});
    return file_->Append(document_);
  }

  arrow::Status Finish() {
    if (file_ == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> files, file_->Finish());
    written_.files.insert(written_.files.end(), files.begin(), files.end());
    file_.reset();
    return arrow::Status::OK();
  }

 private:
  const RevisitResolver& resolver_;
  Written& written_;
  RepeatedDocuments documents_;
  std::unique_ptr<DocumentsWriter> file_;
  size_t input_ = 0;
  int64_t allowed_ = 0;  // bytes of text
  Revisit revisit_;
  Document document_;
  std::string buffer_;
};

arrow::Status RevisitResolver::Write(size_t part) {
  Writer writer(*this, &written_[part]);
  const auto each_by = [](uint64_t RepeatHead::* key) {
    return [key](std::span<const char> bytes, const auto& f) -> arrow::Status {
      while (!bytes.empty()) {
        RepeatHead head;
        std::memcpy(&head, bytes.data(), sizeof head);
        ARROW_RETURN_NOT_OK(f(head.*key, bytes.first(sizeof head + head.size)));
        bytes = bytes.subspan(sizeof head + head.size);
      }
      return arrow::Status::OK();
    };
  };
  const auto write = [&](const Bytes& bytes) -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckStop());
    std::vector<std::pair<RepeatHead, std::string_view>> repeats;
    ARROW_RETURN_NOT_OK(each_by(&RepeatHead::document)(bytes.span(), [&](uint64_t, std::span<const char> record) {
      RepeatHead head;
      std::memcpy(&head, record.data(), sizeof head);
      repeats.emplace_back(head, std::string_view(record.data() + sizeof head, head.size));
      return arrow::Status::OK();
    }));
    std::ranges::sort(repeats, {},
                      [](const auto& repeat) { return std::pair(repeat.first.document, repeat.first.revisit); });
    for (const auto& [head, revisit] : repeats) ARROW_RETURN_NOT_OK(writer.Add(head, revisit));
    return arrow::Status::OK();
  };
  const auto of_one_revisit = [](SpillPartitions*, size_t) {
    return arrow::Status::UnknownError("revisits: one is too large");
  };
  const auto of_one_document = [&](SpillPartitions* from, size_t partition) {
    return ForEachRangeOf(from, partition, most_, each_by(&RepeatHead::revisit), write, of_one_revisit);
  };
  ARROW_RETURN_NOT_OK(ForEachRangeOf(&repeats_, part, most_, each_by(&RepeatHead::document), write, of_one_document));
  return writer.Finish();
}

}  // namespace

arrow::Result<ResolvedRevisits> ResolveRevisits(const std::filesystem::path& folder,
                                                const std::vector<NotedInput>& inputs, int64_t max_inflation,
                                                int threads, const RevisitMemory& memory) {
  return RevisitResolver(folder, inputs, max_inflation, threads, memory).Run();
}

}  // namespace uzushio
