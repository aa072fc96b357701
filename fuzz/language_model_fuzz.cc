// Any bytes as a language model of KenLM: refused, or searched without reading outside of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "bytes.h"
#include "lm/language_model.h"
#include "lm/virtual_interface.hh"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uzushio_fuzz::File file(uzushio_fuzz::View(data, size), ".binary");
  const auto opened = uzushio::LanguageModel::Open(file.path());
  if (!opened.ok()) {
    if (opened.status().message().empty()) std::abort();
    return 0;
  }
  const lm::base::Model& model = (*opened)->model();
  std::vector<lm::WordIndex> words = {model.BaseVocabulary().BeginSentence(), model.BaseVocabulary().EndSentence(), 0};
  for (const char* word : {"a", "b", "c", "あ", "い", "の"}) words.push_back(model.BaseVocabulary().Index(word));
  std::vector<char> state(model.StateSize());
  std::vector<char> next(model.StateSize());
  model.BeginSentenceWrite(state.data());
  for (size_t i = 0; i < 400; ++i) {
    model.BaseScore(state.data(), words[(i * i + i / words.size()) % words.size()], next.data());
    state.swap(next);
  }
  return 0;
}

// The header's magic words and tests of numbers stay; numbers of eight bytes are changed as such.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  constexpr size_t kMagic = 88;
  uzushio_fuzz::Chance chance(seed);
  if (size <= kMagic + 8) return LLVMFuzzerMutate(data, size, max_size);
  if (chance.OneIn(3)) return kMagic + LLVMFuzzerMutate(data + kMagic, size - kMagic, max_size - kMagic);
  for (size_t times = 1 + chance.Below(3); times > 0; --times) {
    const size_t at = kMagic + chance.Below(chance.OneIn(2) ? 80 : size - kMagic - 8);
    uint64_t number = 0;
    if (at + sizeof number > size) continue;
    std::memcpy(&number, data + at, sizeof number);
    const uint64_t values[] = {number + 1, number - 1, ~number, 0, size, number ^ uint64_t{1} << chance.Below(64)};
    std::memcpy(data + at, &values[chance.Below(6)], sizeof number);
  }
  return size;
}
