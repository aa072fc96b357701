#include "lang/rapid.h"

#include <algorithm>

#include "lang/kana.h"

namespace uzushio {
namespace {

// Whether the page's first tags say `lang="ja"`, in whatever quotes.
bool TagsSayJapanese(std::string_view page) {
  constexpr std::string_view kLang = "lang=";
  page = page.substr(0, 2048);
  for (size_t at = page.find(kLang); at != std::string_view::npos; at = page.find(kLang, at + 1)) {
    std::string_view value = page.substr(at + kLang.size(), 3);
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    if (value.starts_with("ja") || value.starts_with("JA")) return true;
  }
  return false;
}

}  // namespace

bool CantBeJapanese(std::string_view page, bool kana_as_bytes) {
  const size_t enough = std::max(kMinKana, page.size() / kMaxBytesPerKana);
  size_t kana = kana_as_bytes ? CountKana(page, enough) : 0;
  if (kana < enough) kana += CountKanaReferences(page, enough - kana);
  return kana < enough && (kana < kMinKana || !TagsSayJapanese(page));
}

}  // namespace uzushio
