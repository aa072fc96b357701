#include "stages/report/corpus.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/bottom_k.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/name_totals.h"
#include "datasets/row_reader.h"
#include "document/host.h"

namespace uzushio {
namespace {

constexpr size_t kLongestName = 256;  // bytes; longer values are cut

// What is counted. The letter begins the names in the totals, so that each kind has its own.
struct CountedKind {
  char letter;
  const char* key;
  size_t most;
};
constexpr CountedKind kLanguages = {'l', "languages", kMostNames};
constexpr CountedKind kCharsets = {'c', "charsets", kMostNames};
constexpr CountedKind kHosts = {'h', "hosts", kMostNames};
constexpr CountedKind kDates = {'d', "dates", kMostMonths};
constexpr std::array kCountedKinds = {kLanguages, kCharsets, kHosts, kDates};

// A column of texts that says something.
struct CountedColumn {
  CountedKind kind;
  std::string name;
};

// The columns that there are.
std::vector<CountedColumn> CountedColumns(const RowInputs& rows, const std::string& url_column) {
  std::vector<CountedColumn> columns;
  for (const auto& [kind, name] : {std::pair(kLanguages, std::string("language")),
                                   {kCharsets, "charset"},
                                   {kHosts, url_column},
                                   {kDates, "date"}}) {
    const auto field = rows.schema->GetFieldByName(name);
    if (field != nullptr && field->type()->id() == arrow::Type::STRING) columns.push_back({kind, name});
  }
  return columns;
}

// One thread's counts.
class CorpusCounter {
 public:
  CorpusCounter(NameRuns* runs, int64_t memory) : totals_(runs, 1, memory) {}

  // Documents whose language is that of their path, where it has one.
  arrow::Status Take(const arrow::RecordBatch& batch, const std::vector<CountedColumn>& columns,
                     std::string_view language) {
    for (const CountedColumn& column : columns) {
      ARROW_ASSIGN_OR_RAISE(const auto values, TextColumn(batch, column.name));
      for (int64_t row = 0; row < values->length(); ++row) {
        if (values->IsValid(row)) ARROW_RETURN_NOT_OK(Add(column.kind, values->GetView(row), 1));
      }
    }
    return TakeRows(batch.num_rows(), language);
  }
  arrow::Status TakeRows(int64_t rows, std::string_view language) {
    documents_ += rows;
    return Add(kLanguages, language, rows);
  }

  arrow::Status Finish() { return totals_.Flush(); }
  int64_t documents() const { return documents_; }

 private:
  arrow::Status Add(const CountedKind& kind, std::string_view value, int64_t documents) {
    if (kind.letter == kHosts.letter) {
      value = location_.Parse(value) ? std::string_view(location_.host) : std::string_view();
    } else if (kind.letter == kDates.letter) {
      value = MonthOf(value);
    }
    if (value.empty() || documents == 0 || !IsValidUtf8(value)) return arrow::Status::OK();
    name_ = kind.letter;
    name_ += Utf8Prefix(value, kLongestName);
    const NameSum sum = documents;
    return totals_.Add(name_, {&sum, 1});
  }

