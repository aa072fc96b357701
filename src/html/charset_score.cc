#include "html/charset_score.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

// The most frequent characters of each language, in no exact order.
constexpr std::string_view kFrequentKanji =
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入"
    "選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気"
    "小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活"
    "原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計"
    "死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過"
    "局少放税検藤町常校料沢状工建語球営空職証土与急止送援供可役構木割聞身費付切由説転食比難防補車優夫研収断井何南石足違"
    "消境番規術護展態導備害配副算視条整段字型色号像図形録追択索引項覧属値列項編集戻節章章版種類始次複処換描線範囲";
constexpr std::string_view kFrequentSimplified =
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种"
    "事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实军者意无力它与长把机十民第公"
    "此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西月话合回特"
    "代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展科司五基眼书非则听却界达"
    "光放强即像难且权思王象完设式色路记品住告类求据程北边张该交规万取拉格望术确传清切院识候带导争运笔图帮助选择单击显示"
    "文件搜索窗口输入插入编辑页按钮键值域列行序言器版服址网络程默认错误包装置源码码键型参";
constexpr std::string_view kFrequentTraditional =
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種"
    "事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實軍者意無力它與長把機十民第公"
    "此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西月話合回特"
    "代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電"
    "數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展科司五基眼書非則聽卻界達"
    "光放強即像難且權思王象完設式色路記品住告類求據程北邊張該交規萬取拉格望術確傳清切院識候帶導爭運筆圖助選擇單擊顯示"
    "檔案搜尋視窗輸入插編輯頁按鈕鍵值列序器版服址網絡預錯誤包裝置源碼型參";
constexpr std::string_view kFrequentHangul =
    "이다는의에하을가고기를사지한은로도인서어으시자대정스리아나일그부해수전보원성들과만조라상선제여유장있것니구주동용생"
    "경"
    "관연분명세면계적무개거결게공국교간할안실위소모문회신오민업비중방발진합체행물작트드우치까마말데했되된될없때내년같요"
    "등않두식심외야영예와외운월음임입잡재저종직차참처천체초최추출크타태통특파판평포표프필학함항현형호화확활황후히력록류"
    "르른"
    "름며못미및바반받버번법변본불사살설속술습십알양언역열올완왔왕울워육율율음읽있찾추클터템페편폰표품프플하향버튼"
    "이미그림편집창글파열목록검색선택설정명령도움말메뉴";

// Costs in bits: how rare a kind of characters is, and how many characters are of the kind.
enum Bits : uint8_t {
  kOfAscii = 5,
  kOfHiragana = 7,
  kOfPunctuation = 7,
  kOfKatakana = 8,
  kOfUtf8 = 10,
  kOfFrequent = 10,
  kOfSymbol = 11,
  kOfCommon = 13,
  kOfHalfWidthAlone = 14,
  kOfHalfWidth = 6,
  kOfHalfWidthSign = 9,  // and small letters
  kOfRare = 18,
  kOfFault = 18,
};

// What each character of the BMP costs in a language.
using Costs = std::array<uint8_t, 0x10000>;

constexpr bool IsHalfWidthKatakana(char32_t point) { return point >= 0xFF61 && point <= 0xFF9F; }

void SetAll(std::string_view characters, uint8_t cost, Costs* costs) {
  while (!characters.empty()) {
    const size_t bytes = Utf8Length(characters[0]);
    if (bytes < 4) (*costs)[PointAt(characters, bytes)] = cost;
    characters.remove_prefix(bytes);
  }
}

