#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "document/robots_rules.h"
#include "filters/list.h"
#include "filters/numbered_filter.h"

namespace uzushio {
namespace {

class OptOut final : public NumberedFilter {
 public:
  OptOut() : NumberedFilter(0) {}
  arrow::Status Prepare() {
    if (directives.empty() && agents.empty()) {
      return arrow::Status::Invalid("nothing would be an opt-out: give `directives` or `agents`");
    }
    for (const std::string& directive : directives) reasons_.push_back("OptOut(" + directive + ")");
    for (const std::string& agent : agents) reasons_.push_back("OptOut(" + agent + ")");
    for (std::vector<std::string>* texts : {&directives, &agents, &agent_directives}) *texts = Prepared(*texts);
    return arrow::Status::OK();
  }
  bool looks_at(KnownColumn column) const override { return column == KnownColumn::kRobots; }
  void MeasureAll(const FilterDocument& document, FilterScratch* /*scratch*/,
                  std::span<double> metrics) const override {
    metrics[0] = static_cast<double>(Find(document).first);
  }
  std::string MetricKey() const override {
    const OptOut standard;  // what is given only, so that names of columns are short
    nlohmann::json key = nlohmann::json::object();
    if (directives != Prepared(standard.directives)) key["directives"] = directives;
    if (agents != standard.agents) key["agents"] = agents;
    if (agent_directives != standard.agent_directives) key["agent_directives"] = agent_directives;
    return key.empty() ? "" : key.dump();
  }
  std::string Detail(size_t reason, const FilterDocument& document) const override {
    const auto [found, line] = Find(document);
    return found == reason + 1 ? "rule: " + std::string(line) : std::string();
  }

  std::vector<std::string> directives = {"noai", "tdm-reservation"};
  std::vector<std::string> agents = {"ccbot",        "gptbot",     "google-extended",   "claudebot",
                                     "anthropic-ai", "bytespider", "applebot-extended", "meta-externalagent",
                                     "cohere-ai",    "amazonbot",  "perplexitybot",     "diffbot"};
  std::vector<std::string> agent_directives = {"noai", "noindex", "none"};

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

  // The number of the first reason that applies, from 1, or 0; and the rule.
  std::pair<size_t, std::string_view> Find(const FilterDocument& document) const {
    std::pair<size_t, std::string_view> first = {0, {}};
    ForEachLine(document.value(KnownColumn::kRobots), [&](std::string_view line) {
      const auto [agent, directive] = ParseRobotsRule(line);
      size_t reason = reasons_.size();
      if (agent.empty()) {
        const size_t place = PlaceIn(directives, directive);
        if (place < directives.size()) reason = place;
      } else if (PlaceIn(agent_directives, directive) < agent_directives.size()) {
        reason = directives.size() + PlaceIn(agents, agent);
      }
      if (reason < reasons_.size() && (first.first == 0 || reason + 1 < first.first)) first = {reason + 1, line};
    });
    return first;
  }
};

}  // namespace

FilterDeclaration DeclareOptOut() {
  return Declare<OptOut>("OptOut", "documents",
                         "Removes documents whose page says that it is not to be used for AI, or for text and data "
                         "mining: by the column `robots` of `extract`.")
      .Metric("OptOut", "number of the reason that applies, from 1: `directives`, then `agents`; 0: none")
      .OptionalTexts("directives", &OptOut::directives,
                     "rules for all robots that are opt-outs; `tdm-reservation` is `tdm-reservation:1`")
      .OptionalTexts("agents", &OptOut::agents, "robots whose own rules are opt-outs, too")
      .Texts("agent_directives", &OptOut::agent_directives, "rules for these robots that are opt-outs")
      .Done();
}

}  // namespace uzushio
