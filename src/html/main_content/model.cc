#include "html/main_content/model.h"

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

// The bytes of main_content.model, which CMake names.
asm(R"(
    .section .rodata
    .globl uzushio_main_content_model
    .hidden uzushio_main_content_model
    .globl uzushio_main_content_model_size
    .hidden uzushio_main_content_model_size
    .balign 16
uzushio_main_content_model:
    .incbin ")" UZUSHIO_MAIN_CONTENT_MODEL R"("
1:
    .balign 8
uzushio_main_content_model_size:
    .quad 1b - uzushio_main_content_model
    .previous
)");
extern "C" const char uzushio_main_content_model[];
extern "C" const uint64_t uzushio_main_content_model_size;

namespace uzushio {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "UZMC0002";

uint32_t TakeNumber(const char** at) {
  uint32_t number = 0;
  std::memcpy(&number, *at, sizeof number);
  *at += sizeof number;
  return number;
}

// A list that the model's file has at `*at`: its length and its entries.
template <typename Entry>
std::span<const Entry> Take(const char** at) {
  const uint32_t count = TakeNumber(at);
  const auto* entries = reinterpret_cast<const Entry*>(*at);
  *at += count * sizeof(Entry);
  return {entries, count};
}

TokenScores TakeTokens(const char** at) {
  std::vector<TokenScores::Entry> entries(TakeNumber(at));
  const char* scores = *at + entries.size() * sizeof(uint32_t);
  for (TokenScores::Entry& entry : entries) {
    int16_t score = 0;
    std::memcpy(&score, scores, sizeof score);
    scores += sizeof score;
    entry = {TakeNumber(at), score};
  }
  *at = scores + entries.size() % 2 * sizeof(int16_t);
  return TokenScores(entries);
}

// The file is a part of the program: one that does not fit it is a mistake of who builds it.
void Check(bool fits) {
  if (fits) return;
  std::fputs("uzushio: main_content.model was trained with other features; ./dev train makes it again\n", stderr);
  std::abort();
}

MainContentModel Read(const char* begin, size_t size) {
  MainContentModel model;
  model.digest = XXH3_64bits(begin, size);
  const char* at = begin + kMagic.size();
  model.features = TakeNumber(&at);
  model.context_features = TakeNumber(&at);
  Check(std::memcmp(begin, kMagic.data(), kMagic.size()) == 0 && model.features == PageFeatures::Names().size() &&
        model.context_features == PageFeatures::ContextNames().size());
  model.tokens = TakeTokens(&at);
  model.first = Take<DecisionTree>(&at);
  model.second = Take<DecisionTree>(&at);
  model.bins = FeatureBins(model.features + model.context_features, std::array{model.first, model.second});
  Check(model.bins.Fits());
  model.first_binned = BinnedTrees(model.first, model.bins);
  model.second_binned = BinnedTrees(model.second, model.bins);
  return model;
}

}  // namespace

const MainContentModel& MainContentModel::Get() {
  static const MainContentModel model = Read(uzushio_main_content_model, uzushio_main_content_model_size);
  return model;
}

}  // namespace uzushio
