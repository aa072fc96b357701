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
constexpr int64_t ExtractMemory(int threads, size_t max_page_bytes, size_t max_text_bytes, size_t max_tree_bytes) {
  constexpr FixedMemory kFixed = {128 * kMiB, 16 * kMiB};
  const auto page = static_cast<int64_t>(max_page_bytes);
  const auto text = static_cast<int64_t>(max_text_bytes);
  const auto tree = static_cast<int64_t>(max_tree_bytes);
  return kFixed.With(threads) + threads * (3 * page + 2 * text + tree);
}
// What --main-content takes besides: what is known of a page's paragraphs and elements, and its text once more.
constexpr int64_t MainContentMemory(int threads, size_t max_text_bytes) {
  constexpr int64_t kParagraphs = 16 * kMiB;
  return threads * (kParagraphs + static_cast<int64_t>(max_text_bytes));
}
// What --full-data takes besides. A row may hold a page's bytes, headers as long, its paragraphs and where they and
// their links lie; it is there as it was extracted, as columns, and as a page of Parquet or a line of JSON, compressed,
// too.
constexpr int64_t FullDataMemory(int threads, size_t max_page_bytes, size_t max_text_bytes) {
  constexpr int64_t kRows = 16 * kMiB;
  return threads * (kRows + 6 * static_cast<int64_t>(max_page_bytes) + 10 * static_cast<int64_t>(max_text_bytes));
}
// What reading by an index takes besides: names of files, and ranges of a file that are on their way.
inline constexpr FixedMemory kIndexedMemory = {64 * kMiB, 8 * kMiB};
// While the index is read, pages are not.
struct IndexRowsPlan {
  int64_t sorter = 0;   // of rows: 1/4 of all
  int64_t names = 0;    // of files, until the end: what kIndexedMemory has, and 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/4 of all
};
constexpr IndexRowsPlan PlanIndexRows(int64_t memory, int64_t least, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - least);
  const int64_t reader = std::max(kLeastDecoding, memory / 4 / threads);
  return {memory / 4, kIndexedMemory.process + spare / 2, {reader, reader / 2, memory, int64_t{4} * threads}};
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
constexpr ReaderMemory PlanRowReader(int64_t fixed, int64_t spare, int64_t share, int64_t memory, int threads) {
  const int64_t thread = fixed + spare / share / threads;
  return {thread * 3 / 4, thread / 6, memory, 4 * share * threads / 3 + 1};
}

struct FilterPlan {
  int64_t results = 0;  // that wait for their turn: 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/2
};
constexpr FilterPlan PlanFilter(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kFilterMemory.With(threads));
  return {std::max(kLeastResults, spare / 2), PlanRowReader(kFilterMemory.thread, spare, 2, memory, threads)};
}

// Of passes that find elements which repeat others, in which there are no results.
struct RepeatsPlan {
  int64_t partitions = 0;  // what elements hold in memory before they are spilled: 1/4 of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t load = 0;        // of them that a thread loads at once
};
constexpr RepeatsPlan PlanRepeats(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kFilterMemory.With(threads));
  return {spare / 4, 8 * kMiB + spare / 16, 8 * kMiB + spare / 8 / threads};
}

struct MetricsPlan {
  int64_t results = 0;  // 1/4 of the spare memory
  int64_t sorter = 0;   // of --sorted-by: 1/2
  ReaderMemory reader;  // of each thread: of 1/4
};
constexpr MetricsPlan PlanMetrics(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kMetricsMemory.With(threads));
  return {std::max(kLeastResults, spare / 4), spare / 2 + 32 * kMiB,
          PlanRowReader(kMetricsMemory.thread, spare, 4, memory, threads)};
}

// Rows that a sorter keeps before they become a run: sorting makes a copy, and a copy of that.
constexpr int64_t SorterRows(int64_t sorter) { return sorter / 3; }

// --- hosts ---

