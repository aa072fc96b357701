// The input of benchmarks of filters: a file of texts, each of which '\0' ends.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace uzushio {

// The bytes of a file; empty where it cannot be read.
inline std::string ReadTexts(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

// The texts in `all`, which has to outlive them.
inline std::vector<std::string_view> SplitTexts(std::string_view all) {
  std::vector<std::string_view> texts;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\0', begin), all.size());
    texts.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return texts;
}

}  // namespace uzushio
