#include "stages/report/report.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/json.h"
#include "datasets/extracts.h"
#include "filters/list.h"
#include "stages/report/funnel.h"
#include "stages/report/metric_spread.h"
#include "stages/report/page.h"
#include "stages/report/page_template.h"
#include "stages/report/sections.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

// Of a sample: documents, and bytes of the numbers in a page, in which all tables share.
constexpr size_t kMostSampled = 16384;
constexpr size_t kPageSampleBytes = 3'000'000;
constexpr size_t kFewestSampled = 512;  // before extracts are left out
constexpr size_t kMostBins = 256;       // of a column
constexpr size_t kFewestBins = 8;
constexpr size_t kBinsOfPage = 30'000;
constexpr size_t kExtractsOfPage = 4 * kMostExtracts;

// A table of metrics, read.
struct ReportTable {
  MetricsTable table;
  MetricSpread spread;
  std::vector<Extract> extracts;
};

nlohmann::json OrNull(const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

nlohmann::json StagesJson(const std::vector<ReportOutput>& outputs) {
  nlohmann::json stages = nlohmann::json::array();
  for (const ReportOutput& output : outputs) {
    stages.push_back({{"name", output.name},
                      {"stage", output.stage},
                      {"seconds", OrNull(output.seconds)},
                      {"threads", OrNull(output.threads)},
                      {"peakMemory", OrNull(output.peak_memory)}});
  }
  return stages;
}

// The chain as the page takes it: what no parameter moves, the sample's `fixedRemoved` has.
nlohmann::json ChainJson(const MetricsTable& table) {
  nlohmann::json chain = table.rules_json();
  for (size_t i = 0; i < chain.size(); ++i) {
    nlohmann::json moved = nlohmann::json::array();
    for (const nlohmann::json& threshold : chain[i]["thresholds"]) {
      if (!threshold["parameter"].get_ref<const std::string&>().empty()) moved.push_back(threshold);
    }
    chain[i]["thresholds"] = std::move(moved);
    chain[i]["fixed"] = table.rules()[i].rule.is_fixed();
    chain[i].erase("normal");
  }
  return chain;
}

nlohmann::json ExtractJson(const Extract& extract, size_t row) {
  nlohmann::json paragraphs = nlohmann::json::array();
  for (const Extract::Paragraph& paragraph : extract.paragraphs) {
    paragraphs.push_back(
        {{"path", paragraph.path}, {"text", paragraph.text}, {"removedBy", OrNull(paragraph.removed_by)}});
  }
  return {{"row", row},         {"docId", extract.doc_id},
          {"url", extract.url}, {"title", OrNull(extract.title)},
          {"cut", extract.cut}, {"paragraphs", std::move(paragraphs)}};
}

nlohmann::json TableJson(const ReportTable& read, size_t sampled, size_t extracts) {
  nlohmann::json shown = nlohmann::json::array();
  for (size_t i = 0; i < std::min({extracts, sampled, read.extracts.size()}); ++i) {
    shown.push_back(ExtractJson(read.extracts[i], i));
  }
  return {{"name", read.table.name()},
          {"documents", read.table.documents()},
          {"total",
           {{"documents", read.table.documents()},
            {"characters", read.spread.total.characters},
            {"bytes", read.spread.total.bytes}}},
          {"columns", read.spread.columns},
          {"chain", ChainJson(read.table)},
          {"sample", SampleJson(read.table, read.spread.sample, sampled)},
          {"extracts", std::move(shown)}};
}

// Whether tokens were counted of the text that the whole chain keeps: no filter behind changes paragraphs.
bool CountsWhatIsKept(const MetricsTable& table, size_t column) {
  bool is_behind = false;
  for (const StepRule& step : table.rules()) {
    if (is_behind && step.kind != "documents") return false;
    is_behind |=
        std::ranges::any_of(step.rule.thresholds, [column](const Threshold& one) { return one.metric == column; });
  }
  return is_behind;
}

// Of each table that has a column of them.
nlohmann::json TokensJson(const std::vector<ReportTable>& tables) {
  nlohmann::json tokens = nlohmann::json::array();
  for (const ReportTable& read : tables) {
    for (size_t i = 0; i < read.table.columns().size(); ++i) {
      const std::string& column = read.table.columns()[i];
      if (column.substr(0, column.find_first_of("(#")) != "Tokens") continue;
      tokens.push_back({{"name", read.table.name()},
                        {"documents", read.table.documents()},
                        {"tokens", static_cast<int64_t>(read.spread.sums[i])},
                        {"characters", nullptr},
                        {"bytes", nullptr}});
      if (CountsWhatIsKept(read.table, i)) {
        tokens.back()["characters"] = read.spread.total.kept_characters;
        tokens.back()["bytes"] = read.spread.total.kept_bytes;
      }
      break;
    }
  }
  return tokens;
}

// What the filters of the page do, by their classes. `diff` may be null.
nlohmann::json MeaningsJson(const nlohmann::json& funnel, const nlohmann::json& diff,
                            const std::vector<ReportTable>& tables) {
  std::set<std::string, std::less<>> classes;
  for (const nlohmann::json& reason : MemberOf(diff, "reasons")) {
    if (reason["filter"].is_string()) classes.insert(reason["filter"].get<std::string>());
  }
  for (const nlohmann::json& row : funnel) {
    const nlohmann::json& name = MemberOf(row, "class");
    if (name.is_string()) classes.insert(name.get<std::string>());
  }
  for (const ReportTable& read : tables) {
    for (const nlohmann::json& filter : read.table.rules_json()) classes.insert(filter["class"].get<std::string>());
  }
  nlohmann::json meanings = nlohmann::json::object();
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    if (classes.contains(filter.name)) meanings[filter.name] = filter.summary;
  }
  return meanings;
}

