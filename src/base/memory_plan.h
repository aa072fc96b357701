// What memory is for: every share of it has its name here, and nowhere else.
//
// A run is bound by --memory: its resident memory stays below, 10 % above at most. First comes off what a stage takes
// whatever its input is: code, libraries, output, and for each thread buffers and the page or batch in hand. What is
// left, the spare memory, is shared out among the structures that grow with the input. A share is what a structure may
// hold, by its own count of bytes; what the C library and Arrow take besides for the same bytes is in the ratios.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace uzushio {

inline constexpr int64_t kMiB = int64_t{1} << 20;

// What a stage takes before any spare memory.
struct FixedMemory {
  int64_t process = 0;
  int64_t thread = 0;
  constexpr int64_t With(int threads) const { return process + threads * thread; }
};

// --- reading what others wrote ---

// A row group of ours is 12 MiB and may be one page: compressed, decompressed, and as values; and a text of 8 MiB is
// one line. No thread has less, or ordinary data would be refused.
inline constexpr int64_t kLeastDecoding = 40 * kMiB;

// Of one thread that reads records or texts. What passes this is refused, with the memory that would do.
struct ReaderMemory {
  int64_t decoding = 0;  // for what is decoded: pages of Parquet, dictionaries, values; a line of JSON, several times
  int64_t record = 0;    // of one record: stages hold it several times over
  int64_t whole = 0;     // what the run has
  int64_t cost = 0;      // bytes of the whole for one of decoding

  // A line of JSON is there as it was read, as a string that grows, and as a value.
  constexpr int64_t line() const { return decoding / 4; }
  // How much the run needs where a share of this thread, `bound` now, has to be `wanted`.
  constexpr int64_t WholeFor(int64_t wanted, int64_t bound) const {
    const int64_t spare = decoding > kLeastDecoding ? bound : 0;  // of it; the least is given where there is none
    return whole + (wanted - spare) * cost * ((decoding + bound - 1) / bound);
  }
};

// --- extract ---

// What a page may cost decides what a thread needs: the record that it is read from and the batch that it waits in, its
// content codings undone, its charset undone, its tree, its text.
constexpr int64_t ExtractMemory(int threads, size_t max_page_bytes, size_t max_text_bytes) {
  constexpr FixedMemory kFixed = {128 * kMiB, 16 * kMiB};
  const auto page = static_cast<int64_t>(max_page_bytes);
  const auto text = static_cast<int64_t>(max_text_bytes);
  return kFixed.With(threads) + threads * (4 * page + 2 * text);
}
// Of one file, for each thread: what is extracted and waits for its turn to be written.
inline constexpr int64_t kExtractResults = 4 * kMiB;
// A batch of records: what it holds of them, pages and damaged records alike.
inline constexpr int64_t kExtractBatch = kMiB / 4;

// --- filter and metrics ---

inline constexpr FixedMemory kFilterMemory = {128 * kMiB, 64 * kMiB};
inline constexpr FixedMemory kMetricsMemory = {192 * kMiB, 64 * kMiB};

// Least memory for results that wait for their turn.
inline constexpr int64_t kLeastResults = 16 * kMiB;

// Of a thread's 64 MiB and its part of the spare memory, 1/`share` of it all: three quarters for decoding; a sixth for
// a record, which is there as it was read, as paragraphs, as what is left of these, and as the output's column.
constexpr ReaderMemory PlanRecordReader(int64_t fixed, int64_t spare, int64_t share, int64_t memory, int threads) {
  const int64_t thread = fixed + spare / share / threads;
  return {thread * 3 / 4, thread / 6, memory, 4 * share * threads / 3 + 1};
}

struct FilterPlan {
  int64_t results = 0;  // that wait for their turn: 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/2
};
constexpr FilterPlan PlanFilter(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kFilterMemory.With(threads));
  return {std::max(kLeastResults, spare / 2), PlanRecordReader(kFilterMemory.thread, spare, 2, memory, threads)};
}

