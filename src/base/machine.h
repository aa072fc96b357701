// What the machine gives this process: instructions, memory and processors, as containers and schedulers bound them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace uzushio {

// Whether it has AVX2, for which some loops are written a second time. Both give the same results.
bool HasAvx2();

// In bytes: the machine's memory or, where one is less, the limit of a control group that the process is in, at any
// height: `memory.max` and `memory.high` of version 2, `memory.limit_in_bytes` and `hierarchical_memory_limit` of
// version 1. `root` stands for `/`: tests lay out their own.
int64_t MachineMemory(const std::filesystem::path& root = "/");

// Half of it: what a run takes where nothing is said.
int64_t DefaultMemory();

// Bytes of memory that the process has now; 0 where the system does not say it.
int64_t ResidentMemory();

// Processors that the process may run on or, where it is less, what the control groups' quotas (`cpu.max`,
// `cpu.cfs_quota_us`) come to, rounded up. At least one.
int MachineThreads(const std::filesystem::path& root);
// Of this machine, as it was when it was first asked: options ask hundreds of times.
int MachineThreads();

}  // namespace uzushio
