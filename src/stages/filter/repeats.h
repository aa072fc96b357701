// Which elements of a run repeat earlier ones: what the filter DeduplicateElement goes by. Out of core: a pass over the
// documents writes the hash and the place of each element that comes to the filter to partitions; equal hashes come
// together there, and of each the first place is kept.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "filters/chain.h"
#include "filters/repeats.h"
#include "storage/spill.h"

namespace uzushio {

// What elements are compared by. Two different ones are taken for equal with a probability of some n^2 2^-129 for n
// elements (XXH3).
struct ElementHash {
  uint64_t high;
  uint64_t low;
};
ElementHash HashOfElement(std::string_view element);

// The elements of one filter that repeat earlier ones: their places, in order, on disk.
class RepeatedElements {
 public:
  // Reads the places of one piece from first to last.
  class Reader {
   public:
    Reader(const RepeatedElements* of, size_t piece);
    arrow::Result<bool> Next();
    // Whether as many elements were asked for as the piece had.
    bool is_at_end() const { return element_ == elements_; }

   private:
    const RepeatedElements* of_;
    size_t next_;  // in the file, in places
    size_t end_;
    uint64_t elements_;
    uint64_t element_ = 0;  // of the piece, that comes next
    std::vector<uint64_t> block_;
    size_t in_block_ = 0;
  };

 private:
  friend class RepeatFinder;
  std::unique_ptr<SpillFile> places_;
  std::vector<size_t> first_;       // place in the file, of each piece, and the one behind the last
  std::vector<uint64_t> elements_;  // of each piece
};

// Takes the elements of a run, piece by piece, and finds those that repeat earlier ones.
class RepeatFinder {
 public:
  RepeatFinder(size_t pieces, int threads, const RepeatsPlan& plan, SpillSpace* space);
  // One thread's way in. The elements of a piece come in order, to one thread.
  class Writer {
   public:
    explicit Writer(RepeatFinder* to);
    void Begin(size_t piece);
    arrow::Status Add(std::string_view element);
    arrow::Status Flush() { return writer_.Flush(); }

   private:
    RepeatFinder* to_;
    SpillPartitions::Writer writer_;
    size_t piece_ = 0;
  };
  // After all Writers are flushed.
  arrow::Result<std::unique_ptr<RepeatedElements>> Finish();

 private:
  struct Element {
    uint64_t high;
    uint64_t low;
    uint64_t place;  // the piece, and which of its elements
  };
  arrow::Status FindRepeats(size_t partition, SpillPartitions::Writer* repeats) const;
  arrow::Status FindEqual(SpillPartitions* from, size_t partition, SpillPartitions::Writer* repeats) const;
  arrow::Status AppendRepeat(uint64_t place, SpillPartitions::Writer* repeats) const;

  size_t pieces_;
  int threads_;
  RepeatsPlan plan_;
  SpillSpace* space_;
  MemoryBudget budget_;
  std::vector<uint64_t> counts_;  // of elements, of each piece
  mutable SpillPartitions elements_;
};

// The repeats of all filters of a chain that compare documents.
using ChainRepeats = std::vector<std::unique_ptr<RepeatedElements>>;  // null for the others

// Those of one piece of the input.
class PieceRepeats final : public RepeatMarks {
 public:
  PieceRepeats(const ChainRepeats& repeats, size_t piece);
  bool Next(size_t place) override;
  // After the piece's last document. Errors: what could not be read; other documents than those of the passes before.
  arrow::Status Finish() const;

 private:
  std::vector<std::optional<RepeatedElements::Reader>> readers_;
  arrow::Status status_;
};

// The same where another engine has found the repeats.
class GivenRepeats final : public RepeatMarks {
 public:
  // For each place of the chain that compares: which elements of the piece repeat earlier ones, in order, and behind
  // them how many elements it has. The spans are read as long as this is.
  explicit GivenRepeats(const std::map<size_t, std::span<const int64_t>>& repeats);
  bool Next(size_t place) override;
  // After the piece's last document. Errors: other documents than those of the passes before.
  arrow::Status Finish() const;

 private:
  struct Reader {
    std::span<const int64_t> left;
    int64_t element = 0;
  };
  std::map<size_t, Reader> readers_;
};

}  // namespace uzushio
