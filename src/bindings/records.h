// Records of C++ as Python's bytes, for an engine that brings them to other machines.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <type_traits>
#include <vector>

namespace uzushio::python {

template <typename Record>
nanobind::bytes ToBytes(const std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  return nanobind::bytes(records.data(), records.size() * sizeof(Record));
}

template <typename Record>
std::vector<Record> FromBytes(const nanobind::bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::vector<Record> records(bytes.size() / sizeof(Record));
  std::memcpy(records.data(), bytes.c_str(), records.size() * sizeof(Record));
  return records;
}

// Pairs of a partition and its records, of partitions that have some.
template <typename Record>
nanobind::list ToPartitions(const std::vector<std::vector<Record>>& partitions) {
  nanobind::list list;
  for (size_t partition = 0; partition < partitions.size(); ++partition) {
    const std::vector<Record>& records = partitions[partition];
    if (!records.empty()) list.append(nanobind::make_tuple(partition, ToBytes(records)));
  }
  return list;
}

}  // namespace uzushio::python
