#include "statistics/compare_pairs.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/parallel.h"

// Idea. A hash join that does not fit into memory. With all texts in memory a pair is compared where its texts are.
// Otherwise blocks of partitions that fit are loaded one after another, and the first text of a pair is sent to the
// block of its second: once for each pair or once for each block, whichever is fewer.
//
// Cost. Comparisons are the candidate pairs without repeats. With T bytes of texts, P pairs and B = T / memory blocks,
// a first text is written and read at most min(pairs of it, B) times.
//
// Example. Blocks {0, 1} and {2, 3}; paragraph 17 of partition 0 has candidates in partitions 1, 2 and 3. It is sent to
// both blocks once: the first compares it with one text, the second with two.
namespace uzushio {
namespace {

class PairComparison {
 public:
  PairComparison(const ParagraphPartitions& table, const NearDuplicateResources& resources, SpillPartitions* near,
                 SpillPartitions* shares, const std::function<void(size_t, size_t)>& on_progress)
      : table_(table),
        resources_(resources),
        on_progress_(on_progress),
        texts_(table.partitions()),
        sums_(table.partitions()),
        block_of_(table.partitions()) {
    const size_t buffer = resources.buffer_bytes(table.partitions(), 2);
    for (int thread = 0; thread < resources.threads; ++thread) threads_.emplace_back(near, shares, buffer);
  }

  arrow::Result<ComparedPairs> Run(SpillPartitions* candidates) {
    const int64_t places = table_.size() * static_cast<int64_t>(sizeof(uint32_t) + sizeof(uint64_t));
    if (table_.in_memory() && resources_.budget->TryReserve(places)) {
      const arrow::Status status = CompareInPlace(candidates);
      resources_.budget->Release(places);
      ARROW_RETURN_NOT_OK(status);
    } else {
      ARROW_RETURN_NOT_OK(CompareByBlocks(candidates));
    }
    ComparedPairs sum;
    for (Thread& thread : threads_) {
      ARROW_RETURN_NOT_OK(thread.near.Flush());
      ARROW_RETURN_NOT_OK(thread.shares.Flush());
      sum.candidates += thread.counts.candidates;
      sum.near += thread.counts.near;
    }
    return sum;
  }

 private:
  struct Thread {
    Thread(SpillPartitions* near_pairs, SpillPartitions* neighbours, size_t buffer)
        : near(near_pairs, buffer), shares(neighbours, buffer) {}
    SpillPartitions::Writer near;
    SpillPartitions::Writer shares;
    RowComparer comparer;
    std::vector<uint64_t> seconds;
    std::string record;
    uint64_t sum = 0;  // of the near-duplicates of the present first paragraph
    ComparedPairs counts;
  };

  Thread& Of(int thread) { return threads_[static_cast<size_t>(thread)]; }
  size_t partitions() const { return table_.partitions(); }

  const StoredHeader& Paragraph(uint64_t number) const { return texts_[PartitionOf(number)][LocalOf(number)]; }

  // --- blocks of partitions whose texts are loaded ---

  arrow::Status LoadBlock(size_t begin, size_t end) {
    return ParallelFor(resources_.threads, end - begin, [&](int, size_t i) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(texts_[begin + i], table_.Load(begin + i));
      sums_[begin + i] = std::vector<uint64_t>(table_.size(begin + i));
      return arrow::Status::OK();
    });
  }

  // Hands on what the block's paragraphs are near to.
  arrow::Status LeaveBlock(size_t begin, size_t end) {
    return ParallelFor(resources_.threads, end - begin, [&](int thread, size_t i) -> arrow::Status {
      const size_t partition = begin + i;
      for (size_t local = 0; local < sums_[partition].size(); ++local) {
        const uint64_t sum = sums_[partition][local];
        if (sum > 0) ARROW_RETURN_NOT_OK(AddShare(ParagraphNumber(partition, local), sum, &Of(thread)));
      }
      texts_[partition] = {};
      sums_[partition] = std::vector<uint64_t>();  // {} would keep its memory
      return arrow::Status::OK();
    });
  }

  static arrow::Status AddShare(uint64_t paragraph, uint64_t sum, Thread* thread) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
    return thread->shares.AppendRecord(PartitionOf(paragraph), NeighbourShare{paragraph, count, 0});
  }

  // Cuts the partitions into blocks, and returns where they begin, and the end.
  std::vector<size_t> CutBlocks() {
    std::vector<size_t> begins;
    int64_t bytes = 0;
    for (size_t i = 0; i < partitions(); ++i) {
      const int64_t more = table_.loaded_bytes(i) + static_cast<int64_t>(table_.size(i) * sizeof(uint64_t));
      if (begins.empty() || bytes + more > resources_.memory.block) {
        begins.push_back(i);
        bytes = 0;
      }
      bytes += more;
      block_of_[i] = begins.size() - 1;
    }
    begins.push_back(partitions());
    return begins;
  }

  // --- comparing ---

  arrow::Status AddNear(uint64_t first_number, const StoredHeader& first, uint64_t second_number, Thread* thread) {
    const StoredHeader& second = Paragraph(second_number);
    ++thread->counts.near;
    thread->sum += second.count;
    std::atomic_ref(sums_[PartitionOf(second_number)][LocalOf(second_number)])
        .fetch_add(first.count, std::memory_order_relaxed);
    return thread->near.AppendRecord(PartitionOf(first_number),
                                     NearPair{{first.hash, second.hash}, first_number, second_number});
  }

