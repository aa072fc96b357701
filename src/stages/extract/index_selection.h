// What is read by an index, as it is given.
#pragma once

#include <arrow/result.h>

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "stages/extract/index_plan.h"

namespace uzushio {

struct IndexSelection {
  std::vector<std::string> tables;  // none: whole files are read
  std::optional<std::string> from;  // times
  std::optional<std::string> to;
  std::optional<std::string> part;  // `1/4`; none: all
  bool is_plan = false;
  // `base`, `gap` and what the query lists are given; the rest is by Complete, but where memory and temporary data are.
  IndexedInputs reading;

  bool is_given() const { return !tables.empty(); }
};

const Options<IndexSelection>& DeclaredIndexSelection();

// Finds the tables. Errors: what is no time, no part, no host; an empty text.
arrow::Status Complete(IndexSelection* options);
// The same, without the tables.
arrow::Status CompleteQuery(IndexSelection* options);

// Whether what needs tables is asked for.
bool AsksForTables(const IndexSelection& options);

}  // namespace uzushio
