#include "document/licenses.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/trim.h"

namespace uzushio {
namespace {

// The codes of Creative Commons' licences in URLs. Version 1.0 has some in another order.
constexpr std::array<std::pair<std::string_view, LicenseFamily>, 9> kLicenseCodes = {{
    {"by", LicenseFamily::kBy},
    {"by-sa", LicenseFamily::kBySa},
    {"by-nd", LicenseFamily::kByNd},
    {"by-nc", LicenseFamily::kByNc},
    {"by-nc-sa", LicenseFamily::kByNcSa},
    {"by-nc-nd", LicenseFamily::kByNcNd},
    {"by-nd-nc", LicenseFamily::kByNcNd},
    {"zero", LicenseFamily::kCc0},
    {"publicdomain", LicenseFamily::kPublicDomain},
}};

// Retired codes, which no family covers.
constexpr std::array<std::string_view, 11> kRetiredCodes = {
    "nc", "nd", "sa", "nc-sa", "nd-nc", "nc-nd", "sampling", "sampling+", "nc-sampling+", "devnations", "gpl"};

// Beginnings of other licences' URLs, without scheme and `www.`.
constexpr std::array<std::string_view, 13> kOthers = {
    "gnu.org/licenses/",
    "gnu.org/copyleft/",
    "apache.org/licenses/",
    "opensource.org/licenses/",
    "opensource.org/license/",
    "opendatacommons.org/licenses/",
    "spdx.org/licenses/",
    "choosealicense.com/licenses/",
    "mit-license.org",
    "unlicense.org",
    "artlibre.org/licence",
    "mozilla.org/mpl/",
    "digital.go.jp/resources/open_data/public_data_license",
};

bool BeginsIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) { return a == LowerAscii(b); });
}

// What is behind the scheme and `www.`; empty where it is on the page's own host.
std::string_view WithoutScheme(std::string_view url) {
  if (url.empty()) return url;
  if (url[0] == 'h' || url[0] == 'H') {
    for (const std::string_view scheme : {"https:", "http:"}) {
      if (!BeginsIgnoringCase(url, scheme)) continue;
      url.remove_prefix(scheme.size());
      break;
    }
  }
  if (url.starts_with('/')) url = url.starts_with("//") ? url.substr(2) : std::string_view();
  if (BeginsIgnoringCase(url, "www.")) url.remove_prefix(4);
  return url;
}

// First letters of the hosts that are known: most links of a page need no more looking.
constexpr uint32_t kFirstLetters = [] {
  uint32_t letters = 1U << ('c' - 'a');
  for (const std::string_view other : kOthers) letters |= 1U << (other[0] - 'a');
  return letters;
}();

// `path` stands behind `creativecommons.org/`.
LicenseFamily FamilyOfPath(std::string_view path) {
  const bool is_dedication = path.starts_with("publicdomain/");
  if (!is_dedication && !path.starts_with("licenses/")) return LicenseFamily::kNone;
  path.remove_prefix(path.find('/') + 1);
  const std::string_view code = path.substr(0, path.find_first_of("/?#& "));
  if (is_dedication && (code == "mark" || code == "certification")) return LicenseFamily::kPublicDomain;
  const auto found = std::ranges::find(kLicenseCodes, code, [](const auto& entry) { return entry.first; });
  if (found != kLicenseCodes.end()) return found->second;
  return std::ranges::find(kRetiredCodes, code) == kRetiredCodes.end() ? LicenseFamily::kNone : LicenseFamily::kOther;
}

bool IsUrlBlank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

}  // namespace

LicenseFamily FamilyOfUrl(std::string_view url) {
  constexpr std::string_view kCreativeCommons = "creativecommons.org/";
  url = WithoutScheme(url);
  const char first = url.empty() ? '\0' : LowerAscii(url[0]);
  if (first < 'a' || first > 'z' || (kFirstLetters >> (first - 'a') & 1U) == 0) return LicenseFamily::kNone;
  if (BeginsIgnoringCase(url, kCreativeCommons)) {
    std::array<char, 64> lower;  // no more than a licence's name needs
    url = url.substr(kCreativeCommons.size(), lower.size());
    return FamilyOfPath({lower.begin(), std::ranges::transform(url, lower.begin(), LowerAscii).out});
  }
  const auto is_of = [url](std::string_view beginning) { return BeginsIgnoringCase(url, beginning); };
  return std::ranges::any_of(kOthers, is_of) ? LicenseFamily::kOther : LicenseFamily::kNone;
}

LicenseLine ParseLicenseLine(std::string_view line) {
  const size_t space = line.find(' ');
  const auto found = std::ranges::find(kLicensePlaces, line.substr(0, space));
  if (space == std::string_view::npos || found == kLicensePlaces.end()) return {std::nullopt, line};
  return {static_cast<LicensePlace>(found - kLicensePlaces.begin()), line.substr(space + 1)};
}

void PageLicenses::Clear() {
  for (std::vector<std::string>& urls : urls_) urls.clear();
}

void PageLicenses::Add(LicensePlace place, std::string_view url) {
  url = Trimmed(url, IsUrlBlank);
  std::vector<std::string>& urls = urls_[static_cast<size_t>(place)];
  // A place is written before the URL.
  if (url.empty() || url.size() + 16 > TextLines::kMaxLineBytes || urls.size() >= TextLines::kMaxLines) return;
  if (std::ranges::any_of(url, IsUrlBlank) || std::ranges::find(urls, url) != urls.end()) return;
  urls.emplace_back(url);
}

void PageLicenses::Write(TextLines* lines) const {
  for (size_t place = 0; place < urls_.size(); ++place) {
    for (const std::string& url : urls_[place]) lines->Add(std::string(kLicensePlaces[place]) + " " + url);
  }
}

}  // namespace uzushio
