#include "lang/rapid.h"

#include "lang/kana.h"

namespace uzushio {

bool CantBeJapanese(std::string_view page, bool kana_as_bytes) {
  const size_t kana = kana_as_bytes ? CountKana(page, kMinKana) : 0;
  return kana < kMinKana && kana + CountKanaReferences(page, kMinKana - kana) < kMinKana;
}

}  // namespace uzushio
