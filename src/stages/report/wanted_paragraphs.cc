#include "stages/report/wanted_paragraphs.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <bitset>
#include <memory>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/json_lines.h"
#include "datasets/output_files.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "document/host.h"
#include "document/markup.h"
#include "document/paragraph_hash.h"
#include "document/paragraph_writer.h"
#include "statistics/folder.h"

namespace uzushio {
namespace {

std::string_view CutText(std::string_view text) {
  size_t end = 0;
  for (size_t points = 0; points < kShownCharacters && end < text.size(); ++points) end += Utf8Length(text[end]);
  return text.substr(0, end);
}

// The lesser one stays: of texts with one hash always the same one.
void KeepLesser(std::string_view text, std::optional<std::string>* kept) {
  if (!kept->has_value() || text < **kept) *kept = text;
}

}  // namespace

// Looks hashes up, most of which are not wanted.
class WantedParagraphs::Index {
 public:
  explicit Index(const std::vector<int64_t>& hashes) {
    for (size_t place = 0; place < hashes.size(); ++place) {
      places_.emplace_back(hashes[place], place);
      maybe_.set(Bit(hashes[place]));
    }
    std::ranges::sort(places_);
  }
  std::optional<size_t> Find(int64_t hash) const {
    if (!maybe_.test(Bit(hash))) return std::nullopt;
    const auto found = std::ranges::lower_bound(places_, hash, {}, &std::pair<int64_t, size_t>::first);
    if (found == places_.end() || found->first != hash) return std::nullopt;
    return found->second;
  }

 private:
  static constexpr int kBits = 17;
  static size_t Bit(int64_t hash) { return static_cast<uint64_t>(hash) >> (64 - kBits); }
  std::vector<std::pair<int64_t, size_t>> places_;
  std::bitset<size_t{1} << kBits> maybe_;
};

// What one thread finds.
class WantedParagraphs::Reader {
 public:
  Reader(const WantedParagraphs& wanted, const Index& index)
      : wanted_(wanted),
        index_(index),
        texts_(wanted.found_.size()),
        documents_(wanted.found_.size()),
        hosts_(wanted.hosts_.size()) {}

  arrow::Status TakeDocuments(const arrow::RecordBatch& batch, const CorpusConfig& columns, bool has_urls) {
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, columns.text_column));
    std::shared_ptr<arrow::StringArray> urls;
    if (has_urls) {
      ARROW_ASSIGN_OR_RAISE(urls, TextColumn(batch, columns.url_column));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (texts->IsNull(row) || !IsValidUtf8(texts->GetView(row))) continue;
      TakeDocument(texts->GetView(row), has_urls && urls->IsValid(row) ? urls->GetView(row) : std::string_view());
    }
    return arrow::Status::OK();
  }

  arrow::Status TakeParagraphs(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, "text"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const auto place = index_.Find(hashes->Value(row));
      if (place && texts->IsValid(row)) TakeText(*place, texts->GetView(row));
    }
    return arrow::Status::OK();
  }

  // Adds what was found to what others have found.
  void HandOver(WantedParagraphs* to) {
    for (size_t place = 0; place < texts_.size(); ++place) {
      WantedParagraphs::Found& found = to->found_[place];
      if (texts_[place]) KeepLesser(*texts_[place], &found.text);
      found.documents += documents_[place];
    }
    for (size_t i = 0; i < hosts_.size(); ++i) to->hosts_[i].Add(hosts_[i]);
  }

 private:
  void TakeText(size_t place, std::string_view text) {
    if (wanted_.found_[place].text || !IsValidUtf8(text)) return;  // the statistics have told it
    KeepLesser(CutText(text), &texts_[place]);
  }

  void TakeDocument(std::string_view text, std::string_view url) {
    in_document_.clear();
    ParagraphReader reader(text);
    while (const auto paragraph = reader.Next()) {
      const std::string_view plain = PlainParagraph(*paragraph, &buffer_);
      const auto place = plain.empty() ? std::nullopt : index_.Find(ParagraphHash(plain));
      if (!place) continue;
      TakeText(*place, plain);
      in_document_.push_back(*place);
    }
    if (in_document_.empty()) return;
    std::ranges::sort(in_document_);
    in_document_.erase(std::unique(in_document_.begin(), in_document_.end()), in_document_.end());
    const bool has_host = location_.Parse(url);
    location_.path.clear();
    for (const size_t place : in_document_) {
      ++documents_[place];
      if (!has_host) continue;
      for (const size_t number : wanted_.found_[place].counted_in) hosts_[number].Add(HostKey(location_));
    }
  }

  const WantedParagraphs& wanted_;
  const Index& index_;
  std::vector<std::optional<std::string>> texts_;
  std::vector<int64_t> documents_;
  std::vector<DistinctCount> hosts_;
  std::vector<size_t> in_document_;
  Location location_;
  std::string buffer_;
};

