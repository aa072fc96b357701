// Tokens of class names, ids and roles, and what they say of an element's content.
#pragma once

#include <lexbor/dom/interfaces/attr.h>
#include <lexbor/dom/interfaces/node.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace uzushio {

// How much tokens of class names, ids and roles speak for content, in 1/16 of log2 of the odds.
class TokenScores {
 public:
  struct Entry {
    uint32_t hash;  // of VisitTokens
    int32_t score;
  };
  TokenScores() : TokenScores(std::span<const Entry>()) {}
  explicit TokenScores(std::span<const Entry> entries);

  // False for nearly all unknown ones.
  bool MayKnow(uint32_t hash) const {
    const uint32_t bit = hash >> shift_;
    return (seen_[bit / 64] >> bit % 64 & 1) != 0;
  }
  // Has what MayKnow looks at loaded.
  void PrefetchMayKnow(uint32_t hash) const { __builtin_prefetch(&seen_[(hash >> shift_) / 64]); }
  // Has the token's place loaded, for a Find that follows.
  void Prefetch(uint32_t hash) const { __builtin_prefetch(&table_[hash & mask_]); }
  // The token's score; null for unknown ones.
  const int32_t* Find(uint32_t hash) const {
    if (!MayKnow(hash)) return nullptr;
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Entry& entry = table_[at];
      if (entry.score == kNone) return nullptr;
      if (entry.hash == hash) return &entry.score;
    }
  }

 private:
  static constexpr int32_t kNone = INT32_MIN;

  // Most tokens are unknown, and the table is larger than what is near the processor: a bit for the first bits of each
  // known hash says so first.
  int shift_;
  std::vector<uint64_t> seen_;
  size_t mask_;
  std::vector<Entry> table_;
};

// Calls `visit(hash)` for each token of an element's attributes: the names and their parts, in small letters.
class TokenVisitor {
 public:
  virtual ~TokenVisitor() = default;
  virtual void Token(uint32_t hash) = 0;
};
void VisitTokens(const lxb_dom_node_t* element, TokenVisitor* visitor);
// Those of an attribute alone; and of its value. The same names are other tokens with another seed.
void VisitAttribute(lxb_dom_attr_t* attribute, TokenVisitor* visitor);
void VisitNames(std::string_view value, uint32_t seed, TokenVisitor* visitor);

// The least and the most score of the tokens that it visits.
class TokenRange final : public TokenVisitor {
 public:
  explicit TokenRange(const TokenScores& scores) : scores_(scores) {}
  void Token(uint32_t hash) override {
    const int32_t* score = scores_.Find(hash);
    if (score == nullptr) return;
    least = std::min(least, *score);
    most = std::max(most, *score);
  }
  // Whether any was known.
  bool any() const { return least <= most; }

  int32_t least = std::numeric_limits<int32_t>::max();
  int32_t most = std::numeric_limits<int32_t>::min();

 private:
  const TokenScores& scores_;
};

}  // namespace uzushio
