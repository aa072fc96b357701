// The documents of a table of metrics by which a page moves thresholds.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "base/bottom_k.h"
#include "stages/report/metrics_table.h"

namespace uzushio {

// A uniform sample, the same however the table is read: the documents of the least SampleHash, of equal ones the first.
class DocumentSample {
 public:
  static constexpr uint8_t kNotFixed = 255;
  static constexpr uint8_t kLastFixed = 254;  // and all places behind

  struct Document {
    uint64_t hash = 0;
    int64_t row = 0;
    std::vector<float> metrics;
    TextSizes sizes;
    double random = 0;                  // of the document, where the chain samples
    uint8_t fixed_removed = kNotFixed;  // the place of the first filter that removes it by what no threshold moves

    bool operator<(const Document& other) const { return std::tie(hash, row) < std::tie(other.hash, other.row); }
  };

  // So many documents of this table, at most.
  DocumentSample(const MetricsTable& table, size_t most);

  void Add(const MetricRows& rows);
  void Merge(DocumentSample other);
  // The greatest hash that may still be in it.
  uint64_t Bound() const;
  // Leaves out documents of greater hashes.
  void Lower(uint64_t bound) { bound_ = std::min(bound_, bound); }
  // In order. After it, there are none.
  std::vector<Document> Take() { return kept_.Take(); }

 private:
  Document DocumentAt(const MetricRows& rows, int64_t row, uint64_t hash) const;

  const MetricsTable* table_;
  bool is_random_;
  bool is_normal_;
  uint64_t bound_ = UINT64_MAX;
  BottomK<Document> kept_;
};

// The first `count` of them as the page takes them: `documents`, `of`, and arrays as base64 of little-endian numbers:
// `characters`, `bytes`, `allCharacters`, `allBytes` uint32; `random` float64, `fixedRemoved` uint8 (a place in the
// chain, or 255), or null; `values` float32 of each column.
nlohmann::json SampleJson(const MetricsTable& table, const std::vector<DocumentSample::Document>& documents,
                          size_t count);

}  // namespace uzushio
