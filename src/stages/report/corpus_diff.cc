#include "stages/report/corpus_diff.h"

#include <arrow/array.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bottom_k.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/metric_columns.h"
#include "datasets/name_totals.h"
#include "datasets/row_reader.h"
#include "document/host.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "stages/report/diff_lines.h"
#include "stages/report/diff_sides.h"
#include "stages/report/document_join.h"

namespace uzushio {
namespace {

constexpr double kReadingShare = 0.8;                  // of the progress of one pass
constexpr std::string_view kBehindParagraph = "\n\n";  // paragraphs
constexpr size_t kMostNameInPage = 1024;               // bytes of an id, URL or title in the page
constexpr const char* kDuplicateOf = "duplicateOf";    // columns of minhash
constexpr const char* kSimilarity = "similarity";
constexpr std::array<const char*, kDifferences> kDifferenceNames = {"equal", "changed", "onlyA", "onlyB"};

// A source, opened.
struct OpenSource {
  const DiffSource* source = nullptr;
  const DiffSide* side = nullptr;
  JoinSource kind;
  RowInputs rows;

  bool Has(const std::string& column) const { return rows.schema->GetFieldIndex(column) >= 0; }
  const std::string& NameColumn(bool by_url) const { return by_url ? source->url_column : source->id_column; }
};

arrow::Result<std::vector<OpenSource>> OpenSources(const DiffSide& a, const DiffSide& b, const ReaderMemory& memory) {
  std::vector<OpenSource> opened;
  for (const DiffSide* side : {&a, &b}) {
    for (const DiffSource& source : side->sources) {
      OpenSource& one = opened.emplace_back();
      one.source = &source;
      one.side = side;
      one.kind = {.is_second = side == &b, .is_corpus = &source == &side->sources.back()};
      ARROW_ASSIGN_OR_RAISE(one.rows, FindRows(source.files, source.text_column, source.id_column, memory));
    }
  }
  return opened;
}

// Whether documents of both corpora have names in a column.
bool HaveNames(const std::vector<OpenSource>& sources, bool by_url) {
  return std::ranges::all_of(sources, [by_url](const OpenSource& source) {
    return !source.kind.is_corpus || source.Has(source.NameColumn(by_url));
  });
}

// Texts of a column, or null where there is none.
arrow::Result<std::shared_ptr<arrow::StringArray>> TextsOf(const arrow::RecordBatch& batch, const std::string& name) {
  if (batch.schema()->GetFieldIndex(name) < 0) return nullptr;
  return TextColumn(batch, name);
}

std::string_view TextAt(const std::shared_ptr<arrow::StringArray>& texts, int64_t row) {
  return texts == nullptr || texts->IsNull(row) ? std::string_view() : texts->GetView(row);
}

// The columns of these that the source has.
std::vector<std::string> ColumnsOf(const OpenSource& source, const std::vector<std::string>& wanted) {
  std::vector<std::string> columns;
  for (const std::string& name : wanted) {
    if (source.Has(name) && std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  }
  return columns;
}

// Hands rows on, for one thread.
class RowHasher {
 public:
  RowHasher(DocumentJoin* join, bool by_url)
      : writer_(join), by_url_(by_url), state_(XXH3_createState(), &XXH3_freeState) {}

  arrow::Status Read(const OpenSource& source, uint32_t number, uint32_t split) {
    const std::string& name_column = source.NameColumn(by_url_);
    if (!source.kind.is_corpus && !source.Has(name_column)) return arrow::Status::OK();
    std::vector<std::string> wanted = {name_column};
    if (source.kind.is_corpus) wanted.insert(wanted.end(), {source.source->text_column, source.source->url_column});
    int64_t first = 0;
    return ReadColumns(
        source.rows, source.rows.splits[split], ColumnsOf(source, wanted),
        [&](const arrow::RecordBatch& batch) -> arrow::Status {
          ARROW_RETURN_NOT_OK(Take(batch, source, {number, split, first}));
          first += batch.num_rows();
          return arrow::Status::OK();
        },
        [](const QuarantinedRecord&) { return arrow::Status::OK(); });
  }
  arrow::Status Finish() { return writer_.Flush(); }

 private:
  arrow::Status Take(const arrow::RecordBatch& batch, const OpenSource& source, RowPlace place) {
    ARROW_ASSIGN_OR_RAISE(const auto names, by_url_ ? TextsOf(batch, source.source->url_column)
                                                    : IdColumn(batch, source.source->id_column));
    std::shared_ptr<arrow::StringArray> texts;
    std::shared_ptr<arrow::StringArray> urls;
    if (source.kind.is_corpus) {
      ARROW_ASSIGN_OR_RAISE(texts, TextColumn(batch, source.source->text_column));
      ARROW_ASSIGN_OR_RAISE(urls, TextsOf(batch, source.source->url_column));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row, ++place.row) {
      JoinRow joined;
      joined.place = place;
      std::string_view host;
      if (source.kind.is_corpus) {
        const std::string_view text = TextAt(texts, row);
        if (!IsValidUtf8(text)) continue;  // as stages put them aside
        TakeText(text, &joined);
        if (location_.Parse(TextAt(urls, row))) host = location_.host;
      }
      const std::string_view name = TextAt(names, row);
      if (name.empty() && !source.kind.is_corpus) continue;
      // Without a name, a document is known by its text.
      joined.hash = name.empty() ? SampleHash({reinterpret_cast<const char*>(&joined.text), sizeof joined.text})
                                 : SampleHash(name);
      joined.more = name.empty() ? joined.text : XXH3_64bits(name.data(), name.size());
      ARROW_RETURN_NOT_OK(writer_.Add(joined, host));
    }
    return arrow::Status::OK();
  }

  // A document is its paragraphs' plain texts: marks and paths make no difference.
  void TakeText(std::string_view document, JoinRow* joined) {
    XXH3_64bits_reset(state_.get());
    ParagraphReader reader(document);
    while (const auto paragraph = reader.Next()) {
      const std::string_view text = PlainParagraph(*paragraph, &buffer_);
      if (text.empty()) continue;
      joined->characters += CodePoints(text);
      XXH3_64bits_update(state_.get(), text.data(), text.size());
      XXH3_64bits_update(state_.get(), kBehindParagraph.data(), kBehindParagraph.size());
    }
    joined->text = XXH3_64bits_digest(state_.get());
  }

  DocumentJoin::Writer writer_;
  bool by_url_;
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
  Location location_;
  std::string buffer_;
};

// A host, and how many of its documents differ.
struct HostDifference {
  std::string name;
  std::array<int64_t, kHostSums> documents = {};
  int64_t different() const { return documents[1] + documents[2] + documents[3]; }
  // The one that differs most first.
  bool operator<(const HostDifference& other) const {
    return different() != other.different() ? different() > other.different() : name < other.name;
  }
};

// What both corpora have, document by document.
struct JoinedCorpora {
  JoinResult result;
  std::vector<HostDifference> hosts;
  int64_t distinct_hosts = 0;
};

arrow::Result<JoinedCorpora> JoinBy(bool by_url, const DiffConfig& config, const DiffPlan& plan,
                                    const std::vector<OpenSource>& sources,
                                    const std::function<void(double)>& on_progress) {
  std::vector<JoinSource> kinds;
  kinds.reserve(sources.size());
  std::vector<std::pair<uint32_t, uint32_t>> splits;  // source, and which of its splits
  for (size_t i = 0; i < sources.size(); ++i) {
    kinds.push_back(sources[i].kind);
    for (size_t split = 0; split < sources[i].rows.splits.size(); ++split) splits.emplace_back(i, split);
  }
  SpillSpace space(config.tmp);
  DocumentJoin join(kinds, config.threads, plan, &space);
  std::vector<std::unique_ptr<RowHasher>> hashers;
  hashers.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) hashers.push_back(std::make_unique<RowHasher>(&join, by_url));
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const auto [source, split] = splits[i];
    ARROW_RETURN_NOT_OK(hashers[static_cast<size_t>(thread)]->Read(sources[source], source, split));
    const std::lock_guard lock(mutex);
    if (on_progress) on_progress(kReadingShare * static_cast<double>(++done) / static_cast<double>(splits.size()));
    return arrow::Status::OK();
  }));
  for (const auto& hasher : hashers) ARROW_RETURN_NOT_OK(hasher->Finish());
  hashers.clear();
  NameRuns hosts(&space, kHostSums, plan.totals, kHostsBlock);
  JoinedCorpora joined;
  ARROW_ASSIGN_OR_RAISE(joined.result, join.Finish(kMostShownDocuments, by_url ? "URL" : "id", &hosts));
  BottomK<HostDifference> most(kMostDiffHosts);
  ARROW_RETURN_NOT_OK(hosts.Merge([&](std::string_view name, std::span<const NameSum> sums) {
    ++joined.distinct_hosts;
    HostDifference host;
    for (size_t i = 0; i < kHostSums; ++i) host.documents[i] = static_cast<int64_t>(sums[i]);
    if (host.different() == 0) return arrow::Status::OK();
    host.name = name;
    most.Add(std::move(host));
    return arrow::Status::OK();
  }));
  joined.hosts = most.Take();
  return joined;
}

