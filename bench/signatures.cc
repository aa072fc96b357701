// Signatures of documents on one core: `bench_signatures FILE [ROUNDS]`. FILE has texts, each after its size in bytes
// as a 64-bit number. Prints seconds of the processor of each round, and bytes of all texts, a round a line.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "dedup/document_signature.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const uzushio::SignatureOptions options;
  uzushio::DocumentSigner signer(options);
  std::vector<uint64_t> buckets(static_cast<size_t>(options.buckets));
  std::vector<uint8_t> sketch(options.sketch_bytes());
  uint64_t sum = 0;
  for (int round = argc > 2 ? std::atoi(argv[2]) : 3; round > 0; --round) {
    const std::clock_t start = std::clock();
    size_t bytes = 0;
    for (size_t at = 0; at + 8 <= all.size();) {
      uint64_t size = 0;
      std::memcpy(&size, all.data() + at, 8);
      signer.Sign(std::string_view(all).substr(at + 8, size), buckets, sketch);
      sum += buckets[0];
      bytes += size;
      at += 8 + size;
    }
    std::printf("%.6f %zu\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, bytes);
  }
  return sum == 1 ? 1 : 0;
}
