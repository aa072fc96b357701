#include "html/main_content/model.h"

#include <xxhash.h>

#include <bit>
#include <cstring>

// The bytes of main_content.model, which CMake names.
asm(R"(
    .section .rodata
    .balign 16
uzushio_main_content_model:
    .incbin ")" UZUSHIO_MAIN_CONTENT_MODEL R"("
uzushio_main_content_model_end:
    .previous
)");
extern "C" const char uzushio_main_content_model[];
extern "C" const char uzushio_main_content_model_end[];

namespace uzushio {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kMagicBytes = 8;

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

MainContentModel Read(const char* begin, const char* end) {
  MainContentModel model;
  model.digest = XXH3_64bits(begin, static_cast<size_t>(end - begin));
  const char* at = begin + kMagicBytes;
  model.features = TakeNumber(&at);
  model.context_features = TakeNumber(&at);
  model.tokens = TokenScores(Take<TokenScores::Entry>(&at));
  model.first = Take<DecisionTree>(&at);
  model.second = Take<DecisionTree>(&at);
  return model;
}

}  // namespace

const MainContentModel& MainContentModel::Get() {
  static const MainContentModel model = Read(uzushio_main_content_model, uzushio_main_content_model_end);
  return model;
}

}  // namespace uzushio
