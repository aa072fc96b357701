#include "document/robots_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/trim.h"

namespace uzushio {
namespace {

constexpr size_t kMaxValueBytes = 4096;
constexpr size_t kMaxNameBytes = 64;  // of agents and directives

// Directives that have a value behind a colon (Google, "Robots meta tag specifications").
constexpr std::string_view kDirectiveOfTime = "unavailable_after";  // its value has spaces
constexpr std::array<std::string_view, 6> kWithValue = {kDirectiveOfTime,    "max-snippet",     "max-image-preview",
                                                        "max-video-preview", "tdm-reservation", "tdm-policy"};

// Robots by the names that their operators document, where the name does not end as most do.
constexpr std::array<std::string_view, 14> kRobots = {"anthropic-ai",
                                                      "applebot-extended",
                                                      "claude-web",
                                                      "cohere-ai",
                                                      "facebookexternalhit",
                                                      "google-extended",
                                                      "meta-externalagent",
                                                      "meta-externalfetcher",
                                                      "msnbot-media",
                                                      "omgili",
                                                      "perplexity-user",
                                                      "slurp",
                                                      "teoma",
                                                      "yandex"};

bool IsRuleSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view TrimRule(std::string_view text) { return Trimmed(text, IsRuleSpace); }

// The first word, which goes; none of it is left where there is one alone.
std::string_view TakeWord(std::string_view* text) {
  const auto size = static_cast<size_t>(std::ranges::find_if(*text, IsRuleSpace) - text->begin());
  const std::string_view word = text->substr(0, size);
  *text = TrimRule(text->substr(size));
  return word;
}

std::string LowerRule(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), LowerAscii);
  return lower;
}

bool IsVisible(char c) { return c > ' ' && c < '\x7f'; }

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '*';
  });
}

bool HasValue(std::string_view name) { return std::ranges::find(kWithValue, name) != kWithValue.end(); }

void AddRule(const std::string& agent, std::string_view directive, TextLines* rules) {
  const bool is_directive = !directive.empty() && directive.size() <= kMaxNameBytes &&
                            std::ranges::all_of(directive, [](char c) { return IsVisible(c) || c == ' '; });
  if (!is_directive) return;
  rules->Add(agent.empty() ? LowerRule(directive) : agent + ": " + LowerRule(directive));
}

// Directives without values, which some pages part by spaces.
void AddWords(const std::string& agent, std::string_view words, TextLines* rules) {
  while (!words.empty()) {
    const std::string_view word = TakeWord(&words);
    AddRule(agent, word, rules);
  }
}

// What stands between commas or semicolons: words, directives with values, and in a header agents, one at most.
void AddPiece(std::string_view piece, RobotsSource source, std::string* agent, TextLines* rules) {
  bool may_name_agent = source == RobotsSource::kHeader;
  while (!piece.empty()) {
    const size_t colon = piece.find(':');
    if (colon == std::string_view::npos) return AddWords(*agent, piece, rules);
    const std::string_view before = TrimRule(piece.substr(0, colon));
    const auto last = std::ranges::find_if(before.rbegin(), before.rend(), IsRuleSpace).base();
    const std::string_view words = before.substr(0, static_cast<size_t>(last - before.begin()));
    const std::string name = LowerRule(before.substr(words.size()));
    piece = TrimRule(piece.substr(colon + 1));
    if (HasValue(name)) {
      AddWords(*agent, words, rules);
      const std::string_view value = name == kDirectiveOfTime ? std::exchange(piece, {}) : TakeWord(&piece);
      AddRule(*agent, name + ":" + std::string(value), rules);
    } else if (may_name_agent && IsName(name) && (words.empty() || IsRobotName(name))) {
      AddWords(*agent, words, rules);
      *agent = name == "*" ? "" : name;
      may_name_agent = false;
    } else {
      return AddWords(*agent, words, rules);
    }
  }
}

}  // namespace

RobotsRule ParseRobotsRule(std::string_view line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return {{}, line};
  return {line.substr(0, colon), line.substr(colon + 2)};
}

void AddRobotsRules(std::string_view value, RobotsSource source, std::string_view agent, TextLines* rules) {
  value = value.substr(0, kMaxValueBytes);
  std::string current = LowerRule(agent);
  while (!value.empty() && !rules->full()) {
    const size_t end = std::min(value.find_first_of(",;"), value.size());
    AddPiece(TrimRule(value.substr(0, end)), source, &current, rules);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

bool IsRobotName(std::string_view name) {
  if (!IsName(name)) return false;
  const std::string lower = LowerRule(name);
  for (const std::string_view ending : {"bot", "spider", "crawler"}) {
    if (lower.ends_with(ending)) return true;
  }
  return lower.starts_with("googlebot-") || std::ranges::find(kRobots, lower) != kRobots.end();
}

void AddReservation(std::string_view name, std::string_view value, TextLines* rules) {
  value = TrimRule(value);
  const std::string lower = name.size() <= kMaxNameBytes ? LowerRule(name) : std::string();
  if (lower == "tdm-reservation") {
    if (value == "0" || value == "1") rules->Add("tdm-reservation:" + std::string(value));
  } else if (lower == "tdm-policy") {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    const bool is_url = value.starts_with("https://") || value.starts_with("http://");
    if (is_url && value.size() <= TextLines::kMaxLineBytes && std::ranges::all_of(value, IsVisible)) {
      rules->Add("tdm-policy:" + std::string(value));
    }
  }
}

}  // namespace uzushio
