#include "stages/minhash/captures.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kCapturePartitions = 256;
constexpr int kCaptureShift = 56;

// One thread's part of FindSuperseded, for one partition.
class CapturePass {
 public:
  using Emit = std::function<arrow::Status(const Follower&)>;
  CapturePass(const DocumentSets& sets, Emit emit) : own_(sets.own), ids_(&sets), emit_(std::move(emit)) {}

  arrow::Status Run(SpillPartitions* captures, size_t partition, int64_t most) {
    const auto use = [&](std::span<Capture> loaded) -> arrow::Status {
      std::ranges::sort(loaded, {}, &Capture::url);
      for (size_t begin = 0; begin < loaded.size();) {
        size_t end = begin + 1;
        while (end < loaded.size() && loaded[end].url == loaded[begin].url) ++end;
        newest_.clear();
        Look(loaded.subspan(begin, end - begin));
        if (end > begin + 1) ARROW_RETURN_NOT_OK(Follow(loaded.subspan(begin, end - begin)));
        begin = end;
      }
      return ids_.status();
    };
    // More captures of a URL than are loaded at once.
    const auto use_equal = [&](SpillPartitions* of, size_t part) -> arrow::Status {
      const auto captures_in = [](std::span<const char> bytes) {
        return std::span(reinterpret_cast<const Capture*>(bytes.data()), bytes.size() / sizeof(Capture));
      };
      newest_.clear();
      ARROW_RETURN_NOT_OK(of->ReadChunks(part, [&](std::span<const char> bytes) {
        Look(captures_in(bytes));
        return arrow::Status::OK();
      }));
      ARROW_RETURN_NOT_OK(
          of->TakeChunks(part, [&](std::span<const char> bytes) { return Follow(captures_in(bytes)); }));
      return ids_.status();
    };
    return ForEachRange<Capture>(
        captures, partition, most, [](const Capture& capture) { return capture.url.high; }, use, use_equal);
  }

 private:
  void Look(std::span<const Capture> captures) {
    for (const Capture& capture : captures) {
      const Leader leader = {capture.priority, own_};
      const auto [place, is_new] = newest_.emplace(capture.url.low, leader);
      if (!is_new && ids_.order()(leader, place->second)) place->second = leader;
    }
  }
  arrow::Status Follow(std::span<const Capture> captures) {
    for (const Capture& capture : captures) {
      const Leader& newest = newest_.at(capture.url.low);
      if (newest.number() == capture.priority.number()) continue;
      ARROW_RETURN_NOT_OK(emit_({capture.priority.number(), newest}));
    }
    return arrow::Status::OK();
  }

  uint64_t own_;
  StoredIds ids_;
  Emit emit_;
  std::map<uint64_t, Leader> newest_;  // by the lower half of the URL's key: of one upper half, nearly always one
};

}  // namespace

CapturePartitions::CapturePartitions(const MinhashResources& resources)
    : partitions_(kCapturePartitions, resources.budget, resources.space),
      writer_(&partitions_, resources.buffer_bytes(kCapturePartitions, 1)) {}

arrow::Status CapturePartitions::Add(const Capture& capture) {
  return writer_.AppendRecord(capture.url.high >> kCaptureShift, capture);
}

arrow::Result<uint64_t> FindSuperseded(const MinhashResources& resources, const DocumentSets& sets,
                                       CapturePartitions* captures, FollowerPartitions* followers,
                                       DocumentBits* superseded) {
  std::vector<SpillPartitions::Writer> writers;
  for (int i = 0; followers != nullptr && i < resources.threads; ++i) {
    writers.emplace_back(followers->partitions(), followers->buffer_bytes(resources));
  }
  std::atomic<uint64_t> found = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(resources.threads, kCapturePartitions, [&](int thread, size_t partition) {
    const auto emit = [&](const Follower& follower) -> arrow::Status {
      superseded->Set(follower.number);
      ++found;
      if (followers == nullptr) return arrow::Status::OK();
      return writers[static_cast<size_t>(thread)].AppendRecord(followers->PartitionOf(follower.number), follower);
    };
    return CapturePass(sets, emit).Run(captures->partitions(), partition, resources.plan.load / 2);
  }));
  for (SpillPartitions::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
  return found.load();
}

}  // namespace uzushio