// What is shown of a row.
struct ShownRow {
  std::string id;
  std::string url;
  std::string title;
  DiffText text;
  std::optional<std::string> duplicate_of;
  std::optional<double> similarity;
};
using ShownRows = std::map<RowPlace, ShownRow>;

arrow::Status TakeShown(const arrow::RecordBatch& batch, const OpenSource& source, RowPlace first,
                        const std::vector<ShownRows::iterator>& wanted, size_t* next) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(batch, source.source->id_column));
  ARROW_ASSIGN_OR_RAISE(const auto urls, TextsOf(batch, source.source->url_column));
  ARROW_ASSIGN_OR_RAISE(const auto titles, TextsOf(batch, "title"));
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextsOf(batch, source.source->text_column));
  ARROW_ASSIGN_OR_RAISE(const auto originals, TextsOf(batch, kDuplicateOf));
  const auto similarities = batch.GetColumnByName(kSimilarity);
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
    if (source.kind.is_corpus) shown.text = DiffTextOf(TextAt(texts, row));
    if (originals == nullptr) continue;
    shown.duplicate_of = short_text(originals);
    if (similarities != nullptr && similarities->type_id() == arrow::Type::DOUBLE && similarities->IsValid(row)) {
      shown.similarity = static_cast<const arrow::DoubleArray&>(*similarities).Value(row);
    }
  }
  return arrow::Status::OK();
}

