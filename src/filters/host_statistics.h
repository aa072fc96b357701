// What `uzushio hosts` tells of hosts: hosts.parquet, its columns, and hosts that are bad by it.
//
//   host               utf8, as document/host.h has it; "" of documents without one
//   documents          int64
//   characters         int64: code points of their texts
//   removed            double: share of the documents that a filter of the chain removes, or of which nothing is left
//   removed_NAME       double: share that this filter alone would remove; of each filter of documents, `_2` and so on
//                      behind a name that the chain has again
//   mean_METRIC        double: the mean of each metric
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace uzushio {

inline constexpr const char* kHostsFile = "hosts.parquet";
inline constexpr const char* kMeanOfNgWords = "mean_NgWordRatio";

// Which hosts are bad.
struct HostThresholds {
  int64_t least_documents = 1;  // hosts of fewer are not bad
  double removed = 1;           // above are bad
  double ng = 1;                // above are bad; not looked at where it is 1
};

// What is known of hosts that are bad.
class HostStatistics {
 public:
  struct Shares {
    double removed = 0;
    double ng = 0;
  };
  // Reads the folder that `uzushio hosts` wrote; keeps the hosts that are bad. Errors: there is no such file in it, or
  // a column lacks.
  static arrow::Result<std::shared_ptr<const HostStatistics>> Read(const std::string& folder,
                                                                   const HostThresholds& thresholds);
  // Of a bad host, as document/host.h has it, and its key; null of others.
  const Shares* Find(uint64_t key, std::string_view host) const;
  // Of all hosts that are bad: equal ones, equal checksums.
  uint64_t checksum() const { return checksum_; }

 private:
  // Whoever chooses a host can choose one with the key of another, but not with its TextHash, which nobody knows.
  struct Entry {
    uint64_t key = 0;
    uint64_t hash = 0;
    Shares shares;
    std::pair<uint64_t, uint64_t> Place() const { return {key, hash}; }
  };
  std::vector<Entry> entries_;  // in order of their places
  uint64_t checksum_ = 0;
};

}  // namespace uzushio
