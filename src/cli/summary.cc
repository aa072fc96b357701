#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cli/common.h"

namespace uzushio {
namespace {

using Json = nlohmann::ordered_json;

int64_t Number(const Json& json, const char* name) { return json.value(name, int64_t{0}); }

// "1 record", "2,000 records".
std::string Counted(int64_t count, const std::string& noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

Json Object(const Json& json, const char* name) { return json.value(name, Json::object()); }

void AppendCounters(const char* title, const Json& counters, std::string* text) {
  if (counters.empty()) return;
  *text += fmt::format("  {}\n", title);
  for (const auto& [name, count] : counters.items()) {
    *text += fmt::format("    {:>13}  {}\n", FormatCount(count.get<int64_t>()), name);
  }
}

void AppendQuarantined(const Json& summary, std::string* text) {
  const Json quarantined = Object(summary, "quarantined");
  for (const auto& [reason, count] : quarantined.items()) {
    *text += fmt::format("  {} quarantined: {}\n", Counted(count.get<int64_t>(), "record"), reason);
  }
}

// The last line: time, what `between` says, memory, and the output.
std::string LastLine(const Json& summary, const std::vector<std::string>& between) {
  std::string text = fmt::format("  {:.3g} s", summary.value("seconds", 0.0));
  for (const std::string& part : between) text += ", " + part;
  if (summary.contains("peak_memory_bytes")) {
    text += ", peak memory " + FormatBytes(Number(summary, "peak_memory_bytes"));
  }
  return text + ", output " + summary.value("output", std::string());
}

int64_t Sum(const Json& counters) {
  int64_t sum = 0;
  for (const auto& [name, count] : counters.items()) sum += count.get<int64_t>();
  return sum;
}

std::string ExtractText(const Json& summary) {
  std::string text =
      fmt::format("extract: {} = {} + {} rejected + {} quarantined\n", Counted(Number(summary, "records"), "record"),
                  Counted(Number(summary, "documents"), "document"), FormatCount(Sum(Object(summary, "rejected"))),
                  FormatCount(Sum(Object(summary, "quarantined"))));
  AppendCounters("documents by language", Object(summary, "languages"), &text);
  AppendCounters("rejected", Object(summary, "rejected"), &text);
  AppendCounters("quarantined", Object(summary, "quarantined"), &text);
  AppendCounters("documents of damaged pages", Object(summary, "damaged"), &text);
  text += fmt::format("  {} of files, {} decoded, {} of text in {}\n", FormatBytes(Number(summary, "file_bytes")),
                      FormatBytes(Number(summary, "decoded_bytes")), FormatBytes(Number(summary, "text_bytes")),
                      Counted(Number(summary, "paragraphs"), "paragraph"));
  if (summary.contains("body_bytes")) {
    text += fmt::format("  full data of {} of pages\n", FormatBytes(Number(summary, "body_bytes")));
  }
  return text + LastLine(summary, {});
}

std::string IndexText(const Json& summary) {
  std::string text =
      fmt::format("index: {} = {} + {} left out + {} quarantined\n", Counted(Number(summary, "records"), "record"),
                  Counted(Number(summary, "rows"), "row"), FormatCount(Sum(Object(summary, "left_out"))),
                  FormatCount(Sum(Object(summary, "quarantined"))));
  AppendCounters("left out", Object(summary, "left_out"), &text);
  AppendCounters("quarantined", Object(summary, "quarantined"), &text);
  return text + LastLine(summary, {FormatBytes(Number(summary, "file_bytes")) + " of files"});
}

std::string RobotsTxtText(const Json& summary) {
  std::string text =
      fmt::format("robots-txt: {} = {} + {} left out + {} quarantined\n", Counted(Number(summary, "records"), "record"),
                  Counted(Number(summary, "captures"), "file"), FormatCount(Sum(Object(summary, "left_out"))),
                  FormatCount(Sum(Object(summary, "quarantined"))));
  text += fmt::format("  {:>12} origins, by their newest file\n", FormatCount(Number(summary, "origins")));
  AppendCounters("of them", Object(summary, "access"), &text);
  if (const int64_t cut = Number(summary, "cut"); cut > 0) {
    text += fmt::format("  {:>12} files were longer than 500 KiB, and cut\n", FormatCount(cut));
  }
  AppendCounters("left out", Object(summary, "left_out"), &text);
  AppendCounters("quarantined", Object(summary, "quarantined"), &text);
  return text + LastLine(summary, {FormatBytes(Number(summary, "file_bytes")) + " of files"});
}

std::string StatisticsText(const std::string& stage, const Json& summary) {
  std::string text = stage + ": ";
  if (summary.contains("documents")) {
    text += fmt::format("{} of {}, ", Counted(Number(summary, "paragraphs"), "paragraph"),
                        Counted(Number(summary, "documents"), "document"));
  }
  text += FormatCount(Number(summary, "distinct_paragraphs")) + " distinct\n";
  const std::pair<const char*, const char*> lines[] = {{"documents_left_out", "documents left out by length"},
                                                       {"cuts_in_plain_text", "cuts in paragraphs of plain text"},
                                                       {"candidate_pairs", "candidate pairs"},
                                                       {"near_pairs", "found to be near-duplicates"},
                                                       {"groups", "groups of near-duplicates"},
                                                       {"largest_group", "distinct paragraphs in the largest"},
                                                       {"rows", "rows of statistics"},
                                                       {"index_entries", "entries of the index"}};
  for (const auto& [name, title] : lines) {
    if (!summary.contains(name)) continue;
    if (std::string_view(name) == "cuts_in_plain_text" && Number(summary, name) == 0) continue;
    text += fmt::format("  {:>15}  {}\n", FormatCount(Number(summary, name)), title);
  }
  AppendQuarantined(summary, &text);
  std::vector<std::string> between;
  if (summary.contains("spilled_bytes")) between.push_back(FormatBytes(Number(summary, "spilled_bytes")) + " spilled");
  return text + LastLine(summary, between);
}

// The table of `filter`: per reason what it removed (Table 1 of the Uzushio paper), and per filter its time.
class FilterTable {
 public:
  explicit FilterTable(const Json& summary)
      : steps_(summary.value("steps", Json::array())),
        all_bytes_(Number(Object(summary, "input"), "text_bytes")),
        left_(all_bytes_),
        timed_(std::ranges::any_of(steps_, [](const Json& step) { return step.contains("seconds"); })) {}

  std::string Head(int64_t documents) const {
    std::string text = fmt::format("filter: {}\n  {:<44} {:>12} {:>13} {:>10} {:>8}", Counted(documents, "document"),
                                   "removed by", "documents", "paragraphs", "text", "share");
    if (timed_) text += fmt::format("   {:>9} {:>7}", "seconds", "MB/s");
    return text + "\n";
  }

  // A filter has a line for each of its reasons that removed something, or its first.
  std::string Removed(const Json& counts) {
    std::string text;
    const auto step = static_cast<size_t>(Number(counts, "step"));
    const bool first = !last_ || *last_ != step;
    if (first) {
      text = Rewrites(step);
      listed_ = step + 1;
    }
    last_ = step;
    const double seconds = Seconds(step);
    const std::string speed =
        first && seconds > 0 ? fmt::format("   {:>9.3f} {:>7.0f}", seconds, static_cast<double>(left_) / seconds / 1e6)
                             : "";
    if (first || Number(counts, "paragraphs") > 0 || Number(counts, "documents") > 0) {
      text += Line(counts.value("reason", std::string()), counts, speed);
    }
    left_ -= Number(counts, "text_bytes");
    return text;
  }

  // Filters up to a step that remove nothing.
  std::string Rewrites(size_t end) {
    std::string text;
    for (; listed_ < std::min(end, steps_.size()); ++listed_) {
      const std::string name = steps_[listed_].value("filter", std::string()) + " (rewrites)";
      text += timed_ ? fmt::format("  {:<44} {:>12} {:>13} {:>10} {:>8}   {:>9.3f}\n", name, "", "", "", "",
                                   Seconds(listed_))
                     : fmt::format("  {}\n", name);
    }
    return text;
  }

  std::string Line(const std::string& name, const Json& counts, const std::string& speed) const {
    const int64_t bytes = Number(counts, "text_bytes");
    const double share = all_bytes_ == 0 ? 0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(all_bytes_);
    return fmt::format("  {:<44} {:>12} {:>13} {:>10} {:>6.1f} %{}\n", name, FormatCount(Number(counts, "documents")),
                       FormatCount(Number(counts, "paragraphs")), FormatBytes(bytes), share, speed);
  }

  size_t steps() const { return steps_.size(); }

 private:
  double Seconds(size_t step) const { return step < steps_.size() ? steps_[step].value("seconds", 0.0) : 0; }

  Json steps_;
  int64_t all_bytes_;
  int64_t left_;  // text that the filter gets to see
  bool timed_;
  size_t listed_ = 0;  // steps
  std::optional<size_t> last_;
};

std::string FilterText(const Json& summary) {
  FilterTable table(summary);
  std::string text = table.Head(Number(Object(summary, "input"), "documents"));
  for (const Json& counts : summary.value("removed", Json::array())) text += table.Removed(counts);
  text += table.Rewrites(table.steps());
  const Json empty = Object(summary, "empty");
  if (Number(empty, "documents") > 0) text += table.Line("(nothing left)", empty, "");
  text += table.Line("passed", Object(summary, "passed"), "");
  AppendQuarantined(summary, &text);
  std::vector<std::string> between;
  if (summary.contains("files")) {
    between.push_back(
        fmt::format("{} in {}", FormatBytes(Number(summary, "bytes_out")), Counted(Number(summary, "files"), "file")));
  }
  return text + LastLine(summary, between);
}

// A name of at most 40 bytes: of a longer one, its end, where paths differ.
std::string Short(const std::string& name) { return name.size() <= 40 ? name : "..." + name.substr(name.size() - 37); }

std::string MetricsText(const Json& summary) {
  std::string text = fmt::format("metrics: {}\n", Counted(Number(summary, "documents"), "document"));
  const Json metrics = Object(summary, "metrics");
  if (!metrics.empty()) {
    text += fmt::format("  {:<40}", "quantiles");
    for (const char* share : {"least", ".01", ".05", ".25", ".5", ".75", ".95", ".99", "most"})
      text += fmt::format(" {:>9}", share);
    text += '\n';
  }
  for (const auto& [name, quantiles] : metrics.items()) {
    text += fmt::format("  {:<40}", Short(name));
    for (const Json& value : quantiles) text += fmt::format(" {:>9.4g}", value.get<double>());
    text += '\n';
  }
  text += LeftOutText(summary);
  AppendQuarantined(summary, &text);
  return text + LastLine(summary, {});
}

std::string MinHashText(const Json& summary) {
  const bool is_parted = summary.contains("kept");
  std::string text = "minhash: " + Counted(Number(summary, "documents"), "document");
  if (is_parted) {
    text += fmt::format(" = {} kept + {}", FormatCount(Number(summary, "kept")),
                        Counted(Number(summary, "duplicates"), "duplicate"));
  }
  text += fmt::format(", {} of text\n", FormatBytes(Number(summary, "text_bytes")));
  const std::pair<const char*, const char*> lines[] = {
      {"duplicates_of_other_indexes", "duplicates of documents of other indexes"},
      {"older_captures", "older captures of a URL"},
      {"contained", "documents contained in others"},
      {"documents_without_url", "documents without a URL, whose captures are not looked for"},
      {"documents_without_date", "documents without a date, taken for the oldest"},
      {"buckets", "buckets in the index"}};
  for (const auto& [name, title] : lines) {
    if (Number(summary, name) > 0) text += fmt::format("  {:>15}  {}\n", FormatCount(Number(summary, name)), title);
  }
  // A few duplicates of one document are nothing to look at.
  constexpr int64_t kLargeGroup = 100;
  const Json groups = summary.value("largest_groups", Json::array());
  const int64_t largest = groups.empty() ? 0 : groups[0].value("duplicates", int64_t{0});
  if (largest >= kLargeGroup) {
    text += fmt::format("  {:>15}  duplicates of one document, {}\n", FormatCount(largest),
                        groups[0].value("duplicate_of", std::string()));
  }
  if (Number(summary, "index_text_bytes") > 0) {
    text += fmt::format("  {:>15}  texts in the index\n", FormatBytes(Number(summary, "index_text_bytes")));
  }
  AppendQuarantined(summary, &text);
  std::vector<std::string> between;
  if (summary.contains("spilled_bytes")) between.push_back(FormatBytes(Number(summary, "spilled_bytes")) + " spilled");
  return text + LastLine(summary, between);
}

std::string HostsText(const Json& summary) {
  std::string text = fmt::format("hosts: {} of {}\n", Counted(Number(summary, "hosts"), "host"),
                                 Counted(Number(summary, "documents"), "document"));
  if (Number(summary, "without_host") > 0) {
    text += fmt::format("  {} without a host\n", Counted(Number(summary, "without_host"), "document"));
  }
  AppendQuarantined(summary, &text);
  return text + LastLine(summary, {FormatBytes(Number(summary, "spilled_bytes")) + " spilled"});
}

// The pairs of each kind that are most alike.
std::string OverlapText(const Json& summary) {
  constexpr size_t kMostPairs = 8;  // of a kind
  const Json datasets = summary.value("datasets", Json::array());
  std::string text = fmt::format("overlap: {}\n", Counted(static_cast<int64_t>(datasets.size()), "dataset"));
  std::map<std::string, size_t> numbers;
  for (const Json& dataset : datasets) {
    const std::string name = dataset.value("name", std::string());
    numbers.emplace(name, numbers.size() + 1);
    text += fmt::format("  {:>2}  {}:", numbers[name], Short(name));
    const Json distinct = Object(dataset, "distinct");
    for (const auto& [kind, count] : distinct.items()) {
      text += fmt::format(" {} {},", FormatCount(count.get<int64_t>()), kind);
    }
    text.back() = '\n';
  }
  std::map<std::string, std::vector<Json>> by_kind;
  for (const Json& row : summary.value("overlaps", Json::array())) by_kind[row["kind"]].push_back(row);
  for (auto& [kind, rows] : by_kind) {
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const Json& row) { return row["jaccard"].get<double>(); });
    text += fmt::format("  {:<12} {:>15} {:>9} {:>9} {:>9}\n", kind, "a & b", "of a", "of b", "of either");
    for (size_t i = 0; i < std::min(rows.size(), kMostPairs); ++i) {
      const Json& row = rows[i];
      const auto share = [&row](const char* name) { return 100 * row[name].get<double>(); };
      text += fmt::format("    {:>2} & {:>2}    {:>15} {:>7.2f} % {:>7.2f} % {:>7.2f} %\n", numbers[row["a"]],
                          numbers[row["b"]], FormatCount(Number(row, "both")), share("shareOfA"), share("shareOfB"),
                          share("jaccard"));
    }
    if (rows.size() > kMostPairs)
      text += fmt::format("    and {} with less overlap\n",
                          Counted(static_cast<int64_t>(rows.size() - kMostPairs), "pair"));
  }
  AppendQuarantined(summary, &text);
  return text + LastLine(summary, {FormatBytes(Number(summary, "spilled_bytes")) + " spilled"});
}

std::string HostListsText(const Json& summary) {
  const Json lists = Object(summary, "lists");
  std::string text = fmt::format("host-lists: {} entries\n", FormatCount(Sum(lists)));
  AppendCounters("entries by list", lists, &text);
  const int64_t bad = Sum(Object(summary, "quarantined"));
  if (bad > 0) {
    text += fmt::format("  {} skipped, not a host; the first: {}\n", Counted(bad, "line"),
                        summary.value("first_bad", std::string()));
  }
  return text + LastLine(summary, {FormatBytes(Number(summary, "bytes"))});
}

std::string DecontaminateText(const Json& summary) {
  std::string text =
      fmt::format("decontaminate: {} = {} kept + {} contaminated, {} of text\n",
                  Counted(Number(summary, "documents"), "document"), FormatCount(Number(summary, "kept")),
                  FormatCount(Number(summary, "contaminated")), FormatBytes(Number(summary, "text_bytes")));
  text += fmt::format("  {:<24} {:>12} {:>12} {:>16}\n", "benchmark", "items", "found", "cannot be found");
  for (const Json& one : summary.value("benchmarks", Json::array())) {
    text += fmt::format("  {:<24} {:>12} {:>12} {:>16}\n", Short(one.value("name", std::string())),
                        FormatCount(Number(one, "items")), FormatCount(Number(one, "found")),
                        FormatCount(Number(one, "too_short") + Number(one, "boilerplate")));
  }
  AppendQuarantined(summary, &text);
  return text + LastLine(summary, {});
}

// What a stage has made of what, in a few words.
std::string FiguresOf(const Json& summary) {
  const std::string stage = summary.value("stage", std::string());
  const auto counted = [&summary](const std::string& noun) {
    return Counted(Number(summary, (noun + "s").c_str()), noun);
  };
  if (stage == "extract") return counted("record") + ", " + counted("document");
  if (stage == "index") return counted("record") + ", " + counted("row");
  if (stage == "robots-txt") return counted("record") + ", " + counted("origin");
  if (stage == "filter") {
    return fmt::format("{} of {} passed", FormatCount(Number(Object(summary, "passed"), "documents")),
                       Counted(Number(Object(summary, "input"), "documents"), "document"));
  }
  if (stage == "minhash" || stage == "decontaminate")
    return FormatCount(Number(summary, "kept")) + " of " + counted("document") + " kept";
  if (stage == "hosts") return counted("host") + " of " + counted("document");
  if (stage == "metrics") return counted("document");
  return Counted(Number(summary, "distinct_paragraphs"), "distinct paragraph");
}

std::string RunText(const Json& summary) {
  const Json steps = summary.value("steps", Json::array());
  const auto done = std::ranges::count_if(steps, [](const Json& step) { return step.value("was_done", false); });
  std::string text = fmt::format("run: {}, {} done before\n  {:<24} {:<9} {:>9} {:>9} {:>9}\n",
                                 Counted(static_cast<int64_t>(steps.size()), "stage"), done, "stage", "command",
                                 "input", "output", "seconds");
  for (const Json& step : steps) {
    const Json of = Object(step, "summary");
    const std::string seconds =
        step.value("was_done", false) ? "done" : fmt::format("{:.3g}", of.value("seconds", 0.0));
    text += fmt::format("  {:<24} {:<9} {:>9} {:>9} {:>9}  {}\n", step.value("name", std::string()),
                        step.value("command", std::string()), FormatBytes(Number(step, "bytes_in")),
                        FormatBytes(Number(step, "bytes")), seconds, FiguresOf(of));
  }
  text += LeftOutText(summary);
  AppendQuarantined(summary, &text);
  text += LastLine(summary, {});
  const Json train_on = Object(summary, "train_on");
  const std::string folder = train_on.value("folder", std::string());
  if (folder.empty()) return text;
  const std::string quoted = Json(folder).dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool lines = train_on.value("format", std::string()) == "json";
  const std::string pattern = Json(folder + "/**/*.jsonl.*").dump(-1, ' ', false, Json::error_handler_t::replace);
  return text + fmt::format("\n  train on {}; in Python: {}", folder,
                            lines ? "datasets.load_dataset(\"json\", data_files=" + pattern + ")"
                                  : "pyarrow.dataset.dataset(" + quoted + ", partitioning=\"hive\").to_table()");
}

}  // namespace

