#include "stages/report/shown_documents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "base/utf8.h"
#include "stages/report/diff_lines.h"

namespace uzushio {
namespace {

constexpr size_t kMostNameInPage = 1024;             // bytes of an id, URL or title in the page
constexpr const char* kDuplicateOf = "duplicateOf";  // columns of minhash
constexpr const char* kSimilarity = "similarity";
constexpr const char* kDuplicateReason = "reason";

// What is shown of a row.
struct ShownRow {
  std::string id;
  std::string url;
  std::string title;
  size_t begin = 0;  // bytes of plain text before what is shown
  DiffText text;
  std::vector<uint64_t> blocks;  // DiffBlocksOf
  std::optional<std::string> duplicate_of;
  std::optional<double> similarity;
  std::string duplicate_reason;  // empty: minhash had one only
};
using ShownRows = std::map<RowPlace, ShownRow>;
using WantedRows = std::vector<ShownRows::iterator>;

arrow::Status TakeShown(const arrow::RecordBatch& batch, const OpenSource& source, RowPlace first,
                        const WantedRows& wanted, size_t* next) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, NamesOf(batch, source.source->id_column));
  ARROW_ASSIGN_OR_RAISE(const auto urls, NamesOf(batch, source.source->url_column));
  ARROW_ASSIGN_OR_RAISE(const auto titles, TextsOf(batch, "title"));
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextsOf(batch, source.source->text_column));
  ARROW_ASSIGN_OR_RAISE(const auto originals, TextsOf(batch, kDuplicateOf));
  const auto similarities = batch.GetColumnByName(kSimilarity);
  ARROW_ASSIGN_OR_RAISE(const auto reasons, TextsOf(batch, kDuplicateReason));
  for (; *next < wanted.size() && wanted[*next]->first.row < first.row + batch.num_rows(); ++*next) {
    const int64_t row = wanted[*next]->first.row - first.row;
    ShownRow& shown = wanted[*next]->second;
    const auto short_text = [row](const auto& column) {
      const std::string_view text = TextAt(column, row);
      return IsValidUtf8(text) ? std::string(Utf8Prefix(text, kMostNameInPage)) : std::string();
    };
    shown.id = short_text(ids);
    shown.url = short_text(urls);
    shown.title = short_text(titles);
    if (source.kind.is_corpus) {
      shown.text = DiffTextOf(TextAt(texts, row), shown.begin);
      shown.blocks = DiffBlocksOf(TextAt(texts, row));
    }
    if (originals == nullptr) continue;
    shown.duplicate_of = short_text(originals);
    shown.duplicate_reason = short_text(reasons);
    if (similarities != nullptr && similarities->type_id() == arrow::Type::DOUBLE && similarities->IsValid(row)) {
      shown.similarity = static_cast<const arrow::DoubleArray&>(*similarities).Value(row);
    }
  }
  return arrow::Status::OK();
}

// Reads rows, of the splits that have one.
arrow::Status ReadShown(const std::vector<OpenSource>& sources, int threads, const WantedRows& rows) {
  std::map<std::pair<uint32_t, uint32_t>, WantedRows> by_split;
  for (const auto& row : rows) by_split[{row->first.source, row->first.split}].push_back(row);
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, WantedRows>> splits(by_split.begin(), by_split.end());
  return ParallelFor(threads, splits.size(), [&](int /*thread*/, size_t i) -> arrow::Status {
    const auto& [place, wanted] = splits[i];
    const OpenSource& source = sources[place.first];
    std::vector<std::string> columns = {
        source.source->id_column, source.source->url_column, "title", kDuplicateOf, kSimilarity, kDuplicateReason};
    if (source.kind.is_corpus) columns.push_back(source.source->text_column);
    columns = source.ColumnsOf(columns);
    if (columns.empty()) return arrow::Status::OK();
    RowPlace first = {place.first, place.second, 0};
    size_t next = 0;
    return ReadColumns(
        source.rows, source.rows.splits[place.second], columns,
        [&, &wanted = wanted](const arrow::RecordBatch& batch) -> arrow::Status {
          ARROW_RETURN_NOT_OK(TakeShown(batch, source, first, wanted, &next));
          first.row += batch.num_rows();
          return arrow::Status::OK();
        },
        [](const QuarantinedRecord&) { return arrow::Status::OK(); });
  });
}

