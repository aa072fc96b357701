#include "stages/near_duplicates.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/memory.h"
#include "base/parallel.h"
#include "dedup/comparer.h"
#include "stages/near_duplicate_steps.h"

namespace uzushio {
namespace {

class Finder {
 public:
  Finder(SpillPartitions* paragraphs, const HashPartitioning& partitioning, const NearDuplicateOptions& options,
         const NearDuplicateResources& resources, NearDuplicateSink* sink,
         const std::function<void(const char*, size_t, size_t)>& on_step)
      : paragraphs_(*paragraphs),
        partitioning_(partitioning),
        options_(options),
        resources_(resources),
        sink_(*sink),
        on_step_(on_step),
        partitions_(partitioning.count()),
        buffer_bytes_(PartitionBufferBytes(resources.memory, resources.threads, partitions_)),
        stored_(partitions_, resources.budget, resources.space),
        sizes_(partitions_) {}

  arrow::Result<NearDuplicateCounts> Run() {
    compare_all_ = options_.groups == GroupMethod::kComponents || sink_.wants_pairs();
    SpillPartitions pairs(partitions_, resources_.budget, resources_.space);
    {
      SpillPartitions entries(partitions_, resources_.budget, resources_.space);
      ARROW_RETURN_NOT_OK(StoreParagraphs(&entries));
      ReturnFreedMemory();
      ARROW_RETURN_NOT_OK(options_.candidates == CandidateMethod::kSimHash ? PairWindows(&entries, &pairs)
                                                                           : PairBuckets(&entries, &pairs));
    }
    ReturnFreedMemory();
    SpillPartitions taken(partitions_, resources_.budget, resources_.space);
    SpillPartitions near(partitions_, resources_.budget, resources_.space);
    ARROW_RETURN_NOT_OK(ComparePairs(&pairs, &taken, &near));
    ReturnFreedMemory();
    SpillPartitions rows(partitions_, resources_.budget, resources_.space);
    ARROW_RETURN_NOT_OK(SumGroups(&taken, &rows));
    ReturnFreedMemory();
    ARROW_RETURN_NOT_OK(sink_.Start());
    ARROW_RETURN_NOT_OK(WriteRows(&rows));
    if (sink_.wants_pairs()) ARROW_RETURN_NOT_OK(WritePairs(&near));
    return counts_;
  }

 private:
  // A writer to `target` for each thread; beside `others` that are written to at the same time.
  std::vector<SpillPartitions::Writer> Writers(SpillPartitions* target, size_t others = 0) const {
    return std::vector<SpillPartitions::Writer>(static_cast<size_t>(resources_.threads),
                                                SpillPartitions::Writer(target, buffer_bytes_ / (1 + others)));
  }
  static arrow::Status Flush(std::vector<SpillPartitions::Writer>* writers) {
    for (SpillPartitions::Writer& writer : *writers) ARROW_RETURN_NOT_OK(writer.Flush());
    return arrow::Status::OK();
  }

  template <typename Work>
  arrow::Status ForPartitions(const char* step, Work work) {
    std::atomic<size_t> done = 0;
    return ParallelFor(resources_.threads, partitions_, [&](int thread, size_t partition) {
      ARROW_RETURN_NOT_OK(work(static_cast<size_t>(thread), partition));
      const size_t finished = ++done;
      if (thread == 0 && step != nullptr) on_step_(step, finished, partitions_);
      return arrow::Status::OK();
    });
  }

  // --- 1 and 2: paragraphs and their buckets ---

  struct StoreState {
    explicit StoreState(EntryMaker maker) : entries(std::move(maker)) {}
    ParagraphStorer storer;
    EntryMaker entries;
  };

  arrow::Status StoreParagraphs(SpillPartitions* entries) {
    std::vector<StoreState> states(static_cast<size_t>(resources_.threads),
                                   StoreState(EntryMaker(options_, partitions_)));
    auto writers = Writers(entries);
    ARROW_RETURN_NOT_OK(ForPartitions("signatures", [&](size_t thread, size_t partition) -> arrow::Status {
      StoreState& state = states[thread];
      ARROW_ASSIGN_OR_RAISE(const Bytes counted, paragraphs_.Take(partition));
      ARROW_ASSIGN_OR_RAISE(const std::span<const char> stored, state.storer.Store(counted));
      const StoredParagraphs paragraphs(stored);
      sizes_[partition] = paragraphs.size();
      if (stored.empty()) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(state.entries.Make(paragraphs, partition, &writers[thread]));
      return stored_.AppendChunk(partition, stored);
    }));
    ARROW_RETURN_NOT_OK(Flush(&writers));
    for (const StoreState& state : states) {
      counts_.text_bytes += state.storer.text_bytes();
      counts_.buckets_entries += state.entries.entries();
    }
    for (const size_t size : sizes_) counts_.paragraphs += static_cast<int64_t>(size);
    return arrow::Status::OK();
  }

