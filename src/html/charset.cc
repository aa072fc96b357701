#include "html/charset.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/charset_detection.h"
#include "html/charset_score.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

// The charset in the text of a content attribute (WHATWG HTML, "extracting a character encoding from a meta element").
std::string_view CharsetInContent(std::string_view content) {
  constexpr std::string_view kWord = "charset";
  for (size_t at = FindIgnoreCase(content, kWord); at != std::string_view::npos;
       at = FindIgnoreCase(content, kWord, at + 1)) {
    std::string_view rest = content.substr(at + kWord.size());
    while (!rest.empty() && IsMarkupSpace(rest.front())) rest.remove_prefix(1);
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    while (!rest.empty() && (IsMarkupSpace(rest.front()) || rest.front() == '"' || rest.front() == '\''))
      rest.remove_prefix(1);
    return rest.substr(0, rest.find_first_of(" \t\r\n\f;,\"'"));
  }
  return {};
}

// What declarations are believed: those that browsers find, or any that look like one.
enum class MetaRule : uint8_t { kStandard, kAny };

// The charset that a meta tag names. `rest` stands behind `<meta`, and then behind the tag.
std::string_view CharsetOfMeta(MetaRule rule, std::string_view* rest) {
  std::string_view name;
  std::string_view value;
  std::string_view charset;
  std::string_view content;
  bool is_pragma = false;
  while (NextAttribute(rest, &name, &value)) {
    if (charset.empty() && IsWord(name, "charset")) charset = value;
    if (content.empty() && IsWord(name, "content")) content = CharsetInContent(value);
    is_pragma |= IsWord(name, "http-equiv") && IsWord(value, "content-type");
  }
  if (!charset.empty()) return charset;
  return is_pragma || rule == MetaRule::kAny ? content : std::string_view();
}

// Moves `rest`, which stands behind `<`, behind a tag, with what is quoted in it, or behind what is no tag.
void PassTag(std::string_view* rest) {
  const size_t begin = rest->starts_with('/') ? 1 : 0;
  if (begin < rest->size() && IsAsciiLetter((*rest)[begin])) {
    rest->remove_prefix(std::min(rest->find_first_of(" \t\r\n\f>"), rest->size()));
    std::string_view name;
    std::string_view value;
    while (NextAttribute(rest, &name, &value)) continue;
  } else if (begin == 1 || rest->starts_with('!') || rest->starts_with('?')) {
    rest->remove_prefix(std::min(rest->find('>'), rest->size()));
  }
}

std::string_view XmlDeclarationEncoding(std::string_view page) {
  const size_t start = page.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || !page.substr(start).starts_with("<?xml")) return {};
  page = page.substr(start, 256);
  page = page.substr(0, page.find('>'));
  const size_t at = page.find("encoding");
  if (at == std::string_view::npos) return {};
  const size_t quote = page.find_first_of("\"'", at);
  if (quote == std::string_view::npos) return {};
  const std::string_view value = page.substr(quote + 1);
  return value.substr(0, value.find(page[quote]));
}

// What a label names, but for encodings that the WHATWG has no decoder for.
std::optional<Encoding> Decodable(std::string_view label) {
  const std::optional<Encoding> encoding = Encoding::ForLabel(label);
  return encoding && encoding->name() == "replacement" ? std::nullopt : encoding;
}

// A meta tag cannot truly say UTF-16, since it could then not be read (WHATWG HTML, "prescan a byte stream").
std::optional<Encoding> EncodingOfMeta(std::string_view page) {
  const std::optional<Encoding> encoding = Decodable(SniffMetaCharset(page));
  if (encoding && encoding->name().starts_with("UTF-16")) return Encoding::Utf8();
  return encoding;
}

std::optional<Encoding> EncodingOfBom(std::string_view page) {
  if (page.starts_with(kUtf8Bom)) return Encoding::Utf8();
  if (page.starts_with("\xFE\xFF")) return Encoding::ForLabel("utf-16be");
  if (page.starts_with("\xFF\xFE")) return Encoding::ForLabel("utf-16le");
  return std::nullopt;
}

