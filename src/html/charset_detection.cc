#include "html/charset_detection.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/count_places.h"
#include "base/native.h"
#include "base/text_hash.h"
#include "document/word_run.h"
#include "html/native_encoding.h"

namespace uzushio {
namespace {

size_t CountHiragana(std::string_view text) {
  return static_cast<size_t>(CountPlaces<2>(text, [](const char* at) {
    const SixteenBytes second = LoadBytes(at + 1);
    const auto in_hiragana = (second == 0x81) | ((second == 0x82) & (LoadBytes(at + 2) <= 0x96));
    return (LoadBytes(at) == 0xE3) & in_hiragana;
  }));
}

bool IsMuch(size_t hiragana, size_t characters) { return hiragana >= 3 && hiragana * 4 >= characters; }

}  // namespace

bool IsInHiragana(std::string_view text) {
  const int64_t characters = CountPlaces<0>(text, [](const char* at) { return LoadBytes(at) >= 0xC0; });
  return IsMuch(CountHiragana(text), static_cast<size_t>(characters));
}

bool IsInHiragana(const Encoding& encoding, std::string_view bytes) {
  std::string buffer;
  const size_t hiragana = CountHiragana(encoding.Decode(bytes, &buffer));
  return IsMuch(hiragana, 0) && IsMuch(hiragana, encoding.FaultsOf(bytes).characters);
}

namespace {

constexpr size_t kCharsetParts = 16;

bool IsAsciiOnly(std::string_view text) { return uz_ascii_valid_up_to(AsBytes(text), text.size()) == text.size(); }

// Between characters in every encoding but those that escape: no second byte of a character is one of these.
bool ParsCharacters(char c) { return (c >= '\0' && c <= '/') || (c >= ':' && c <= '?'); }

// Calls `take` with each piece that has bytes beyond ASCII.
template <typename Take>
void ForEachPiece(std::string_view sample, const Take& take) {
  while (!sample.empty()) {
    const auto end = static_cast<size_t>(std::ranges::find_if(sample, ParsCharacters) - sample.begin());
    const std::string_view piece = sample.substr(0, end);
    sample.remove_prefix(std::min(end + 1, sample.size()));
    if (!IsAsciiOnly(piece)) take(piece);
  }
}

// Deals the pieces to the parts, each to the one that has least; without those that get none.
std::vector<std::string> DealPieces(std::string_view sample) {
  std::vector<std::string> parts(kCharsetParts);
  ForEachPiece(sample, [&parts](std::string_view piece) {
    std::ranges::min_element(parts, {}, &std::string::size)->append(piece).append("\n");
  });
  std::erase(parts, "");
  return parts;
}

constexpr size_t kVotesOfWhole = 2;  // of all parts together

// Whether what so many parts are taken for is more than a declaration is.
bool IsSure(size_t votes, size_t against) {
  constexpr size_t kFewest = 4;
  return votes >= kFewest && votes >= 2 * against;
}

// Little text in Shift_JIS may look Cyrillic to the detector, but no text comes out as hiragana by chance.
Encoding GuessPart(std::string_view bytes) {
  const Encoding any = Encoding::Guess(bytes, false);
  if (any.can_hold_kana()) return any;
  const Encoding japanese = Encoding::Guess(bytes, true);
  return japanese.can_hold_kana() && IsInHiragana(japanese, bytes) ? japanese : any;
}

// ISO-2022-JP is ASCII, with characters between escapes.
std::optional<Encoding> DetectEscapes(std::string_view sample) {
  if (sample.find("\x1b$") == std::string_view::npos) return std::nullopt;
  const std::optional<Encoding> encoding = Encoding::ForLabel("iso-2022-jp");
  const Faults faults = encoding->FaultsOf(sample);
  return faults.faults * 5 < faults.characters ? encoding : std::nullopt;
}

}  // namespace

std::string_view CharsetSample(std::string_view page) {
  const size_t ascii = uz_ascii_valid_up_to(AsBytes(page), page.size());
  const size_t escape = page.substr(0, ascii).find('\x1b');
  const size_t begin = std::min(ascii, escape) & ~size_t{1};  // where a character of UTF-16 may begin
  return std::min(ascii, escape) >= page.size() ? std::string_view() : page.substr(begin, kCharsetSample);
}

namespace {

// Whether many bytes are beyond ASCII.
bool HasMany(std::string_view sample) {
  constexpr size_t kMany = 96;
  size_t count = 0;
  for (; sample.size() >= sizeof(uint64_t) && count < kMany; sample.remove_prefix(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, sample.data(), sizeof word);
    count += CountOf(word & Eight(0x80));
  }
  return count >= kMany;
}

}  // namespace

std::string_view FullerSample(std::string_view page, std::string* buffer) {
  constexpr auto is_beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const std::string_view sample = CharsetSample(page);
  const auto has = [sample](char byte) { return sample.find(byte) != std::string_view::npos; };
  if (sample.size() < kCharsetSample || has('\x1b') || has('\0') || HasMany(sample)) return sample;  // zeros: UTF-16
  if (const size_t escape = page.find("\x1b$"); escape != std::string_view::npos) {
    return page.substr(escape, kCharsetSample);
  }
  buffer->clear();
  std::string_view rest = page;
  while (buffer->size() < kCharsetSample) {
    const size_t room = kCharsetSample - buffer->size();
    const size_t begin = uz_ascii_valid_up_to(AsBytes(rest), rest.size());
    if (begin == rest.size()) break;
    if (begin > 0) buffer->push_back(rest[begin - 1]);
    rest.remove_prefix(begin);
    // Characters may end with a byte of ASCII, or have one within.
    size_t end = 0;
    while (end < std::min(rest.size(), room) && is_beyond_ascii(rest[end]))
      end += end + 1 < rest.size() && !is_beyond_ascii(rest[end + 1]) ? 2 : 1;
    buffer->append(rest.substr(0, end)).push_back('\n');
    rest.remove_prefix(end);
  }
  return *buffer;
}

std::string DistinctPieces(std::string_view sample) {
  std::unordered_set<std::string_view, TextHash> seen;
  std::string pieces;
  ForEachPiece(sample, [&](std::string_view piece) {
    if (seen.insert(piece).second) pieces.append(piece).append("\n");
  });
  return pieces;
}

std::optional<Encoding> DetectUtf16(std::string_view page) {
  page = page.substr(0, kCharsetSample);
  if (page.find('\0') == std::string_view::npos) return std::nullopt;
  // Of ASCII, what is between words: letters and digits with a zero may be kanji, such as U+4E00, or the wide space.
  constexpr std::string_view kMarkup = "<>=/\"' \n";
  size_t of_big = 0;
  size_t of_little = 0;
  for (size_t i = 0; i + 1 < page.size(); i += 2) {
    of_big += page[i] == '\0' && kMarkup.find(page[i + 1]) != std::string_view::npos ? 1 : 0;
    of_little += page[i + 1] == '\0' && kMarkup.find(page[i]) != std::string_view::npos ? 1 : 0;
  }
  if (page.starts_with({"<\0", 2}) && of_big * 16 <= of_little) return Encoding::ForLabel("utf-16le");
  if (page.starts_with({"\0<", 2}) && of_little * 16 <= of_big) return Encoding::ForLabel("utf-16be");
  const size_t many = std::max(size_t{2}, page.size() / 512);  // of markup between much text
  const auto has = [page](std::string_view bytes) { return page.find(bytes) != std::string_view::npos; };
  if (of_little >= many && of_big * 16 <= of_little && has({"<\0", 2})) return Encoding::ForLabel("utf-16le");
  if (of_big >= many && of_little * 16 <= of_big && has({"\0<", 2})) return Encoding::ForLabel("utf-16be");
  return std::nullopt;
}

bool LooksLikeUtf8(std::string_view sample) {
  constexpr size_t kSeveral = 3;
  const size_t valid = uz_utf8_valid_up_to(AsBytes(sample), sample.size());
  if (sample.size() - valid < 4) {  // most are: at most a character is cut
    sample = sample.substr(0, valid);
    size_t left = kSeveral;
    return std::ranges::any_of(sample.substr(uz_ascii_valid_up_to(AsBytes(sample), sample.size())),
                               [&left](char c) { return static_cast<unsigned char>(c) >= 0xC0 && --left == 0; });
  }
  // A fault takes one byte beyond ASCII or more, a sound character two: with more faults, too few are sound.
  const int64_t ascii = CountPlaces<0>(sample, [](const char* at) { return LoadBytes(at) < 0x80; });
  const Faults faults = Encoding::Utf8().FaultsOf(sample, false, (sample.size() - static_cast<size_t>(ascii)) / 11);
  const size_t sound = faults.characters - faults.faults;
  return sound >= kSeveral && faults.faults * 5 <= sound;
}

namespace {

// What the votes of the parts say, where neither the votes of `left` more nor the two of the whole can change it.
std::optional<DetectedCharset> Decided(const std::vector<Encoding>& votes, size_t left) {
  const Encoding& last = votes.back();
  const auto votes_for = static_cast<size_t>(std::ranges::count(votes, last));
  const size_t most_against = votes.size() - votes_for + left;
  if (votes_for <= most_against + kVotesOfWhole) return std::nullopt;
  if (!last.can_hold_kana()) return DetectedCharset{last, false};
  return IsSure(votes_for, most_against) ? std::optional(DetectedCharset{last, true}) : std::nullopt;
}

}  // namespace

DetectedCharset DetectCharset(std::string_view sample) {
  if (const auto escaping = DetectEscapes(sample)) return {*escaping, true};
  const std::vector<std::string> parts = DealPieces(sample);
  if (parts.empty()) return {Encoding::Utf8(), false};
  std::vector<Encoding> votes;
  for (const std::string& part : parts) {
    votes.push_back(GuessPart(part));
    if (const auto decided = Decided(votes, parts.size() - votes.size())) return *decided;
  }
  // The whole decides where the pieces are few.
  std::string whole;
  for (const std::string& part : parts) whole += part;
  const Encoding of_whole = GuessPart(whole);
  const auto votes_for = [&](const Encoding& encoding) {
    return static_cast<size_t>(std::ranges::count(votes, encoding)) + (encoding == of_whole ? kVotesOfWhole : 0);
  };
  DetectedCharset most{of_whole, false};
  for (const Encoding& vote : votes) {
    if (votes_for(vote) > votes_for(most.encoding)) most.encoding = vote;
  }
  const auto for_most = static_cast<size_t>(std::ranges::count(votes, most.encoding));
  most.sure = most.encoding.can_hold_kana() && IsSure(for_most, votes.size() - for_most);
  return most;
}

}  // namespace uzushio