  // --- 3: pairs ---

  // Large buckets are put aside, and taken up again with what each paragraph keeps of them.
  arrow::Status PairBuckets(SpillPartitions* entries, SpillPartitions* pairs) {
    auto pair_writers = Writers(pairs, 2);
    SpillPartitions aside(partitions_, resources_.budget, resources_.space);  // by paragraph
    SpillPartitions kept(partitions_, resources_.budget, resources_.space);   // by bucket
    auto kept_writers = Writers(&kept, 2);
    {
      auto aside_writers = Writers(&aside, 2);
      ARROW_RETURN_NOT_OK(ForPartitions("candidates", [&](size_t thread, size_t partition) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Bytes bytes, entries->Take(partition));
        return PairSmallBuckets(bytes, partitions_, &pair_writers[thread], &aside_writers[thread],
                                &kept_writers[thread]);
      }));
      ARROW_RETURN_NOT_OK(Flush(&aside_writers));
    }
    ARROW_RETURN_NOT_OK(ForPartitions(nullptr, [&](size_t thread, size_t partition) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, aside.Take(partition));
      return KeepLeast(Records<BucketEntry>(bytes), partitions_, &kept_writers[thread]);
    }));
    ARROW_RETURN_NOT_OK(Flush(&kept_writers));
    ARROW_RETURN_NOT_OK(ForPartitions(nullptr, [&](size_t thread, size_t partition) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, kept.Take(partition));
      return PairLargeBuckets(bytes, &pair_writers[thread]);
    }));
    return Flush(&pair_writers);
  }

  // Windows by rank, which cross the borders of partitions: each rotation is walked in order.
  arrow::Status PairWindows(SpillPartitions* entries, SpillPartitions* pairs) {
    auto writers = Writers(pairs);
    const auto rotations = static_cast<size_t>(options_.rotations);
    const size_t ranges = RotationPartitions(partitions_, options_.rotations);
    ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, rotations, [&](int thread, size_t rotation) -> arrow::Status {
      std::vector<BucketEntry> window;  // the last ranks of the partitions before, then those of this one
      for (size_t i = 0; i < ranges; ++i) {
        ARROW_ASSIGN_OR_RAISE(const Bytes bytes, entries->Take(rotation * ranges + i));
        ARROW_RETURN_NOT_OK(
            PairRanks(Records<BucketEntry>(bytes), options_.window, &window, &writers[static_cast<size_t>(thread)]));
      }
      return arrow::Status::OK();
    }));
    return Flush(&writers);
  }

  // --- 4: comparisons and groups ---

  // Rows of pairs by the partition of their first paragraph are compared in order. Texts that do not lie in memory are
  // read for some rows at a time, and beside them those of one partition after another.
  arrow::Status ComparePairs(SpillPartitions* pairs, SpillPartitions* taken, SpillPartitions* near) {
    taken_.resize(partitions_);
    for (size_t i = 0; i < partitions_; ++i) taken_[i].resize(sizes_[i]);
    row_pairs_.resize(partitions_);
    blocks_.resize(partitions_);
    const bool resident = LoadResident();
    taken_to_.emplace(taken, buffer_bytes_);
    near_to_.emplace(near, buffer_bytes_);
    if (options_.groups == GroupMethod::kComponents) ARROW_RETURN_NOT_OK(StartComponents());
    for (size_t first = 0; first < partitions_;) {
      const size_t last = LastRow(*pairs, first, resident);
      if (last - first == 1 && pairs->bytes(first) > 2 * MostRowBytes()) {
        ARROW_RETURN_NOT_OK(CompareLargeRow(pairs, first, resident));
      } else {
        ARROW_RETURN_NOT_OK(LoadRows(pairs, first, last, resident ? partitions_ : last));
        ARROW_RETURN_NOT_OK(CompareLoaded(first, last, resident));
      }
      first = last;
      on_step_("comparisons", first, partitions_);
    }
    if (options_.groups == GroupMethod::kComponents) ARROW_RETURN_NOT_OK(TakeComponents());
    ARROW_RETURN_NOT_OK(taken_to_->Flush());
    return near_to_->Flush();
  }

  // Bytes of pairs that are loaded at once.
  int64_t MostRowBytes() const { return resources_.memory / 8; }

  arrow::Status CompareLoaded(size_t first, size_t last, bool resident) {
    if (resident) {
      ARROW_RETURN_NOT_OK(CompareRows(first, last, 0, partitions_));
    } else {
      for (size_t i = first; i < last; ++i) {
        ARROW_RETURN_NOT_OK(LoadBlock(i));
      }
      ARROW_RETURN_NOT_OK(CompareRows(first, last, 0, last));
      for (size_t block = last; block < partitions_; ++block) {
        ARROW_RETURN_NOT_OK(LoadBlock(block));
        ARROW_RETURN_NOT_OK(CompareRows(first, last, block, block + 1));
        blocks_[block] = {};
      }
      for (size_t i = first; i < last; ++i) blocks_[i] = {};
    }
    for (size_t i = first; i < last; ++i) row_pairs_[i] = {};
    return arrow::Status::OK();
  }

  // A row of more pairs than may be loaded: those of variants of one text, whose leaders are near each other. It is cut
  // between first paragraphs.
  arrow::Status CompareLargeRow(SpillPartitions* pairs, size_t row, bool resident) {
    std::vector<uint32_t> counts(sizes_[row]);
    SpillPartitions copy(1, resources_.budget, resources_.space);
    ARROW_RETURN_NOT_OK(pairs->TakeChunks(row, [&](std::span<const char> bytes) {
      for (const CandidatePair& pair : AsPairs(bytes)) ++counts[LocalOf(pair.first)];
      return copy.AppendChunk(0, bytes);
    }));
    const auto most = static_cast<uint64_t>(MostRowBytes()) / sizeof(CandidatePair);
    uint64_t sum = 0;
    uint32_t pieces = 0;
    for (uint32_t& count : counts) {  // becomes the number of the piece
      if (sum > 0 && sum + count > most) {
        ++pieces;
        sum = 0;
      }
      sum += count;
      count = pieces;
    }
    SpillPartitions parts(size_t{pieces} + 1, resources_.budget, resources_.space);
    {
      SpillPartitions::Writer writer(&parts, buffer_bytes_);
      ARROW_RETURN_NOT_OK(copy.TakeChunks(0, [&](std::span<const char> bytes) -> arrow::Status {
        for (const CandidatePair& pair : AsPairs(bytes)) {
          ARROW_RETURN_NOT_OK(writer.AppendRecord(counts[LocalOf(pair.first)], pair));
        }
        return arrow::Status::OK();
      }));
      ARROW_RETURN_NOT_OK(writer.Flush());
    }
    for (size_t piece = 0; piece < parts.size(); ++piece) {
      ARROW_ASSIGN_OR_RAISE(row_pairs_[row], SortedPairs(&parts, piece, resident ? partitions_ : row + 1));
      counts_.candidates += static_cast<int64_t>(row_pairs_[row].count);
      ARROW_RETURN_NOT_OK(CompareLoaded(row, row + 1, resident));
    }
    return arrow::Status::OK();
  }

  static std::span<const CandidatePair> AsPairs(std::span<const char> bytes) {
    return {reinterpret_cast<const CandidatePair*>(bytes.data()), bytes.size() / sizeof(CandidatePair)};
  }

  // Texts stay in memory where they are when all are there.
  bool LoadResident() {
    for (size_t i = 0; i < partitions_; ++i) {
      if (!stored_.InMemory(i)) return false;
    }
    if (!resources_.budget->TryReserve(counts_.paragraphs * static_cast<int64_t>(sizeof(uint32_t)))) return false;
    for (size_t i = 0; i < partitions_; ++i) blocks_[i] = StoredParagraphs(*stored_.InMemory(i));
    return true;
  }

  arrow::Status LoadBlock(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, stored_.Read(partition));
    blocks_[partition] = StoredParagraphs(std::move(bytes));
    return arrow::Status::OK();
  }

  size_t LastRow(const SpillPartitions& pairs, size_t first, bool resident) const {
    const int64_t most = MostRowBytes();
    const size_t most_rows = 4 * static_cast<size_t>(resources_.threads);
    int64_t texts = 0;
    int64_t pair_bytes = 0;
    size_t last = first;
    while (last < partitions_) {
      texts += resident ? 0 : stored_.bytes(last) + static_cast<int64_t>(sizes_[last] * sizeof(uint32_t));
      pair_bytes += pairs.bytes(last);
      if (last > first && (pair_bytes > most || texts > most || (resident && last - first >= most_rows))) break;
      ++last;
    }
    return last;
  }

  struct RowPairs {
    Bytes bytes;
    size_t count = 0;
    std::span<const CandidatePair> pairs() const { return Records<CandidatePair>(bytes).first(count); }
  };

  // A partition's pairs, sorted by the block that their second paragraph is in (blocks before `near_end` are one), then
  // by themselves, without repeats.
  static arrow::Result<RowPairs> SortedPairs(SpillPartitions* pairs, size_t partition, size_t near_end) {
    const auto block = [near_end](const CandidatePair& pair) {
      const size_t of = PartitionOf(pair.second);
      return of < near_end ? 0 : of;
    };
    const auto before = [&block](const CandidatePair& a, const CandidatePair& b) {
      if (block(a) != block(b)) return block(a) < block(b);
      return a < b;
    };
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, pairs->Take(partition));
    const std::span<CandidatePair> all = Records<CandidatePair>(bytes);
    std::sort(all.begin(), all.end(), before);
    const auto distinct = static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
    return RowPairs{std::move(bytes), distinct};
  }

  arrow::Status LoadRows(SpillPartitions* pairs, size_t first, size_t last, size_t near_end) {
    ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, last - first, [&](int, size_t i) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(row_pairs_[first + i], SortedPairs(pairs, first + i, near_end));
      return arrow::Status::OK();
    }));
    for (size_t i = first; i < last; ++i) counts_.candidates += static_cast<int64_t>(row_pairs_[i].count);
    return arrow::Status::OK();
  }

  // Compares the pairs of rows whose second paragraph lies in blocks [block, block_end).
  arrow::Status CompareRows(size_t first, size_t last, size_t block, size_t block_end) {
    for (size_t row = first; row < last; ++row) {
      const std::span<const CandidatePair> pairs = row_pairs_[row].pairs();
      const auto begin =
          block == 0 ? pairs.begin() : std::ranges::partition_point(pairs, [&](const CandidatePair& pair) {
            return PartitionOf(pair.second) < block;
          });
      // Some at a time, so that a pair whose paragraphs are taken meanwhile is not compared, and memory is bounded.
      for (auto at = begin; at != pairs.end() && PartitionOf(at->second) < block_end;) {
        selected_.clear();
        for (; at != pairs.end() && PartitionOf(at->second) < block_end && selected_.size() < kMostSelected; ++at) {
          if (compare_all_ || (!IsTaken(at->first) && !IsTaken(at->second))) selected_.push_back(*at);
        }
        ARROW_RETURN_NOT_OK(CompareSelected());
        ARROW_RETURN_NOT_OK(TakeNear());
      }
    }
    return arrow::Status::OK();
  }

  static constexpr size_t kMostSelected = size_t{1} << 16;

  // Fills near_ for the selected pairs.
  arrow::Status CompareSelected() {
    constexpr size_t kPiece = 1024;
    near_.assign(selected_.size(), 0);
    comparers_.resize(static_cast<size_t>(resources_.threads));
    counts_.compared += static_cast<int64_t>(selected_.size());
    const size_t pieces = (selected_.size() + kPiece - 1) / kPiece;
    const int threads = pieces > 1 ? resources_.threads : 1;
    return ParallelFor(threads, pieces, [&](int thread, size_t piece) {
      CompareState& state = comparers_[static_cast<size_t>(thread)];
      const size_t end = std::min(selected_.size(), (piece + 1) * kPiece);
      for (size_t i = piece * kPiece; i < end; ++i) {
        const CandidatePair& pair = selected_[i];
        if (i == piece * kPiece || pair.first != selected_[i - 1].first) {
          state.comparer.SetPivot(Comparable(pair.first, &state.pivot));
        }
        near_[i] = state.comparer.IsNear(Comparable(pair.second, &state.other)) ? 1 : 0;
      }
      return arrow::Status::OK();
    });
  }

  const StoredHeader& Paragraph(uint64_t number) const { return blocks_[PartitionOf(number)][LocalOf(number)]; }

  ComparableText Comparable(uint64_t number, std::u32string* points) const {
    return uzushio::Comparable(Paragraph(number), points);
  }

  // Lets pivots take what is near, in order.
  arrow::Status TakeNear() {
    for (size_t i = 0; i < selected_.size(); ++i) {
      if (near_[i] == 0) continue;
      ++counts_.near;
      const auto [first, second] = selected_[i];
      if (sink_.wants_pairs()) {
        ARROW_RETURN_NOT_OK(
            near_to_->AppendRecord(PartitionOf(first), HashPair{Paragraph(first).hash, Paragraph(second).hash}));
      }
      if (options_.groups == GroupMethod::kComponents) {
        Unite(Dense(first), Dense(second));
      } else if (!IsTaken(first) && !IsTaken(second)) {
        ARROW_RETURN_NOT_OK(Take(second, Paragraph(second).hash, Paragraph(first).hash));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Take(uint64_t paragraph, int64_t hash, int64_t pivot_hash) {
    taken_[PartitionOf(paragraph)][LocalOf(paragraph)] = true;
    return taken_to_->AppendRecord(PartitionOf(paragraph), HashPair{pivot_hash, hash});
  }

  bool IsTaken(uint64_t paragraph) const { return taken_[PartitionOf(paragraph)][LocalOf(paragraph)]; }

  // --- components, for comparison: union by the lesser number, in memory ---

  arrow::Status StartComponents() {
    const int64_t bytes = counts_.paragraphs * static_cast<int64_t>(sizeof(uint64_t));
    if (bytes > resources_.memory / 4) {
      return arrow::Status::Invalid("--groups components needs --memory ", (bytes >> 18) + 1, "MiB for ",
                                    counts_.paragraphs, " distinct paragraphs");
    }
    starts_.assign(1, 0);
    for (const size_t size : sizes_) starts_.push_back(starts_.back() + size);
    parents_.resize(starts_.back());
    std::iota(parents_.begin(), parents_.end(), uint64_t{0});
    return arrow::Status::OK();
  }

  uint64_t Dense(uint64_t paragraph) const { return starts_[PartitionOf(paragraph)] + LocalOf(paragraph); }

  uint64_t Root(uint64_t at) {
    while (parents_[at] != at) {
      parents_[at] = parents_[parents_[at]];
      at = parents_[at];
    }
    return at;
  }

  void Unite(uint64_t a, uint64_t b) {
    a = Root(a);
    b = Root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  arrow::Status TakeComponents() {
    // Hashes of the roots, all in memory as the parents are.
    std::vector<int64_t> hashes;
    hashes.reserve(parents_.size());
    for (size_t partition = 0; partition < partitions_; ++partition) {
      ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Stored(partition));
      for (size_t local = 0; local < paragraphs.size(); ++local) hashes.push_back(paragraphs[local].hash);
    }
    for (size_t partition = 0; partition < partitions_; ++partition) {
      for (size_t local = 0; local < sizes_[partition]; ++local) {
        const uint64_t at = starts_[partition] + local;
        const uint64_t root = Root(at);
        if (root != at) ARROW_RETURN_NOT_OK(Take(ParagraphNumber(partition, local), hashes[at], hashes[root]));
      }
    }
    return arrow::Status::OK();
  }

  // --- 5: frequencies ---

  arrow::Result<StoredParagraphs> Stored(size_t partition) const {
    if (const auto bytes = stored_.InMemory(partition)) return StoredParagraphs(*bytes);
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, stored_.Read(partition));
    return StoredParagraphs(std::move(bytes));
  }

  arrow::Status SumGroups(SpillPartitions* taken, SpillPartitions* rows) {
    SpillPartitions shares(partitions_, resources_.budget, resources_.space);
    auto share_writers = Writers(&shares);
    ARROW_RETURN_NOT_OK(ForPartitions("groups", [&](size_t thread, size_t partition) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Stored(partition));
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, taken->Take(partition));
      return ShareGroups(paragraphs, Records<HashPair>(bytes), partitioning_, &share_writers[thread]);
    }));
    ARROW_RETURN_NOT_OK(Flush(&share_writers));

    auto row_writers = Writers(rows);
    std::vector<GroupSizes> sizes(static_cast<size_t>(resources_.threads));
    ARROW_RETURN_NOT_OK(ForPartitions("frequencies", [&](size_t thread, size_t partition) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, shares.Take(partition));
      return uzushio::SumGroups(Records<GroupShare>(bytes), &sizes[thread],
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
    const size_t step = 2 * static_cast<size_t>(resources_.threads);
    std::vector<Bytes> sorted(step);
    for (size_t first = 0; first < partitions_; first += step) {
      const size_t last = std::min(partitions_, first + step);
      ARROW_RETURN_NOT_OK(ParallelFor(resources_.threads, last - first, [&](int, size_t i) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(sorted[i], rows->Take(first + i));
        std::ranges::sort(Records<StatisticsRow>(sorted[i]), {}, &StatisticsRow::hash);
        return arrow::Status::OK();
      }));
      for (size_t partition = first; partition < last; ++partition) {
        ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Stored(partition));
        const std::span<StatisticsRow> all = Records<StatisticsRow>(sorted[partition - first]);
        for (size_t local = 0; local < all.size(); ++local) {
          const StoredHeader& paragraph = paragraphs[local];
          ARROW_RETURN_NOT_OK(sink_.Row(all[local], paragraph.text(), paragraph.given_repr));
        }
      }
      on_step_("writing", last, partitions_);
    }
    return arrow::Status::OK();
  }

  arrow::Status WritePairs(SpillPartitions* near) {
    for (size_t partition = 0; partition < partitions_; ++partition) {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, near->Take(partition));
      const std::span<HashPair> pairs = Records<HashPair>(bytes);
      std::ranges::sort(pairs);
      for (const HashPair& pair : pairs) ARROW_RETURN_NOT_OK(sink_.Pair(pair.first, pair.second));
    }
    return arrow::Status::OK();
  }

  SpillPartitions& paragraphs_;
  const HashPartitioning& partitioning_;
  const NearDuplicateOptions& options_;
  const NearDuplicateResources& resources_;
  NearDuplicateSink& sink_;
  const std::function<void(const char*, size_t, size_t)>& on_step_;
  const size_t partitions_;
  const size_t buffer_bytes_;
  SpillPartitions stored_;
  std::vector<size_t> sizes_;  // paragraphs of each partition
  NearDuplicateCounts counts_;
  bool compare_all_ = false;

  // Of the comparison.
  struct CompareState {
    Comparer comparer;
    std::u32string pivot;
    std::u32string other;
  };
  std::vector<StoredParagraphs> blocks_;  // by partition; those that are loaded
  std::vector<RowPairs> row_pairs_;       // by partition of the first; those that are loaded
  std::vector<std::vector<bool>> taken_;  // by partition and place
  std::vector<CandidatePair> selected_;
  std::vector<uint8_t> near_;  // whether the selected are
  std::vector<CompareState> comparers_;
  std::optional<SpillPartitions::Writer> taken_to_;
  std::optional<SpillPartitions::Writer> near_to_;
  std::vector<uint64_t> starts_;   // of the partitions, in dense numbers; of components
  std::vector<uint64_t> parents_;  // by dense number; of components
};

}  // namespace

