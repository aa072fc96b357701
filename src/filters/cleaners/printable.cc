#include "filters/cleaners/printable.h"

#include <utf8proc.h>

#include <bitset>
#include <memory>

namespace uzushio {
namespace {

constexpr char32_t kPoints = 0x110000;
using PrintableSet = std::bitset<kPoints>;

std::unique_ptr<const PrintableSet> MakePrintableSet() {
  auto set = std::make_unique<PrintableSet>();
  for (char32_t c = 0; c < kPoints; ++c) {
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    const bool is_other = category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_ZS;
    (*set)[c] = !is_other || c == U' ';
  }
  return set;
}

}  // namespace

bool IsPrintable(char32_t c) {
  static const std::unique_ptr<const PrintableSet> kSet = MakePrintableSet();
  return c < kPoints && (*kSet)[c];
}

}  // namespace uzushio
