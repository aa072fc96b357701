// Who loses most to duplicates: documents that many others are duplicates of, and hosts and files of which many are.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "stages/minhash/followers.h"

namespace uzushio {

struct Loss {
  std::string name;
  uint64_t documents = 0;
  uint64_t lost = 0;  // of them
  double share() const { return documents == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(documents); }
};

// Adds up documents by name, out of core: each thread's sums go to partitions by a hash of the name, which are added up
// one at a time.
class LossCounter {
 public:
  explicit LossCounter(const MinhashResources& resources);

  // One thread's.
  class Writer {
   public:
    explicit Writer(LossCounter* counter);
    arrow::Status Add(std::string_view name, uint64_t documents, uint64_t lost);
    // Must be called before the sums are asked for.
    arrow::Status Flush();

   private:
    struct Sum {
      uint64_t documents = 0;
      uint64_t lost = 0;
    };
    arrow::Status WriteSums();
    std::unordered_map<std::string, Sum, TextHash> sums_;
    size_t name_bytes_ = 0;
    SpillPartitions::Writer writer_;
  };

  // Those who lose most, at most `most`: by documents that are lost, then by name. Once.
  arrow::Result<std::vector<Loss>> MostLost(size_t most);
  // The one that loses the greatest share, of those with so many documents; one without a name if there is none. Once.
  arrow::Result<Loss> GreatestShare(uint64_t least_documents);

 private:
  template <typename Use>
  arrow::Status ForEachSum(const Use& use);
  int64_t load_;
  size_t buffer_bytes_;
  SpillPartitions partitions_;
};

}  // namespace uzushio
