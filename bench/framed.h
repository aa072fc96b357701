// Inputs and answers of programs that are compared with others: a length (uint32, little-endian) and so many bytes, in
// the standard input and output (bench/framed.py).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace uzushio_bench {

// The next input; false at the end.
inline bool ReadFramed(std::string* bytes) {
  uint32_t size = 0;
  if (std::fread(&size, sizeof(size), 1, stdin) != 1) return false;
  bytes->resize(size);
  return std::fread(bytes->data(), 1, size, stdin) == size;
}

inline void WriteFramed(std::string_view bytes) {
  const auto size = static_cast<uint32_t>(bytes.size());
  std::fwrite(&size, sizeof(size), 1, stdout);
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
}

}  // namespace uzushio_bench
