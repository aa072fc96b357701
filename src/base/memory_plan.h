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

// Of one thread that reads records or texts. What passes this is refused, with the memory that would do.
struct ReaderMemory {
  int64_t decoding = 0;  // by Parquet for what it decodes: pages, dictionaries, values; or a line of JSON
  int64_t record = 0;    // of one record: stages hold it several times over
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
// Of one file, for each thread: batches that are read and not written yet.
inline constexpr int64_t kExtractAheadBytes = 4 * kMiB;

// --- filter and metrics ---

inline constexpr FixedMemory kFilterMemory = {128 * kMiB, 64 * kMiB};
inline constexpr FixedMemory kMetricsMemory = {192 * kMiB, 64 * kMiB};

// Least memory for results that wait for their turn.
inline constexpr int64_t kLeastResults = 16 * kMiB;

// A thread's 64 MiB and its part of the spare memory: half for decoding, a sixth for a record, which is there as it was
// read, as paragraphs, as what is left of these, and as the output's column.
constexpr ReaderMemory PlanRecordReader(int64_t thread) { return {thread / 2, thread / 6}; }

struct FilterPlan {
  int64_t results = 0;  // that wait for their turn: 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/2
};
constexpr FilterPlan PlanFilter(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kFilterMemory.With(threads));
  return {std::max(kLeastResults, spare / 2), PlanRecordReader(kFilterMemory.thread + spare / 2 / threads)};
}

struct MetricsPlan {
  int64_t results = 0;  // 1/4 of the spare memory
  int64_t sorter = 0;   // of --sorted-by: 1/2
  ReaderMemory reader;  // of each thread: of 1/4
};
constexpr MetricsPlan PlanMetrics(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kMetricsMemory.With(threads));
  return {std::max(kLeastResults, spare / 4), spare / 2 + 32 * kMiB,
          PlanRecordReader(kMetricsMemory.thread + spare / 4 / threads)};
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

  static constexpr StatisticsPlan Of(int64_t step, int64_t partitions, int64_t reader) {
    return {step, partitions, step / 4, step / 8, step / 4, {reader, reader / 2}};
  }
};
// 2/5 of the spare memory for steps, 3/5 for partitions. While documents are read, writers have their buffers, and a
// thread's reader the rest of the steps' memory and half of what the thread has.
constexpr StatisticsPlan PlanStatistics(int64_t memory, int threads) {
  const int64_t step = (memory - kStatisticsMemory.With(threads)) * 2 / 5;
  return StatisticsPlan::Of(step, step * 3 / 2, kStatisticsMemory.thread / 2 + step * 3 / 4 / threads);
}
// The search for near-duplicates that a Python program feeds.
constexpr StatisticsPlan PlanSearch(int64_t memory, int threads) {
  const int64_t step = (memory - kLeastStatisticsMemory.With(threads)) / 2 + 32 * kMiB;
  return StatisticsPlan::Of(step, step * 3 / 2, 0);
}
// A task on Spark: a thread of a process that others share. A third of what it has, without half of the least, for its
// step, two thirds for its partitions.
inline constexpr int64_t kLeastTaskMemory = 64 * kMiB;
constexpr StatisticsPlan PlanTask(int64_t memory) {
  const int64_t step = (memory - kLeastTaskMemory / 2) / 3;
  return StatisticsPlan::Of(step, 2 * step, kLeastTaskMemory / 4 + step / 2);
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
  const int64_t reader = memory / 8 / threads;
  return {memory / 2, 64 * kMiB, {reader, reader / 2}};
}

}  // namespace uzushio
