#include "statistics/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "base/memory_error.h"
#include "base/parallel.h"
#include "statistics/bucket_pairs.h"
#include "statistics/compare_pairs.h"
#include "statistics/groups.h"
#include "statistics/paragraph_partitions.h"
#include "statistics/paragraph_steps.h"
#include "storage/spill_ranges.h"

// Idea. Comparing all pairs of n paragraphs costs n^2. Locality-sensitive hashing makes pairs only of paragraphs that
// share a bucket, and every step is a pass over partitions: records are appended to the partition that needs them next,
// then each partition is loaded, sorted and scanned. No step needs random access to all paragraphs.
//
// Cost. O(n log n) for the sorts, plus the candidate pairs; a large bucket contributes a bounded number of pairs for
// each of its paragraphs (bucket_pairs.h), so pairs grow linearly with n. Memory is `resources.budget` and the buffers;
// the rest is spilled. Each paragraph text is written once and read a bounded number of times.
//
// Source. Buckets: Indyk and Motwani 1998; SimHash rotations: Manku, Jain, Das Sarma 2007; pivots: Ailon, Charikar,
// Newman 2008.
//
// Example. "A B C", "A B D" and "X Y Z" get the buckets {1, 5}, {1, 7} and {9}. Bucket 1 gives one candidate pair; the
// comparison confirms it; the paragraph with the smaller hash becomes the pivot of a group of two; "X Y Z" stays alone.
namespace uzushio {
namespace {

class Finder {
 public:
  Finder(const HashPartitioning& partitioning, size_t entry_partitions, const NearDuplicateOptions& options,
         const NearDuplicateResources& resources, NearDuplicateSink* sink, const SearchProgressCallback& on_progress)
      : partitioning_(partitioning),
        options_(options),
        resources_(resources),
        sink_(*sink),
        on_progress_(on_progress),
        partitions_(partitioning.count()),
        entry_partitions_(entry_partitions),
        table_(partitions_, resources.budget, resources.space),
        neighbours_(partitions_, resources.budget, resources.space) {}

  arrow::Result<NearDuplicateCounts> Run(SpillPartitions* paragraphs) {
    SpillPartitions taken(partitions_, resources_.budget, resources_.space);
    {
      SpillPartitions near(partitions_, resources_.budget, resources_.space);
      {
        SpillPartitions pairs(partitions_, resources_.budget, resources_.space);
        {
          SpillPartitions entries(entry_partitions_, resources_.budget, resources_.space);
          ARROW_RETURN_NOT_OK(StoreParagraphs(paragraphs, &entries));
          ReturnFreedMemory();
          ARROW_RETURN_NOT_OK(options_.candidates == CandidateMethod::kSimHash ? PairWindows(&entries, &pairs)
                                                                               : PairBuckets(&entries, &pairs));
        }
        ReturnFreedMemory();
        ARROW_ASSIGN_OR_RAISE(
            const ComparedPairs compared,
            ComparePairs(table_, &pairs, resources_, &near, &neighbours_,
                         [this](size_t done, size_t all) { on_progress_({SearchStep::kComparisons, done, all}); }));
        counts_.candidates = compared.candidates;
        counts_.near = compared.near;
      }
      ReturnFreedMemory();
      ARROW_RETURN_NOT_OK(sink_.Start());
      ARROW_RETURN_NOT_OK(TakeNear(&near, &taken));
    }
    SpillPartitions rows(partitions_, resources_.budget, resources_.space);
    ARROW_RETURN_NOT_OK(AddUp(&taken, &rows));
    ReturnFreedMemory();
    ARROW_RETURN_NOT_OK(WriteRows(&rows));
    return counts_;
  }

 private:
  // A writer to `target` for each thread, which has so many in all.
  std::vector<SpillPartitions::Writer> Writers(SpillPartitions* target, int of = 1) const {
    return std::vector<SpillPartitions::Writer>(
        static_cast<size_t>(resources_.threads),
        SpillPartitions::Writer(target, resources_.buffer_bytes(target->size(), of)));
  }
  static arrow::Status Flush(std::vector<SpillPartitions::Writer>* writers) {
    for (SpillPartitions::Writer& writer : *writers) ARROW_RETURN_NOT_OK(writer.Flush());
    return arrow::Status::OK();
  }

