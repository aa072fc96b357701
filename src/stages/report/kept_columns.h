// A table of metrics in memory: what filters of documents look at.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "stages/report/metrics_table.h"

namespace uzushio {

inline constexpr size_t kDocumentsOfWord = 64;

// Each of these has a value for each document, and more that stand for none up to whole words of bits: NaN and 0.
struct KeptColumns {
  int64_t documents = 0;
  // By the chain's columns: rounded to 32 bits where nothing looks at more; none where no parameter is compared with
  // it.
  std::vector<std::variant<std::monostate, std::vector<float>, std::vector<double>>> metrics;
  std::vector<uint32_t> characters;  // code points, after the chain's filters of paragraphs
  std::vector<uint32_t> bytes;
  std::vector<double> random;                // in [0, 1), where a filter goes by it; else empty
  std::vector<std::vector<uint64_t>> fixed;  // by filter: bits of documents that no parameter keeps; empty: none ever

  size_t words() const { return (static_cast<size_t>(documents) + kDocumentsOfWord - 1) / kDocumentsOfWord; }
};

// Bytes that KeptTable takes for a table.
int64_t KeptBytes(const MetricsTable& table);

// Errors: those of MetricsTable::Read; a document of 2^32 characters or bytes.
arrow::Result<KeptColumns> ReadKeptColumns(const MetricsTable& table, int threads, const ReaderMemory& memory);

}  // namespace uzushio