arrow::Status NearDuplicateSink::Pair(int64_t /*first*/, int64_t /*second*/) { return arrow::Status::OK(); }

namespace {

// Of the working memory, what writers may buffer; and what they had better have, lest pieces get too many.
constexpr int64_t kBufferShare = 4;
constexpr int64_t kGoodBufferBytes = int64_t{8} << 10;

}  // namespace

int PartitionBits(int64_t text_bytes, int64_t memory, int threads) {
  constexpr int kMin = 6;
  constexpr int kMax = 12;
  const int64_t wanted = 32 * text_bytes / memory;
  const int64_t most = memory / kBufferShare / kGoodBufferBytes / threads;
  return std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(std::min(wanted, most)))) - 1, kMin, kMax);
}

size_t PartitionBufferBytes(int64_t memory, int threads, size_t partitions) {
  const int64_t share = memory / kBufferShare / (threads * static_cast<int64_t>(partitions));
  return static_cast<size_t>(std::clamp<int64_t>(share, 1 << 10, 64 << 10));
}

arrow::Result<NearDuplicateCounts> FindNearDuplicates(SpillPartitions* paragraphs, const HashPartitioning& partitioning,
                                                      const NearDuplicateOptions& options,
                                                      const NearDuplicateResources& resources, NearDuplicateSink* sink,
                                                      const std::function<void(const char*, size_t, size_t)>& on_step) {
  return Finder(paragraphs, partitioning, options, resources, sink, on_step).Run();
}

}  // namespace uzushio
