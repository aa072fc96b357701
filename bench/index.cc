// Look-ups of the frequency index, in millions a second:
//   bench_index ENTRIES FOLDER
// for batches of 4,096 hashes of which a half are there, in random order.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "dedup/grams.h"
#include "statistics/frequency_index.h"

namespace uzushio {
namespace {

arrow::Status Run(int64_t entries, const std::string& folder) {
  std::vector<int64_t> hashes(static_cast<size_t>(entries));
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = static_cast<int64_t>(Mix64(i + 1));
  std::vector<int64_t> queries;
  constexpr size_t kQueries = size_t{1} << 22;
  queries.reserve(kQueries);
  for (size_t i = 0; i < kQueries; ++i) {
    const uint64_t random = Mix64(~uint64_t{i});
    queries.push_back(i % 2 == 0 ? hashes[random % hashes.size()] : static_cast<int64_t>(random));
  }
  std::ranges::sort(hashes);
  const std::string path = std::filesystem::path(folder) / "bench.index";
  ARROW_ASSIGN_OR_RAISE(const auto writer, FrequencyIndexWriter::Create(path));
  for (const int64_t hash : hashes) ARROW_RETURN_NOT_OK(writer->Append({hash, 2, 3}));
  ARROW_RETURN_NOT_OK(writer->Finish());
  ARROW_ASSIGN_OR_RAISE(const auto index, FrequencyIndex::Open(path));
  std::filesystem::remove(path);
  std::vector<Frequencies> found(4096);
  for (int round = 0; round < 5; ++round) {
    int64_t there = 0;
    const auto start = std::chrono::steady_clock::now();
    for (size_t at = 0; at < queries.size(); at += found.size()) {
      index->LookUp(std::span(queries).subspan(at, found.size()), found);
      for (const Frequencies& frequencies : found) there += frequencies.near_freq > 1 ? 1 : 0;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (there < static_cast<int64_t>(kQueries / 2)) return arrow::Status::UnknownError("hashes are missing");
    std::printf("%.3f\n", static_cast<double>(queries.size()) / seconds / 1e6);
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_index ENTRIES FOLDER\n");
    return 2;
  }
  const arrow::Status status = uzushio::Run(std::atoll(argv[1]), argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
