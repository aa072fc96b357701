#include "datasets/bounded_pool.h"

namespace uzushio {

arrow::Status BoundedPool::Reserve(int64_t bytes) {
  const int64_t wanted = allocated_.fetch_add(bytes) + bytes;
  if (wanted <= bound_.load()) return arrow::Status::OK();
  allocated_ -= bytes;
  refused_ = wanted;
  return arrow::Status::OutOfMemory(wanted, " bytes are more than the bound");
}

arrow::Status BoundedPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(Reserve(size));
  const arrow::Status status = pool_.Allocate(size, alignment, out);
  if (!status.ok()) {
    allocated_ -= size;
    return status;
  }
  ++holders_;
  ++allocations_;
  total_ += size;
  return status;
}

// Growing may copy: both sizes are there for a moment.
arrow::Status BoundedPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) {
  if (new_size <= old_size) {
    ARROW_RETURN_NOT_OK(pool_.Reallocate(old_size, new_size, alignment, ptr));
    allocated_ -= old_size - new_size;
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(Reserve(new_size));
  const arrow::Status status = pool_.Reallocate(old_size, new_size, alignment, ptr);
  allocated_ -= status.ok() ? old_size : new_size;
  if (status.ok()) total_ += new_size - old_size;
  ++allocations_;
  return status;
}

void BoundedPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  pool_.Free(buffer, size, alignment);
  allocated_ -= size;
  Unhold();
}

}  // namespace uzushio