// What two bytes with a lead byte in this range stand for costs so much.
void SetRows(const Encoding& encoding, int first, int last, uint8_t cost, Costs* costs) {
  std::string codes;
  for (int lead = first; lead <= last; ++lead) {
    for (int trail = 0x40; trail <= 0xFE; ++trail) {
      if (trail < 0x7F || trail >= 0xA1) codes.append({static_cast<char>(lead), static_cast<char>(trail), '\n'});
    }
  }
  std::string buffer;
  std::string_view text = encoding.Decode(codes, &buffer);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const size_t bytes = Utf8Length(text[0]);
    if (bytes == end && bytes == 3) (*costs)[PointAt(text, bytes)] = cost;  // not U+FFFD and a letter, nor two
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct Rows {
  const char* label;
  int symbols_last;  // from A1 on
  int common_first;
  int common_last;
  std::string_view frequent;
  std::string_view common;  // beside the rows
  uint8_t of_foreign_kana;  // what kana cost more than in Japanese
};

std::unique_ptr<Costs> CostsOf(const Rows& rows) {
  auto costs = std::make_unique<Costs>();
  costs->fill(kOfRare);
  const Encoding encoding = *Encoding::ForLabel(rows.label);
  SetRows(encoding, 0xA1, rows.symbols_last, kOfSymbol, costs.get());
  SetRows(encoding, rows.common_first, rows.common_last, kOfCommon, costs.get());
  for (char32_t point = 0xA0; point < 0x500; ++point) (*costs)[point] = kOfSymbol + 1;
  for (char32_t point = 0x80; point < 0xA0; ++point) (*costs)[point] = kOfRare;
  for (char32_t point = 0x3041; point <= 0x3096; ++point) (*costs)[point] = kOfHiragana + rows.of_foreign_kana;
  for (char32_t point = 0x30A1; point <= 0x30FC; ++point) (*costs)[point] = kOfKatakana + rows.of_foreign_kana;
  for (char32_t point = 0xFF10; point <= 0xFF5A; ++point) (*costs)[point] = kOfSymbol;
  for (char32_t point = 0xFF61; point <= 0xFF9F; ++point)
    (*costs)[point] = point < 0xFF70 ? kOfHalfWidthSign : kOfHalfWidth;
  SetAll("\u3000、。・「」，．：；？！（）《》“”‘’…", kOfPunctuation, costs.get());
  SetAll(rows.common, kOfCommon, costs.get());
  SetAll(rows.frequent, kOfFrequent, costs.get());
  (*costs)[0xFFFD] = kOfFault;
  return costs;
}

// The costs in the language of an encoding with more than a byte for a character.
const Costs* CostsIn(const Encoding& encoding) {
  static const std::unique_ptr<Costs> kJapanese = CostsOf({"euc-jp", 0xA8, 0xB0, 0xCF, kFrequentKanji, "", 0});
  static const std::unique_ptr<Costs> kSimplified = CostsOf({"gbk", 0xA9, 0xB0, 0xD7, kFrequentSimplified, "", 2});
  static const std::unique_ptr<Costs> kTraditional = CostsOf({"big5", 0xA3, 0xA4, 0xC6, kFrequentTraditional, "", 2});
  static const std::unique_ptr<Costs> kKorean =
      CostsOf({"euc-kr", 0xAF, 0xB0, 0xC8, kFrequentHangul, kFrequentTraditional, 2});  // hanja
  const std::string_view name = encoding.name();
  if (name == "Shift_JIS" || name == "EUC-JP" || name == "ISO-2022-JP") return kJapanese.get();
  if (name == "GBK" || name == "gb18030") return kSimplified.get();
  if (name == "Big5") return kTraditional.get();
  return name == "EUC-KR" ? kKorean.get() : nullptr;
}

// A character alone beside letters of ASCII, as `SITUAデO` has it where two capitals with accents are taken for one. A
// particle, which is hiragana, stands there often.
class LoneCharacter {
 public:
  // What it costs, once all of the text around it was seen.
  int64_t Next(char c, bool may_be_lone) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    int64_t bits = 0;
    if (is_ascii) {
      const bool is_letter = IsAsciiLetter(c);
      if (run_ == 1 && may_be_lone_)
        bits = letter_before_ && is_letter ? kOfBoth : letter_before_ || is_letter ? kOfOne : 0;
      letter_before_ = is_letter;
      run_ = 0;
    } else {
      may_be_lone_ = may_be_lone;
      ++run_;
    }
    return bits;
  }

 private:
  static constexpr int64_t kOfBoth = 12;
  static constexpr int64_t kOfOne = 4;
  size_t run_ = 0;  // characters beyond ASCII in a row
  bool letter_before_ = false;
  bool may_be_lone_ = false;
};

int64_t BitsByCosts(const Costs& costs, std::string_view text) {
  int64_t bits = 0;
  bool in_half_width = false;
  LoneCharacter lone;
  while (!text.empty()) {
    const size_t bytes = Utf8Length(text[0]);
    bool is_letter = true;  // but hiragana
    if (bytes == 1) {
      bits += kOfAscii;
      in_half_width = false;
    } else if (bytes == 4) {
      bits += kOfRare;
      in_half_width = false;
    } else {
      const char32_t point = PointAt(text, bytes);
      const bool half_width = IsHalfWidthKatakana(point);
      bits += half_width && !in_half_width ? uint8_t{kOfHalfWidthAlone} : costs[point];
      in_half_width = half_width;
      is_letter = point > 0x3096 && (point < 0xFF00 || half_width);
    }
    bits += lone.Next(text[0], is_letter);
    text.remove_prefix(bytes);
  }
  return bits;
}

