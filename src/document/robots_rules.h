// What pages say to robots: rules of `X-Robots-Tag` and `meta name=robots`, and reservations of text and data mining.
#pragma once

#include <string_view>

#include "document/text_lines.h"

namespace uzushio {

// A rule is a line `DIRECTIVE`, or `AGENT: DIRECTIVE` where it is for that robot alone; in lower case. A directive with
// a value is `name:value`, without a space: `max-snippet:50`.
struct RobotsRule {
  std::string_view agent;      // empty: for all
  std::string_view directive;  // with its value

  bool operator==(const RobotsRule&) const = default;
};

// The rule of a line.
RobotsRule ParseRobotsRule(std::string_view line);

// Where rules are written: in X-Robots-Tag, or in a meta element.
enum class RobotsSource { kHeader, kMeta };

// Adds the rules of a value for `agent` (empty: for all), which commas, semicolons or spaces part. In a header,
// `AGENT:` before a directive is the agent of that and the following ones, as Google documents it. No more than 4 KiB
// of the value are read. What is no directive by its form (visible ASCII, at most 64 bytes) is left out.
void AddRobotsRules(std::string_view value, RobotsSource source, std::string_view agent, TextLines* rules);

// Whether rules for one robot are in the meta element of this name: `googlebot`, `gptbot`.
bool IsRobotName(std::string_view name);

// Adds `tdm-reservation:0` or `:1`, or `tdm-policy:URL`, of the fields with which pages reserve text and data mining
// (TDMRep of the W3C's community group, 2024); headers and meta elements have the same names. Other names add nothing.
void AddReservation(std::string_view name, std::string_view value, TextLines* rules);

}  // namespace uzushio