bool IsUtf16(const Encoding& encoding) { return encoding.name().starts_with("UTF-16"); }

// A page in UTF-16 has zeros, as its markup is ASCII.
std::optional<Encoding> EncodingOfHeader(std::string_view label, std::string_view page) {
  const std::optional<Encoding> encoding = Decodable(label);
  const bool has_zeros = page.substr(0, kCharsetSample).find('\0') != std::string_view::npos;
  return encoding && IsUtf16(*encoding) && !has_zeros ? std::nullopt : encoding;
}

bool IsTolerable(const Faults& faults, const Encoding& encoding) {
  if (faults.faults == 0) return true;
  if (!encoding.can_hold_kana()) return false;
  if (encoding.escapes()) return faults.faults * 5 <= faults.characters;  // an escape that is cut takes more
  return faults.faults * 20 <= faults.characters || (faults.faults <= 2 && faults.faults * 5 <= faults.characters);
}

// What of a page its encoding is told from. Faults in an encoding are counted once.
class PageSample {
 public:
  explicit PageSample(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  Faults FaultsIn(const Encoding& encoding) {
    const auto counted = std::ranges::find(counted_, encoding, &Counted::encoding);
    if (counted != counted_.end()) return counted->faults;
    return counted_.emplace_back(Counted{encoding, encoding.FaultsOf(bytes_)}).faults;
  }
  bool IsTolerableIn(const Encoding& encoding) { return IsTolerable(FaultsIn(encoding), encoding); }

 private:
  struct Counted {
    Encoding encoding;
    Faults faults;
  };

  std::string_view bytes_;
  std::vector<Counted> counted_;
};

// Whether what the detector is sure of goes before what is declared. One that decodes without a fault, with more than a
// byte for a character, is not easily wrong: it is where it has no hiragana, and the text has them otherwise, or the
// declaration says Japanese, and the detector does not.
bool Overrules(const Encoding& detected, const std::vector<Encoding>& declared, PageSample* sample) {
  const auto sound =
      std::ranges::find_if(declared, [sample](const Encoding& encoding) { return sample->IsTolerableIn(encoding); });
  if (sound == declared.end() || !sound->can_hold_kana() || sample->FaultsIn(*sound).faults > 0) return true;
  const auto is_japanese = [](const Encoding& encoding) {
    return encoding.name() == "Shift_JIS" || encoding.name() == "EUC-JP";
  };
  if (IsInHiragana(*sound, sample->bytes())) return false;
  return IsInHiragana(detected, sample->bytes()) || (is_japanese(*sound) && !is_japanese(detected));
}

DecodedPage DecodeIn(const Encoding& encoding, std::string_view page, bool only_kana, std::string* buffer) {
  DecodedPage decoded{encoding, page};
  if (!only_kana || encoding.can_hold_kana()) decoded.utf8 = encoding.Decode(page, buffer, &decoded.replaced);
  return decoded;
}

// How much of a page may be lost: one of five characters beyond ASCII.
constexpr size_t kOneOfReplaced = 5;

// The encoding that three quarters of a page's parts are in without doubt. Fewer would be too few: what is in another
// encoding may decode, too, to nonsense.
std::optional<Encoding> EncodingOfMostParts(std::string_view page) {
  constexpr size_t kParts = 8;
  std::vector<Encoding> encodings;
  for (size_t i = 0; i < kParts; ++i) {
    const size_t begin = page.size() * i / kParts;
    const std::string_view sample = CharsetSample(page.substr(begin, page.size() * (i + 1) / kParts - begin));
    if (LooksLikeUtf8(sample)) {
      encodings.push_back(Encoding::Utf8());
    } else if (const DetectedCharset detected = DetectCharset(sample); detected.sure) {
      encodings.push_back(detected.encoding);
    }
  }
  const auto is_most = [&encodings](const Encoding& encoding) {
    return std::ranges::count(encodings, encoding) * 4 >= static_cast<int64_t>(kParts) * 3;
  };
  const auto most = std::ranges::find_if(encodings, is_most);
  return most == encodings.end() ? std::nullopt : std::optional(*most);
}

// Decodes a page in the encoding of its sample. Where what follows has many faults, that of most of the page is taken,
// if it has fewer; nothing where too much does not decode.
std::optional<DecodedPage> DecodeWhole(const Encoding& encoding, std::string_view page, bool only_kana,
                                       std::string* buffer) {
  DecodedPage decoded = DecodeIn(encoding, page, only_kana, buffer);
  if (decoded.replaced == 0 || page.size() <= kCharsetSample) return decoded;
  const Faults faults = encoding.FaultsOf(page, true);
  if (IsTolerable(faults, encoding)) return decoded;
  const std::optional<Encoding> most = EncodingOfMostParts(page);
  if (most && most->FaultsOf(page, true).faults < faults.faults) return DecodeIn(*most, page, only_kana, buffer);
  if (faults.faults * kOneOfReplaced > faults.characters) return std::nullopt;
  return decoded;
}

// What a page may be in.
struct CandidateList {
  std::vector<Encoding> encodings;  // the ones to be believed first
  size_t certain = 0;               // how many of them, from the first on, the bytes themselves say without doubt
  std::vector<Encoding> declared;
  std::optional<DetectedCharset> detected;
};

// What is declared, the meta tag first.
std::vector<Encoding> Declared(std::string_view page, std::string_view http_charset, bool is_html) {
  std::vector<Encoding> declared;
  if (const auto meta = is_html ? EncodingOfMeta(page) : std::nullopt) declared.push_back(*meta);
  if (const auto header = EncodingOfHeader(http_charset, page)) declared.push_back(*header);
  return declared;
}

// By declarations, the detector, and what the bytes say of themselves.
CandidateList Candidates(std::string_view page, PageSample* sample, std::vector<Encoding> all_declared,
                         CharsetRule rule) {
  CandidateList list;
  list.declared = std::move(all_declared);
  std::vector<Encoding>& candidates = list.encodings;
  const std::vector<Encoding>& declared = list.declared;
  std::optional<DetectedCharset>& detected = list.detected;
  const auto add = [&candidates](const std::optional<Encoding>& encoding) {
    if (encoding) candidates.push_back(*encoding);
  };
  const std::string_view bytes = sample->bytes();
  const bool is_utf8 = bytes.find('\x1b') == std::string_view::npos && Encoding::Utf8().Decodes(bytes);
  if (!is_utf8) detected = DetectCharset(bytes);
  add(EncodingOfBom(page));
  if (rule == CharsetRule::kTolerant) {
    add(DetectUtf16(page));
    const bool escapes = detected && detected->encoding.escapes();
    if (escapes) add(detected->encoding);
    list.certain = candidates.size();
    if (!escapes && detected && detected->sure && Overrules(detected->encoding, declared, sample)) {
      add(detected->encoding);
      if (std::ranges::find(declared, detected->encoding) != declared.end()) ++list.certain;
    }
  }
  for (const Encoding& encoding : declared) add(encoding);
  // Encodings with one byte for each character take any bytes, damaged ones too.
  const auto mostly_decodes = [sample](const Encoding& encoding) {
    const Faults faults = sample->FaultsIn(encoding);
    return encoding.can_hold_kana() && faults.faults * 4 <= faults.characters;
  };
  const bool takes_any = detected && !detected->encoding.can_hold_kana();
  if (detected && !(takes_any && std::ranges::any_of(candidates, mostly_decodes))) add(detected->encoding);
  add(Encoding::Utf8());
  return list;
}

// Decodes a page without a fault by the first charset that is declared, where the text says that it is right: it is in
// hiragana. To ask the detector takes several times as long as to decode, and nothing would be believed before it.
std::optional<DecodedPage> DecodeAsDeclared(const std::vector<Encoding>& declared, std::string_view page,
                                            std::string_view sample, bool only_kana, std::string* buffer) {
  if (declared.empty() || !declared[0].can_hold_kana() || declared[0].escapes() || IsUtf16(declared[0])) return {};
  if (sample.find('\x1b') != std::string_view::npos || EncodingOfBom(page) || DetectUtf16(page)) return {};
  DecodedPage decoded = DecodeIn(declared[0], page, only_kana, buffer);
  if (decoded.replaced > 0) return {};
  if (!IsInHiragana(decoded.utf8)) return {};
  return decoded;
}

// The encoding that explains the sample best, if it does so much better than the one believed, else that. How much
// better is the worth of a declaration, about that of two characters; other encodings with a byte for each character
// than Latin-1, which servers declare by default, are not declared by mistake.
Encoding Likeliest(const Encoding& believed, const CandidateList& list, PageSample* sample) {
  constexpr int64_t kOfDeclaration = 24;
  constexpr int64_t kOfGuess = 8;
  if (believed.escapes() || IsUtf16(believed)) return believed;
  const bool is_tolerable = sample->IsTolerableIn(believed);
  const bool is_declared = std::ranges::find(list.declared, believed) != list.declared.end();
  if (is_declared && !believed.can_hold_kana() && believed.name() != "windows-1252") return believed;
  if (is_declared && is_tolerable && IsInHiragana(believed, sample->bytes())) return believed;
  std::vector<Encoding> others = list.declared;
  if (list.detected) others.push_back(list.detected->encoding);
  for (const char* label : {"utf-8", "shift_jis", "euc-jp", "gbk", "big5", "euc-kr", "windows-1252"}) {
    others.push_back(*Encoding::ForLabel(label));
  }
  const auto worth = [&](const Encoding& encoding) {
    if (std::ranges::find(list.declared, encoding) != list.declared.end()) return kOfDeclaration;
    if (!list.detected || encoding != list.detected->encoding) return int64_t{0};
    return list.detected->sure ? kOfDeclaration : kOfGuess;
  };
  const std::string pieces = DistinctPieces(sample->bytes());
  Encoding best = believed;
  int64_t least = BitsOfText(believed, pieces) - worth(believed);
  for (const Encoding& encoding : others) {
    if (encoding == best || encoding == believed || encoding.escapes() || IsUtf16(encoding)) continue;
    const int64_t bits = BitsOfText(encoding, pieces) - worth(encoding);
    if (bits >= least) continue;  // as most; its faults need not be counted
    const Faults faults = sample->FaultsIn(encoding);
    if (faults.faults * kOneOfReplaced > faults.characters) continue;
    if (is_tolerable && !encoding.can_hold_kana() && !IsTolerable(faults, encoding)) continue;  // it would be refused
    best = encoding;
    least = bits;
  }
  return best;
}

// Any `<meta` is a tag, whatever is around it, or those alone that the standard's "prescan" comes to.
std::string_view FindMetaCharset(MetaRule rule, std::string_view page) {
  for (size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at)) {
    std::string_view rest = page.substr(at + 1);
    if (rest.starts_with("!--")) {
      const size_t end = page.find("-->", at + 2);  // <!--> is whole
      if (end == std::string_view::npos) break;
      rest = page.substr(end);
    } else if (BeginsTag(rest, "meta")) {
      rest.remove_prefix(4);
      const std::string_view charset = CharsetOfMeta(rule, &rest);
      if (!charset.empty() && (rule == MetaRule::kAny || Decodable(charset))) return charset;
    } else if (rule == MetaRule::kStandard) {
      PassTag(&rest);
    }
    at = page.size() - rest.size();
  }
  return {};
}

}  // namespace

