#include "filters/filter_scratch.h"

#include <utility>

namespace uzushio {

arrow::Status TakeFailure(const FilterDocument& document, FilterScratch* scratch) {
  const arrow::Status failure = std::exchange(scratch->failure, arrow::Status::OK());
  return failure.ok() ? failure : failure.WithMessage("document ", document.doc_id(), ": ", failure.message());
}

}  // namespace uzushio