  template <typename Work>
  arrow::Status ForPartitions(size_t partitions, std::optional<SearchStep> step, Work work) {
    std::atomic<size_t> done = 0;
    return ParallelFor(resources_.threads, partitions, [&](int thread, size_t partition) {
      ARROW_RETURN_NOT_OK(work(static_cast<size_t>(thread), partition));
      const size_t finished = ++done;
      if (thread == 0 && step) on_progress_({*step, finished, partitions});
      return arrow::Status::OK();
    });
  }

  // --- 1 and 2: paragraphs and their buckets ---

  struct StoreState {
    explicit StoreState(EntryMaker maker) : entries(std::move(maker)) {}
    ParagraphEncoder storer;
    EntryMaker entries;
  };

  arrow::Status StoreParagraphs(SpillPartitions* paragraphs, SpillPartitions* entries) {
    std::vector<StoreState> states(static_cast<size_t>(resources_.threads),
                                   StoreState(EntryMaker(options_, entry_partitions_)));
    auto writers = Writers(entries);
    ARROW_RETURN_NOT_OK(
        ForPartitions(partitions_, SearchStep::kSignatures, [&](size_t thread, size_t partition) -> arrow::Status {
          StoreState& state = states[thread];
          const auto make_entries = [&](size_t local, const StoredHeader& paragraph, std::u32string_view points) {
            return state.entries.Make(ParagraphNumber(partition, local), points, paragraph.character_set,
                                      &writers[thread]);
          };
          ARROW_ASSIGN_OR_RAISE(const std::span<const char> stored,
                                state.storer.Store(paragraphs, partition, resources_.memory.load, make_entries));
          return table_.Put(partition, stored);
        }));
    ARROW_RETURN_NOT_OK(Flush(&writers));
    for (const StoreState& state : states) {
      counts_.text_bytes += state.storer.text_bytes();
      counts_.buckets_entries += state.entries.entries();
    }
    counts_.paragraphs = table_.size();
    return arrow::Status::OK();
  }

  // --- 3: pairs ---

  // Large buckets are put aside, and taken up again with what each paragraph keeps of them.
  arrow::Status PairBuckets(SpillPartitions* entries, SpillPartitions* pairs) {
    const int64_t most = resources_.memory.load;
    SpillPartitions aside(partitions_, resources_.budget, resources_.space);       // by paragraph
    SpillPartitions kept(entry_partitions_, resources_.budget, resources_.space);  // by bucket
    auto pair_writers = Writers(pairs, 4);
    auto kept_writers = Writers(&kept, 4);
    auto share_writers = Writers(&neighbours_, 4);
    auto aside_writers = Writers(&aside, 4);
    const auto targets = [&](size_t thread) {
      return PairTargets{entry_partitions_, &pair_writers[thread], &aside_writers[thread], &kept_writers[thread],
                         &share_writers[thread]};
    };
    ARROW_RETURN_NOT_OK(ForPartitions(entry_partitions_, SearchStep::kCandidates, [&](size_t thread, size_t partition) {
      return PairSmallBuckets(entries, partition, most, targets(thread));
    }));
    ARROW_RETURN_NOT_OK(Flush(&aside_writers));
    ARROW_RETURN_NOT_OK(ForPartitions(partitions_, std::nullopt, [&](size_t thread, size_t partition) {
      return KeepLeast(&aside, partition, most, targets(thread));
    }));
    ARROW_RETURN_NOT_OK(Flush(&kept_writers));
    ARROW_RETURN_NOT_OK(Flush(&share_writers));
    ARROW_RETURN_NOT_OK(ForPartitions(entry_partitions_, std::nullopt, [&](size_t thread, size_t partition) {
      return PairLargeBuckets(&kept, partition, most, &pair_writers[thread]);
    }));
    return Flush(&pair_writers);
  }