std::string LeftOutText(const nlohmann::ordered_json& summary) {
  std::string text;
  for (const Json& one : summary.value("left_out", Json::array())) {
    text += fmt::format("  left out of {}: {}, which needs {}\n", one.value("stage", std::string()),
                        one.value("filter", std::string()), one.value("wanted", std::string()));
  }
  return text;
}

std::string SummaryText(const nlohmann::ordered_json& summary) {
  const std::string stage = summary.value("stage", std::string());
  if (stage == "extract") return ExtractText(summary);
  if (stage == "index") return IndexText(summary);
  if (stage == "robots-txt") return RobotsTxtText(summary);
  if (stage == "filter") return FilterText(summary);
  if (stage == "metrics") return MetricsText(summary);
  if (stage == "minhash") return MinHashText(summary);
  if (stage == "hosts") return HostsText(summary);
  if (stage == "decontaminate") return DecontaminateText(summary);
  if (stage == "overlap") return OverlapText(summary);
  if (stage == "run") return RunText(summary);
  if (stage == "host-lists") return HostListsText(summary);
  return StatisticsText(stage, summary);
}

std::string SummaryWarning(const nlohmann::ordered_json& summary) {
  if (summary.value("stage", "") == "robots-txt" && Number(summary, "origins") == 0) {
    return fmt::format(
        "there is no robots.txt among {}, and the table is empty: OptOut would remove nothing by it. Common Crawl has "
        "them in archives of their own, which robotstxt.paths.gz of a crawl lists: give those",
        Counted(Number(summary, "records"), "record"));
  }
  const int64_t documents = Number(Object(summary, "input"), "documents");
  const Json removed = summary.value("removed", Json::array());
  if (summary.value("stage", "") != "filter" || documents == 0 || removed.empty()) return {};
  if (Number(Object(summary, "passed"), "documents") > 0) return {};
  const auto most = std::ranges::max_element(
      removed, [](const Json& a, const Json& b) { return Number(a, "text_bytes") < Number(b, "text_bytes"); });
  return fmt::format(
      "nothing passed the chain, of {}; {} removed the most text. `uzushio explain ID --in OUTPUT` shows what became "
      "of a document, `uzushio metrics` the values that are compared with thresholds",
      Counted(documents, "document"), most->value("reason", std::string()));
}

}  // namespace uzushio