std::string_view SniffMetaCharset(std::string_view page) {
  page = page.substr(0, kCharsetSample);
  for (const MetaRule rule : {MetaRule::kStandard, MetaRule::kAny}) {
    const std::string_view charset = FindMetaCharset(rule, page);
    if (!charset.empty()) return charset;
  }
  return XmlDeclarationEncoding(page);
}

namespace {

std::optional<DecodedPage> DecodeTolerantly(std::string_view page, std::string_view http_charset, bool is_html,
                                            bool only_kana, std::string* buffer) {
  std::string gathered;
  PageSample sample(FullerSample(page, &gathered));
  if (LooksLikeUtf8(sample.bytes())) return DecodeWhole(Encoding::Utf8(), page, only_kana, buffer);
  std::vector<Encoding> declared = Declared(page, http_charset, is_html);
  if (auto decoded = DecodeAsDeclared(declared, page, sample.bytes(), only_kana, buffer)) return decoded;
  const CandidateList list = Candidates(page, &sample, std::move(declared), CharsetRule::kTolerant);
  std::optional<Encoding> least_wrong;
  Faults least;
  for (size_t i = 0; i < list.encodings.size(); ++i) {
    const Encoding& encoding = list.encodings[i];
    const Faults faults = sample.FaultsIn(encoding);
    const bool is_tolerable = IsTolerable(faults, encoding);
    if (is_tolerable && i < list.certain) return DecodeWhole(encoding, page, only_kana, buffer);
    if (is_tolerable || !least_wrong || faults.faults < least.faults) {
      least_wrong = encoding;
      least = faults;
    }
    if (is_tolerable) break;
  }
  if (!sample.bytes().empty()) least_wrong = Likeliest(*least_wrong, list, &sample);
  least = sample.FaultsIn(*least_wrong);
  if (IsTolerable(least, *least_wrong)) return DecodeWhole(*least_wrong, page, only_kana, buffer);
  const size_t one_of = least_wrong->can_hold_kana() ? 2 : 20;
  if (least.faults * one_of > least.characters) return std::nullopt;
  constexpr size_t kFewFaults = 8;
  const Faults of_page = least_wrong->FaultsOf(page, true);
  if (of_page.faults > kFewFaults && of_page.faults * kOneOfReplaced > of_page.characters) return std::nullopt;
  DecodedPage decoded = DecodeIn(*least_wrong, page, only_kana, buffer);
  decoded.believed = false;
  return decoded;
}

std::string WithoutComments(std::string_view page) {
  constexpr std::string_view kEnd = "-->";
  std::string rest;
  for (size_t begin = page.find("<!--"); begin != std::string_view::npos; begin = page.find("<!--")) {
    const size_t end = page.find(kEnd, begin + 2);  // <!--> is whole
    if (end == std::string_view::npos) break;
    rest += page.substr(0, begin);
    page.remove_prefix(end + kEnd.size());
  }
  return rest.append(page);
}

}  // namespace

