#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "filters/host_lists.h"
#include "filters/host_statistics.h"
#include "filters/list.h"
#include "filters/numbered_filter.h"

namespace uzushio {
namespace {

// What the published code of Swallow Corpus Version 1 (ngurl.py) takes for bad, by the names of the Blacklists UT1.
const std::vector<std::string>& BadCategories() {
  static const std::vector<std::string> kBad = {"adult",
                                                "agressif",
                                                "bitcoin",
                                                "celebrity",
                                                "chat",
                                                "cryptojacking",
                                                "custom",
                                                "dating",
                                                "ddos",
                                                "doh",
                                                "filehosting",
                                                "financial",
                                                "gambling",
                                                "games",
                                                "malware",
                                                "manga",
                                                "mixed_adult",
                                                "phishing",
                                                "publicite",
                                                "redirector",
                                                "remote-control",
                                                "shopping",
                                                "social_networks",
                                                "strict_redirector",
                                                "strong_redirector",
                                                "vpn",
                                                "warez",
                                                "webmail"};
  return kBad;
}

// Names of metrics, which are places, too.
enum Metric : size_t { kListed };

class HostFilter final : public NumberedFilter {
 public:
  HostFilter() : NumberedFilter(kListed) {}
  arrow::Status Prepare() {
    ARROW_RETURN_NOT_OK(CheckParameters());
    ARROW_ASSIGN_OR_RAISE(suffixes_, HostLists::Of(suffixes, "suffixes"));
    if (!suffixes.empty()) reasons_.emplace_back("HostFilter(suffixes)");
    HostListLosses losses;
    ARROW_ASSIGN_OR_RAISE(lists_, HostLists::Read(lists, &losses));
    const std::vector<int64_t> sizes = lists_->Sizes();
    if (!lists.empty() && std::ranges::all_of(sizes, [](int64_t size) { return size == 0; })) {
      return arrow::Status::Invalid("lists: no line of them is a host",
                                    losses.first.empty() ? "" : "; the first is " + losses.first);
    }
    reason_of_.assign(lists_->names().size(), 0);
    for (const std::string& category : categories) {
      const auto found = std::ranges::find(lists_->names(), category);
      if (found != lists_->names().end()) {
        reasons_.push_back("HostFilter(" + category + ")");
        reason_of_[static_cast<size_t>(found - lists_->names().begin())] = reasons_.size();
      } else if (!lists.empty() && categories != BadCategories()) {
        return arrow::Status::Invalid("categories: no list has '", category, "'",
                                      DidYouMean(category, lists_->names()));
      }
    }
    if (!statistics.empty()) ARROW_RETURN_NOT_OK(ReadStatistics());
    const bool any = std::ranges::any_of(reason_of_, [](size_t reason) { return reason > 0; });
    if (lists.empty() || any) return arrow::Status::OK();
    return arrow::Status::Invalid("lists: none of their categories is among `categories`");
  }

  bool looks_at(KnownColumn column) const override { return column == KnownColumn::kUrl; }
  void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const override {
    const auto found = Find(document, scratch);
    metrics[kListed] = found ? static_cast<double>(found->reason) : 0;
  }
  std::string MetricKey() const override {
    const HostFilter standard;  // what is given only, so that names of columns are short
    nlohmann::json key = nlohmann::json::object();
    if (lists != standard.lists) key["lists"] = lists;
    if (categories != standard.categories) key["categories"] = categories;
    if (suffixes != standard.suffixes) key["suffixes"] = suffixes;
    if (!statistics.empty()) {
      key.update({{"statistics", statistics}, {"documents", documents}, {"removed", removed}, {"ng", ng}});
    }
    return key.empty() ? "" : key.dump();
  }
  std::string Contents() const override {
    return nlohmann::json{{"reasons", reasons_},
                          {"lists", lists_->checksum()},
                          {"statistics", statistics_ == nullptr ? 0 : statistics_->checksum()}}
        .dump();
  }
  std::string Detail(size_t reason, const FilterDocument& document) const override {
    FilterScratch scratch;
    const auto found = Find(document, &scratch);
    if (!found || found->reason != reason + 1) return {};
    if (found->shares == nullptr) return "listed: " + EntryText(scratch.location, found->match);
    return fmt::format("of {}, {:.4g}", scratch.location.host,
                       reason_of_removed_ == found->reason ? found->shares->removed : found->shares->ng);
  }