size_t WantedParagraphs::Want(int64_t hash) {
  const auto [entry, is_new] = places_.try_emplace(hash, hashes_.size());
  if (is_new) {
    hashes_.push_back(hash);
    found_.emplace_back();
  }
  return entry->second;
}

void WantedParagraphs::CountHosts(size_t place, size_t hosts) {
  hosts_.resize(std::max(hosts_.size(), hosts + 1));
  found_[place].counted_in.push_back(hosts);
}

arrow::Status WantedParagraphs::ReadStatisticsTexts(const std::string& folder, const PartitionsPlan& plan,
                                                    int threads) {
  ARROW_ASSIGN_OR_RAISE(const OutputFiles output, OutputFiles::Find(folder));
  ARROW_ASSIGN_OR_RAISE(const OutputFiles::Named all, output.Find(kIntermediateFile, kParquetSuffixes));
  if (!all.files.empty()) return ReadIntermediate(all.files, plan, threads);
  ARROW_ASSIGN_OR_RAISE(const OutputFiles::Named groups, output.Find(kGroupsFile, {}));
  return groups.files.empty() ? arrow::Status::OK() : ReadGroupsFile(groups.files.front(), plan);
}

arrow::Status WantedParagraphs::ReadIntermediate(const std::vector<InputFile>& files, const PartitionsPlan& plan,
                                                 int threads) {
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindStatistics(files));
  const Index index(hashes_);
  std::vector<Reader> readers(static_cast<size_t>(threads), Reader(*this, index));
  ARROW_RETURN_NOT_OK(ParallelFor(threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const Split& split = splits[i];
    const RowGroupOptions options = {
        .columns = {PlaceInParquet(*split.metadata, "hash"), PlaceInParquet(*split.metadata, "text")},
        .memory = plan.reader};
    Reader& reader = readers[static_cast<size_t>(thread)];
    const auto take = [&reader](const arrow::RecordBatch& batch) { return reader.TakeParagraphs(batch); };
    return NamingFile(*split.file, ReadRowGroup(*split.file, split.metadata, split.row_group, options, take),
                      arrow::Status::OK());
  }));
  for (Reader& reader : readers) reader.HandOver(this);
  return arrow::Status::OK();
}

arrow::Status WantedParagraphs::ReadGroupsFile(const InputFile& file, const PartitionsPlan& plan) {
  const Index index(hashes_);
  size_t missing = hashes_.size();
  const auto take = [&](const JsonObject& object) -> arrow::Result<const char*> {
    const JsonField* hash = object.Find("hash");
    const JsonField* text = object.Find("text");
    if (hash == nullptr || text == nullptr || hash->kind != JsonField::Kind::kInt ||
        text->kind != JsonField::Kind::kText) {
      return "no-group";
    }
    const auto place = index.Find(hash->integer);
    if (!place || found_[*place].text) return nullptr;
    found_[*place].text = CutText(text->text);
    if (--missing == 0) return arrow::Status::Cancelled("all are found");  // the most frequent groups come first
    return nullptr;
  };
  const auto bad = [&file](const QuarantinedRecord& record) {
    return arrow::Status::Invalid(file.name, ": a line is damaged (", record.reason,
                                  "); make it again by uzushio stats");
  };
  if (missing == 0) return arrow::Status::OK();
  const arrow::Status read = ForEachJsonLine(file, plan.reader, "no-group", take, bad);
  return missing == 0 ? arrow::Status::OK() : read;
}

arrow::Status WantedParagraphs::ReadDocuments(const CorpusConfig& documents, const PartitionsPlan& plan,
                                              const std::function<void(double)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const RowInputs rows, FindRows(documents.files, documents.text_column, "", plan.reader));
  has_documents_ = true;
  const auto urls = rows.schema->GetFieldByName(documents.url_column);
  has_hosts_ = urls != nullptr && urls->type()->id() == arrow::Type::STRING;
  std::vector<std::string> columns = {documents.text_column};
  if (has_hosts_) columns.push_back(documents.url_column);
  const Index index(hashes_);
  std::vector<Reader> readers(static_cast<size_t>(documents.threads), Reader(*this, index));
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(
      ParallelFor(documents.threads, rows.splits.size(), [&](int thread, size_t split) -> arrow::Status {
        Reader& reader = readers[static_cast<size_t>(thread)];
        // Lines that can not be read were put aside by `stats`, too.
        ARROW_RETURN_NOT_OK(ReadColumns(
            rows, rows.splits[split], columns,
            [&](const arrow::RecordBatch& batch) { return reader.TakeDocuments(batch, documents, has_hosts_); },
            [](const QuarantinedRecord&) { return arrow::Status::OK(); }));
        const std::lock_guard lock(mutex);
        if (on_progress) on_progress(static_cast<double>(++done) / static_cast<double>(rows.splits.size()));
        return arrow::Status::OK();
      }));
  for (Reader& reader : readers) reader.HandOver(this);
  return arrow::Status::OK();
}

}  // namespace uzushio
