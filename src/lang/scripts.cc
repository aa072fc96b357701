#include "lang/scripts.h"

#include "base/count_places.h"

namespace uzushio {

void CountScripts(std::string_view utf8, ScriptCounts* counts) {
  counts->kana += CountPlaces<2>(utf8, [](const char* at) {
    const SixteenBytes second = LoadBytes(at + 1);
    const SixteenBytes third = LoadBytes(at + 2);
    const auto below_80 = (second == 0x81) & (third >= 0x81);                      // U+3041-307F
    const auto below_c0 = (second == 0x82) & ((third <= 0x96) | (third >= 0xA1));  // -3096, 30A1-
    const auto above = (second == 0x83) & ((third <= 0xBA) | (third == 0xBC));     // -30FA, 30FC
    return (LoadBytes(at) == 0xE3) & (below_80 | below_c0 | above);
  });
  counts->letters += CountPlaces<2>(utf8, [](const char* at) {
    const SixteenBytes first = LoadBytes(at);
    const SixteenBytes second = LoadBytes(at + 1);
    const SixteenBytes third = LoadBytes(at + 2);
    const SixteenBytes lower = first | 0x20;
    const auto ascii = (lower >= 'a') & (lower <= 'z');
    const auto forms = (second == 0xB8) | ((second == 0xB9) & (third <= 0xAF)) |  // U+FE00-FE6F
                       ((second == 0xBC) & (third <= 0xA0));                      // U+FF00-FF20
    const auto punctuation =
        ((first == 0xE2) & (second <= 0xAF)) | ((first == 0xE3) & (second == 0x80)) | ((first == 0xEF) & forms);
    return ascii | ((first >= 0xC3) & ~punctuation);
  });
}

}  // namespace uzushio