DiffConfig DiffConfigOf(const ReportConfig& config) {
  DiffConfig diff;
  diff.outputs = config.outputs;
  diff.against = config.against;
  diff.match = config.match;
  diff.tmp = config.tmp;
  diff.threads = config.threads;
  diff.memory = config.memory;
  return diff;
}

// What a summary says of it.
nlohmann::json DiffCounts(const nlohmann::json& diff) {
  nlohmann::json counts = {{"a", diff["a"]}, {"b", diff["b"]}, {"matched_by", diff["matchedBy"]}};
  for (const auto& [name, kind] :
       {std::pair("equal", "equal"), {"changed", "changed"}, {"only_a", "onlyA"}, {"only_b", "onlyB"}}) {
    counts[name] = diff[kind]["documents"];
  }
  return counts;
}

// Extracts are of the documents that come first in the sample.
arrow::Status CheckExtracts(const ReportTable& read) {
  for (size_t i = 0; i < std::min(read.extracts.size(), read.spread.sample.size()); ++i) {
    const std::string& id = read.extracts[i].doc_id;
    const bool is_whole = !id.empty() && id.size() + 4 < kMostExtractName;  // a cut may leave out a character's bytes
    if (!is_whole || SampleHash(id) == read.spread.sample[i].hash) continue;
    return arrow::Status::Invalid(read.table.name(), "/", kExtractsFile.path, ": is not of the documents of ",
                                  kMetricsFile, "; compute the metrics anew");
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<ReportTable>> ReadTables(const ReportConfig& config, const ReportProgress& on_progress) {
  std::vector<MetricsTable> tables;
  std::vector<const ReportOutput*> outputs;
  for (const ReportOutput& output : config.outputs) {
    if (output.stage != "metrics") continue;
    ARROW_ASSIGN_OR_RAISE(MetricsTable table, MetricsTable::Open(output));
    tables.push_back(std::move(table));
    outputs.push_back(&output);
  }
  size_t columns = 1;
  for (const MetricsTable& table : tables) columns += table.columns().size();
  std::vector<ReportTable> read;
  for (size_t i = 0; i < tables.size(); ++i) {
    const size_t share = std::min(kPageSampleBytes, 2 * kPageSampleBytes / tables.size());
    const size_t most = std::min(kMostSampled, share / (sizeof(float) * tables[i].columns().size()));
    const size_t bins = std::clamp(kBinsOfPage / columns, kFewestBins, kMostBins);
    const auto progress = [&](double done) {
      on_progress((static_cast<double>(i) + done) / static_cast<double>(tables.size()), "reading metrics");
    };
    ARROW_ASSIGN_OR_RAISE(MetricSpread spread,
                          SpreadOf(tables[i], most, bins, config.threads, config.memory, progress));
    read.push_back({std::move(tables[i]), std::move(spread), {}});
    ARROW_ASSIGN_OR_RAISE(const OutputFiles::Named sample, outputs[i]->Find(kExtractsFile));
    if (sample.files.empty()) continue;  // of Spark
    ARROW_ASSIGN_OR_RAISE(read.back().extracts, ReadExtracts(sample.files.front()));
    ARROW_RETURN_NOT_OK(CheckExtracts(read.back()));
    std::vector<Extract>& extracts = read.back().extracts;
    extracts.resize(std::min(extracts.size(), kExtractsOfPage / tables.size()));
    extracts.shrink_to_fit();
  }
  return read;
}

// The template, which may ask a server where there is one.
std::string FrameOf(bool is_served) {
  std::string frame(PageTemplate());
  if (is_served) frame.replace(frame.find(kPageConnects), kPageConnects.size(), kPageConnectsToServer);
  return frame;
}

// The page, with as much of samples and extracts as it has room for. Errors: it has no room for what it is to show.
arrow::Result<std::string> FitPage(nlohmann::json data, const std::vector<ReportTable>& tables, ReportResult* result) {
  const std::string frame = FrameOf(!data["serve"].is_null());
  size_t sampled = kMostSampled;
  size_t extracts = kMostExtracts;
  while (true) {
    result->sampled = 0;
    data["metrics"] = nlohmann::json::array();
    for (const ReportTable& read : tables) {
      const size_t count = std::min(sampled, read.spread.sample.size());
      data["metrics"].push_back(TableJson(read, count, extracts));
      result->sampled += static_cast<int64_t>(count);
    }
    std::string page = FillPage(frame, data);
    if (page.size() <= kMostPageBytes) return page;
    if (extracts == 0) {
      return arrow::Status::Invalid("the page would have ", page.size(), " bytes, and ", kMostPageBytes,
                                    " are the most; name fewer outputs");
    }
    if (sampled > kFewestSampled) {
      sampled /= 2;
    } else {
      extracts /= 2;
    }
  }
}

}  // namespace

arrow::Result<std::string> MakePage(const ReportConfig& config, const std::string& token,
                                    const ReportProgress& on_progress, ReportResult* result) {
  nlohmann::json data = {{"version", 1},
                         {"generator", std::string("uzushio ") + UZUSHIO_VERSION},
                         {"title", config.title},
                         {"serve", token.empty() ? nlohmann::json() : nlohmann::json{{"token", token}}},
                         {"stages", StagesJson(config.outputs)}};
  ARROW_ASSIGN_OR_RAISE(data["funnel"], FunnelOf(config.outputs));
  ARROW_RETURN_NOT_OK(AddSections(config, on_progress, &data));
  if (!config.against.empty()) {
    ARROW_ASSIGN_OR_RAISE(data["diff"], DiffOf(DiffConfigOf(config), [&on_progress](double share) {
                            on_progress(share, "comparing documents");
                          }));
    result->diff = DiffCounts(data["diff"]);
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<ReportTable> tables, ReadTables(config, on_progress));
  data["tokens"] = TokensJson(tables);
  data["meanings"] = MeaningsJson(data["funnel"], MemberOf(data, "diff"), tables);
  result->tables = static_cast<int64_t>(tables.size());
  ARROW_ASSIGN_OR_RAISE(std::string page, FitPage(std::move(data), tables, result));
  result->bytes = static_cast<int64_t>(page.size());
  return page;
}

arrow::Result<ReportResult> RunReport(const ReportConfig& config, const ReportProgress& on_progress) {
  ReportResult result;
  ARROW_ASSIGN_OR_RAISE(const std::string page, MakePage(config, "", on_progress, &result));
  ARROW_RETURN_NOT_OK(WriteNamedFile(config.output, page));
  return result;
}

}  // namespace uzushio
