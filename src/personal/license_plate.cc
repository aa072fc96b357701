// Licence plates: the office of registration (or a name that it has for a region), a number of its class, a kana, and
// up to four digits: 品川 300 さ 12-34, 横浜500あ・・12. The names are those of the Ministry of Land, Infrastructure,
// Transport and Tourism (2025).
#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kOffices = std::to_array<std::string_view>(
    {"札幌",     "函館",   "旭川", "室蘭",   "釧路",   "帯広",     "北見",   "知床",   "苫小牧", "十勝", "日高",
     "青森",     "弘前",   "八戸", "岩手",   "盛岡",   "平泉",     "宮城",   "仙台",   "秋田",   "山形", "庄内",
     "福島",     "会津",   "郡山", "白河",   "いわき", "水戸",     "土浦",   "つくば", "宇都宮", "那須", "とちぎ",
     "群馬",     "高崎",   "前橋", "大宮",   "川口",   "所沢",     "川越",   "熊谷",   "春日部", "越谷", "千葉",
     "成田",     "習志野", "市川", "船橋",   "袖ヶ浦", "袖ケ浦",   "市原",   "野田",   "柏",     "松戸", "品川",
     "世田谷",   "練馬",   "杉並", "板橋",   "足立",   "江東",     "葛飾",   "八王子", "多摩",   "横浜", "川崎",
     "湘南",     "相模",   "山梨", "富士山", "新潟",   "長岡",     "上越",   "富山",   "石川",   "金沢", "福井",
     "長野",     "松本",   "諏訪", "安曇野", "南信州", "岐阜",     "飛騨",   "静岡",   "浜松",   "沼津", "伊豆",
     "名古屋",   "豊橋",   "三河", "岡崎",   "豊田",   "尾張小牧", "一宮",   "春日井", "三重",   "鈴鹿", "四日市",
     "伊勢志摩", "滋賀",   "京都", "大阪",   "なにわ", "和泉",     "堺",     "神戸",   "姫路",   "奈良", "飛鳥",
     "和歌山",   "鳥取",   "島根", "出雲",   "岡山",   "倉敷",     "広島",   "福山",   "山口",   "下関", "徳島",
     "香川",     "高松",   "愛媛", "高知",   "福岡",   "北九州",   "久留米", "筑豊",   "佐賀",   "長崎", "佐世保",
     "熊本",     "大分",   "宮崎", "鹿児島", "奄美",   "沖縄"});

// Kana that plates have, for private cars, trade and hire; and the letters of foreign forces.
constexpr std::string_view kPlateKana =
    "さすせそたちつてとなにぬねのはひふほまみむめもやゆらりるろあいうえかきくけこをわれEHKMTYよ";

bool IsPlateKana(std::string_view text, size_t at, size_t bytes) {
  return bytes > 0 && text[at] != ' ' && kPlateKana.find(text.substr(at, bytes)) != std::string_view::npos;
}

bool EndsWithOffice(std::string_view text, size_t end, size_t* begin) {
  const PlainCharacter space = PlainBefore(text, end);
  if (space.sign == ' ') end -= space.bytes;
  constexpr size_t kLongest = 12;
  const std::string_view before = text.substr(end > kLongest ? end - kLongest : 0, std::min(end, kLongest));
  for (const std::string_view office : kOffices) {
    if (!before.ends_with(office)) continue;
    *begin = end - office.size();
    return true;
  }
  return false;
}

}  // namespace

Found FindLicensePlate(const Candidate& candidate) {
  const std::string_view text = candidate.text();
  const Phrase& phrase = candidate.phrase();
  // The class: one to three digits, of which later ones may be letters.
  size_t i = phrase.DigitsAt(0);
  if (i == 0 || i > 3 || phrase[0] == '0') return std::nullopt;
  size_t at = phrase.ByteAt(i);
  for (size_t letters = i; letters < 3; ++letters) {
    const PlainCharacter letter = PlainAt(text, at);
    if (letters < 2 || i < 2 || letter.sign < 'A' || letter.sign > 'Z') break;
    at += letter.bytes;
  }
  const auto skip_space = [&] {
    const PlainCharacter space = PlainAt(text, at);
    if (space.sign == ' ') at += space.bytes;
  };
  skip_space();
  const size_t kana = PlainAt(text, at).bytes;
  if (!IsPlateKana(text, at, kana)) return std::nullopt;
  at += kana;
  skip_space();
  // Up to four digits; those that are wanting are dots.
  size_t digits = 0;
  size_t dots = 0;
  bool has_hyphen = false;
  while (digits + dots <= 4) {
    const PlainCharacter next = PlainAt(text, at);
    const bool is_dot =
        digits == 0 && (next.sign == '.' || (next.sign == kOtherSign && text.substr(at).starts_with("・")));
    if (IsAsciiDigit(next.sign)) {
      ++digits;
    } else if (is_dot) {
      ++dots;
    } else if (next.sign == '-' && digits > 0 && digits <= 2 && !has_hyphen &&
               IsAsciiDigit(PlainAt(text, at + next.bytes).sign)) {
      has_hyphen = true;
    } else {
      break;
    }
    at += next.bytes;
  }
  const PlainCharacter behind = PlainAt(text, at);
  if (digits == 0 || digits + dots > 4 || IsAsciiDigit(behind.sign) || IsAsciiLetter(behind.sign)) return std::nullopt;
  size_t begin = 0;
  if (!EndsWithOffice(text, candidate.at(), &begin)) return std::nullopt;
  // A number without dots and hyphen behind a short class may be counted: 大阪 1の 2.
  if (!has_hyphen && dots == 0 && (digits < 3 || phrase.DigitsAt(0) < 2)) return std::nullopt;
  return PersonalSpan{begin, at, PersonalKind::kLicensePlate};
}

}  // namespace uzushio
