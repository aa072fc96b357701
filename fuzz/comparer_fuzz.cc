// Any two texts: the fast comparison decides as the definition does, in both orders.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dedup/comparer.h"
#include "dedup/relation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > 400) return 0;
  // The second text is the first with edits, so that near ones are met: three bytes an edit.
  const size_t length = std::min<size_t>(data[0] % 90, size - 1);
  std::u32string a;
  for (size_t i = 0; i < length; ++i) a += U'あ' + data[1 + i] % 64;
  std::u32string b = a;
  for (size_t i = 1 + length; i + 3 <= size; i += 3) {
    const size_t at = data[i] % (b.size() + 1);
    const char32_t character = U'あ' + data[i + 1];
    if (data[i + 2] % 3 == 0 || at == b.size()) {
      b.insert(at, 1, character);
    } else if (data[i + 2] % 3 == 1) {
      b.erase(at, 1);
    } else {
      b[at] = character;
    }
  }
  uzushio::GramCounter grams;
  uzushio::Comparer comparer;
  const uzushio::ComparableText first = {a, grams.Count(a), uzushio::CharacterSet(a)};
  const uzushio::ComparableText second = {b, grams.Count(b), uzushio::CharacterSet(b)};
  const bool truth = uzushio::NearDuplicatesByDefinition(a, b);
  comparer.SetPivot(first);
  if (comparer.IsNear(second) != truth) std::abort();
  comparer.SetPivot(second);
  if (comparer.IsNear(first) != truth) std::abort();
  return 0;
}
