#include "dedup/containment.h"

#include <bit>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr uint64_t kContainerGrams = uint64_t{1} << 19;  // of the container, some 16 MiB of slots
constexpr uint64_t kSampledBelow = UINT64_MAX / kPassagesOfOne;

// 0 is in no slot that is used.
constexpr uint64_t NotZero(uint64_t gram) { return gram == 0 ? 1 : gram; }

void MakeDistinct(std::vector<uint64_t>* numbers) {
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace

std::span<const uint64_t> PassageSampler::Sample(std::string_view document) {
  passages_.clear();
  const auto cut = [this] {
    MakeDistinct(&passages_);
    passages_.resize(std::min(passages_.size(), kMostPassages));
  };
  grams_.ForEach(document, [&](std::span<const uint64_t> hashes) {
    for (const uint64_t hash : hashes) {
      if (hash > kSampledBelow) continue;
      passages_.push_back(hash * kPassagesOfOne);  // partitions go by the highest bits
      if (passages_.size() == 2 * kMostPassages) cut();
    }
  });
  if (grams_.tokens() < kPassageTokens) passages_.clear();  // it is one gram, of another length
  cut();
  return passages_;
}

std::vector<ContainerCandidate> MostLikelyContainers(std::span<ContainerCandidate> candidates) {
  struct Counted {
    size_t passages = 0;
    ContainerCandidate candidate;
  };
  std::ranges::sort(candidates);
  std::vector<Counted> counted;
  for (size_t begin = 0; begin < candidates.size();) {
    size_t end = begin + 1;
    while (end < candidates.size() && candidates[end] == candidates[begin]) ++end;
    if ((end - begin) * kQueriesOfOne >= candidates[begin].queries())
      counted.push_back({end - begin, candidates[begin]});
    begin = end;
  }
  std::ranges::sort(counted, [](const Counted& a, const Counted& b) {
    return a.passages != b.passages ? a.passages > b.passages : a.candidate < b.candidate;
  });
  counted.resize(std::min(counted.size(), kMostContainers));
  std::vector<ContainerCandidate> likely;
  likely.reserve(counted.size());
  for (const Counted& one : counted) likely.push_back(one.candidate);
  return likely;
}

void ContainmentComparer::Set(std::string_view container) {
  container_ = container;
  passes_ = grams_.MostGrams(container.size()) / kContainerGrams + 1;
}

ContainmentComparer::Slot* ContainmentComparer::Find(uint64_t gram) {
  auto place = static_cast<size_t>((gram * secret_) >> shift_);
  while (slots_[place].gram != gram && slots_[place].gram != 0) place = (place + 1) & (slots_.size() - 1);
  return &slots_[place];
}

void ContainmentComparer::SetSlots(size_t slots) {
  slots_.assign(slots, {});
  shift_ = 64 - std::countr_zero(slots);
  used_ = 0;
}

void ContainmentComparer::Grow() {
  const std::vector<Slot> before = slots_;
  SetSlots(before.size() * 2);
  for (const Slot& slot : before) {
    if (slot.gram != 0) Insert(slot.gram);
  }
}

void ContainmentComparer::Insert(uint64_t gram) {
  Slot* const slot = Find(gram);
  if (slot->gram == gram) return;
  slot->gram = gram;
  if (++used_ * 2 > slots_.size()) Grow();
}

void ContainmentComparer::Collect(uint64_t pass) {
  pass_ = pass;
  // What three bytes a token, as Japanese has, fill to a half at most; else it grows.
  SetSlots(std::bit_ceil(std::max<size_t>(grams_.MostGrams(container_.size()) / passes_ * 2 / 3, 16)));
  grams_.ForEach(container_, [this](std::span<const uint64_t> hashes) {
    for (const uint64_t hash : hashes) {
      if (IsOfPass(hash)) Insert(NotZero(hash));
    }
  });
  tokens_ = grams_.tokens();
}

uint64_t ContainmentComparer::TokensOf(std::string_view document) const {
  return form_ == TokenForm::kHashes ? document.size() / sizeof(uint64_t) : static_cast<uint64_t>(CodePoints(document));
}

// Whether it is a new one.
bool ContainmentComparer::AddMissing(uint64_t gram) {
  if (missing_used_ * 2 >= missing_.size()) {
    std::vector<Slot> before(std::max<size_t>(missing_.size() * 2, 1024));
    before.swap(missing_);
    missing_used_ = 0;
    for (const Slot& slot : before) {
      if (slot.seen == documents_) AddMissing(slot.gram);
    }
  }
  const size_t mask = missing_.size() - 1;
  size_t place = static_cast<size_t>((gram * secret_) >> 32) & mask;
  while (missing_[place].seen == documents_ && missing_[place].gram != gram) place = (place + 1) & mask;
  if (missing_[place].seen == documents_) return false;
  missing_[place] = {gram, documents_};
  ++missing_used_;
  return true;
}

// A document of n n-grams, repeats among them, has n distinct ones at most. If more than (1 - least) n of them are
// missing, the share is too low: most documents that are no duplicates are seen to be none after their first part.
void ContainmentComparer::Compare(std::string_view document, Compared* compared) {
  if (compared->is_less) return;
  ++documents_;
  missing_used_ = 0;
  compared->tokens = TokensOf(document);
  const uint64_t grams = compared->tokens < ngram_ ? 1 : compared->tokens - ngram_ + 1;
  // One more than it may be, lest rounding decides.
  const auto most = static_cast<size_t>((1 - least_) * static_cast<double>(grams)) + 1;
  size_t missing = compared->all - compared->common;
  grams_.ForEach(document, [&](std::span<const uint64_t> hashes) {
    for (const uint64_t hash : hashes) {
      if (!IsOfPass(hash)) continue;
      const uint64_t gram = NotZero(hash);
      Slot* const slot = Find(gram);
      if (slot->gram == 0) {
        if (!AddMissing(gram)) continue;
        compared->is_less = ++missing > most;
        if (compared->is_less) return false;
      } else if (slot->seen != documents_) {
        slot->seen = documents_;
        ++compared->common;
      }
    }
    return true;
  });
  compared->all = compared->common + missing;
}

}  // namespace uzushio
