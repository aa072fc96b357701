// Licences that pages name by a URL, and where they name them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_lines.h"

namespace uzushio {

// What a licence allows, as far as its URL says it. The order is that of kLicenseFamilies.
enum class LicenseFamily : uint8_t {
  kNone,  // no licence
  kCc0,
  kPublicDomain,  // Creative Commons' Public Domain Mark, and its certification of earlier years
  kBy,
  kBySa,
  kByNd,
  kByNc,
  kByNcSa,
  kByNcNd,
  kOther,  // another licence
};
inline constexpr std::array<std::string_view, 10> kLicenseFamilies = {
    "none", "cc0", "public-domain", "by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd", "other"};

// The family of a URL: of Creative Commons', and kOther of other licences that are known (GNU, Apache, OSI, Open Data
// Commons, Japan's Public Data License); else kNone. Scheme, case and what is behind the licence's name are ignored.
LicenseFamily FamilyOfUrl(std::string_view url);

// Where a licence is named, the surest place first.
enum class LicensePlace : uint8_t {
  kMeta,    // a meta element: license, dcterms.license, dc.rights, og:license, …
  kJsonLd,  // `license` of linked data
  kRel,     // `rel=license` of a link, area or a element, or a link element
  kFooter,  // a link in a footer
  kLink,    // a link elsewhere
};
inline constexpr std::array<std::string_view, 5> kLicensePlaces = {"meta", "json-ld", "rel", "footer", "link"};

// A line of the column `license`: `PLACE URL`.
struct LicenseLine {
  std::optional<LicensePlace> place;  // nothing: the line is a URL alone
  std::string_view url;

  bool operator==(const LicenseLine&) const = default;
};
LicenseLine ParseLicenseLine(std::string_view line);

// Collects the licences of a page.
class PageLicenses {
 public:
  void Clear();
  // `url` is as written, with white space around. Left out are texts with white space or control characters within,
  // and too long ones.
  void Add(LicensePlace place, std::string_view url);
  // Writes the lines: the surest place first, in a place as they were added.
  void Write(TextLines* lines) const;

 private:
  std::array<std::vector<std::string>, kLicensePlaces.size()> urls_;
};

}  // namespace uzushio
