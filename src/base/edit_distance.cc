#include "base/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace uzushio {

size_t EditDistance(std::u32string_view a, std::u32string_view b) {
  // row[j]: the distance of the part of `a` so far to the first j code points of `b`.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace uzushio
