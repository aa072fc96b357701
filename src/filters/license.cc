#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "base/nearest.h"
#include "document/licenses.h"
#include "filters/list.h"
#include "filters/numbered_filter.h"

namespace uzushio {
namespace {

// What a document's licence is: a family of document/licenses.h, or licences of several in one place.
constexpr size_t kMixed = kLicenseFamilies.size();
constexpr size_t kFamilies = kMixed + 1;

std::string NameOfFamily(size_t family) { return family == kMixed ? "mixed" : std::string(kLicenseFamilies[family]); }

// Names of metrics, which are places, too.
enum LicenseMetric : size_t { kFamily, kReason };

class License final : public NumberedFilter {
 public:
  License() : NumberedFilter(kReason) {}
  arrow::Status Prepare() {
    std::vector<std::string> names;
    names.reserve(kFamilies);
    for (size_t family = 0; family < kFamilies; ++family) names.push_back(NameOfFamily(family));
    for (const std::string& name : keep) {
      if (std::ranges::find(names, name) != names.end()) continue;
      return arrow::Status::Invalid("keep: there is no family '", name, "'", DidYouMean(name, names));
    }
    const std::vector<std::string> known(kLicensePlaces.begin(), kLicensePlaces.end());
    for (const std::string& place : places) {
      const auto found = std::ranges::find(known, place);
      if (found == known.end()) {
        return arrow::Status::Invalid("places: there is no place '", place, "'", DidYouMean(place, known));
      }
      counts_[static_cast<size_t>(found - known.begin())] = true;
    }
    for (size_t family = 0; family < kFamilies; ++family) {
      if (std::ranges::find(keep, names[family]) != keep.end()) continue;
      reasons_.push_back("License(" + names[family] + ")");
      reason_of_[family] = reasons_.size();
    }
    if (reasons_.empty()) return arrow::Status::Invalid("keep: these are all families: nothing would be removed");
    return arrow::Status::OK();
  }
  bool looks_at(KnownColumn column) const override { return column == KnownColumn::kLicense; }
  void MeasureAll(const FilterDocument& document, FilterScratch* /*scratch*/,
                  std::span<double> metrics) const override {
    const size_t family = Find(document).family;
    metrics[kFamily] = static_cast<double>(family);
    metrics[kReason] = static_cast<double>(reason_of_[family]);
  }
  std::string MetricKey() const override {
    const License standard;  // what is given only, so that names of columns are short
    nlohmann::json key = nlohmann::json::object();
    if (keep != standard.keep) key["keep"] = keep;
    if (places != standard.places) key["places"] = places;
    return key.empty() ? "" : key.dump();
  }
  std::string Detail(size_t reason, const FilterDocument& document) const override {
    const Found found = Find(document);
    return reason_of_[found.family] == reason + 1 ? std::string(found.line) : std::string();
  }

  std::vector<std::string> keep = {"cc0", "public-domain", "by", "by-sa"};
  std::vector<std::string> places = {kLicensePlaces.begin(), kLicensePlaces.end()};

 private:
  struct Found {
    size_t family = 0;
    std::string_view line;  // the first
  };

  // The surest place comes first in the column, and decides.
  Found Find(const FilterDocument& document) const {
    Found found;
    std::optional<LicensePlace> surest;
    ForEachLine(document.value(KnownColumn::kLicense), [&](std::string_view line) {
      const auto [place, url] = ParseLicenseLine(line);
      if (url.empty() || (place && !counts_[static_cast<size_t>(*place)])) return;
      if (!found.line.empty() && place != surest) return;
      auto family = static_cast<size_t>(FamilyOfUrl(url));
      // What says that it is a licence is one, if an unknown.
      if (family == 0) family = static_cast<size_t>(LicenseFamily::kOther);
      if (found.line.empty()) {
        found = {family, line};
        surest = place;
      } else if (found.family != family) {
        found.family = kMixed;
      }
    });
    return found;
  }

  std::array<bool, kLicensePlaces.size()> counts_{};  // places that count
  std::array<size_t, kFamilies> reason_of_{};         // of each family, from 1; 0: it is kept
};

}  // namespace

FilterDeclaration DeclareLicense() {
  return Declare<License>("License", "documents",
                          "Removes documents by the licence that their page names: by the column `license` of "
                          "`extract`.")
      .Metric("License", "the licence of the page")
      .Metrics({{"License",
                 "number of the family: 0 none, 1 cc0, 2 public-domain, 3 by, 4 by-sa, 5 by-nd, 6 by-nc, "
                 "7 by-nc-sa, 8 by-nc-nd, 9 other, 10 mixed"},
                {"LicenseReason", "number of the reason that applies, from 1; 0: none"}})
      .OptionalTexts(
          "keep", &License::keep,
          "families that are kept: those of the metric by name. `none`: pages that name no licence; `other`: "
          "not Creative Commons; `mixed`: several in one place")
      .Texts(
          "places", &License::places,
          "places that count: `meta`, `json-ld`, `rel`, `footer`, `link`; the first of these that a page has decides")
      .Done();
}

}  // namespace uzushio
