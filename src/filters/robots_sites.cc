#include "filters/robots_sites.h"

#include <arrow/array.h>
#include <parquet/metadata.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/hash_state.h"
#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/size.h"
#include "base/text_hash.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "datasets/robots_columns.h"
#include "document/origin.h"
#include "document/text_lines.h"

namespace uzushio {
namespace {

constexpr int kMostRedirects = 5;
constexpr const char* kMakeRobots = "make it with uzushio robots-txt";

template <typename Number>
void AddTo(const std::vector<Number>& numbers, XXH3_state_t* state) {
  XXH3_64bits_update(state, numbers.data(), numbers.size() * sizeof(Number));
}

}  // namespace

// Reads rows, one after another.
class RobotsSites::Builder {
 public:
  Builder(const std::vector<std::string>& robots, RobotsSites* sites) : robots_(robots), sites_(*sites) {
    sites_.robots_ = robots.size();
    PlaceOf({});
  }

  arrow::Status Take(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto origins, TextColumn(batch, "origin"));
    ARROW_ASSIGN_OR_RAISE(const auto access, TextColumn(batch, "access"));
    ARROW_ASSIGN_OR_RAISE(const auto redirects, TextColumn(batch, "redirect"));
    ARROW_ASSIGN_OR_RAISE(const auto agents, TextColumn(batch, "agents"));
    ARROW_ASSIGN_OR_RAISE(const auto rules, TextColumn(batch, "rules"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const std::string_view origin = origins->GetView(row);
      const std::string_view says = access->GetView(row);
      Site site = {.name = OriginName::Of(origin)};
      if (says == kAccessRedirect) {
        if (redirects->GetView(row).empty()) continue;  // it is not known where to
        site.profile = kRedirect;
        site.target = static_cast<uint32_t>(sites_.targets_.size());
        const std::string other = OtherScheme(redirects->GetView(row));
        sites_.targets_.push_back(OriginName::Of(redirects->GetView(row)));
        sites_.targets_.push_back(OriginName::Of(other.empty() ? redirects->GetView(row) : other));
      } else if (says == kAccessRules) {
        site.profile = ProfileOf(agents->GetView(row), rules->GetView(row));
      } else if (says == kAccessAll) {
        site.profile = ProfileOf({}, {});
      } else {
        continue;
      }
      sites_.sites_.push_back(site);
    }
    return arrow::Status::OK();
  }

  // What it takes until the table is read: vectors grow by doubling.
  int64_t bytes() const {
    return rules_bytes_ + profiles_bytes_ +
           static_cast<int64_t>(sites_.sites_.capacity() * sizeof(Site) +
                                sites_.targets_.capacity() * sizeof(OriginName) +
                                sites_.profiles_.capacity() * sizeof(uint32_t));
  }

  void Finish() {
    const auto by_key = [](const Site& a, const Site& b) { return a.name.key < b.name.key; };
    std::vector<Site>& sites = sites_.sites_;
    if (!std::ranges::is_sorted(sites, by_key)) std::ranges::stable_sort(sites, by_key);
    const auto have_one_name = [](const Site& a, const Site& b) { return a.name == b.name; };
    sites.erase(std::unique(sites.begin(), sites.end(), have_one_name), sites.end());
    sites.shrink_to_fit();
    const Xxh3State state = NewXxh3State();
    for (const Site& site : sites) {
      for (const uint64_t part : {site.name.key, uint64_t{site.target} << 32 | site.profile}) {
        XXH3_64bits_update(state.get(), &part, sizeof part);
      }
    }
    for (const OriginName& target : sites_.targets_) XXH3_64bits_update(state.get(), &target.key, sizeof target.key);
    AddTo(sites_.profiles_, state.get());
    for (const std::string& rules : sites_.rules_) XXH3_64bits_update(state.get(), rules.c_str(), rules.size() + 1);
    sites_.checksum_ = XXH3_64bits_digest(state.get());
    // Origins with equal keys can be made: they are told apart by hashes of this process, which are no part of the
    // checksum.
    std::ranges::stable_sort(sites, {}, &Site::name);
  }

 private:
  uint32_t PlaceOf(std::string rules) {
    if (const auto found = places_.find(rules); found != places_.end()) return found->second;
    constexpr size_t kNode = 64;  // of the map, with its bucket
    rules_bytes_ += static_cast<int64_t>(sizeof(std::string) + rules.size() + kNode);
    const auto place = static_cast<uint32_t>(sites_.rules_.size());
    places_.emplace(sites_.rules_.emplace_back(std::move(rules)), place);
    return place;
  }

  uint32_t ProfileOf(std::string_view agents, std::string_view groups) {
    std::vector<bool> is_named(robots_.size());
    bool for_all = false;
    ForEachLine(agents, [&](std::string_view name) {
      for_all |= name == "*";
      for (size_t i = 0; i < robots_.size(); ++i) is_named[i] = is_named[i] || robots_[i] == name;
    });
    const uint32_t of_all = for_all ? PlaceOf(RobotsRules::For("*", groups)) : 0;
    profile_.assign(robots_.size(), of_all);
    for (size_t i = 0; i < robots_.size(); ++i) {
      if (is_named[i]) profile_[i] = PlaceOf(RobotsRules::For(robots_[i], groups));
    }
    const auto number = static_cast<uint32_t>(known_.size());
    const auto [found, is_new] = known_.try_emplace(profile_, number);
    if (!is_new) return found->second;
    constexpr size_t kNode = 96;  // of the map, with what the allocator adds
    profiles_bytes_ += static_cast<int64_t>(profile_.size() * sizeof(uint32_t) + kNode);
    sites_.profiles_.insert(sites_.profiles_.end(), profile_.begin(), profile_.end());
    return found->second;
  }