  static arrow::Status EndFirst(uint64_t first, Thread* thread) {
    const uint64_t sum = std::exchange(thread->sum, 0);
    return sum > 0 ? AddShare(first, sum, thread) : arrow::Status::OK();
  }

  arrow::Status CompareInPlace(SpillPartitions* candidates) {
    ARROW_RETURN_NOT_OK(LoadBlock(0, partitions()));
    std::atomic<size_t> done = 0;
    ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, partitions(), [&](int number, size_t partition) {
      Thread& thread = Of(number);
      ARROW_RETURN_NOT_OK(
          ForEachDistinctPairs(candidates, partition, resources_.memory.load,
                               [&](std::span<const CandidatePair> pairs) { return CompareLoaded(pairs, &thread); }));
      const size_t finished = ++done;
      if (number == 0) on_progress_(finished, partitions());
      return arrow::Status::OK();
    }));
    return LeaveBlock(0, partitions());
  }

  arrow::Status CompareLoaded(std::span<const CandidatePair> pairs, Thread* thread) {
    thread->counts.candidates += static_cast<int64_t>(pairs.size());
    for (size_t begin = 0; begin < pairs.size();) {
      const uint64_t number = pairs[begin].first;
      thread->seconds.clear();
      for (; begin < pairs.size() && pairs[begin].first == number; ++begin) {
        thread->seconds.push_back(pairs[begin].second);
      }
      const StoredHeader& first = Paragraph(number);
      ARROW_RETURN_NOT_OK(thread->comparer.Compare(
          first, thread->seconds, [this](uint64_t second) -> const StoredHeader& { return Paragraph(second); },
          [&](uint64_t second) { return AddNear(number, first, second, thread); }));
      ARROW_RETURN_NOT_OK(EndFirst(number, thread));
    }
    return arrow::Status::OK();
  }

  arrow::Status CompareByBlocks(SpillPartitions* candidates) {
    const std::vector<size_t> begins = CutBlocks();
    const size_t blocks = begins.size() - 1;
    SpillPartitions attached(blocks, resources_.budget, resources_.space);
    ARROW_RETURN_NOT_OK(Attach(candidates, &attached));
    for (size_t block = 0; block < blocks; ++block) {
      ARROW_RETURN_NOT_OK(LoadBlock(begins[block], begins[block + 1]));
      ARROW_RETURN_NOT_OK(CompareBlock(&attached, block));
      ARROW_RETURN_NOT_OK(LeaveBlock(begins[block], begins[block + 1]));
      on_progress_(blocks + block + 1, 2 * blocks);
    }
    return arrow::Status::OK();
  }

  arrow::Status Attach(SpillPartitions* candidates, SpillPartitions* attached) {
    const size_t buffer = resources_.buffer_bytes(attached->size(), 1);
    std::vector<SpillPartitions::Writer> writers(threads_.size(), SpillPartitions::Writer(attached, buffer));
    std::atomic<size_t> done = 0;
    ARROW_RETURN_NOT_OK(
        ParallelFor(resources_.threads, partitions(), [&](int number, size_t partition) -> arrow::Status {
          Thread& thread = Of(number);
          ARROW_ASSIGN_OR_RAISE(const PartitionView firsts, table_.Load(partition));
          ARROW_RETURN_NOT_OK(ForEachDistinctPairs(
              candidates, partition, resources_.memory.load, [&](std::span<const CandidatePair> pairs) {
                thread.counts.candidates += static_cast<int64_t>(pairs.size());
                return AttachFirsts(
                    firsts, pairs, [this](size_t second) { return block_of_[second]; }, &thread.record,
                    &writers[static_cast<size_t>(number)]);
              }));
          const size_t finished = ++done;
          if (number == 0) on_progress_(finished, 2 * partitions());
          return arrow::Status::OK();
        }));
    for (SpillPartitions::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
    return arrow::Status::OK();
  }

  arrow::Status CompareBlock(SpillPartitions* attached, size_t block) {
    SpillPartitions::Taken taken(attached, block);
    return ParallelFor(resources_.threads, taken.size(), [&](int number, size_t) -> arrow::Status {
      Thread& thread = Of(number);
      ARROW_ASSIGN_OR_RAISE(const std::optional<Bytes> bytes, taken.Next());
      return thread.comparer.CompareAttached(
          bytes->span(), [this](uint64_t second) -> const StoredHeader& { return Paragraph(second); },
          [&](uint64_t first_number, const StoredHeader& first, uint64_t second) {
            return AddNear(first_number, first, second, &thread);
          },
          [&](uint64_t first_number) { return EndFirst(first_number, &thread); });
    });
  }

  const ParagraphPartitions& table_;
  const NearDuplicateResources& resources_;
  const std::function<void(size_t, size_t)>& on_progress_;
  std::vector<PartitionView> texts_;         // by partition; those that are loaded
  std::vector<std::vector<uint64_t>> sums_;  // of their near-duplicates before them
  std::vector<size_t> block_of_;             // by partition
  std::vector<Thread> threads_;
};

}  // namespace

arrow::Result<ComparedPairs> ComparePairs(const ParagraphPartitions& table, SpillPartitions* candidates,
                                          const NearDuplicateResources& resources, SpillPartitions* near,
                                          SpillPartitions* shares,
                                          const std::function<void(size_t, size_t)>& on_progress) {
  return PairComparison(table, resources, near, shares, on_progress).Run(candidates);
}

}  // namespace uzushio
