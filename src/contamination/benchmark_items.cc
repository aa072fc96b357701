#include "contamination/benchmark_items.h"

#include <arrow/scalar.h>
#include <fmt/format.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/file_stamp.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/json_lines.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"

namespace uzushio {
namespace {

constexpr int kMostNested = 16;

// What a row has in a column.
struct ItemValue {
  std::vector<std::string> texts;
  std::vector<std::string> labels;  // of the texts
  std::optional<int64_t> number;    // a whole one that stands for itself
};

void CollectJson(const nlohmann::json& json, int level, ItemValue* value) {
  if (level > kMostNested) return;
  if (json.is_string()) {
    value->texts.push_back(json.get<std::string>());
  } else if (json.is_array()) {
    for (const auto& one : json) CollectJson(one, level + 1, value);
  } else if (json.is_object() && json.contains("text")) {
    CollectJson(json["text"], level + 1, value);
    ItemValue labels;
    if (json.contains("label")) CollectJson(json["label"], level + 1, &labels);
    value->labels.insert(value->labels.end(), labels.texts.begin(), labels.texts.end());
  } else if (json.is_object()) {
    for (const auto& one : json) CollectJson(one, level + 1, value);
  } else if (!json.is_null()) {
    value->texts.push_back(json.dump());
  }
}

void CollectField(const JsonField& field, ItemValue* value) {
  switch (field.kind) {
    case JsonField::Kind::kText:
      value->texts.emplace_back(field.text);
      break;
    case JsonField::Kind::kNested:
      CollectJson(nlohmann::json::parse(field.text, nullptr, false), 0, value);
      break;
    case JsonField::Kind::kInt:
      value->number = field.integer;
      value->texts.push_back(std::to_string(field.integer));
      break;
    case JsonField::Kind::kUint:
      value->texts.push_back(std::to_string(field.natural()));
      break;
    case JsonField::Kind::kDouble:
      value->texts.push_back(fmt::format("{}", field.fraction));
      break;
    case JsonField::Kind::kBool:
    case JsonField::Kind::kNull:
      break;
  }
}

arrow::Status CollectScalar(const arrow::Scalar& scalar, int level, ItemValue* value) {
  if (!scalar.is_valid || level > kMostNested) return arrow::Status::OK();
  const arrow::DataType& type = *scalar.type;
  if (type.id() == arrow::Type::DICTIONARY) {
    ARROW_ASSIGN_OR_RAISE(const auto encoded, static_cast<const arrow::DictionaryScalar&>(scalar).GetEncodedValue());
    return CollectScalar(*encoded, level + 1, value);
  }
  if (IsTextual(type)) {
    value->texts.emplace_back(static_cast<const arrow::BaseBinaryScalar&>(scalar).view());
    return arrow::Status::OK();
  }
  if (type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
      type.id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = *static_cast<const arrow::BaseListScalar&>(scalar).value;
    for (int64_t i = 0; i < list.length(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto one, list.GetScalar(i));
      ARROW_RETURN_NOT_OK(CollectScalar(*one, level + 1, value));
    }
    return arrow::Status::OK();
  }
  if (type.id() == arrow::Type::STRUCT) {
    const auto& members = static_cast<const arrow::StructScalar&>(scalar);
    const int text = static_cast<const arrow::StructType&>(type).GetFieldIndex("text");
    const int label = static_cast<const arrow::StructType&>(type).GetFieldIndex("label");
    ItemValue labels;
    if (text >= 0 && label >= 0) {
      ARROW_RETURN_NOT_OK(CollectScalar(*members.value[static_cast<size_t>(label)], level + 1, &labels));
      value->labels.insert(value->labels.end(), labels.texts.begin(), labels.texts.end());
    }
    for (size_t i = 0; i < members.value.size(); ++i) {
      if (text >= 0 && static_cast<int>(i) != text) continue;
      ARROW_RETURN_NOT_OK(CollectScalar(*members.value[i], level + 1, value));
    }
    return arrow::Status::OK();
  }
  std::string text = scalar.ToString();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (level == 0 && error == std::errc() && end == text.data() + text.size()) value->number = number;
  value->texts.push_back(std::move(text));
  return arrow::Status::OK();
}

// The name of a file without folders and endings: "jsquad" of "s3://a/jsquad.jsonl.gz".
std::string StemOf(const std::string& name) {
  std::string base = name.substr(name.find_last_of('/') + 1);
  for (const std::string_view suffix : kDocumentSuffixes) {
    if (base.size() > suffix.size() && base.ends_with(suffix)) return base.substr(0, base.size() - suffix.size());
  }
  return base;
}

// Which of the choices the answer is.
std::optional<size_t> ChoiceOf(const ItemValue& answer, const ItemValue& choices) {
  if (answer.texts.size() != 1) return std::nullopt;
  const auto place_in = [&](const std::vector<std::string>& texts) -> std::optional<size_t> {
    const auto found = std::ranges::find(texts, answer.texts[0]);
    if (found == texts.end() || texts.size() != choices.texts.size()) return std::nullopt;
    return static_cast<size_t>(found - texts.begin());
  };
  if (answer.number) {
    const bool is_place = *answer.number >= 0 && static_cast<size_t>(*answer.number) < choices.texts.size();
    return is_place ? std::optional(static_cast<size_t>(*answer.number)) : std::nullopt;
  }
  if (const auto labelled = place_in(choices.labels)) return labelled;
  if (const auto equal = place_in(choices.texts)) return equal;
  const std::string& letter = answer.texts[0];
  if (letter.size() != 1 || letter[0] < 'A') return std::nullopt;
  const auto place = static_cast<size_t>(letter[0] - 'A');
  return place < choices.texts.size() ? std::optional(place) : std::nullopt;
}

}  // namespace

// Reads files into an index.
class BenchmarkReader {
 public:
  BenchmarkReader(const ItemColumns& columns, const FoldingOptions& options)
      : columns_(columns), items_(new BenchmarkItems(options)) {}

