// The rows of overlap.parquet, of numbers of shared values.
#pragma once

#include <arrow/type.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "stages/overlap/shared_values.h"

namespace uzushio {

inline constexpr std::pair<ValueKind, const char*> kValueNames[] = {
    {ValueKind::kUrl, "urls"}, {ValueKind::kDocument, "documents"}, {ValueKind::kParagraph, "paragraphs"}};

// What a dataset is compared by: statistics by paragraphs only.
struct ComparedDataset {
  std::string name;
  bool is_statistics = false;
  bool has_urls = false;

  bool Has(ValueKind kind) const {
    if (kind == ValueKind::kUrl) return has_urls;
    return kind == ValueKind::kParagraph || !is_statistics;
  }
};

// utf8, int64 or double.
arrow::FieldVector OverlapFields();
// A row for each kind and pair of datasets that have it, in their order: objects with the fields as keys.
nlohmann::json OverlapRows(std::span<const ComparedDataset> datasets, const SharedCounts& counts);

}  // namespace uzushio
