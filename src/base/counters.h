// Counts by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace uzushio {

// How often each of a bounded set of names occurred, in order of the names.
class Counters {
 public:
  void Add(std::string_view name, int64_t count = 1) {
    const auto found = counts_.find(name);
    if (found != counts_.end()) {
      found->second += count;
    } else {
      counts_.emplace(name, count);
    }
  }
  void Add(const Counters& other) {
    for (const auto& [name, count] : other.counts_) Add(name, count);
  }
  int64_t total() const {
    int64_t sum = 0;
    for (const auto& [name, count] : counts_) sum += count;
    return sum;
  }
  const std::map<std::string, int64_t, std::less<>>& counts() const { return counts_; }

 private:
  std::map<std::string, int64_t, std::less<>> counts_;
};

}  // namespace uzushio