  // Windows by rank, which cross the borders of partitions: each rotation is walked in order.
  arrow::Status PairWindows(SpillPartitions* entries, SpillPartitions* pairs) {
    auto writers = Writers(pairs);
    const auto rotations = static_cast<size_t>(options_.rotations);
    const size_t ranges = RotationPartitions(entry_partitions_, options_.rotations);
    ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, rotations, [&](int thread, size_t rotation) -> arrow::Status {
      std::vector<BucketEntry> window;  // the last ranks of the partitions before, then those of this one
      for (size_t i = 0; i < ranges; ++i) {
        ARROW_RETURN_NOT_OK(PairRanks(entries, rotation * ranges + i, resources_.memory.load, options_.window, &window,
                                      &writers[static_cast<size_t>(thread)]));
      }
      return arrow::Status::OK();
    }));
    return Flush(&writers);
  }

  // --- 5: groups ---

  arrow::Status TakeNear(SpillPartitions* near, SpillPartitions* taken) {
    ARROW_ASSIGN_OR_RAISE(const auto groups, MakeGroups(options_.groups, table_, resources_.memory));
    SpillPartitions::Writer writer(taken, resources_.buffer_bytes(partitions_, 1));
    const Groups::Take take = [&](const HashPair& hashes, uint64_t member) {
      return writer.AppendRecord(PartitionOf(member), hashes);
    };
    const auto in_order = [&](std::span<NearPair> pairs) -> arrow::Status {
      std::ranges::sort(pairs, {}, &NearPair::hashes);
      for (const NearPair& pair : pairs) {
        if (sink_.wants_pairs()) ARROW_RETURN_NOT_OK(sink_.Pair(pair.hashes.first, pair.hashes.second));
        ARROW_RETURN_NOT_OK(groups->Add(pair, take));
      }
      return arrow::Status::OK();
    };
    const auto of_one_first = [&](SpillPartitions* pairs, size_t part) {
      const auto once = [&](SpillPartitions* same, size_t one) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Bytes bytes, same->Take(one));
        return in_order(Records<NearPair>(bytes));
      };
      return ForEachRange<NearPair>(
          pairs, part, resources_.memory.load, [](const NearPair& pair) { return pair.second; }, in_order, once);
    };
    for (size_t partition = 0; partition < partitions_; ++partition) {
      ARROW_RETURN_NOT_OK(ForEachRange<NearPair>(
          near, partition, resources_.memory.load, [](const NearPair& pair) { return pair.first; }, in_order,
          of_one_first));
    }
    ARROW_RETURN_NOT_OK(groups->Finish(table_, take));
    return writer.Flush();
  }

  // --- 6: frequencies ---

  arrow::Status AddUp(SpillPartitions* taken, SpillPartitions* rows) {
    SpillPartitions shares(partitions_, resources_.budget, resources_.space);
    auto share_writers = Writers(&shares);
    ARROW_RETURN_NOT_OK(
        ForPartitions(partitions_, SearchStep::kGroups, [&](size_t thread, size_t partition) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(const Bytes heads, table_.Heads(partition));
          ARROW_ASSIGN_OR_RAISE(const Bytes members, taken->Take(partition));
          return ShareGroups(Records<ParagraphHead>(heads), Records<HashPair>(members), &neighbours_, partition,
                             partitioning_, &share_writers[thread]);
        }));
    ARROW_RETURN_NOT_OK(Flush(&share_writers));

    auto row_writers = Writers(rows);
    std::vector<GroupSizes> sizes(static_cast<size_t>(resources_.threads));
    ARROW_RETURN_NOT_OK(ForPartitions(partitions_, SearchStep::kFrequencies, [&](size_t thread, size_t partition) {
      return SumGroups(&shares, partition, resources_.memory.load, &sizes[thread],
                       [&](const StatisticsRow& row, const GroupShare&) {
                         return row_writers[thread].AppendRecord(partitioning_(row.hash), row);
                       });
    }));
    for (const GroupSizes& of_thread : sizes) {
      counts_.groups += of_thread.groups;
      counts_.largest = std::max(counts_.largest, of_thread.largest);
    }
    return Flush(&row_writers);
  }

  // Rows in order of hashes, which are sorted some partitions at a time by all threads.
  arrow::Status WriteRows(SpillPartitions* rows) {
    const auto step = static_cast<size_t>(resources_.threads);
    std::vector<Bytes> sorted(step);
    for (size_t first = 0; first < partitions_; first += step) {
      const size_t last = std::min(partitions_, first + step);
      ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, last - first, [&](int, size_t i) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(sorted[i], rows->Take(first + i));
        std::ranges::sort(Records<StatisticsRow>(sorted[i]), {}, &StatisticsRow::hash);
        return arrow::Status::OK();
      }));
      for (size_t partition = first; partition < last; ++partition) {
        ARROW_RETURN_NOT_OK(WriteSorted(partition, Records<StatisticsRow>(sorted[partition - first])));
      }
      on_progress_({SearchStep::kWriting, last, partitions_});
    }
    return arrow::Status::OK();
  }

  arrow::Status WriteSorted(size_t partition, std::span<const StatisticsRow> rows) {
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, table_.Heads(partition));
    const std::span<const ParagraphHead> heads = Records<ParagraphHead>(bytes);
    PartitionView texts;
    if (sink_.wants_texts()) {
      ARROW_ASSIGN_OR_RAISE(texts, table_.Load(partition));
    }
    for (size_t local = 0; local < rows.size(); ++local) {
      const std::string_view text = sink_.wants_texts() ? texts[local].text() : std::string_view();
      ARROW_RETURN_NOT_OK(sink_.Row(rows[local], heads[local], text));
    }
    return arrow::Status::OK();
  }

  const HashPartitioning partitioning_;
  const NearDuplicateOptions& options_;
  const NearDuplicateResources& resources_;
  NearDuplicateSink& sink_;
  const SearchProgressCallback& on_progress_;
  const size_t partitions_;
  const size_t entry_partitions_;
  ParagraphPartitions table_;
  SpillPartitions neighbours_;  // NeighbourShare, by paragraph
  NearDuplicateCounts counts_;
};

