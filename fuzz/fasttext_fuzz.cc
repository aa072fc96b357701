// Any bytes as a model of fastText: refused, or used without reading outside of it. The first byte is for the text.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "bytes.h"
#include "lm/fasttext.h"
#include "lm/fasttext_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = uzushio_fuzz::View(data + 1, size - 1);
  if (!uzushio::CheckFastText(bytes).ok()) return 0;
  const uzushio_fuzz::File file(bytes, ".bin");
  const auto opened = uzushio::FastTextModel::Open(file.path());
  if (!opened.ok()) std::abort();
  std::string text = "私 本 読む 走る\n the a 猫は __label__hq ab\xff";
  text += std::string(data[0], 'x');
  std::vector<float> probabilities;
  for (const std::string_view line : {std::string_view(text), std::string_view(), bytes}) {
    if (!(*opened)->Score(line, &probabilities).ok()) continue;
    for (const float probability : probabilities) {
      if (!std::isfinite(probability) || probability < 0) std::abort();
    }
  }
  return 0;
}

// The magic number stays; numbers of four bytes are changed as such.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  constexpr size_t kMagic = 5;
  uzushio_fuzz::Chance chance(seed);
  if (size <= kMagic + 8) return LLVMFuzzerMutate(data, size, max_size);
  if (chance.OneIn(3)) return kMagic + LLVMFuzzerMutate(data + kMagic, size - kMagic, max_size - kMagic);
  for (size_t times = 1 + chance.Below(3); times > 0; --times) {
    const size_t at = kMagic + chance.Below(chance.OneIn(2) ? 100 : size - kMagic - 4);
    uint32_t number = 0;
    if (at + sizeof number > size) continue;
    std::memcpy(&number, data + at, sizeof number);
    const uint32_t values[] = {number + 1, number - 1, ~number,
                               0,          0x7FFFFFFF, number ^ uint32_t{1} << chance.Below(32)};
    std::memcpy(data + at, &values[chance.Below(6)], sizeof number);
  }
  return size;
}