inline constexpr FixedMemory kHostsMemory = {128 * kMiB, 64 * kMiB};
// Of what a temporary file holds, in order of hosts, that much is read at once.
inline constexpr int64_t kHostsBlock = kMiB / 4;

struct HostsPlan {
  int64_t totals = 0;   // of hosts, of all threads, before they go to a temporary file: 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/2
};
constexpr HostsPlan PlanHosts(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kHostsMemory.With(threads));
  return {int64_t{threads} * 4 * kMiB + spare / 2, PlanRowReader(kHostsMemory.thread, spare, 2, memory, threads)};
}

// --- overlap, robots-txt, and counts of groups for the report: what is read is put into partitions ---

inline constexpr FixedMemory kPartitionsMemory = {128 * kMiB, 64 * kMiB};

struct PartitionsPlan {
  int64_t partitions = 0;  // what rows hold in memory before they are spilled: 1/2 of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t load = 0;        // of them that a thread loads at once, of its 64 MiB and 1/8
  ReaderMemory reader;     // of each thread: of 1/4
};
constexpr PartitionsPlan PlanPartitions(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kPartitionsMemory.With(threads));
  return {spare / 2, 8 * kMiB + spare / 16, 8 * kMiB + spare / 8 / threads,
          PlanRowReader(kPartitionsMemory.thread, spare, 4, memory, threads)};
}

// --- report ---

inline constexpr FixedMemory kReportMemory = {256 * kMiB, 64 * kMiB};

struct ReportPlan {
  int64_t results = 0;  // of row groups, that wait for their turn: 1/2 of the spare memory
  ReaderMemory reader;  // of each thread: of 1/2
};
constexpr ReportPlan PlanReport(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kReportMemory.With(threads));
  return {std::max(kLeastResults, spare / 2), PlanRowReader(kReportMemory.thread, spare, 2, memory, threads)};
}

// Of a comparison by document.
struct DiffPlan {
  int64_t partitions = 0;  // what rows hold in memory before they are spilled: 1/2 of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t load = 0;        // of rows that a thread loads at once, and as much again and a half to sort them: of its 64
                           // MiB, and 1/8
  int64_t totals = 0;      // of hosts, of all threads, before they go to a temporary file
  ReaderMemory reader;     // of each thread: of 1/4
};
constexpr DiffPlan PlanDiff(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kReportMemory.With(threads));
  return {spare / 2, 8 * kMiB + spare / 16, 8 * kMiB + spare / 20 / threads, int64_t{threads} * 4 * kMiB + spare / 16,
          PlanRowReader(kReportMemory.thread, spare, 4, memory, threads)};
}

// --- stats and merge ---

inline constexpr FixedMemory kStatisticsMemory = {84 * kMiB, 20 * kMiB};
// The same with the least spare memory that is of use.
inline constexpr FixedMemory kLeastStatisticsMemory = {128 * kMiB, 32 * kMiB};

// Paragraphs, entries of buckets and pairs lie in partitions, in memory while these have room and then on disk. A step
// loads some records of one partition for each thread, or the texts of several for all.
struct StatisticsPlan {
  int64_t partitions = 0;  // what partitions hold in memory, all together: 45 % of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together: 15 %
  int64_t block = 0;       // texts that are loaded at once, for all threads, while nothing else is: 40 %
  int64_t load = 0;        // records that a thread loads at once; half as much again is for what is made of them
  ReaderMemory reader;     // of each thread, while documents are read: its part of `block`, as nothing is loaded yet

  constexpr int64_t spare() const { return partitions + buffers + block; }