// --- how many partitions there are ---

constexpr int kMinPartitionBits = 6;
constexpr int kMaxPartitionBits = 12;
// Of what a thread loads, the part that counted paragraphs may be: the distinct ones and their places come beside them.
constexpr int64_t kCountedShare = 3;
// Entries of a paragraph, 16 to 36 of 32 bytes each.
constexpr int64_t kEntryBytes = 20 * static_cast<int64_t>(sizeof(BucketEntry));
constexpr int64_t kMostEntryPartitions = 8192;

int64_t CountedBytes(const SpillPartitions& paragraphs) {
  int64_t bytes = 0;
  for (size_t i = 0; i < paragraphs.size(); ++i) bytes += paragraphs.bytes(i);
  return bytes;
}

// The paragraphs in all partitions, from the first few: hashes spread evenly.
arrow::Result<int64_t> EstimateParagraphs(const SpillPartitions& paragraphs) {
  constexpr int64_t kEnough = 10000;
  int64_t seen = 0;
  size_t partition = 0;
  for (; partition < paragraphs.size() && seen < kEnough; ++partition) {
    ARROW_RETURN_NOT_OK(paragraphs.ReadChunks(partition, [&seen](std::span<const char> bytes) {
      for (size_t at = 0; at < bytes.size(); ++seen) {
        CountedHeader header;
        std::memcpy(&header, bytes.data() + at, sizeof header);
        at += sizeof header + header.text_bytes;
      }
      return arrow::Status::OK();
    }));
  }
  return partition == 0 ? 0 : seen * static_cast<int64_t>(paragraphs.size()) / static_cast<int64_t>(partition);
}

