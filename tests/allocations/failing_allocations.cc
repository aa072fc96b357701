#include "allocations/failing_allocations.h"

#include <gtest/gtest.h>
#include <lexbor/core/base.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/guard.h"
#include "html/lexbor_memory.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define UZUSHIO_EVERY_ALLOCATION
#endif

namespace {

// Allocations of this thread before the one that fails; negative: none does.
thread_local int64_t left = -1;

bool IsToFail() {
  if (left < 0 || left-- > 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

#ifdef UZUSHIO_EVERY_ALLOCATION

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) { return IsToFail() ? nullptr : __libc_malloc(size); }

void* calloc(size_t count, size_t size) { return IsToFail() ? nullptr : __libc_calloc(count, size); }

void* realloc(void* memory, size_t size) { return IsToFail() ? nullptr : __libc_realloc(memory, size); }

void* aligned_alloc(size_t alignment, size_t size) { return IsToFail() ? nullptr : __libc_memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (IsToFail()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

#else

namespace {

void* New(size_t size, size_t alignment) {
  if (IsToFail()) throw std::bad_alloc();
  void* memory = alignment == 0 ? std::malloc(std::max<size_t>(size, 1))
                                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* Malloc(size_t size) { return IsToFail() ? throw std::bad_alloc() : std::malloc(size); }
void* Realloc(void* memory, size_t size) { return IsToFail() ? throw std::bad_alloc() : std::realloc(memory, size); }
void* Calloc(size_t count, size_t size) { return IsToFail() ? throw std::bad_alloc() : std::calloc(count, size); }

}  // namespace

void* operator new(size_t size) { return New(size, 0); }
void* operator new[](size_t size) { return New(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) { return New(size, static_cast<size_t>(alignment)); }
void* operator new[](size_t size, std::align_val_t alignment) { return New(size, static_cast<size_t>(alignment)); }
void* operator new(size_t size, const std::nothrow_t& /*none*/) noexcept {
  return IsToFail() ? nullptr : std::malloc(std::max<size_t>(size, 1));
}
void* operator new[](size_t size, const std::nothrow_t& none) noexcept { return operator new(size, none); }
void operator delete(void* memory, const std::nothrow_t& /*none*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*none*/) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

// What lexbor works on is lost (html/lexbor_memory.h).
extern "C" const char* __lsan_default_suppressions() { return "leak:lxb_\nleak:lexbor_\n"; }

#endif

namespace uzushio {
namespace {

// lexbor's memory, where it is not malloc's.
void RefuseLexbor() {
  CheckLexborMemory();
#ifndef UZUSHIO_EVERY_ALLOCATION
  lexbor_memory_setup(Malloc, Realloc, Calloc, std::free);
#endif
}

}  // namespace

bool IsEveryLibraryRefused() {
#ifdef UZUSHIO_EVERY_ALLOCATION
  return true;
#else
  return false;
#endif
}

AllocationFailures FailEachAllocation(const Kernel& kernel) {
  RefuseLexbor();
  AllocationFailures failures;
  const arrow::Result<std::string> expected = Guarded(kernel);
  if (!expected.ok()) {
    ADD_FAILURE() << expected.status();
    return failures;
  }
  for (int64_t number = 0;; ++number) {
    left = number;
    const arrow::Result<std::string> made = Guarded(kernel);
    const bool has_failed = left < 0;
    left = -1;
    if (made.ok()) {
      EXPECT_EQ(*made, *expected) << "allocation " << number;
      failures.absorbed += has_failed ? 1 : 0;
    } else {
      EXPECT_TRUE(made.status().IsOutOfMemory()) << "allocation " << number << ": " << made.status();
      ++failures.told;
    }
    const arrow::Result<std::string> again = Guarded(kernel);
    EXPECT_TRUE(again.ok()) << "after allocation " << number << ": " << again.status();
    if (again.ok()) EXPECT_EQ(*again, *expected) << "after allocation " << number;
    if (!has_failed || testing::Test::HasFailure()) return failures;
  }
}

}  // namespace uzushio
