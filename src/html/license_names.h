// The names by which markup says that a licence follows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/trim.h"
#include "html/tag_scan.h"

namespace uzushio {

inline constexpr std::string_view kLinkedDataType = "application/ld+json";

inline std::string_view TrimMarkup(std::string_view text) { return Trimmed(text, IsMarkupSpace); }

// Whether one of the words in an attribute, parted by white space, is `word` (lower case).
inline bool HasWord(std::string_view words, std::string_view word) {
  for (size_t at = FindIgnoreCase(words, word); at != std::string_view::npos;
       at = FindIgnoreCase(words, word, at + word.size())) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || IsMarkupSpace(words[at - 1]);
    if (begins && (end == words.size() || IsMarkupSpace(words[end]))) return true;
  }
  return false;
}

// Whether a link's `rel` says that it leads to a licence.
inline bool IsLicenseRel(std::string_view rel) { return HasWord(rel, "license"); }

// Of a meta element, by its name or property.
enum class LicenseMeta : uint8_t {
  kNone,
  kLicense,  // its content is a licence
  kRights,   // its content may be one, or the name of who has the rights
};

inline LicenseMeta KindOfMeta(std::string_view name) {
  constexpr std::array<std::string_view, 9> kLicense = {"license",         "dc.license",      "dc.rights.license",
                                                        "dcterms.license", "dcterms:license", "dc:license",
                                                        "cc:license",      "og:license",      "license_url"};
  constexpr std::array<std::string_view, 7> kRights = {
      "dc.rights", "dcterms.rights", "dcterms:rights", "dc:rights", "rights", "copyright", "dcterms.accessrights"};
  name = TrimMarkup(name);
  const auto is_name = [name](std::string_view known) { return IsWord(name, known); };
  if (std::ranges::any_of(kLicense, is_name)) return LicenseMeta::kLicense;
  return std::ranges::any_of(kRights, is_name) ? LicenseMeta::kRights : LicenseMeta::kNone;
}

// Whether the key `license`, in any case, may be in linked data.
inline bool MayNameLicense(std::string_view json) {
  if (json.empty()) return false;
  for (const std::string_view part : {"icense", "ICENSE"}) {
    if (memmem(json.data(), json.size(), part.data(), part.size()) != nullptr) return true;
  }
  return false;
}

}  // namespace uzushio