std::optional<DecodedPage> DecodePage(std::string_view page, std::string_view http_charset, bool is_html,
                                      CharsetRule rule, bool only_kana, std::string* buffer) {
  if (rule == CharsetRule::kStrict) {
    std::vector<Encoding> declared = Declared(page, http_charset, is_html);
    PageSample sample(CharsetSample(page));
    for (const Encoding& encoding : Candidates(page, &sample, std::move(declared), rule).encodings) {
      if (encoding.Decodes(page.substr(0, kCharsetSample))) return DecodeIn(encoding, page, only_kana, buffer);
    }
    return std::nullopt;
  }
  std::optional<DecodedPage> decoded = DecodeTolerantly(page, http_charset, is_html, only_kana, buffer);
  if (!is_html || (decoded && decoded->replaced == 0)) return decoded;
  // Nobody sees the comments: they may be what does not decode, left in the encoding that the page had once.
  const std::string seen = WithoutComments(page);
  if (seen.size() == page.size()) return decoded;
  std::string seen_buffer;
  const auto better = DecodeTolerantly(seen, http_charset, is_html, only_kana, &seen_buffer);
  if (!better || !better->believed || (decoded && better->replaced >= decoded->replaced)) return decoded;
  if (decoded && decoded->encoding == better->encoding) return decoded;
  return DecodeIn(better->encoding, page, only_kana, buffer);
}

}  // namespace uzushio