struct MetricsPlan {
  int64_t results = 0;  // 1/4 of the spare memory
  int64_t sorter = 0;   // of --sorted-by: 1/2
  ReaderMemory reader;  // of each thread: of 1/4
};
constexpr MetricsPlan PlanMetrics(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kMetricsMemory.With(threads));
  return {std::max(kLeastResults, spare / 4), spare / 2 + 32 * kMiB,
          PlanRecordReader(kMetricsMemory.thread, spare, 4, memory, threads)};
}

// Rows that a sorter keeps before they become a run: sorting makes a copy, and a copy of that.
constexpr int64_t SorterRows(int64_t sorter) { return sorter / 3; }

// --- stats and merge ---

inline constexpr FixedMemory kStatisticsMemory = {84 * kMiB, 20 * kMiB};
// The same with the least spare memory that is of use.
inline constexpr FixedMemory kLeastStatisticsMemory = {128 * kMiB, 32 * kMiB};

// Paragraphs, entries of buckets and pairs lie in partitions, in memory while these have room and then on disk.
struct StatisticsPlan {
  int64_t step = 0;        // what a step loads and makes at once, all threads together
  int64_t partitions = 0;  // what partitions hold in memory, all together
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t pairs = 0;       // that are loaded at once to be compared
  int64_t components = 0;  // --groups components: a number for each paragraph
  ReaderMemory reader;     // of each thread, while documents are read: no step works yet

  static constexpr StatisticsPlan Of(int64_t step, int64_t partitions, const ReaderMemory& reader) {
    return {step, partitions, step / 4, step / 8, step / 4, reader};
  }
};
// 2/5 of the spare memory for steps, 3/5 for partitions. While documents are read, writers have their buffers, and the
// readers of all threads the rest of the steps' memory.
constexpr StatisticsPlan PlanStatistics(int64_t memory, int threads) {
  const int64_t step = (memory - kStatisticsMemory.With(threads)) * 2 / 5;
  const int64_t reader = std::max(kLeastDecoding, kStatisticsMemory.thread / 2 + step * 3 / 4 / threads);
  return StatisticsPlan::Of(step, step * 3 / 2, {reader, reader / 2, memory, 10 * threads / 3 + 1});
}
// The search for near-duplicates that a Python program feeds.
constexpr StatisticsPlan PlanSearch(int64_t memory, int threads) {
  const int64_t step = (memory - kLeastStatisticsMemory.With(threads)) / 2 + 32 * kMiB;
  return StatisticsPlan::Of(step, step * 3 / 2, {});
}
// A task on Spark: a thread of a process that others share. A third of what it has, without half of the least, for its
// step, two thirds for its partitions.
inline constexpr int64_t kLeastTaskMemory = 64 * kMiB;
constexpr StatisticsPlan PlanTask(int64_t memory) {
  const int64_t step = (memory - kLeastTaskMemory / 2) / 3;
  return StatisticsPlan::Of(step, 2 * step, {});
}

// A partition's texts are at most this share of a step's memory: threads load one each, with what they make of it.
inline constexpr int64_t kPartitionsOfStep = 32;
// A writer's buffer for a partition: fewer bytes than `good` make too many pieces on disk.
struct WriterBuffer {
  int64_t least = int64_t{1} << 10;
  int64_t good = int64_t{8} << 10;
  int64_t most = int64_t{64} << 10;
};
inline constexpr WriterBuffer kWriterBuffer;

// --- train-lm ---

inline constexpr int64_t kLeastTrainMemory = 512 * kMiB;
struct TrainPlan {
  int64_t lmplz = 0;    // KenLM's own bound, in its process: 1/2
  int64_t results = 0;  // tokens that wait for their turn
  ReaderMemory reader;  // of each thread: of 1/8
};
constexpr TrainPlan PlanTrain(int64_t memory, int threads) {
  const int64_t reader = std::max(kLeastDecoding, memory / 8 / threads);
  return {memory / 2, 64 * kMiB, {reader, reader / 2, memory, int64_t{8} * threads}};
}

}  // namespace uzushio
