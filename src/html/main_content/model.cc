#include "html/main_content/model.h"

#include <bit>
#include <cstring>

// The bytes of src/html/main_content.model, which CMake names.
asm(R"(
    .section .rodata
    .balign 16
uzushio_main_content_model:
    .incbin ")" UZUSHIO_MAIN_CONTENT_MODEL R"("
    .previous
)");
extern "C" const char uzushio_main_content_model[];

namespace uzushio {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kMagicBytes = 8;

// A list that the model's file has at `*at`: its length and its entries.
template <typename Entry>
std::span<const Entry> Take(const char** at) {
  uint32_t count = 0;
  std::memcpy(&count, *at, sizeof count);
  const auto* entries = reinterpret_cast<const Entry*>(*at + sizeof count);
  *at += sizeof count + count * sizeof(Entry);
  return {entries, count};
}

MainContentModel Read(const char* at) {
  at += kMagicBytes;
  MainContentModel model;
  model.tokens = TokenScores(Take<TokenScores::Entry>(&at));
  model.first = Take<DecisionTree>(&at);
  model.second = Take<DecisionTree>(&at);
  return model;
}

}  // namespace

const MainContentModel& MainContentModel::Get() {
  static const MainContentModel model = Read(uzushio_main_content_model);
  return model;
}

}  // namespace uzushio
