// Groups of near-duplicates and frequent paragraphs of statistics, for `uzushio report`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stages/report/corpus.h"
#include "storage/inputs.h"

namespace uzushio {

inline constexpr size_t kMostGroups = 100;
inline constexpr size_t kMostVariants = 12;  // of a group
inline constexpr size_t kMostFrequent = 200;

struct GroupsConfig {
  std::string name;    // as it was given
  std::string folder;  // of statistics, or its URI
  // Documents that they were made of, whose texts are gone through; none: hosts and documents are not known, and texts
  // as far as the statistics have them.
  std::optional<CorpusConfig> documents;
  std::string tmp;  // folder for temporary data
  int threads = 1;
  int64_t memory = 0;  // bytes, kPartitionsMemory at least
};

// An object with `name`, the numbers of `groups` of two and more and of different `paragraphs`, `sizes` of groups by
// members (`least` to `most`, powers of two; those of one, too), the `largest` groups by occurrences and the most
// `frequent` paragraphs. Those that statistics lack, as they occur once, are in none of these. Texts are cut to
// kShownCharacters. `hosts` of a group is null where it has more members than variants are shown. Numbers of hosts
// above DistinctCount::kMost are estimates, and `hostsAreEstimates` is there and true. Errors: these are no statistics;
// a file that can not be read; a full disk.
arrow::Result<nlohmann::json> GroupsOf(const GroupsConfig& config,
                                       const std::function<void(double share)>& on_progress);

}  // namespace uzushio