  NameTotals totals_;
  Location location_;
  std::string name_;
  int64_t documents_ = 0;
};

arrow::Status CountSplit(const RowInputs& rows, const RowSplit& split, const std::vector<CountedColumn>& columns,
                         CorpusCounter* counter) {
  const bool of_path = rows.language_of_path;
  std::vector<CountedColumn> in_file;
  std::vector<std::string> names;
  for (const CountedColumn& column : columns) {
    if (of_path && column.kind.letter == kLanguages.letter) continue;
    in_file.push_back(column);
    names.push_back(column.name);
  }
  const std::string_view language = of_path ? std::string_view(split.language) : std::string_view();
  if (in_file.empty() && split.metadata != nullptr) {
    return counter->TakeRows(split.metadata->RowGroup(split.row_group)->num_rows(), language);
  }
  // Lines that can not be read are no documents: whoever made the dataset has put them aside, or will.
  return ReadColumns(
      rows, split, names, [&](const arrow::RecordBatch& batch) { return counter->Take(batch, in_file, language); },
      [](const QuarantinedRecord&) { return arrow::Status::OK(); });
}

struct NameCount {
  std::string name;
  int64_t documents = 0;
  // The more frequent first.
  bool operator<(const NameCount& other) const {
    return documents != other.documents ? documents > other.documents : name < other.name;
  }
};

nlohmann::json ListOf(std::vector<NameCount> names) {
  nlohmann::json list = nlohmann::json::array();
  for (NameCount& of : names) list.push_back({{"name", std::move(of.name)}, {"documents", of.documents}});
  return list;
}

// What is most frequent of each kind that there is a column for, and how many hosts there are.
arrow::Status Tell(NameRuns* runs, const std::vector<CountedColumn>& columns, nlohmann::json* corpus) {
  std::map<char, BottomK<NameCount>> most;
  for (const CountedKind& kind : kCountedKinds) most.try_emplace(kind.letter, kind.most);
  int64_t hosts = 0;
  ARROW_RETURN_NOT_OK(runs->Merge([&](std::string_view name, std::span<const NameSum> sums) {
    hosts += name[0] == kHosts.letter ? 1 : 0;
    most.at(name[0]).Add({std::string(name.substr(1)), static_cast<int64_t>(sums[0])});
    return arrow::Status::OK();
  }));
  for (const CountedColumn& column : columns) {
    std::vector<NameCount> names = most.at(column.kind.letter).Take();
    if (column.kind.letter == kDates.letter) std::ranges::sort(names, {}, &NameCount::name);
    if (column.kind.letter == kHosts.letter) (*corpus)["distinctHosts"] = hosts;
    (*corpus)[column.kind.key] = ListOf(std::move(names));
  }
  return arrow::Status::OK();
}

}  // namespace

std::string_view MonthOf(std::string_view date) {
  const std::string_view month = date.substr(0, 7);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (month.size() < 7 || month[4] != '-') return {};
  for (const size_t place : {0, 1, 2, 3, 5, 6}) {
    if (!is_digit(month[place])) return {};
  }
  const int number = (month[5] - '0') * 10 + (month[6] - '0');
  return number >= 1 && number <= 12 ? month : std::string_view();
}

arrow::Result<nlohmann::json> CorpusOf(const CorpusConfig& config, const std::function<void(double)>& on_progress) {
  const HostsPlan plan = PlanHosts(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(const RowInputs rows, FindRows(config.files, config.text_column, "", plan.reader));
  const std::vector<CountedColumn> columns = CountedColumns(rows, config.url_column);
  SpillSpace space(config.tmp);
  NameRuns runs(&space, 1, plan.totals, kHostsBlock);
  std::vector<std::unique_ptr<CorpusCounter>> counters;
  counters.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    counters.push_back(std::make_unique<CorpusCounter>(&runs, plan.totals / config.threads));
  }
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, rows.splits.size(), [&](int thread, size_t split) -> arrow::Status {
    ARROW_RETURN_NOT_OK(CountSplit(rows, rows.splits[split], columns, counters[static_cast<size_t>(thread)].get()));
    const std::lock_guard lock(mutex);
    if (on_progress) on_progress(static_cast<double>(++done) / static_cast<double>(rows.splits.size()));
    return arrow::Status::OK();
  }));
  nlohmann::json corpus = {
      {"name", config.name}, {"characters", nullptr}, {"bytes", nullptr}, {"distinctHosts", nullptr}};
  int64_t documents = 0;
  for (const auto& counter : counters) {
    ARROW_RETURN_NOT_OK(counter->Finish());
    documents += counter->documents();
  }
  counters.clear();
  corpus["documents"] = documents;
  for (const CountedKind& kind : kCountedKinds) corpus[kind.key] = nlohmann::json::array();
  ARROW_RETURN_NOT_OK(Tell(&runs, columns, &corpus));
  return corpus;
}

}  // namespace uzushio