  const std::vector<std::string>& robots_;
  RobotsSites& sites_;
  std::unordered_map<std::string_view, uint32_t, TextHash> places_;  // of rules, which stay where they are
  std::map<std::vector<uint32_t>, uint32_t> known_;                  // profiles
  std::vector<uint32_t> profile_;
  int64_t rules_bytes_ = 0;
  int64_t profiles_bytes_ = 0;
};

arrow::Result<std::shared_ptr<const RobotsSites>> RobotsSites::Read(const std::string& place,
                                                                    const std::vector<std::string>& robots,
                                                                    int64_t memory) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<InputFile> files, ResolveInputs({place}, kParquetSuffixes));
  if (files.empty())
    return arrow::Status::Invalid(WithoutCredentials(place), ": there is no table of robots.txt in it; ", kMakeRobots);
  TextForms any;
  ARROW_RETURN_NOT_OK(CheckDatasets(files, false, 1, &any));
  std::vector<std::shared_ptr<parquet::FileMetaData>> metadata(files.size());
  int64_t rows = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(metadata[i], ReadParquetMetadata(files[i]));
    rows += metadata[i]->num_rows();
  }
  std::shared_ptr<RobotsSites> sites(new RobotsSites());
  Builder builder(robots, sites.get());
  int64_t done = 0;
  const auto take = [&](const arrow::RecordBatch& batch) -> arrow::Status {
    ARROW_RETURN_NOT_OK(builder.Take(batch));
    done += batch.num_rows();
    const int64_t bytes = builder.bytes();
    if (memory == 0 || bytes <= memory) return arrow::Status::OK();
    const double all = static_cast<double>(bytes) * static_cast<double>(rows) / static_cast<double>(done);
    return MemoryError("--memory ", SizeText(memory), ": the table of robots.txt alone takes about ",
                       static_cast<int64_t>(all) / kMiB + 1, "MiB");
  };
  for (size_t i = 0; i < files.size(); ++i) {
    const auto read = [&]() -> arrow::Status {
      std::vector<int> places;
      for (const char* name : {"origin", "access", "redirect", "agents", "rules"}) {
        places.push_back(PlaceInParquet(*metadata[i], name));
        if (places.back() < 0) return arrow::Status::Invalid("there is no column '", name, "'; ", kMakeRobots);
      }
      for (int group = 0; group < metadata[i]->num_row_groups(); ++group) {
        ARROW_RETURN_NOT_OK(ReadRowGroup(files[i], metadata[i], group, {.columns = places, .memory = {}}, take));
      }
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(NamingFile(files[i], read(), arrow::Status::OK()));
  }
  builder.Finish();
  return sites;
}

RobotsSites::OriginName RobotsSites::OriginName::Of(std::string_view origin) {
  return {OriginKey(origin), TextHash()(origin)};
}

const RobotsSites::Site* RobotsSites::AtName(const OriginName& name) const {
  const auto found = std::ranges::lower_bound(sites_, name, {}, &Site::name);
  return found == sites_.end() || found->name != name ? nullptr : &*found;
}

const RobotsSites::Site* RobotsSites::At(std::string_view origin) const {
  const Site* site = AtName(OriginName::Of(origin));
  if (site != nullptr) return site;
  const std::string other = OtherScheme(origin);
  return other.empty() ? nullptr : AtName(OriginName::Of(other));
}

std::optional<RobotsFinding> RobotsSites::Find(std::string_view url) const {
  UrlOrigin parts;
  if (!parts.Parse(url)) return std::nullopt;
  const Site* site = At(parts.origin);
  for (int i = 0; site != nullptr && site->profile == kRedirect; ++i) {
    const Site* next = i < kMostRedirects ? AtName(targets_[site->target]) : nullptr;
    if (next == nullptr && i < kMostRedirects) next = AtName(targets_[site->target + 1]);
    site = next;
  }
  if (site == nullptr) return std::nullopt;
  std::string path;
  uint32_t before = 0;
  for (size_t robot = 0; robot < robots_; ++robot) {
    const uint32_t place = profiles_[size_t{site->profile} * robots_ + robot];
    if (place == 0 || place == before) continue;
    if (path.empty()) ComparedPath(parts.path, &path);
    const auto rule = RobotsRules::Find(rules_[place], path);
    if (rule && !rule->allows) return RobotsFinding{robot, rule->pattern, std::move(parts.origin)};
    before = place;
  }
  return std::nullopt;
}

int64_t RobotsSites::bytes() const {
  int64_t bytes = static_cast<int64_t>(sites_.size() * sizeof(Site) + targets_.size() * sizeof(OriginName) +
                                       profiles_.size() * sizeof(uint32_t));
  for (const std::string& rules : rules_) bytes += static_cast<int64_t>(sizeof(std::string) + rules.size());
  return bytes;
}

}  // namespace uzushio
