#include "stages/overlap/overlap_rows.h"

namespace uzushio {
namespace {

double ShareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

arrow::FieldVector OverlapFields() {
  arrow::FieldVector fields;
  for (const char* name : {"kind", "a", "b"}) fields.push_back(arrow::field(name, arrow::utf8(), false));
  for (const char* name : {"countA", "countB", "both", "either"}) {
    fields.push_back(arrow::field(name, arrow::int64(), false));
  }
  for (const char* name : {"shareOfA", "shareOfB", "jaccard"}) {
    fields.push_back(arrow::field(name, arrow::float64(), false));
  }
  return fields;
}

nlohmann::json OverlapRows(std::span<const ComparedDataset> datasets, const SharedCounts& counts) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [kind, name] : kValueNames) {
    for (size_t a = 0; a < datasets.size(); ++a) {
      for (size_t b = a + 1; b < datasets.size(); ++b) {
        if (!datasets[a].Has(kind) || !datasets[b].Has(kind)) continue;
        const int64_t of_a = counts.Both(kind, a, a);
        const int64_t of_b = counts.Both(kind, b, b);
        const int64_t both = counts.Both(kind, a, b);
        const int64_t either = of_a + of_b - both;
        rows.push_back({{"kind", name},
                        {"a", datasets[a].name},
                        {"b", datasets[b].name},
                        {"countA", of_a},
                        {"countB", of_b},
                        {"both", both},
                        {"either", either},
                        {"shareOfA", ShareOf(both, of_a)},
                        {"shareOfB", ShareOf(both, of_b)},
                        {"jaccard", ShareOf(both, either)}});
      }
    }
  }
  return rows;
}

}  // namespace uzushio
