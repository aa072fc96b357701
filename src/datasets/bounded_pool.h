// Arrow's memory with a bound.
#pragma once

#include <arrow/memory_pool.h>

#include <atomic>
#include <memory>
#include <string>

namespace uzushio {

// Gives out memory of Arrow's default pool up to a bound, which may move, and remembers what it refused. What was given
// out may outlive the owner: the pool goes with the last of it.
class BoundedPool final : public arrow::MemoryPool {
 public:
  struct Release {
    void operator()(BoundedPool* pool) const { pool->Unhold(); }
  };
  using Ptr = std::unique_ptr<BoundedPool, Release>;
  static Ptr Make() { return Ptr(new BoundedPool()); }

  // No more than this is given out from now on.
  void set_bound(int64_t bytes) { bound_ = bytes; }
  // Bytes that would have been allocated, had the last refused call got its memory; 0: none was refused.
  int64_t refused() const { return refused_.load(); }

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  int64_t bytes_allocated() const override { return allocated_.load(); }
  int64_t total_bytes_allocated() const override { return total_.load(); }
  int64_t num_allocations() const override { return allocations_.load(); }
  std::string backend_name() const override { return pool_.backend_name(); }

 private:
  BoundedPool() = default;
  ~BoundedPool() override = default;
  arrow::Status Reserve(int64_t bytes);
  void Unhold() {
    if (--holders_ == 0) delete this;
  }

  arrow::MemoryPool& pool_ = *arrow::default_memory_pool();
  std::atomic<int64_t> bound_ = INT64_MAX;
  std::atomic<int64_t> allocated_ = 0;
  std::atomic<int64_t> refused_ = 0;
  std::atomic<int64_t> total_ = 0;
  std::atomic<int64_t> allocations_ = 0;
  std::atomic<int64_t> holders_ = 1;  // the owner, and what is given out
};

}  // namespace uzushio