  static constexpr StatisticsPlan Of(int64_t spare, int threads) {
    StatisticsPlan plan;
    plan.partitions = spare * 45 / 100;
    plan.buffers = spare * 15 / 100;
    plan.block = spare * 40 / 100;
    plan.load = plan.block * 2 / 3 / threads;
    return plan;
  }
};
constexpr StatisticsPlan PlanStatistics(int64_t memory, int threads) {
  StatisticsPlan plan = StatisticsPlan::Of(memory - kStatisticsMemory.With(threads), threads);
  const int64_t reader = std::max(kLeastDecoding, kStatisticsMemory.thread / 2 + plan.block / threads);
  plan.reader = {reader, reader / 2, memory, 5 * threads / 2 + 1};
  return plan;
}
// The search for near-duplicates that a Python program feeds: a quarter is for the rows, which are handed over in
// memory.
constexpr StatisticsPlan PlanSearch(int64_t memory, int threads) {
  return StatisticsPlan::Of((memory - kStatisticsMemory.With(threads)) * 3 / 4, threads);
}
// A task on Spark: a thread of a process that others share.
inline constexpr int64_t kLeastTaskMemory = 64 * kMiB;
constexpr StatisticsPlan PlanTask(int64_t memory) { return StatisticsPlan::Of(memory - kLeastTaskMemory / 2, 1); }

// A writer's buffer for a partition.
struct WriterBuffer {
  int64_t least = 512;
  int64_t good = int64_t{4} << 10;  // fewer bytes make too many pieces, each of which is written and read by itself
  int64_t most = int64_t{64} << 10;
};
inline constexpr WriterBuffer kWriterBuffer;

// --- minhash ---

inline constexpr FixedMemory kMinHashMemory = {128 * kMiB, 64 * kMiB};

struct MinHashPlan {
  int64_t partitions = 0;  // what documents in buckets hold in memory before they are spilled: 1/2 of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t load = 0;        // of them that a thread loads at once, of its 64 MiB and 1/8
  int64_t results = 0;     // that wait for their turn: 1/8
  ReaderMemory reader;     // of each thread: of 1/8
};
// Of a byte of a text whose edits are counted, or which Sudachi cuts: both documents' tokens and their numbers, and
// where each token stands in one of them. What two texts take decides how long a record may be.
inline constexpr int64_t kComparedByteCost = 32;
// What a thread has for that, besides.
inline constexpr int64_t kCompareMemory = 160 * kMiB;
constexpr FixedMemory MinHashMemory(bool compares) {
  return {kMinHashMemory.process, kMinHashMemory.thread + (compares ? kCompareMemory : 0)};
}
constexpr MinHashPlan PlanMinHash(int64_t memory, int threads, bool compares) {
  const int64_t spare = std::max<int64_t>(0, memory - MinHashMemory(compares).With(threads));
  MinHashPlan plan = {spare / 2, 8 * kMiB + spare / 16, 16 * kMiB + spare / 8 / threads,
                      std::max(kLeastResults, spare / 8),
                      PlanRowReader(kMinHashMemory.thread, spare, 8, memory, threads)};
  if (compares)
    plan.reader.record = std::min(plan.reader.record, (kCompareMemory + spare / 8 / threads) / kComparedByteCost);
  return plan;
}

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

// --- train-language and train-classifier ---

inline constexpr FixedMemory kTrainLanguageMemory = {96 * kMiB, 64 * kMiB};
// The same with the least spare memory that is of use.
inline constexpr FixedMemory kLeastTrainLanguageMemory = {128 * kMiB, 64 * kMiB};
struct TrainLanguagePlan {
  int64_t counts = 0;   // of n-grams, in the tables of all threads and their sum: 3/4 of the spare memory
  int64_t texts = 0;    // their n-grams, later, as LIBLINEAR takes them: the same 3/4
  ReaderMemory reader;  // of each thread: of 1/4
};
constexpr TrainLanguagePlan PlanTrainLanguage(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kTrainLanguageMemory.With(threads));
  return {spare / 4 * 3, spare / 4 * 3, PlanRowReader(kTrainLanguageMemory.thread, spare, 4, memory, threads)};
}

}  // namespace uzushio
