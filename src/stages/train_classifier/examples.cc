#include "stages/train_classifier/examples.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/ordered.h"
#include "base/size.h"
#include "base/text_hash.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/row_reader.h"
#include "document/host.h"
#include "filters/filter_document.h"
#include "storage/spill.h"

namespace uzushio {
namespace {

constexpr size_t kMostLabels = 1000;  // more are no classes
constexpr size_t kMostLabelBytes = 200;

// A number that a label is.
std::optional<double> NumberIn(const std::string& label) {
  double number = 0;
  const char* const end = label.data() + label.size();
  const auto [read, error] = std::from_chars(label.data(), end, number);
  if (error != std::errc() || read != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

// Numbers by their size, then the others.
bool LabelBefore(const std::string& a, const std::string& b) {
  const auto first = NumberIn(a);
  const auto second = NumberIn(b);
  if (first && second && *first != *second) return *first < *second;
  if (first.has_value() != second.has_value()) return first.has_value();
  return a < b;
}

arrow::Status CheckLabel(std::string_view label) {
  const auto separates = [](char c) { return SeparatesFastTextWords(c); };
  if (!IsValidUtf8(label)) return arrow::Status::Invalid("a label is no UTF-8; fastText takes texts");
  if (label.size() > kMostLabelBytes) {
    return arrow::Status::Invalid("the label '", Utf8Prefix(label, 40), "…' has more than ", kMostLabelBytes,
                                  " bytes; is it the column of labels?");
  }
  if (std::ranges::any_of(label, separates)) {
    return arrow::Status::Invalid("the label '", label, "' has white space, at which fastText ends labels; rename it");
  }
  return arrow::Status::OK();
}

// The labels of a batch: texts as they are, whole numbers as their decimals, true and false.
arrow::Result<std::shared_ptr<arrow::StringArray>> LabelsOf(const arrow::RecordBatch& batch, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(*batch.schema(), name));
  std::shared_ptr<arrow::Array> column = batch.column(place);
  if (IsTextual(*column->type())) return TextColumn(batch, name);
  const auto cast_to = [&column](const std::shared_ptr<arrow::DataType>& type) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum cast,
                          arrow::compute::Cast(column, arrow::compute::CastOptions::Safe(type)));
    column = cast.make_array();
    return arrow::Status::OK();
  };
  if (arrow::is_floating(column->type_id()) && !cast_to(arrow::int64()).ok()) {
    return arrow::Status::Invalid("column '", name,
                                  "' has numbers that are not whole, and labels are classes; round "
                                  "them, or name another column by --label-column");
  }
  ARROW_RETURN_NOT_OK(cast_to(arrow::utf8()));
  return std::static_pointer_cast<arrow::StringArray>(column);
}

arrow::Status CheckLabelColumn(const arrow::Schema& schema, const std::string& name) {
  constexpr const char* kHelp =
      "; name the labels' column by --label-column, or give inputs of one label each by "
      "--with-label LABEL=INPUT";
  const auto place = ColumnPlace(schema, name);
  if (!place.ok()) return place.status().WithMessage(place.status().message(), kHelp);
  const arrow::Field& field = *schema.field(*place);
  const arrow::Type::type type = field.type()->id();
  if (!IsJson(field) &&
      (IsTextual(*field.type()) || arrow::is_integer(type) || arrow::is_floating(type) || type == arrow::Type::BOOL)) {
    return arrow::Status::OK();
  }
  return arrow::Status::Invalid("column '", name, "' is of type ", IsJson(field) ? "JSON" : field.type()->ToString(),
                                ", and labels, which are texts or numbers, are wanted", kHelp);
}

// Inputs that are read alike.
struct LabelledInputs {
  RowInputs rows;
  std::vector<std::string> columns;
  std::optional<std::string> label;  // of all
};

struct LabelledSplit {
  const LabelledInputs* inputs = nullptr;
  const RowSplit* split = nullptr;
  int64_t bytes = 0;
};

// Lines of a thread, until they are collected.
struct LineBatch {
  struct Line {
    uint64_t hash = 0;
    uint32_t size = 0;
    uint32_t label = 0;  // in `labels`
    bool is_held_out = false;
  };
  std::string text;
  std::vector<Line> lines;
  std::vector<std::string> labels;
  int64_t documents = 0;
  Counters quarantined;