  arrow::Status Read(const InputFile& file) {
    BenchmarkItems::File& entry = items_->files_.emplace_back();
    entry.name = file.name;
    entry.benchmark = StemOf(file.name);
    entry.first = rows_;
    const uint64_t before = rows_;
    ARROW_RETURN_NOT_OK(IsParquet(file.name) ? ReadParquet(file) : ReadJson(file));
    entry.items = static_cast<int64_t>(rows_ - before);
    return rows_ > before ? arrow::Status::OK() : arrow::Status::Invalid(file.name, ": holds no items");
  }
  // After all files. Errors: none has a column that was named.
  arrow::Status CheckColumns() const {
    const ItemColumns usual;
    const auto check = [this](const std::string& name, const std::string& usual, const char* what,
                              const char* option) -> arrow::Status {
      if (name.empty() || name == usual || found_.contains(name)) return arrow::Status::OK();
      return arrow::Status::Invalid(items_->files_.front().name, ": there is no column '", name, "', only ",
                                    names_of_first_, "; name the column of ", what, " by ", option);
    };
    if (items_->files_.empty()) return arrow::Status::OK();
    for (const std::string& name : columns_.choices) {
      ARROW_RETURN_NOT_OK(check(name, usual.choices[0], "choices, or each of them,", "--choices"));
    }
    ARROW_RETURN_NOT_OK(check(columns_.answer, usual.answer, "answers", "--answer"));
    return check(columns_.id, kUsualItemId, "the items' ids", "--item-id-column");
  }
  std::shared_ptr<const BenchmarkItems> Finish() {
    items_->index_ = builder_.Finish();
    const ItemIndex& index = *items_->index_;
    for (uint32_t item = 0; item < index.size() && index.common_items() > 0; ++item) {
      if (!index.IsCommonItem(item)) continue;
      BenchmarkItems::File& file = items_->files_[items_->FileOf(index.NumberOf(item))];
      ++file.boilerplate;
      Note(index.NumberOf(item) - file.first + 1, &file.unusable_rows);
    }
    items_->ids_.shrink_to_fit();
    items_->id_begins_.shrink_to_fit();
    return std::move(items_);
  }