// The same paragraphs in other partitions, for when there turned out to be more than was thought.
arrow::Status Repartition(SpillPartitions* from, const HashPartitioning& partitioning,
                          const NearDuplicateResources& resources, SpillPartitions* to) {
  std::vector<std::unique_ptr<ParagraphCounter>> counters;
  counters.reserve(static_cast<size_t>(resources.threads));
  for (int i = 0; i < resources.threads; ++i) {
    counters.push_back(std::make_unique<ParagraphCounter>(to, partitioning, resources.buffer_bytes(to->size(), 1)));
  }
  ARROW_RETURN_NOT_OK(ParallelFor(resources.threads, from->size(), [&](int thread, size_t partition) {
    return from->TakeChunks(partition, [&](std::span<const char> bytes) -> arrow::Status {
      for (size_t at = 0; at < bytes.size();) {
        CountedHeader header;
        std::memcpy(&header, bytes.data() + at, sizeof header);
        const std::string_view text(bytes.data() + at + sizeof header, header.text_bytes);
        ARROW_RETURN_NOT_OK(counters[static_cast<size_t>(thread)]->Add(header, text));
        at += sizeof header + header.text_bytes;
      }
      return arrow::Status::OK();
    });
  }));
  for (const auto& counter : counters) ARROW_RETURN_NOT_OK(counter->Finish());
  return arrow::Status::OK();
}

}  // namespace

const char* NameOf(SearchStep step) {
  constexpr std::array<const char*, kSearchSteps> kNames = {"signatures", "candidates",  "comparisons",
                                                            "groups",     "frequencies", "writing"};
  return kNames[static_cast<size_t>(step)];
}

nlohmann::json ToJson(const NearDuplicateCounts& counts) {
  return {{"distinct_paragraphs", counts.paragraphs},
          {"distinct_text_bytes", counts.text_bytes},
          {"bucket_entries", counts.buckets_entries},
          {"candidate_pairs", counts.candidates},
          {"near_pairs", counts.near},
          {"groups", counts.groups},
          {"largest_group", counts.largest}};
}

arrow::Status NearDuplicateSink::Pair(int64_t /*first*/, int64_t /*second*/) { return arrow::Status::OK(); }

size_t NearDuplicateResources::buffer_bytes(size_t partitions, int writers) const {
  const int64_t share = memory.buffers / (int64_t{threads} * writers * static_cast<int64_t>(partitions));
  return static_cast<size_t>(std::clamp(share, kWriterBuffer.least, kWriterBuffer.most));
}

int PartitionBits(int64_t counted_bytes, const StatisticsPlan& memory) {
  const auto wanted = static_cast<uint64_t>(kCountedShare * counted_bytes / memory.load);
  return std::clamp(static_cast<int>(std::bit_width(wanted)), kMinPartitionBits, kMaxPartitionBits);
}

int64_t MostCountedBytes(const StatisticsPlan& memory) { return (memory.load / kCountedShare) << kMaxPartitionBits; }

arrow::Result<NearDuplicateCounts> FindNearDuplicates(SpillPartitions* paragraphs, const HashPartitioning& partitioning,
                                                      const NearDuplicateOptions& options,
                                                      const NearDuplicateResources& resources, NearDuplicateSink* sink,
                                                      const SearchProgressCallback& on_progress) {
  const HashPartitioning enough(PartitionBits(CountedBytes(*paragraphs), resources.memory));
  std::optional<SpillPartitions> more;
  HashPartitioning final_partitioning = partitioning;
  if (enough.count() > partitioning.count()) {
    more.emplace(enough.count(), resources.budget, resources.space);
    ARROW_RETURN_NOT_OK(Repartition(paragraphs, enough, resources, &*more));
    paragraphs = &*more;
    final_partitioning = enough;
  }
  // Some come several times; more would not fit even so.
  if (const int64_t bytes = CountedBytes(*paragraphs); bytes / 2 > MostCountedBytes(resources.memory)) {
    return MemoryError("there are ", bytes >> 30, "GiB of paragraphs, and --memory has room for ",
                       MostCountedBytes(resources.memory) >> 30,
                       "GiB; give more, or count parts of the corpus, and merge");
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t estimate, EstimateParagraphs(*paragraphs));
  const int64_t least = std::max(1 << kMinPartitionBits, options.rotations);
  const int64_t most =
      std::min(kMostEntryPartitions, resources.memory.buffers / (resources.threads * kWriterBuffer.good));
  const int64_t entry_partitions =
      std::clamp(estimate * kEntryBytes / resources.memory.load + 1, least, std::max(least, most));
  return Finder(final_partitioning, static_cast<size_t>(entry_partitions), options, resources, sink, on_progress)
      .Run(paragraphs);
}

}  // namespace uzushio