  size_t PlaceOf(std::string_view label) {
    const auto found = std::ranges::find(labels, label);  // of a few
    if (found != labels.end()) return static_cast<size_t>(found - labels.begin());
    labels.emplace_back(label);
    return labels.size() - 1;
  }
  int64_t bytes() const { return static_cast<int64_t>(text.size() + lines.size() * sizeof(Line)) + 1; }
};

// One thread's way from rows to lines.
class LineMaker {
 public:
  LineMaker(const TrainClassifierConfig& config, const FastTextWords& words) : config_(config), words_(words) {}

  arrow::Status Add(const LabelledInputs& inputs, const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, config_.text_column));
    std::shared_ptr<arrow::StringArray> labels;
    if (!inputs.label) {
      ARROW_ASSIGN_OR_RAISE(labels, LabelsOf(batch, config_.label_column));
    }
    ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(batch, config_.id_column));
    std::shared_ptr<arrow::StringArray> urls;
    if (batch.GetColumnByName(config_.url_column) != nullptr) {
      ARROW_ASSIGN_OR_RAISE(urls, TextColumn(batch, config_.url_column));
    }
    const auto view = [](const auto& column, int64_t row) {
      return column == nullptr || column->IsNull(row) ? std::string_view() : column->GetView(row);
    };
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const std::string_view text = view(texts, row);
      const std::string_view label = inputs.label ? std::string_view(*inputs.label) : view(labels, row);
      ARROW_RETURN_NOT_OK(AddDocument(text, WithoutFastTextLabel(label), view(ids, row), view(urls, row)));
    }
    return arrow::Status::OK();
  }

  LineBatch batch;

 private:
  arrow::Status AddDocument(std::string_view text, std::string_view label, std::string_view id, std::string_view url) {
    if (label.empty()) {
      batch.quarantined.Add("no-label");
      return arrow::Status::OK();
    }
    if (!IsValidUtf8(text)) {
      batch.quarantined.Add("no-utf8");
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckLabel(label));
    document_.Parse(id, text);
    const size_t before = batch.lines.size();
    const bool held_out = IsHeldOut(text, id, url);
    if (config_.unit == "paragraph") {
      for (const FilterParagraph& paragraph : document_.paragraphs()) AddLine(paragraph.plain, label, held_out);
    } else {
      document_.JoinAlive(&joined_);
      AddLine(joined_, label, held_out);
    }
    if (batch.lines.size() == before) {
      batch.quarantined.Add("no-words");
    } else {
      ++batch.documents;
    }
    return arrow::Status::OK();
  }

  void AddLine(std::string_view text, std::string_view label, bool held_out) {
    const size_t begin = batch.text.size();
    ForEachFastTextWord(words_.LineOf(text, &buffers_, &tokenizers_), [this](std::string_view word) {
      batch.text.push_back(' ');
      batch.text.append(word);
    });
    const std::string_view line = std::string_view(batch.text).substr(begin);
    if (line.empty()) return;
    batch.lines.push_back({.hash = XXH3_64bits(line.data(), line.size()),
                           .size = static_cast<uint32_t>(line.size()),
                           .label = static_cast<uint32_t>(batch.PlaceOf(label)),
                           .is_held_out = held_out});
  }

  bool IsHeldOut(std::string_view text, std::string_view id, std::string_view url) {
    std::string_view key = id.empty() ? text : id;
    if (config_.held_out_by == "host" && !url.empty() && location_.Parse(url)) {
      constexpr std::string_view kCommon = "www.";
      key = location_.host;
      if (key.starts_with(kCommon)) key.remove_prefix(kCommon.size());
    }
    constexpr double kUnit = 0x1p-53;
    return static_cast<double>(XXH3_64bits(key.data(), key.size()) >> 11) * kUnit < config_.held_out;
  }

  const TrainClassifierConfig& config_;
  const FastTextWords& words_;
  FilterDocument document_;
  Location location_;
  std::string joined_;
  FastTextBuffers buffers_;
  Tokenizers tokenizers_;
};

arrow::Status NoRoomForExamples(int64_t memory, int64_t wanted, int64_t given) {
  const int64_t needed = memory + (wanted - given) * 2 + kMiB;
  return MemoryError("--memory ", SizeText(memory), ": there is no room for what is known of all examples and their ",
                     "words; give fewer texts, lower --max-characters, cut words by --tokens, or give ",
                     (needed + kMiB - 1) / kMiB, "MiB");
}

}  // namespace

