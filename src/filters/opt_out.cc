#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "document/robots_rules.h"
#include "filters/list.h"
#include "filters/numbered_filter.h"
#include "filters/robots_sites.h"

namespace uzushio {
namespace {

class OptOut final : public NumberedFilter {
 public:
  OptOut() : NumberedFilter(0) {}
  arrow::Status Prepare(int64_t memory) {
    if (directives.empty() && agents.empty()) {
      return arrow::Status::Invalid("nothing would be an opt-out: give `directives` or `agents`");
    }
    if (directives.empty() && agent_directives.empty() && robots_txt.empty()) {
      return arrow::Status::Invalid("nothing would be an opt-out: give `agent_directives` or `robots_txt`");
    }
    for (const auto& [name, texts] : {std::pair("directives", &directives), std::pair("agents", &agents),
                                      std::pair("agent_directives", &agent_directives)}) {
      if (std::ranges::find(*texts, std::string()) != texts->end()) {
        return arrow::Status::Invalid(name, ": there is an empty text, which is never found; for none, give []");
      }
    }
    for (const std::string& directive : directives) reasons_.push_back("OptOut(" + directive + ")");
    for (const std::string& agent : agents) reasons_.push_back("OptOut(" + agent + ")");
    if (!robots_txt.empty()) {
      if (agents.empty()) return arrow::Status::Invalid("robots_txt: its rules are for robots; give `agents`");
      for (const std::string& agent : agents) reasons_.push_back("OptOut.RobotsTxt(" + agent + ")");
    }
    for (std::vector<std::string>* texts : {&directives, &agents, &agent_directives}) *texts = Prepared(*texts);
    if (robots_txt.empty()) return arrow::Status::OK();
    const auto read = RobotsSites::Read(robots_txt, agents, memory);
    if (!read.ok()) return read.status().WithMessage("robots_txt: ", read.status().message());
    sites_ = *read;
    return arrow::Status::OK();
  }
  bool looks_at(KnownColumn column) const override {
    if (column == KnownColumn::kUrl) return !robots_txt.empty();
    return column == KnownColumn::kRobots && (!directives.empty() || (!agents.empty() && !agent_directives.empty()));
  }
  std::string WithoutColumn(KnownColumn column) const override {
    if (column == KnownColumn::kUrl || robots_txt.empty()) return {};
    return "to go by robots.txt alone, give `directives: []` and `agent_directives: []`";
  }
  std::string Warning() const override {
    if (sites_ == nullptr || !sites_->empty()) return {};
    return "robots_txt: the table " + robots_txt +
           " says nothing of any site, and no document is removed by it; make " +
           "it of archives of robots.txt files, with uzushio robots-txt";
  }
  FixedMemory memory() const override { return {sites_ == nullptr ? 0 : sites_->bytes(), 0}; }
  void MeasureAll(const FilterDocument& document, FilterScratch* /*scratch*/,
                  std::span<double> metrics) const override {
    size_t reason = FindOnPage(document).first;
    if (reason == 0 && sites_ != nullptr) {
      if (const auto of_site = sites_->Find(document.url())) reason = RobotsTxtReason(*of_site);
    }
    metrics[0] = static_cast<double>(reason);
  }
  std::string MetricKey() const override {
    const OptOut standard;  // what is given only, so that names of columns are short
    nlohmann::json key = nlohmann::json::object();
    if (directives != Prepared(standard.directives)) key["directives"] = directives;
    if (agents != standard.agents) key["agents"] = agents;
    if (agent_directives != standard.agent_directives) key["agent_directives"] = agent_directives;
    if (!robots_txt.empty()) key["robots_txt"] = robots_txt;
    return key.empty() ? "" : key.dump();
  }
  std::string Contents() const override {
    return sites_ == nullptr ? "" : nlohmann::json{{"robots_txt", sites_->checksum()}}.dump();
  }
  std::string Detail(size_t reason, const FilterDocument& document) const override {
    const auto [found, line] = FindOnPage(document);
    if (found > 0 || sites_ == nullptr) return found == reason + 1 ? "rule: " + std::string(line) : std::string();
    const auto of_site = sites_->Find(document.url());
    if (!of_site || RobotsTxtReason(*of_site) != reason + 1) return {};
    return "rule: disallow " + std::string(of_site->pattern) + ", in robots.txt for " + of_site->origin;
  }

  std::vector<std::string> directives = {"noai", "tdm-reservation"};
  std::vector<std::string> agents = {"ccbot",        "gptbot",     "google-extended",   "claudebot",
                                     "anthropic-ai", "bytespider", "applebot-extended", "meta-externalagent",
                                     "cohere-ai",    "amazonbot",  "perplexitybot",     "diffbot"};
  std::vector<std::string> agent_directives = {"noai", "noindex", "none"};
  std::string robots_txt;

 private:
  // As the column has them.
  static std::vector<std::string> Prepared(std::vector<std::string> texts) {
    for (std::string& text : texts) {
      std::ranges::transform(text, text.begin(), LowerAscii);
      if (text == "tdm-reservation") text += ":1";
    }
    return texts;
  }
  static size_t PlaceIn(const std::vector<std::string>& texts, std::string_view text) {
    return static_cast<size_t>(std::ranges::find(texts, text) - texts.begin());
  }

  size_t RobotsTxtReason(const RobotsFinding& finding) const {
    return directives.size() + agents.size() + finding.robot + 1;
  }

  // The number of the first reason that applies by what the page says, from 1, or 0; and the rule.
  std::pair<size_t, std::string_view> FindOnPage(const FilterDocument& document) const {
    std::pair<size_t, std::string_view> first = {0, {}};
    ForEachLine(document.value(KnownColumn::kRobots), [&](std::string_view line) {
      const auto [agent, directive] = ParseRobotsRule(line);
      constexpr size_t kNone = SIZE_MAX;
      size_t reason = kNone;
      if (agent.empty()) {
        const size_t place = PlaceIn(directives, directive);
        if (place < directives.size()) reason = place;
      } else if (PlaceIn(agent_directives, directive) < agent_directives.size()) {
        const size_t place = PlaceIn(agents, agent);
        if (place < agents.size()) reason = directives.size() + place;
      }
      if (reason != kNone && (first.first == 0 || reason + 1 < first.first)) first = {reason + 1, line};
    });
    return first;
  }

  std::shared_ptr<const RobotsSites> sites_;  // null: without robots_txt
};

}  // namespace

FilterDeclaration DeclareOptOut() {
  return Declare<OptOut>("OptOut", "documents",
                         "Removes documents whose page says that it is not to be used for AI, or for text and data "
                         "mining: by the column `robots` of `extract`, and by robots.txt.")
      .Metric("OptOut",
              "number of the reason that applies, from 1: `directives`, then `agents`, then with `robots_txt` `agents` "
              "again; 0: none")
      .OptionalTexts("directives", &OptOut::directives,
                     "rules for all robots that are opt-outs; `tdm-reservation` is `tdm-reservation:1`")
      .OptionalTexts("agents", &OptOut::agents, "robots whose own rules are opt-outs, too")
      .OptionalTexts("agent_directives", &OptOut::agent_directives, "rules for these robots that are opt-outs")
      .OptionalFile(
          "robots_txt", &OptOut::robots_txt,
          "output folder of `uzushio robots-txt`: documents whose URL their site's robots.txt disallows for one "
          "of `agents` are removed, too (none: robots.txt is not looked at)")
      .Done();
}

}  // namespace uzushio
