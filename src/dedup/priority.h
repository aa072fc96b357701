// Which of near-duplicate documents stays: the one that stands highest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/sort.h"

namespace uzushio {

// A document's place in the order, the first of which stays; written to disk as it is.
struct Priority {
  uint64_t high = 0;  // 40 bits: by what is chosen, the least first; 24: the first half of the id's first 6 bytes
  uint64_t low = 0;   // 24: the other half; 40: the document's number

  static constexpr uint64_t kMostFirst = (uint64_t{1} << 40) - 1;
  static constexpr uint64_t kMostNumber = (uint64_t{1} << 40) - 1;

  // `id` is empty where ids do not matter.
  static constexpr Priority Of(uint64_t first, std::string_view id, uint64_t number) {
    uint64_t begin = 0;
    for (size_t i = 0; i < 6; ++i) begin = begin << 8 | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0);
    return {first << 24 | begin >> 24, (begin & 0xFFFFFF) << 40 | number};
  }
  constexpr uint64_t number() const { return low & kMostNumber; }
  // The order without numbers, as far as it goes without whole ids.
  constexpr Uint128 rank() const { return WideKey(high, low) >> 40; }
  bool operator==(const Priority&) const = default;
};
static_assert(sizeof(Priority) == 16);

// A document in a bucket. Buckets are hashes.
struct DocumentBucket {
  uint64_t bucket = 0;
  Priority priority;
};
static_assert(sizeof(DocumentBucket) == 24);

// A document of one of several sets.
struct Leader {
  Priority priority;
  uint64_t source = 0;

  uint64_t number() const { return priority.number(); }
  bool operator==(const Leader&) const = default;
};

// Whole ids, for those that begin alike.
class LeaderIds {
 public:
  virtual ~LeaderIds() = default;
  // Whether the id of one is less (-1), equal (0) or greater (1) than that of another, byte by byte.
  virtual int Compare(const Leader& a, const Leader& b) = 0;
};

// The order of documents: those of the first sets, `decided` many, stand above all others. Then by what is chosen, by
// ids, unless these are null, by sets, and by numbers.
struct LeaderOrder {
  uint64_t decided = 0;
  LeaderIds* ids = nullptr;

  bool operator()(const Leader& a, const Leader& b) const {
    const bool is_decided = a.source < decided;
    if (is_decided != (b.source < decided)) return is_decided;
    if (a.priority.rank() != b.priority.rank()) return a.priority.rank() < b.priority.rank();
    if (a.source == b.source && a.number() == b.number()) return false;
    if (const int by_id = ids != nullptr ? ids->Compare(a, b) : 0; by_id != 0) return by_id < 0;
    return a.source != b.source ? a.source < b.source : a.number() < b.number();
  }
};

// That a document shares a bucket with one that stands higher. Written to disk as it is.
struct Follower {
  uint64_t number = 0;
  Leader leader;
};
static_assert(sizeof(Follower) == 32);

// The documents of a bucket that stand highest, at most `most`, in order.
class BucketLeaders {
 public:
  BucketLeaders(size_t most, const LeaderOrder& order) : most_(most), order_(order) {}

  void Clear() { leaders_.clear(); }
  void Add(const Leader& leader) {
    if (leaders_.size() == most_ && !order_(leader, leaders_.back())) return;
    leaders_.insert(std::upper_bound(leaders_.begin(), leaders_.end(), leader, order_), leader);
    if (leaders_.size() > most_) leaders_.pop_back();
  }
  // Calls `use(Follower)` for each leader that stands above the document, a Status.
  template <typename Use>
  auto ForEachAbove(const Leader& document, const Use& use) const -> decltype(use(Follower())) {
    for (const Leader& leader : leaders_) {
      if (!order_(leader, document)) break;
      if (auto status = use(Follower{document.number(), leader}); !status.ok()) return status;
    }
    return {};
  }
  const std::vector<Leader>& leaders() const { return leaders_; }

 private:
  size_t most_;
  LeaderOrder order_;
  std::vector<Leader> leaders_;
};

// Sorts by document and by how high leaders stand, and leaves one of each two that say the same. The rest is what is
// returned.
inline std::span<Follower> SortFollowers(std::span<Follower> followers, const LeaderOrder& order) {
  // What says the same goes first: the order may have to read ids.
  const auto key = [](const Follower& f) { return std::tuple(f.number, f.leader.source, f.leader.number()); };
  std::ranges::sort(followers, {}, key);
  const auto end = std::unique(followers.begin(), followers.end(),
                               [&key](const Follower& a, const Follower& b) { return key(a) == key(b); });
  followers = followers.first(static_cast<size_t>(end - followers.begin()));
  // Stable: an order that fails to read ids must do no harm.
  std::ranges::stable_sort(followers, [&order](const Follower& a, const Follower& b) {
    return a.number != b.number ? a.number < b.number : order(a.leader, b.leader);
  });
  return followers;
}

}  // namespace uzushio