// Texts that are longer than what is compared are read again from where they begin to differ.
arrow::Status ReadFromDifferences(const std::vector<JoinedDocument>& documents, const std::vector<OpenSource>& sources,
                                  int threads, ShownRows* rows) {
  WantedRows later;
  for (const JoinedDocument& document : documents) {
    if (!document.first || !document.second) continue;
    const auto a = rows->find(*document.first);
    const auto b = rows->find(*document.second);
    if (!a->second.text.cut && !b->second.text.cut) continue;
    const size_t begin = EqualBytes(a->second.blocks, b->second.blocks);
    if (begin == 0) continue;
    for (const auto& row : {a, b}) {
      row->second.begin = begin;
      later.push_back(row);
    }
  }
  std::ranges::sort(later, {}, [](const auto& row) { return row->first; });
  return ReadShown(sources, threads, later);
}

nlohmann::json NameOrNull(const std::optional<std::string>& name) {
  return name ? nlohmann::json(*name) : nlohmann::json();
}

nlohmann::json ShownJson(const JoinedDocument& document, const ShownRows& rows,
                         const std::vector<OpenSource>& sources) {
  const ShownRow* a = document.first ? &rows.at(*document.first) : nullptr;
  const ShownRow* b = document.second ? &rows.at(*document.second) : nullptr;
  const ShownRow& any = rows.at(document.first.value_or(document.second.value_or(RowPlace())));
  nlohmann::json shown = {{"id", any.id},
                          {"url", any.url},
                          {"title", any.title.empty() ? nlohmann::json() : nlohmann::json(any.title)},
                          {"documents", document.documents},
                          {"why", nullptr}};
  shown.update(DiffLinesJson(a != nullptr ? &a->text : nullptr, b != nullptr ? &b->text : nullptr, kMostShownBytes));
  if (a != nullptr && b != nullptr) return shown;
  shown["why"] = WhyJson(document.why ? &sources[document.why->source] : nullptr);
  if (!document.why) return shown;
  const ShownRow& why = rows.at(*document.why);
  if (why.duplicate_of) shown["why"]["duplicateOf"] = *why.duplicate_of;
  if (why.similarity) shown["why"]["similarity"] = *why.similarity;
  if (!why.duplicate_reason.empty()) shown["why"]["duplicateReason"] = why.duplicate_reason;
  return shown;
}

}  // namespace

nlohmann::json WhyJson(const OpenSource* source) {
  nlohmann::json why = {{"output", nullptr}, {"stage", nullptr}, {"reason", nullptr}, {"filter", nullptr}};
  if (source == nullptr) return why;
  const DiffSource& last = *source->source;
  const size_t output = last.reason ? last.output : last.output + 1;  // the next one does not have it
  why["output"] = source->side->outputs[output];
  why["stage"] = source->side->stages[output];
  why["reason"] = NameOrNull(last.reason);
  why["filter"] = NameOrNull(last.filter);
  return why;
}

arrow::Result<std::vector<nlohmann::json>> ShownDocuments(const std::vector<JoinedDocument>& documents,
                                                          const std::vector<OpenSource>& sources, int threads) {
  ShownRows rows;
  for (const JoinedDocument& document : documents) {
    for (const auto& place : {document.first, document.second, document.why}) {
      if (place) rows.try_emplace(*place);
    }
  }
  WantedRows all;
  for (auto row = rows.begin(); row != rows.end(); ++row) all.push_back(row);
  ARROW_RETURN_NOT_OK(ReadShown(sources, threads, all));
  ARROW_RETURN_NOT_OK(ReadFromDifferences(documents, sources, threads, &rows));
  std::vector<nlohmann::json> shown;
  shown.reserve(documents.size());
  for (const JoinedDocument& document : documents) shown.push_back(ShownJson(document, rows, sources));
  return shown;
}

}  // namespace uzushio