// Takes batches in the order of inputs.
class LineCollector {
 public:
  LineCollector(const TrainClassifierConfig& config, int64_t most_bytes, LabelledLines* lines,
                std::shared_ptr<arrow::io::OutputStream> file)
      : config_(config), most_bytes_(most_bytes), lines_(lines), file_(std::move(file)) {}

  arrow::Status Take(const LineBatch& batch) {
    std::vector<int32_t> labels;
    for (const std::string& label : batch.labels) {
      ARROW_ASSIGN_OR_RAISE(labels.emplace_back(), PlaceOf(label));
    }
    const arrow::Status written = file_->Write(batch.text);
    if (!written.ok()) return SpillError(config_.tmp, written);
    std::string_view rest = batch.text;
    for (const LineBatch::Line& line : batch.lines) {
      const LabelledLine one = {line.hash, at_, line.size, labels[line.label]};
      (line.is_held_out ? lines_->held_out_ : lines_->training_).push_back(one);
      if (!line.is_held_out) CountWords(rest.substr(0, line.size));
      rest.remove_prefix(line.size);
      at_ += line.size;
      ARROW_RETURN_NOT_OK(CheckRoom());
    }
    lines_->documents_ += batch.documents;
    lines_->quarantined_.Add(batch.quarantined);
    return arrow::Status::OK();
  }

  arrow::Status Finish() {
    ARROW_RETURN_NOT_OK(file_->Close());
    FastTextVocabulary& vocabulary = lines_->vocabulary_;
    counts_.ForEach([&](uint64_t, int32_t count) { vocabulary.kept += count >= config_.training.min_count ? 1 : 0; });
    vocabulary.labels = static_cast<int64_t>(lines_->labels_.size());
    SortLabels();
    std::vector<LabelledLine>& training = lines_->training_;
    std::ranges::sort(training, [](const LabelledLine& a, const LabelledLine& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.label != b.label ? a.label < b.label : a.begin < b.begin;
    });
    return arrow::Status::OK();
  }

 private:
  arrow::Result<int32_t> PlaceOf(const std::string& label) {
    const auto [found, is_new] = places_.emplace(label, static_cast<int32_t>(lines_->labels_.size()));
    if (is_new) lines_->labels_.push_back(label);
    if (lines_->labels_.size() <= kMostLabels) return found->second;
    return arrow::Status::Invalid("--label-column ", config_.label_column, ": it has more than ", kMostLabels,
                                  " different values, and labels are classes; name the column of labels");
  }

  void CountWords(std::string_view line) {
    for (size_t at = 1; at < line.size();) {  // behind the first space
      const size_t end = std::min(line.find(' ', at), line.size());
      const std::string_view word = line.substr(at, end - at);
      int32_t* const count = counts_.At(XXH3_64bits(word.data(), word.size()) | 1);  // keys are not 0
      if (*count == 0) lines_->vocabulary_.Add(word, config_.training);
      if (*count < INT32_MAX) ++*count;
      at = end + 1;
    }
  }

  arrow::Status CheckRoom() const {
    const int64_t bytes = counts_.grown_bytes() + 3 * lines_->memory();
    return bytes <= most_bytes_ ? arrow::Status::OK() : NoRoomForExamples(config_.memory, bytes, most_bytes_);
  }

  // From the order in which they came to that of the result.
  void SortLabels() {
    std::vector<std::string> sorted = lines_->labels_;
    std::ranges::sort(sorted, LabelBefore);
    std::vector<int32_t> places;
    places.reserve(sorted.size());
    for (const std::string& label : lines_->labels_) {
      places.push_back(static_cast<int32_t>(std::ranges::find(sorted, label) - sorted.begin()));
    }
    for (std::vector<LabelledLine>* const lines : {&lines_->training_, &lines_->held_out_}) {
      for (LabelledLine& line : *lines) line.label = places[static_cast<size_t>(line.label)];
    }
    lines_->labels_ = std::move(sorted);
  }

  const TrainClassifierConfig& config_;
  const int64_t most_bytes_;
  LabelledLines* lines_;
  std::shared_ptr<arrow::io::OutputStream> file_;
  int64_t at_ = 0;
  std::unordered_map<std::string, int32_t, TextHash> places_;
  GramTable counts_;
};

