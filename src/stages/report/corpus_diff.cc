#include "stages/report/corpus_diff.h"

#include <arrow/array.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bottom_k.h"
#include "base/hash_state.h"
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
#include "stages/report/diff_sides.h"
#include "stages/report/document_join.h"
#include "stages/report/open_sources.h"
#include "stages/report/shown_documents.h"

namespace uzushio {
namespace {

constexpr double kReadingShare = 0.8;                  // of the progress of one pass
constexpr std::string_view kBehindParagraph = "\n\n";  // paragraphs
constexpr std::array<const char*, kDifferences> kDifferenceNames = {"equal", "changed", "onlyA", "onlyB"};

// Whether documents of both corpora have names in a column.
bool HaveNames(const std::vector<OpenSource>& sources, bool by_url) {
  return std::ranges::all_of(sources, [by_url](const OpenSource& source) {
    return !source.kind.is_corpus || source.Has(source.NameColumn(by_url));
  });
}

// Hands rows on, for one thread.
class RowHasher {
 public:
  RowHasher(DocumentJoin* join, bool by_url) : writer_(join), by_url_(by_url), state_(NewXxh3State()) {}

  arrow::Status Read(const OpenSource& source, uint32_t number, uint32_t split) {
    const std::string& name_column = source.NameColumn(by_url_);
    if (!source.kind.is_corpus && !source.Has(name_column)) return arrow::Status::OK();
    std::vector<std::string> wanted = {name_column};
    if (source.kind.is_corpus) wanted.insert(wanted.end(), {source.source->text_column, source.source->url_column});
    int64_t first = 0;
    return ReadColumns(
        source.rows, source.rows.splits[split], source.ColumnsOf(wanted),
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
    ARROW_ASSIGN_OR_RAISE(const auto names, NamesOf(batch, source.NameColumn(by_url_)));
    std::shared_ptr<arrow::StringArray> texts;
    std::shared_ptr<arrow::StringArray> urls;
    if (source.kind.is_corpus) {
      ARROW_ASSIGN_OR_RAISE(texts, TextColumn(batch, source.source->text_column));
      ARROW_ASSIGN_OR_RAISE(urls, NamesOf(batch, source.source->url_column));
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
      joined.has_name = !name.empty();
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
  Xxh3State state_;
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

// Whether less than half of the documents of the smaller corpus have an id or URL that is in the other.
bool FewMatch(const JoinResult& result) {
  const auto documents = [&result](Difference kind) { return result.counts[static_cast<size_t>(kind)].documents; };
  const int64_t smaller = std::min(documents(Difference::kOnlyFirst), documents(Difference::kOnlySecond)) +
                          documents(Difference::kEqual) + documents(Difference::kChanged);
  return 2 * result.matched_by_name < smaller;
}

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
  ARROW_ASSIGN_OR_RAISE(joined.result, join.Finish(kMostShownDocuments, &hosts));
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

arrow::Result<nlohmann::json> AllShown(const JoinResult& result, const std::vector<OpenSource>& sources, int threads) {
  std::vector<JoinedDocument> documents;
  for (const auto& of_kind : result.shown) documents.insert(documents.end(), of_kind.begin(), of_kind.end());
  ARROW_ASSIGN_OR_RAISE(std::vector<nlohmann::json> shown, ShownDocuments(documents, sources, threads));
  nlohmann::json all = nlohmann::json::object();
  auto next = shown.begin();
  for (size_t i = 0; i < kDifferences; ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(result.shown[i].size());
    if (i != static_cast<size_t>(Difference::kEqual)) {
      all[kDifferenceNames[i]] = nlohmann::json::array();
      std::move(next, end, std::back_inserter(all[kDifferenceNames[i]]));
    }
    next = end;
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
  if (config.match == MatchBy::kAny && !by_url && have_urls && FewMatch(joined.result)) {
    ARROW_ASSIGN_OR_RAISE(JoinedCorpora by_urls, JoinBy(true, config, plan, sources, on_progress));
    by_url = by_urls.result.matched_by_name > joined.result.matched_by_name;
    if (by_url) joined = std::move(by_urls);
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
