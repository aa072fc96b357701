#include "stages/minhash/losses.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/bottom_k.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kLossPartitions = 64;
constexpr size_t kMostSums = size_t{1} << 14;       // of a thread, before they are handed on
constexpr size_t kMostNames = size_t{4} << 20;      // bytes, likewise
constexpr size_t kMostNameBytes = size_t{1} << 16;  // longer ones are cut: names of documents have no bound

// A sum as it is written, its name behind it.
struct SumHead {
  uint64_t key = 0;  // a hash of the name
  uint64_t documents = 0;
  uint64_t lost = 0;
  uint64_t name_bytes = 0;
};

// For BottomK: the first loses most.
struct ByLost {
  Loss loss;
  bool operator<(const ByLost& other) const {
    return loss.lost != other.loss.lost ? loss.lost > other.loss.lost : loss.name < other.loss.name;
  }
};

}  // namespace

LossCounter::LossCounter(const MinhashResources& resources)
    : load_(resources.plan.load / 4),  // names and sums take more in a map
      buffer_bytes_(resources.buffer_bytes(kLossPartitions, static_cast<size_t>(resources.threads))),
      partitions_(kLossPartitions, resources.budget, resources.space) {}

LossCounter::Writer::Writer(LossCounter* counter) : writer_(&counter->partitions_, counter->buffer_bytes_) {}

arrow::Status LossCounter::Writer::Add(std::string_view name, uint64_t documents, uint64_t lost) {
  std::string key(name.substr(0, kMostNameBytes));
  const size_t bytes = key.size();
  const auto [sum, is_new] = sums_.try_emplace(std::move(key));
  sum->second.documents += documents;
  sum->second.lost += lost;
  if (is_new) name_bytes_ += bytes;
  return sums_.size() < kMostSums && name_bytes_ < kMostNames ? arrow::Status::OK() : WriteSums();
}

arrow::Status LossCounter::Writer::WriteSums() {
  for (const auto& [name, sum] : sums_) {
    const uint64_t key = XXH64(name.data(), name.size(), 0);
    const SumHead head = {key, sum.documents, sum.lost, name.size()};
    ARROW_RETURN_NOT_OK(writer_.Append(key % kLossPartitions, {reinterpret_cast<const char*>(&head), sizeof head},
                                       {name.data(), name.size()}));
  }
  sums_.clear();
  name_bytes_ = 0;
  return arrow::Status::OK();
}

arrow::Status LossCounter::Writer::Flush() {
  ARROW_RETURN_NOT_OK(WriteSums());
  return writer_.Flush();
}

template <typename Use>
arrow::Status LossCounter::ForEachSum(const Use& use) {
  const auto each = [](std::span<const char> bytes, const auto& f) -> arrow::Status {
    for (size_t at = 0; at < bytes.size();) {
      SumHead head;
      std::memcpy(&head, bytes.data() + at, sizeof head);
      ARROW_RETURN_NOT_OK(f(head.key, bytes.subspan(at, sizeof head + head.name_bytes)));
      at += sizeof head + head.name_bytes;
    }
    return arrow::Status::OK();
  };
  std::map<std::string, Loss, std::less<>> sums;
  const auto add = [&sums](uint64_t /*key*/, std::span<const char> record) {
    SumHead head;
    std::memcpy(&head, record.data(), sizeof head);
    const std::string_view name(record.data() + sizeof head, head.name_bytes);
    auto place = sums.find(name);
    if (place == sums.end()) place = sums.emplace(name, Loss{std::string(name)}).first;
    place->second.documents += head.documents;
    place->second.lost += head.lost;
    return arrow::Status::OK();
  };
  const auto hand_on = [&]() -> arrow::Status {
    for (const auto& [name, loss] : sums) use(loss);
    sums.clear();
    return arrow::Status::OK();
  };
  for (size_t partition = 0; partition < partitions_.size(); ++partition) {
    ARROW_RETURN_NOT_OK(ForEachRangeOf(
        &partitions_, partition, load_, each,
        [&](const Bytes& bytes) -> arrow::Status {
          ARROW_RETURN_NOT_OK(each(bytes.span(), add));
          return hand_on();
        },
        [&](SpillPartitions* of, size_t part) -> arrow::Status {
          ARROW_RETURN_NOT_OK(of->TakeChunks(part, [&](std::span<const char> bytes) { return each(bytes, add); }));
          return hand_on();
        }));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<Loss>> LossCounter::MostLost(size_t most) {
  BottomK<ByLost> kept(most);
  ARROW_RETURN_NOT_OK(ForEachSum([&kept](const Loss& loss) { kept.Add({loss}); }));
  std::vector<Loss> losses;
  for (ByLost& one : kept.Take()) losses.push_back(std::move(one.loss));
  return losses;
}

arrow::Result<Loss> LossCounter::GreatestShare(uint64_t least_documents) {
  Loss greatest;
  ARROW_RETURN_NOT_OK(ForEachSum([&](const Loss& loss) {
    if (loss.documents < least_documents || loss.lost == 0) return;
    const bool is_greater = loss.share() > greatest.share();
    if (is_greater || (loss.share() == greatest.share() && loss.name < greatest.name)) greatest = loss;
  }));
  return greatest;
}

}  // namespace uzushio
