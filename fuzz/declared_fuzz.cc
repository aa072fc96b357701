// What others declare in short texts, any bytes: robots.txt, rules for robots, licences, URLs, lines of CDXJ. Forms are
// those of themselves, and what is asked twice is answered twice alike.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "document/licenses.h"
#include "document/robots_file.h"
#include "document/robots_rules.h"
#include "document/text_lines.h"
#include "document/url_key.h"
#include "warc/cdxj.h"

namespace {

using uzushio_fuzz::Chance;

// Groups are read as they are written, and give rules that a path is held against.
void CheckRobotsFile(std::string_view file, std::string_view path) {
  const std::string groups = uzushio::GroupsOfRobots(file);
  uzushio_fuzz::Check(groups.size() <= 3 * file.size() + 64);
  uzushio_fuzz::Check(uzushio::GroupsOfRobots(groups) == groups);
  std::string compared;
  uzushio::ComparedPath(path, &compared);
  std::vector<std::string> names = uzushio::NamesInGroups(groups);
  names.resize(std::min<size_t>(names.size(), 8));
  names.emplace_back("nobody");
  for (const std::string& name : names) {
    const std::string rules = uzushio::RobotsRules::For(name, groups);
    const auto rule = uzushio::RobotsRules::Find(rules, compared);
    if (rule) uzushio_fuzz::Check(rules.find(rule->pattern) != std::string::npos);
  }
}

void CheckRules(std::string_view value) {
  std::string text;
  uzushio::TextLines rules(&text);
  for (const auto source : {uzushio::RobotsSource::kHeader, uzushio::RobotsSource::kMeta}) {
    uzushio::AddRobotsRules(value, source, {}, &rules);
  }
  uzushio::AddReservation("tdm-policy", value, &rules);
  uzushio::ForEachLine(text, [](std::string_view line) {
    const uzushio::RobotsRule rule = uzushio::ParseRobotsRule(line);
    uzushio_fuzz::Check(!rule.directive.empty() &&
                        std::ranges::all_of(line, [](char c) { return c >= ' ' && c != 0x7F; }));
  });
}

void CheckLicenses(std::string_view url) {
  uzushio::PageLicenses licenses;
  licenses.Add(uzushio::LicensePlace::kRel, url);
  licenses.Add(uzushio::LicensePlace::kMeta, url.substr(url.size() / 2));
  std::string text;
  uzushio::TextLines lines(&text);
  licenses.Write(&lines);
  uzushio::ForEachLine(
      text, [](std::string_view line) { uzushio_fuzz::Check(uzushio::ParseLicenseLine(line).place.has_value()); });
  uzushio::FamilyOfUrl(url);
}

void CheckUrl(std::string_view url) {
  const auto normal = uzushio::NormalUrl(url);
  if (!normal) return;
  // It has no scheme, and a port of the other scheme's.
  const auto again = uzushio::NormalUrl("http:" + *normal);
  const auto secure = uzushio::NormalUrl("https:" + *normal);
  uzushio_fuzz::Check(again && secure && (*again == *normal || *secure == *normal));
}

void CheckCdxj(std::string_view line) {
  uzushio::Capture capture;
  if (!uzushio::ParseCdxj(line, &capture).empty()) return;
  uzushio_fuzz::Check(capture.offset >= 0 && capture.length >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text = uzushio_fuzz::View(data + 2, size - 2);
  switch (data[0] % 5) {
    case 0:
      CheckRobotsFile(text, text.substr(std::min<size_t>(data[1], text.size())));
      break;
    case 1:
      CheckRules(text);
      break;
    case 2:
      CheckLicenses(text);
      break;
    case 3:
      CheckUrl(text);
      break;
    default:
      CheckCdxj(text);
  }
  return 0;
}

// Words, lines and signs are moved, doubled, taken away and put in; the first byte says what they are.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Chance chance(seed);
  if (size < 3 || chance.OneIn(3)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string kind(uzushio_fuzz::View(data, 2));
  std::vector<std::string> parts =
      uzushio_fuzz::PartsBefore(uzushio_fuzz::View(data + 2, size - 2), " \n:/?#&=,;\"{}*$%");
  static const std::vector<std::string> others = {"User-agent: *\n",
                                                  "disallow: /*a$\n",
                                                  "Allow:",
                                                  "%e3%81%82",
                                                  "%2F",
                                                  "*",
                                                  "$",
                                                  "noai",
                                                  "googlebot:",
                                                  "max-",
                                                  "https://",
                                                  "//a:80",
                                                  "xn--",
                                                  "utm_source=",
                                                  "#",
                                                  "..",
                                                  "{\"url\": \"http://a/\", ",
                                                  "\"offset\": \"-1\"",
                                                  "20240102030405",
                                                  "!meta"};
  uzushio_fuzz::MutateParts(&parts, others, &chance);
  return uzushio_fuzz::Put(kind + uzushio_fuzz::Joined(parts), data, max_size);
}