// Reads the rows that are shown: of the splits that have one.
arrow::Status ReadShown(const std::vector<OpenSource>& sources, int threads, ShownRows* rows) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<ShownRows::iterator>> by_split;
  for (auto row = rows->begin(); row != rows->end(); ++row) {
    by_split[{row->first.source, row->first.split}].push_back(row);
  }
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, std::vector<ShownRows::iterator>>> splits(by_split.begin(),
                                                                                                 by_split.end());
  return ParallelFor(threads, splits.size(), [&](int /*thread*/, size_t i) -> arrow::Status {
    const auto& [place, wanted] = splits[i];
    const OpenSource& source = sources[place.first];
    std::vector<std::string> columns = {source.source->id_column, source.source->url_column, "title", kDuplicateOf,
                                        kSimilarity};
    if (source.kind.is_corpus) columns.push_back(source.source->text_column);
    columns = ColumnsOf(source, columns);
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

nlohmann::json JsonOrNull(const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

// Where a document was lost that `source`, of its side, has last; null: none has it.
nlohmann::json WhyJson(const OpenSource* source) {
  nlohmann::json why = {{"output", nullptr}, {"stage", nullptr}, {"reason", nullptr}, {"filter", nullptr}};
  if (source == nullptr) return why;
  const DiffSource& last = *source->source;
  const size_t output = last.reason ? last.output : last.output + 1;  // the next one does not have it
  why["output"] = source->side->outputs[output];
  why["stage"] = source->side->stages[output];
  why["reason"] = JsonOrNull(last.reason);
  why["filter"] = JsonOrNull(last.filter);
  return why;
}

nlohmann::json ReasonsJson(const JoinResult& result, const std::vector<OpenSource>& sources) {
  std::vector<nlohmann::json> reasons;
  for (size_t i = 0; i < result.lost.size(); ++i) {
    if (result.lost[i].documents == 0) continue;
    const bool is_known = i < sources.size();
    nlohmann::json one = WhyJson(is_known ? &sources[i] : nullptr);
    const bool missing_in_b = is_known ? sources[i].kind.is_second : i == sources.size();
    one["missingIn"] = missing_in_b ? "b" : "a";
    one["documents"] = result.lost[i].documents;
    one["characters"] = result.lost[i].characters;
    reasons.push_back(std::move(one));
  }
  std::ranges::stable_sort(reasons, std::ranges::greater(),
                           [](const nlohmann::json& one) { return one["documents"].get<int64_t>(); });
  return reasons;
}

nlohmann::json ShownJson(const JoinedDocument& document, const ShownRows& rows,
                         const std::vector<OpenSource>& sources) {
  const ShownRow* a = document.first ? &rows.at(*document.first) : nullptr;
  const ShownRow* b = document.second ? &rows.at(*document.second) : nullptr;
  const ShownRow& any = rows.at(document.first.value_or(document.second.value_or(RowPlace())));
  nlohmann::json shown = {{"id", any.id},
                          {"url", any.url},
                          {"title", any.title.empty() ? nlohmann::json() : nlohmann::json(any.title)},
                          {"why", nullptr}};
  shown.update(DiffLinesJson(a != nullptr ? &a->text : nullptr, b != nullptr ? &b->text : nullptr, kMostShownBytes));
  if (a != nullptr && b != nullptr) return shown;
  shown["why"] = WhyJson(document.why ? &sources[document.why->source] : nullptr);
  if (!document.why) return shown;
  const ShownRow& why = rows.at(*document.why);
  if (why.duplicate_of) shown["why"]["duplicateOf"] = *why.duplicate_of;
  if (why.similarity) shown["why"]["similarity"] = *why.similarity;
  return shown;
}

arrow::Result<nlohmann::json> AllShown(const JoinResult& result, const std::vector<OpenSource>& sources, int threads) {
  ShownRows rows;
  for (const auto& documents : result.shown) {
    for (const JoinedDocument& document : documents) {
      for (const auto& place : {document.first, document.second, document.why}) {
        if (place) rows.try_emplace(*place);
      }
    }
  }
  ARROW_RETURN_NOT_OK(ReadShown(sources, threads, &rows));
  nlohmann::json all = nlohmann::json::object();
  for (size_t i = 1; i < kDifferences; ++i) {
    nlohmann::json& list = all[kDifferenceNames[i]] = nlohmann::json::array();
    for (const JoinedDocument& document : result.shown[i]) list.push_back(ShownJson(document, rows, sources));
  }
  return all;
}

nlohmann::json CountsJson(Difference difference, const JoinCounts& counts) {
  const bool is_second = difference == Difference::kOnlySecond;
  return {{"documents", counts.documents},
          {"charactersA", is_second ? 0 : counts.characters},
          {"charactersB", is_second ? counts.characters : counts.second_characters}};
}

// Errors: there is nothing by which documents are known in both corpora.
arrow::Status CheckNames(MatchBy match, const DiffSide& a, const DiffSide& b, bool have_ids, bool have_urls) {
  if (match == MatchBy::kAny ? have_ids || have_urls : match == MatchBy::kId ? have_ids : have_urls) {
    return arrow::Status::OK();
  }
  const DiffSource& of_a = a.sources.back();
  const DiffSource& of_b = b.sources.back();
  const auto columns = [&](const std::string& in_a, const std::string& in_b) {
    return in_a == in_b ? "'" + in_a + "'" : "'" + in_a + "' and '" + in_b + "'";
  };
  const std::string ids = columns(of_a.id_column, of_b.id_column);
  const std::string urls = columns(of_a.url_column, of_b.url_column);
  return arrow::Status::Invalid("--against: documents of ", a.name(), " and ", b.name(),
                                " can not be matched: not both have ",
                                match == MatchBy::kAny  ? "ids (" + ids + ") or URLs (" + urls + ")"
                                : match == MatchBy::kId ? "ids (" + ids + ")"
                                                        : "URLs (" + urls + ")");
}

}  // namespace

arrow::Result<nlohmann::json> DiffOf(const DiffConfig& config, const std::function<void(double)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const DiffSide a, DiffSideOf(config.outputs, "DIR"));
  ARROW_ASSIGN_OR_RAISE(const DiffSide b, DiffSideOf(config.against, "--against"));
  if (a.folder == b.folder) {
    return arrow::Status::Invalid("--against ", b.name(), ": is compared with itself; name another corpus");
  }
  const DiffPlan plan = PlanDiff(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(const std::vector<OpenSource> sources, OpenSources(a, b, plan.reader));
  const bool have_ids = HaveNames(sources, false);
  const bool have_urls = HaveNames(sources, true);
  ARROW_RETURN_NOT_OK(CheckNames(config.match, a, b, have_ids, have_urls));
  bool by_url = config.match == MatchBy::kUrl || !have_ids;
  ARROW_ASSIGN_OR_RAISE(JoinedCorpora joined, JoinBy(by_url, config, plan, sources, on_progress));
  const auto in_both = [&joined] { return joined.result.counts[0].documents + joined.result.counts[1].documents; };
  if (config.match == MatchBy::kAny && !by_url && have_urls && in_both() == 0) {
    by_url = true;
    ARROW_ASSIGN_OR_RAISE(joined, JoinBy(by_url, config, plan, sources, on_progress));
  }
  nlohmann::json diff = {{"a", a.name()}, {"b", b.name()}, {"matchedBy", by_url ? "url" : "docId"}};
  for (size_t i = 0; i < kDifferences; ++i) {
    diff[kDifferenceNames[i]] = CountsJson(static_cast<Difference>(i), joined.result.counts[i]);
  }
  diff["reasons"] = ReasonsJson(joined.result, sources);
  diff["distinctHosts"] = joined.distinct_hosts;
  diff["hosts"] = nlohmann::json::array();
  for (const HostDifference& host : joined.hosts) {
    nlohmann::json& one = diff["hosts"].emplace_back(nlohmann::json{{"name", host.name}});
    for (size_t i = 0; i < kDifferences; ++i) one[kDifferenceNames[i]] = host.documents[i];
  }
  ARROW_ASSIGN_OR_RAISE(diff["shown"], AllShown(joined.result, sources, config.threads));
  return diff;
}

}  // namespace uzushio