  std::vector<std::string> lists;
  std::vector<std::string> categories = BadCategories();
  std::vector<std::string> suffixes = {".5ch.net", "wikipedia.org"};
  std::string statistics;
  int64_t documents = 1;
  double removed = 1;
  double ng = 0.005;

 private:
  struct Found {
    size_t reason = 0;  // from 1
    HostMatch match;
    const HostStatistics::Shares* shares = nullptr;  // null: it is on a list
  };

  // Errors: there is nothing to tell bad hosts by, or a parameter that nothing would read.
  arrow::Status CheckParameters() const {
    const HostFilter standard;
    if (lists.empty() && suffixes.empty() && statistics.empty()) {
      return arrow::Status::Invalid("there are no bad hosts: give `lists`, `suffixes` or `statistics`");
    }
    if (lists.empty() && categories != standard.categories) {
      return arrow::Status::Invalid("categories: they are those of `lists`, of which there are none");
    }
    const bool bounds = documents != standard.documents || removed != standard.removed || ng != standard.ng;
    if (statistics.empty() && bounds) {
      return arrow::Status::Invalid("documents, removed, ng: they are bounds of `statistics`, of which there are none");
    }
    return arrow::Status::OK();
  }

  arrow::Status ReadStatistics() {
    ARROW_ASSIGN_OR_RAISE(statistics_, HostStatistics::Read(statistics, {documents, removed, ng}));
    if (removed < 1) reasons_.push_back("HostFilter.Removed(" + JavaNumber(removed) + ")");
    reason_of_removed_ = removed < 1 ? reasons_.size() : 0;
    if (ng < 1) reasons_.push_back("HostFilter.NgWordRatio(" + JavaNumber(ng) + ")");
    return arrow::Status::OK();
  }

  // The first of the reasons for which the document's host is bad, and of its entries the longest.
  std::optional<Found> Find(const FilterDocument& document, FilterScratch* scratch) const {
    if (!scratch->location.Parse(document.url())) return std::nullopt;
    std::optional<Found> first;
    const auto take = [&](size_t reason, const HostMatch& match) {
      if (reason > 0 && (!first || reason <= first->reason)) first = {reason, match};
    };
    suffixes_->ForEachMatch(scratch->location, &scratch->hosts, [&](const HostMatch& match) { take(1, match); });
    if (first) return first;
    lists_->ForEachMatch(scratch->location, &scratch->hosts,
                         [&](const HostMatch& match) { take(reason_of_[match.list], match); });
    if (first || statistics_ == nullptr) return first;
    const HostStatistics::Shares* shares = statistics_->Find(scratch->hosts.domains.back().key, scratch->location.host);
    if (shares == nullptr) return std::nullopt;
    return Found{shares->removed > removed ? reason_of_removed_ : reasons_.size(), {}, shares};
  }

  std::shared_ptr<const HostLists> suffixes_;
  std::shared_ptr<const HostLists> lists_;
  std::shared_ptr<const HostStatistics> statistics_;
  size_t reason_of_removed_ = 0;   // from 1
  std::vector<size_t> reason_of_;  // of each list, from 1; 0: it is not bad
};

}  // namespace

FilterDeclaration DeclareHostFilter() {
  return Declare<HostFilter>("HostFilter", "documents",
                             "Removes documents by the host of their column `url`, with lists of hosts (Swallow's NG "
                             "hosts) and statistics.")
      .Metric("HostFilter", "number of the reason that applies, from 1; 0: none, or the URL has no host")
      .OptionalFiles("lists", &HostFilter::lists,
                     "folders in the layout of the Blacklists UT1, files with one host per line, or outputs of "
                     "`uzushio host-lists`")
      .Texts("categories", &HostFilter::categories,
             "categories of `lists` whose hosts are removed; plain files have the category `custom`")
      .OptionalTexts("suffixes", &HostFilter::suffixes,
                     "hosts to remove, with all subdomains; `.a.jp`: only the subdomains")
      .OptionalFile("statistics", &HostFilter::statistics,
                    "output folder of `uzushio hosts` (none: use only `lists` and `suffixes`)")
      .Int("documents", &HostFilter::documents, 1, INT64_MAX, "with `statistics`: hosts with fewer documents are kept")
      .Float("removed", &HostFilter::removed, 0, 1,
             "with `statistics`: hosts of which a larger share of documents was removed are removed")
      .Float("ng", &HostFilter::ng, 0, 1,
             "with `statistics`: hosts with a larger mean NgWordRatio are removed; 1: none")
      .Done();
}

}  // namespace uzushio