int64_t BitsOfUtf8(std::string_view text) {
  int64_t bits = 0;
  while (!text.empty()) {
    const size_t bytes = Utf8Length(text[0]);
    const char32_t point = PointAt(text, bytes);
    const bool is_control = point >= 0x80 && point < 0xA0;
    const bool is_private = point >= 0xE000 && point < 0xF900;
    bits += bytes == 1 ? kOfAscii : point == 0xFFFD ? kOfFault : is_control || is_private ? kOfRare : kOfUtf8;
    text.remove_prefix(bytes);
  }
  return bits;
}

enum class LetterScript : uint8_t { kAsciiLetter, kOther, kLatin, kSmall, kCapital, kLetter, kSign };

LetterScript LetterScriptOf(char32_t point) {
  if ((point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z')) return LetterScript::kAsciiLetter;
  if (point < 0x80) return LetterScript::kOther;
  if (point >= 0xC0 && point < 0x250 && point != 0xD7 && point != 0xF7) return LetterScript::kLatin;
  if ((point >= 0x430 && point <= 0x45F) || (point >= 0x3AC && point <= 0x3CE)) return LetterScript::kSmall;
  if ((point >= 0x400 && point < 0x430) || (point >= 0x386 && point < 0x3AC)) return LetterScript::kCapital;
  if ((point >= 0x490 && point < 0x700) || (point >= 0xE01 && point < 0xE5B)) return LetterScript::kLetter;
  return LetterScript::kSign;
}

// In an encoding with one byte for each character.
int64_t BitsOfLetters(std::string_view text) {
  constexpr std::string_view kSigns = "\u00A0«»©®°·§¡¿“”„‘’‚–—…•€№";
  constexpr int64_t kOfAccent = 6;
  constexpr int64_t kOfLetter = 5;   // of a script that has all its letters beyond ASCII
  constexpr int64_t kOfCapital = 7;  // but one behind another
  constexpr int64_t kUnlikely = 5;   // beside what goes before
  constexpr int64_t kOfSecondAccent = 2;
  constexpr int64_t kOfMoreAccents = 8;  // in a row
  int64_t bits = 0;
  int accents = 0;  // letters of Latin beyond ASCII, in a row
  LetterScript before = LetterScript::kOther;
  while (!text.empty()) {
    const size_t bytes = Utf8Length(text[0]);
    const char32_t point = PointAt(text, bytes);
    const LetterScript kind = LetterScriptOf(point);
    if (point < 0x80) {
      bits += kOfAscii;
    } else if (point < 0xA0) {
      bits += kOfRare;
    } else if (point == 0xFFFD) {
      bits += kOfFault;
    } else if (kind == LetterScript::kSign) {
      bits += kSigns.find(text.substr(0, bytes)) == std::string_view::npos ? kOfCommon : kOfPunctuation;
    } else if (kind == LetterScript::kLatin) {
      bits += kOfAccent;
    } else {
      bits += kind == LetterScript::kCapital && before != LetterScript::kCapital ? kOfCapital : kOfLetter;
    }
    accents = kind == LetterScript::kLatin ? accents + 1 : 0;
    if (accents > 1) bits += accents == 2 ? kOfSecondAccent : kOfMoreAccents;
    const bool is_of_other_script =
        kind == LetterScript::kSmall || kind == LetterScript::kCapital || kind == LetterScript::kLetter;
    const bool was_of_other_script =
        before == LetterScript::kSmall || before == LetterScript::kCapital || before == LetterScript::kLetter;
    const bool is_latin = kind == LetterScript::kAsciiLetter || kind == LetterScript::kLatin;
    const bool was_latin = before == LetterScript::kAsciiLetter || before == LetterScript::kLatin;
    if ((is_of_other_script && was_latin) || (is_latin && was_of_other_script) ||
        (kind == LetterScript::kCapital && before == LetterScript::kSmall) ||
        (kind == LetterScript::kSign && before != LetterScript::kOther && before != LetterScript::kAsciiLetter) ||
        (kind == LetterScript::kLatin && before == LetterScript::kSign)) {
      bits += kUnlikely;
    }
    before = kind;
    text.remove_prefix(bytes);
  }
  return bits;
}

}  // namespace

int64_t BitsOfText(const Encoding& encoding, std::string_view bytes) {
  std::string buffer;
  const std::string_view text = encoding.Decode(bytes, &buffer);
  if (encoding.name() == "UTF-8") return BitsOfUtf8(text);
  const Costs* costs = CostsIn(encoding);
  return costs == nullptr ? BitsOfLetters(text) : BitsByCosts(*costs, text);
}

}  // namespace uzushio