arrow::Result<std::unique_ptr<LabelledLines>> LabelledLines::Read(const TrainClassifierConfig& config,
                                                                  const std::filesystem::path& folder,
                                                                  const std::function<void(double)>& on_progress) {
  // Lines, words and readers share the memory as the n-grams, texts and readers of train-language do.
  const TrainLanguagePlan plan = PlanTrainLanguage(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(const FastTextWords words, FastTextWords::Open(config.form));
  std::vector<LabelledInputs> all;
  all.reserve(config.of_labels.size() + 1);
  const auto find = [&](const std::vector<InputFile>& inputs, std::optional<std::string> label) -> arrow::Status {
    LabelledInputs found;
    ARROW_ASSIGN_OR_RAISE(found.rows, FindRows(inputs, config.text_column, config.id_column, plan.reader));
    const arrow::Schema& schema = *found.rows.schema;
    found.label = std::move(label);
    found.columns = {config.text_column};
    if (!found.label) {
      ARROW_RETURN_NOT_OK(CheckLabelColumn(schema, config.label_column));
      found.columns.push_back(config.label_column);
    }
    ARROW_RETURN_NOT_OK(CheckGivenColumn(schema, config.url_column, kUsualUrlColumn));
    for (const std::string& column : {config.id_column, config.url_column}) {
      if (!schema.GetAllFieldIndices(column).empty()) found.columns.push_back(column);
    }
    std::ranges::sort(found.columns);
    found.columns.erase(std::unique(found.columns.begin(), found.columns.end()), found.columns.end());
    all.push_back(std::move(found));
    return arrow::Status::OK();
  };
  if (!config.inputs.empty()) ARROW_RETURN_NOT_OK(find(config.inputs, std::nullopt));
  for (const InputsOfLabel& one : config.of_labels) {
    ARROW_RETURN_NOT_OK(CheckLabel(one.label));
    const arrow::Status found = find(one.inputs, one.label);
    if (!found.ok()) return found.WithMessage("--with-label ", one.label, ": ", found.message());
  }
  std::vector<LabelledSplit> splits;
  for (const LabelledInputs& inputs : all) {
    for (const RowSplit& split : inputs.rows.splits) splits.push_back({&inputs, &split, split.bytes});
  }

  const std::string path = folder / "lines";
  std::unique_ptr<LabelledLines> lines(new LabelledLines());
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::FileOutputStream::Open(path));
  LineCollector collector(config, plan.texts, lines.get(), file);
  OrderedResults<LineBatch> results(kLeastResults, [&](const LineBatch& batch) { return collector.Take(batch); });
  std::vector<std::unique_ptr<LineMaker>> makers;
  makers.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) makers.push_back(std::make_unique<LineMaker>(config, words));
  const auto read = [&](size_t thread, size_t i) -> arrow::Status {
    LineMaker* const maker = makers[thread].get();
    const LabelledSplit& split = splits[i];
    const auto hand_on = [&] {
      const int64_t bytes = maker->batch.bytes();
      return results.Add(i, std::exchange(maker->batch, {}), bytes);
    };
    ARROW_RETURN_NOT_OK(ReadColumns(
        split.inputs->rows, *split.split, split.inputs->columns,
        [&](const arrow::RecordBatch& batch) -> arrow::Status {
          ARROW_RETURN_NOT_OK(maker->Add(*split.inputs, batch));
          return hand_on();
        },
        [maker](const QuarantinedRecord& record) {
          maker->batch.quarantined.Add(record.reason);
          return arrow::Status::OK();
        }));
    return hand_on();
  };
  ARROW_RETURN_NOT_OK(OrderedFor(config.threads, splits, &results, on_progress, read));
  ARROW_RETURN_NOT_OK(collector.Finish());
  ARROW_ASSIGN_OR_RAISE(lines->file_, arrow::io::ReadableFile::Open(path));
  return lines;
}

int64_t LabelledLines::memory() const {
  return static_cast<int64_t>((training_.size() + held_out_.size()) * sizeof(LabelledLine));
}

arrow::Status LabelledLines::ReadLine(const LabelledLine& line, std::string* words) const {
  words->resize(line.size);
  ARROW_ASSIGN_OR_RAISE(const int64_t read, file_->ReadAt(line.begin, line.size, words->data()));
  return read == line.size ? arrow::Status::OK() : arrow::Status::IOError("a temporary file has lost its end");
}

std::vector<LabelCounts> CountLabels(const LabelledLines& lines) {
  std::vector<LabelCounts> counts;
  for (const std::string& label : lines.labels()) counts.push_back({.label = label});
  for (const LabelledLine& line : lines.training()) ++counts[static_cast<size_t>(line.label)].training;
  for (const LabelledLine& line : lines.held_out()) ++counts[static_cast<size_t>(line.label)].held_out;
  return counts;
}

}  // namespace uzushio
