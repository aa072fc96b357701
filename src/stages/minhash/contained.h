// From passages of documents to the documents that are contained in longer ones; out of core.
//
// Documents are taken that are no duplicates so far. One of which the least share of its n-grams or more occurs in one
// other, longer one is contained in it. Where both have as many tokens, the one that stands higher is the container: so
// that the documents have an order, and the last container of a chain stays.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dedup/containment.h"
#include "dedup/priority.h"
#include "stages/minhash/followers.h"
#include "stages/minhash/options.h"

namespace uzushio {

// Documents by their sampled passages, in partitions, and their priorities by number.
class PassagePartitions {
 public:
  static arrow::Result<std::unique_ptr<PassagePartitions>> Create(const MinhashResources& resources);
  // The next document, from number 0 on: by one thread, before Finish.
  arrow::Status Add(std::span<const uint64_t> passages, uint64_t tokens, const Priority& priority);
  arrow::Status Finish();
  SpillPartitions* partitions() { return &partitions_; }
  // After Finish. Several threads may call.
  arrow::Result<Priority> PriorityOf(uint64_t number) const;

 private:
  explicit PassagePartitions(const MinhashResources& resources);
  arrow::Status WritePriorities();

  SpillPartitions partitions_;
  SpillPartitions::Writer writer_;
  SpillSpace* space_;
  std::unique_ptr<SpillFile> priorities_file_;
  std::vector<Priority> priorities_;  // that are not written yet
};

// What is to be compared: in partitions by containers.
class ContainerPartitions {
 public:
  ContainerPartitions(const MinhashResources& resources, uint64_t documents)
      : width_(documents / kPartitions + 1), partitions_(kPartitions, resources.budget, resources.space) {}
  size_t PartitionOf(uint64_t container) const { return container / width_; }
  SpillPartitions* partitions() { return &partitions_; }

 private:
  static constexpr size_t kPartitions = 64;
  uint64_t width_;
  SpillPartitions partitions_;
};

// Finds what is to be compared among documents without a bit in `gone`. `involved`, if not null, gets a bit for each of
// the documents. Returns the number of passages that more than kMostOfPassage of the documents have.
arrow::Result<uint64_t> FindContainers(const MinhashResources& resources, uint64_t documents, const DocumentBits& gone,
                                       PassagePartitions* passages, ContainerPartitions* containers,
                                       DocumentBits* involved);

// Reads what is compared of a document, for one thread.
using ReadDocument = std::function<arrow::Status(size_t thread, uint64_t number, std::string* text)>;

// Compares texts, and has `use` called with those of which a share of `least` or more is in another one, in order of
// numbers, some at a time: each with the longest of its containers, and with the share there.
arrow::Status FindContained(const MinhashResources& resources, const DocumentSets& sets, uint64_t documents,
                            const MinhashOptions& options, const PassagePartitions& passages,
                            ContainerPartitions* containers, const ReadDocument& read,
                            const std::function<arrow::Status(const std::vector<Duplicate>&)>& use,
                            const ShareCallback& on_progress);

}  // namespace uzushio
