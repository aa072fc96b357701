// Sorting many records.
#pragma once

#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cstdint>
#include <span>

namespace uzushio {

// A key of 128 bits, which are compared at once.
__extension__ using Uint128 = unsigned __int128;
constexpr Uint128 WideKey(uint64_t high, uint64_t low) { return Uint128{high} << 64 | low; }

// Sorts by a number, `key(record)`, without branches on how two compare. Records of one key come in any order.
template <typename Record, typename Key>
void SortByKey(std::span<Record> records, Key key) {
  boost::sort::pdqsort_branchless(records.begin(), records.end(),
                                  [&key](const Record& a, const Record& b) { return key(a) < key(b); });
}

}  // namespace uzushio
