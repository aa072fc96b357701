#include "dedup/containment.h"

#include <bit>

#include "base/sort.h"
#include "base/utf8.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr uint64_t kGramsOfPart = uint64_t{1} << 17;  // a table of which stays in the cache of a core, or near it
constexpr uint64_t kMostHashParts = uint64_t{1} << 12;
constexpr size_t kPartBuffers = size_t{4} << 20;  // bytes, of all partitions together
constexpr size_t kMostRecent = size_t{32} << 10;  // n-grams
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

uint64_t ContainmentComparer::TokensOf(std::string_view text) const {
  return form_ == TokenForm::kHashes ? text.size() / sizeof(uint64_t) : static_cast<uint64_t>(CodePoints(text));
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

// Calls `use(gram)`, a bool, with each, repeats again; ends early when it gives false.
template <typename Use>
void ContainmentComparer::ForEachGram(std::string_view text, const Use& use) {
  hashed_bytes_ += text.size();
  grams_.ForEach(text, [&](std::span<const uint64_t> hashes) {
    return std::ranges::all_of(hashes, [&](uint64_t hash) { return use(NotZero(hash)); });
  });
}

// Calls `append(part, gram)`, a Status, with each; most repeats are spared.
template <typename Append>
arrow::Status ContainmentComparer::Spill(std::string_view text, const Append& append) {
  const size_t places = std::min(std::bit_ceil(text.size() + 16), kMostRecent);
  recent_.assign(places, 0);
  arrow::Status status;
  ForEachGram(text, [&](uint64_t gram) {
    uint64_t& recent = recent_[gram & (places - 1)];
    if (recent == gram) return true;
    recent = gram;
    status = append(PartOf(gram), gram);
    return status.ok();
  });
  return status;
}

arrow::Status ContainmentComparer::Set(std::string_view container) {
  compared_.clear();
  tokens_ = TokensOf(container);
  distinct_ = 0;
  const uint64_t grams = GramsOf(tokens_);
  if (grams <= kGramsOfTable) {
    SetSlots(std::bit_ceil(std::max<size_t>(2 * grams, 16)));
    ForEachGram(container, [this](uint64_t gram) {
      Insert(gram);
      return true;
    });
    distinct_ = used_;
    return arrow::Status::OK();
  }
  parts_ = std::min(grams / kGramsOfPart + 1, kMostHashParts);
  const size_t buffer = std::min(kPartBuffers / parts_, size_t{64} << 10);
  container_parts_.emplace(parts_, budget_, space_);
  SpillPartitions::Writer writer(&*container_parts_, buffer);
  ARROW_RETURN_NOT_OK(
      Spill(container, [&writer](size_t part, uint64_t gram) { return writer.AppendRecord(part, gram); }));
  ARROW_RETURN_NOT_OK(writer.Flush());
  document_parts_.emplace(parts_, budget_, space_);
  document_writer_.emplace(&*document_parts_, buffer);
  return arrow::Status::OK();
}

void ContainmentComparer::BeginDocument() {
  ++documents_;
  missing_used_ = 0;
}

void ContainmentComparer::Count(uint64_t gram, Compared* compared) {
  Slot* const slot = Find(gram);
  if (slot->gram == 0) {
    compared->missing += AddMissing(gram) ? 1 : 0;
  } else if (slot->seen != documents_) {
    slot->seen = documents_;
    ++compared->common;
  }
}

// A document of n n-grams, repeats among them, has n distinct ones at most. If more than (1 - least) n of them are
// missing, the share is too low: most documents that are no duplicates are seen to be none after their first part.
arrow::Status ContainmentComparer::Add(std::string_view document) {
  Compared& compared = compared_.emplace_back();
  compared.tokens = TokensOf(document);
  if (compared.tokens > tokens_) {
    compared.missing = 1;
    return arrow::Status::OK();
  }
  // One more than it may be, lest rounding decides.
  compared.most_missing = static_cast<uint64_t>((1 - least_) * static_cast<double>(GramsOf(compared.tokens))) + 1;
  if (container_parts_) {
    const uint64_t number = compared_.size() - 1;
    return Spill(document, [&](size_t part, uint64_t gram) {
      return document_writer_->AppendRecord(part, Spilled{number, gram});
    });
  }
  BeginDocument();
  ForEachGram(document, [&](uint64_t gram) {
    Count(gram, &compared);
    return !compared.is_less();
  });
  return arrow::Status::OK();
}

arrow::Status ContainmentComparer::ComparePart(size_t part) {
  SetSlots(std::bit_ceil(2 * kGramsOfPart));
  ARROW_RETURN_NOT_OK(container_parts_->TakeChunks(part, [this](std::span<const char> bytes) {
    for (const uint64_t gram : RecordsIn<uint64_t>(bytes)) Insert(gram);
    return arrow::Status::OK();
  }));
  distinct_ += used_;
  const auto key = [](const Spilled& spilled) { return spilled.document; };
  const auto use = [&](std::span<Spilled> loaded) {
    SortByKey(loaded, key);
    uint64_t document = UINT64_MAX;
    for (const Spilled& spilled : loaded) {
      if (spilled.document != document) BeginDocument();
      document = spilled.document;
      if (!compared_[document].is_less()) Count(spilled.gram, &compared_[document]);
    }
    return arrow::Status::OK();
  };
  // Of one document, more than are loaded.
  const auto use_equal = [this](SpillPartitions* of, size_t where) {
    BeginDocument();
    return of->TakeChunks(where, [this](std::span<const char> bytes) {
      for (const Spilled& spilled : RecordsIn<Spilled>(bytes)) {
        if (!compared_[spilled.document].is_less()) Count(spilled.gram, &compared_[spilled.document]);
      }
      return arrow::Status::OK();
    });
  };
  return ForEachRange<Spilled>(&*document_parts_, part, load_, key, use, use_equal);
}

arrow::Result<std::span<const ContainmentComparer::Compared>> ContainmentComparer::Finish() {
  if (container_parts_) {
    ARROW_RETURN_NOT_OK(document_writer_->Flush());
    for (size_t part = 0; part < parts_; ++part) ARROW_RETURN_NOT_OK(ComparePart(part));
    document_writer_.reset();
    document_parts_.reset();
    container_parts_.reset();
  }
  return compared_;
}

}  // namespace uzushio
