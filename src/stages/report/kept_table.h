// How much a chain keeps when its thresholds move, exactly and at once: `uzushio report --serve`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stages/report/kept_columns.h"

namespace uzushio {

// The numbers that filters go by, by filter.
struct KeptQuestion {
  std::vector<std::vector<double>> thresholds;  // of those that a parameter moves, in their order
  std::vector<std::optional<double>> expected;  // of those that remove documents at random
};

struct KeptSum {
  int64_t documents = 0;
  int64_t characters = 0;  // code points, after the chain's filters of paragraphs
  int64_t bytes = 0;
  void Add(const KeptSum& other);
  bool operator==(const KeptSum&) const = default;
};

struct KeptAnswer {
  KeptSum kept;                  // documents that no filter removes, and of which something is left
  std::vector<KeptSum> removed;  // by each filter first, in order
};

// For each filter of a chain a bit for each document that it removes, and what they are made of.
class KeptTable {
 public:
  // Reads a table of metrics. Errors: those of ReadKeptColumns.
  static arrow::Result<std::unique_ptr<KeptTable>> Read(const MetricsTable& table, int threads,
                                                        const ReaderMemory& memory);

  // What the chain itself says.
  const KeptQuestion& chain() const { return chain_; }
  // Makes the bits of those filters anew that are asked with other numbers than before, and counts those documents
  // anew for which that makes a difference. One call at a time.
  // Invalid: it has more or fewer filters or numbers than the chain.
  arrow::Result<KeptAnswer> Ask(const KeptQuestion& question);

 private:
  struct Recount;
  KeptTable(KeptColumns columns, std::vector<StepRule> rules, int threads);
  arrow::Status CheckQuestion(const KeptQuestion& question) const;
  std::vector<size_t> Changed(const KeptQuestion& question) const;
  void Mark(size_t filter, const KeptQuestion& question, size_t begin, size_t end);
  void Move(const KeptQuestion& question, const std::vector<size_t>& changed, size_t begin, size_t end,
            Recount* recount);
  void CountWord(size_t word, size_t begin, Recount* recount) const;

  KeptColumns columns_;
  std::vector<StepRule> rules_;
  int threads_;
  KeptQuestion chain_;
  // Of the last question, if there was one.
  std::optional<KeptQuestion> asked_;
  KeptAnswer answer_;
  std::vector<std::vector<uint64_t>> removed_;  // by filter; empty: it removes no document ever
};

// Answers what was posted, JSON, from one of the tables, as JSON. Invalid: it is no question; it says what is wrong.
arrow::Result<std::string> AnswerKept(const std::vector<std::unique_ptr<KeptTable>>& tables, const std::string& body);

}  // namespace uzushio
