// Every pair of near-duplicates of a dataset, by comparing all pairs whose lengths are near:
//   bench_truth STATS_DIR OUTPUT.parquet
// reads the texts of `uzushio stats --intermediate` and writes hash, otherHash, meanLength and similarity (in
// millionths): the Jaccard index of long paragraphs, one less the edits per mean length of short ones.
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/parallel.h"
#include "paragraphs.h"

namespace uzushio {
namespace {

arrow::Status Run(const std::string& statistics, const std::string& output) {
  ARROW_ASSIGN_OR_RAISE(std::vector<BenchParagraph> paragraphs, ReadBenchParagraphs(statistics));
  std::ranges::stable_sort(paragraphs, {}, [](const BenchParagraph& p) { return p.text.size(); });
  const auto threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<TruePair> pairs;
  std::mutex mutex;
  std::vector<Comparer> comparers(static_cast<size_t>(threads));
  ARROW_RETURN_NOT_OK(ParallelFor(threads, paragraphs.size(), [&](int thread, size_t i) {
    const BenchParagraph& pivot = paragraphs[i];
    Comparer& comparer = comparers[static_cast<size_t>(thread)];
    comparer.SetPivot(pivot.comparable());
    for (size_t j = i + 1; j < paragraphs.size(); ++j) {
      const BenchParagraph& other = paragraphs[j];
      if (!LengthsAreNear(pivot.text.size(), other.text.size())) break;
      if (!comparer.IsNear(other.comparable())) continue;
      const TruePair pair = MakePair(pivot, other);
      const std::lock_guard lock(mutex);
      pairs.push_back(pair);
    }
    return arrow::Status::OK();
  }));
  std::ranges::sort(pairs, {}, [](const TruePair& p) { return std::pair(p.hash, p.other_hash); });
  return WritePairs(pairs, output);
}

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_truth STATS_DIR OUTPUT.parquet\n");
    return 2;
  }
  const arrow::Status status = uzushio::Run(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