 private:
  arrow::Status ReadJson(const InputFile& file) {
    const auto use = [&](const JsonObject& object) -> arrow::Result<const char*> {
      ItemValue question;
      ItemValue choices;
      ItemValue answer;
      const auto collect = [&](const std::string& name, ItemValue* value) {
        const JsonField* const field = name.empty() ? nullptr : object.Find(name);
        if (field == nullptr) return false;
        found_.insert(name);
        CollectField(*field, value);
        return true;
      };
      if (!collect(columns_.question, &question)) return NoColumn(file);
      for (const std::string& name : columns_.choices) collect(name, &choices);
      collect(columns_.answer, &answer);
      ItemValue id;
      collect(columns_.id, &id);
      if (names_of_first_.empty()) {
        for (const JsonField& field : object.fields()) {
          names_of_first_.append(names_of_first_.empty() ? "" : ", ").append(field.key);
        }
      }
      ARROW_RETURN_NOT_OK(Add(question, choices, answer, id, file));
      return nullptr;
    };
    const auto bad = [&](const QuarantinedRecord& record) -> arrow::Status {
      return arrow::Status::Invalid(file.name, ":", RowOf(), ": is no JSON object (", record.reason,
                                    "); benchmarks are Parquet, or lines of which each is a JSON object");
    };
    return ForEachJsonLine(file, {}, "no-object", use, bad);
  }

  arrow::Status ReadParquet(const InputFile& file) {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    std::vector<std::string> wanted = columns_.choices;
    wanted.insert(wanted.end(), {columns_.question, columns_.answer, columns_.id});
    ARROW_ASSIGN_OR_RAISE(const auto columns, ParquetColumns(*metadata));
    for (const std::string& name : wanted) {
      if (columns->GetFieldIndex(name) >= 0) found_.insert(name);
    }
    if (names_of_first_.empty()) names_of_first_ = ColumnNames(*columns);
    std::vector<int> places;  // the first leaf of each, with which the others come
    for (int i = 0; i < metadata->num_columns(); ++i) {
      const auto found = std::ranges::find(wanted, metadata->schema()->Column(i)->path()->ToDotVector()[0]);
      if (found == wanted.end()) continue;
      wanted.erase(found);
      places.push_back(i);
    }
    if (places.empty()) return NoColumn(file);
    const auto take = [&](const arrow::RecordBatch& batch) -> arrow::Status {
      if (batch.schema()->GetFieldIndex(columns_.question) < 0) return NoColumn(file);
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        ItemValue question;
        ItemValue choices;
        ItemValue answer;
        const auto collect = [&](const std::string& name, ItemValue* value) -> arrow::Status {
          const auto column = batch.GetColumnByName(name);
          if (column == nullptr) return arrow::Status::OK();
          ARROW_ASSIGN_OR_RAISE(const auto scalar, column->GetScalar(row));
          return CollectScalar(*scalar, 0, value);
        };
        ARROW_RETURN_NOT_OK(collect(columns_.question, &question));
        for (const std::string& name : columns_.choices) ARROW_RETURN_NOT_OK(collect(name, &choices));
        ARROW_RETURN_NOT_OK(collect(columns_.answer, &answer));
        ItemValue id;
        ARROW_RETURN_NOT_OK(collect(columns_.id, &id));
        ARROW_RETURN_NOT_OK(Add(question, choices, answer, id, file));
      }
      return arrow::Status::OK();
    };
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      ARROW_RETURN_NOT_OK(ReadRowGroup(file, metadata, group, {.columns = places, .memory = {}}, take));
    }
    return arrow::Status::OK();
  }

  arrow::Status NoColumn(const InputFile& file) const {
    return arrow::Status::Invalid(file.name, ":", RowOf(), ": there is no column '", columns_.question,
                                  "'; name the column of questions by --question");
  }
  uint64_t RowOf() const { return rows_ - items_->files_.back().first + 1; }

  static void Note(uint64_t row, std::vector<uint64_t>* rows) {
    constexpr size_t kMostNoted = 5;
    if (rows->size() < kMostNoted) rows->push_back(row);
  }

  arrow::Status Add(const ItemValue& question, const ItemValue& choices, const ItemValue& answer, const ItemValue& id,
                    const InputFile& file) {
    ItemParts parts;
    const auto fold = [&](const std::vector<std::string>& texts, std::string* codes) -> arrow::Status {
      for (const std::string& text : texts) {
        if (!IsValidUtf8(text)) return arrow::Status::Invalid(file.name, ":", RowOf(), ": is not UTF-8");
        items_->folding_.Append(text, codes);
      }
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(fold(question.texts, &parts.question));
    const auto choice = ChoiceOf(answer, choices);
    ARROW_RETURN_NOT_OK(fold(choice ? std::vector{choices.texts[*choice]} : answer.texts, &parts.answer));
    for (size_t i = 0; i < choices.texts.size(); ++i) {
      if (i != choice) ARROW_RETURN_NOT_OK(fold({choices.texts[i]}, &parts.choices.emplace_back()));
    }
    BenchmarkItems::File& entry = items_->files_.back();
    const uint64_t row = RowOf();
    ++rows_;
    if (!choice && !choices.texts.empty() && !answer.texts.empty()) {
      ++entry.no_choice;
      Note(row, &entry.no_choice_rows);
    }
    ARROW_ASSIGN_OR_RAISE(const ItemIndexBuilder::Added added, builder_.Add(parts));
    if (added == ItemIndexBuilder::Added::kShort) {
      ++entry.too_short;
      Note(row, &entry.unusable_rows);
    }
    if (added == ItemIndexBuilder::Added::kRepeated) ++entry.repeated;
    if (added != ItemIndexBuilder::Added::kNew || columns_.id.empty()) return arrow::Status::OK();
    if (items_->id_begins_.empty()) items_->id_begins_.push_back(0);
    for (const std::string& text : id.texts) {
      if (!IsValidUtf8(text)) return arrow::Status::Invalid(file.name, ":", row, ": its id is not UTF-8");
      items_->ids_ += text;
    }
    items_->id_begins_.push_back(items_->ids_.size());
    return arrow::Status::OK();
  }

  ItemColumns columns_;
  std::shared_ptr<BenchmarkItems> items_;
  ItemIndexBuilder builder_;
  uint64_t rows_ = 0;
  std::set<std::string> found_;  // of the columns, those that a file has
  std::string names_of_first_;   // of columns, of the first item
};

