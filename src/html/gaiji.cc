#include "html/gaiji.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace uzushio {
namespace {

constexpr size_t kJisRows = 94;
constexpr auto kJisX0213 = std::to_array<uint32_t>({
#include UZUSHIO_GAIJI_TABLE
});
static_assert(kJisX0213.size() == 2 * kJisRows * kJisRows);
// As in tools/gaiji_table.py.
constexpr auto kSecondPoints = std::to_array<uint32_t>({0, 0x309A, 0x300, 0x301, 0x2E5, 0x2E9});
constexpr int kPointBits = 21;

void AppendPoint(uint32_t point, std::string* text) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes.data());
  text->append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(size));
}

// Takes a number off the text; nothing where it begins with none.
std::optional<uint32_t> TakeNumber(std::string_view* text, int base) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// The place is behind the last comma, or behind `水準`, after which may come the page of a book.
std::string ByPlace(std::string_view note) {
  constexpr std::string_view kComma = "、";
  constexpr std::string_view kLevel = "水準";
  const size_t comma = note.rfind(kComma);
  if (comma == std::string_view::npos) return {};
  const size_t level = note.rfind(kLevel);
  const bool has_level = level != std::string_view::npos && level > note.find(kComma);
  std::string_view place = has_level ? note.substr(level + kLevel.size()) : note.substr(comma + kComma.size());
  while (place.starts_with(' ')) place.remove_prefix(1);
  std::array<uint32_t, 3> numbers{};  // plane, row, cell
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && !place.starts_with('-')) return {};
    if (i > 0) place.remove_prefix(1);
    const auto number = TakeNumber(&place, 10);
    if (!number) return {};
    numbers[i] = *number;
  }
  const auto [plane, row, cell] = numbers;
  if (plane < 1 || plane > 2 || row < 1 || row > kJisRows || cell < 1 || cell > kJisRows) return {};
  const uint32_t entry = kJisX0213[((plane - 1) * kJisRows + row - 1) * kJisRows + cell - 1];
  std::string text;
  if (entry == 0) return text;
  AppendPoint(entry & ((1U << kPointBits) - 1), &text);
  if (entry >> kPointBits != 0) AppendPoint(kSecondPoints[entry >> kPointBits], &text);
  return text;
}

std::string ByCodePoint(std::string_view note) {
  const size_t at = note.find("U+");
  if (at == std::string_view::npos) return {};
  std::string_view digits = note.substr(at + 2, 6);
  const auto point = TakeNumber(&digits, 16);
  constexpr uint32_t kFirst = 0xA0;  // below are control characters and what every charset has
  const bool is_surrogate = point && *point >= 0xD800 && *point < 0xE000;
  if (!point || *point < kFirst || *point > 0x10FFFF || is_surrogate) return {};
  std::string text;
  AppendPoint(*point, &text);
  return text;
}

// Letters with an accent by the names of both: アキュートアクセント付きE小文字.
std::string ByName(std::string_view note) {
  constexpr auto kAccents =
      std::to_array<std::pair<std::string_view, uint32_t>>({{"グレーブアクセント", 0x300},
                                                            {"アキュートアクセント", 0x301},
                                                            {"サーカムフレックスアクセント", 0x302},
                                                            {"チルド", 0x303},
                                                            {"マクロン", 0x304},
                                                            {"ブリーブ", 0x306},
                                                            {"ダイエレシス", 0x308},
                                                            {"リング", 0x30A},
                                                            {"ハーチェク", 0x30C},
                                                            {"セディラ", 0x327}});
  const bool is_small = note.find("小文字") != std::string_view::npos;
  const auto has = [note](std::string_view part) { return note.find(part) != std::string_view::npos; };
  const bool has_case = is_small || has("大文字");
  if (has_case && has("リガチャOE")) return is_small ? "œ" : "Œ";
  if (has_case && has("リガチャAE")) return is_small ? "æ" : "Æ";
  const auto accent = std::ranges::find_if(kAccents, [&](const auto& entry) { return has(entry.first); });
  constexpr std::string_view kWith = "付き";
  const size_t with = note.find(kWith);
  if (accent == kAccents.end() || with == std::string_view::npos) return {};
  const std::string_view rest = note.substr(with + kWith.size());
  if (rest.empty() || rest[0] < 'A' || rest[0] > 'Z') return {};  // without a case, it is as it is written
  std::array<utf8proc_int32_t, 2> points = {is_small ? rest[0] | 0x20 : rest[0],
                                            static_cast<utf8proc_int32_t>(accent->second)};
  const auto count = utf8proc_normalize_utf32(points.data(), 2, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE));
  std::string text;
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    AppendPoint(static_cast<uint32_t>(points[static_cast<size_t>(i)]), &text);
  }
  return text;
}

}  // namespace

std::string CharacterOfNote(std::string_view note) {
  if (!note.starts_with("※")) return {};
  std::string character = ByCodePoint(note);
  if (character.empty()) character = ByPlace(note);
  return character.empty() ? ByName(note) : character;
}

}  // namespace uzushio