arrow::Result<std::shared_ptr<const BenchmarkItems>> BenchmarkItems::Load(const std::vector<std::string>& names,
                                                                          const ItemColumns& columns,
                                                                          const FoldingOptions& options) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::weak_ptr<const BenchmarkItems>> loaded;
  ARROW_ASSIGN_OR_RAISE(const auto files, ResolveInputs(names, kDocumentSuffixes));
  std::vector<std::string> stamps = {
      columns.question, columns.answer, columns.id,
      fmt::format("{}{}{}{}{}", options.width, options.upper_case, options.kana, options.spaces, options.punctuation)};
  stamps.insert(stamps.end(), columns.choices.begin(), columns.choices.end());
  for (const InputFile& file : files) {
    stamps.push_back(fmt::format("{}\n{} {}\n", file.name, file.size, file.modified.time_since_epoch().count()) +
                     FileStamp(file.path));
  }
  const std::lock_guard lock(mutex);
  if (auto items = loaded[stamps].lock()) return items;
  std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
  BenchmarkReader reader(columns, options);
  for (const InputFile& file : files) ARROW_RETURN_NOT_OK(reader.Read(file));
  ARROW_RETURN_NOT_OK(reader.CheckColumns());
  auto items = reader.Finish();
  loaded[stamps] = items;
  return items;
}

size_t BenchmarkItems::FileOf(uint64_t number) const {
  const auto after = std::ranges::upper_bound(files_, number, {}, &File::first);
  return static_cast<size_t>(after - files_.begin()) - 1;
}

BenchmarkItems::Source BenchmarkItems::SourceOf(uint32_t item) const {
  const uint64_t number = index_->NumberOf(item);
  const File& file = files_[FileOf(number)];
  Source source = {file.name, file.benchmark, number - file.first + 1, {}};
  if (!id_begins_.empty()) {
    source.id = std::string_view(ids_).substr(id_begins_[item], id_begins_[item + 1] - id_begins_[item]);
  }
  return source;
}

std::string BenchmarkItems::NameOf(uint32_t item) const {
  const Source source = SourceOf(item);
  return fmt::format("{}:{}", source.file, source.row);
}

int64_t BenchmarkItems::bytes() const {
  return index_->bytes() + static_cast<int64_t>(ids_.capacity() + id_begins_.capacity() * sizeof(uint64_t));
}

}  // namespace uzushio
