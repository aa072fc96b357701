#include "document/markup.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace uzushio {
namespace {

// Takes the score off the end of what is before U+001C, where there is one.
uint8_t TakeScore(std::string_view* path) {
  constexpr size_t kSize = 3;  // the mark and two digits
  if (path->size() < kSize || (*path)[path->size() - kSize] != kScoreMark) return kNoScore;
  const char tens = (*path)[path->size() - 2];
  const char ones = (*path)[path->size() - 1];
  if (tens < '0' || tens > '9' || ones < '0' || ones > '9') return kNoScore;
  path->remove_suffix(kSize);
  return static_cast<uint8_t>((tens - '0') * 10 + (ones - '0'));
}

}  // namespace

std::optional<ParagraphView> ParagraphReader::Next() {
  while (!rest_.empty()) {
    const size_t end = rest_.find(kParagraphSeparator);
    std::string_view paragraph = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + kParagraphSeparator.size());
    if (paragraph.empty()) continue;
    const size_t separator = paragraph.find(kPathSeparator);
    if (separator == std::string_view::npos) return ParagraphView{{}, paragraph, kNoScore};
    if (separator + 1 == paragraph.size()) continue;
    std::string_view path = paragraph.substr(0, separator);
    ParagraphView view{{}, paragraph.substr(separator + 1), TakeScore(&path)};
    const size_t structure = path.find(kStructureMark);
    view.path = path.substr(0, structure);
    view.shown = structure != std::string_view::npos;
    if (view.shown) view.structure = path.substr(structure + 1);
    return view;
  }
  return std::nullopt;
}

size_t MostParagraphs(std::string_view document) {
  size_t most = 1;
  size_t at = document.find(kParagraphSeparator);
  while (at != std::string_view::npos) {
    ++most;
    at = document.find(kParagraphSeparator, at + kParagraphSeparator.size());
  }
  return most;
}

std::vector<ParagraphView> DecodeParagraphs(std::string_view document) {
  std::vector<ParagraphView> paragraphs;
  ParagraphReader reader(document);
  while (auto paragraph = reader.Next()) paragraphs.push_back(*paragraph);
  return paragraphs;
}

void AppendParagraph(const ParagraphView& paragraph, std::string* document) {
  if (!document->empty()) *document += kParagraphSeparator;
  *document += paragraph.path;
  if (paragraph.shown) {
    *document += kStructureMark;
    *document += paragraph.structure;
  }
  if (paragraph.score <= kMaxScore) {
    *document += kScoreMark;
    *document += static_cast<char>('0' + paragraph.score / 10);
    *document += static_cast<char>('0' + paragraph.score % 10);
  }
  *document += kPathSeparator;
  *document += paragraph.text;
}

std::string EncodeParagraphs(const std::vector<ParagraphView>& paragraphs) {
  std::string document;
  for (const ParagraphView& paragraph : paragraphs) AppendParagraph(paragraph, &document);
  return document;
}

std::string StripMarks(std::string_view text) {
  std::string plain;
  plain.resize(text.size());
  char* out = plain.data();
  for (const char c : text) {  // without a branch, as marks are anywhere
    *out = c;
    out += IsMark(c) ? 0 : 1;
  }
  plain.resize(static_cast<size_t>(out - plain.data()));
  return plain;
}

namespace {

// What becomes of a byte of a name in a path.
enum class NameByte : uint8_t { kAsItIs, kEscaped, kLeftOut };

constexpr auto kNameByteTable = [] {
  std::array<NameByte, 256> bytes{};
  for (size_t byte = 0; byte <= 0x20; ++byte) bytes[byte] = NameByte::kLeftOut;
  bytes[0x7F] = NameByte::kLeftOut;
  for (const unsigned char byte : {'>', '.', '#', '\\'}) bytes[byte] = NameByte::kEscaped;
  return bytes;
}();

NameByte NameByteOf(char c) { return kNameByteTable[static_cast<unsigned char>(c)]; }

// Writes a name without what would break the grammar of paths, at most two bytes for each of its own. Returns its end.
char* PutName(std::string_view name, char* out) {
  for (const char c : name) {
    const NameByte kind = NameByteOf(c);
    if (kind == NameByte::kLeftOut) continue;
    if (kind == NameByte::kEscaped) *out++ = '\\';
    *out++ = c;
  }
  return out;
}

// The same with `mark` before it; nothing when nothing is left of the name.
char* PutMarked(char mark, std::string_view name, char* out) {
  *out = mark;
  char* const end = PutName(name, out + 1);
  return end == out + 1 ? out : end;
}

bool IsClassSpace(char c) { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'); }

}  // namespace

void AppendPathSegment(std::string_view tag, std::string_view classes, std::string_view id, std::string* path) {
  // A name can double by escaping, so that a longer input never fits anyway: it need not be looked at.
  constexpr size_t kEnough = kMaxSegmentBytes;
  // The tag, classes up to the one that passes the most, and the id.
  std::array<char, 2 * kEnough + kMaxSegmentBytes + 2 * (2 * kEnough + 1)> segment;
  char* at = PutName(Utf8Prefix(tag, kEnough), segment.data());
  classes = Utf8Prefix(classes, kEnough * 4);
  while (!classes.empty() && at < segment.data() + kMaxSegmentBytes) {
    const auto end = std::ranges::find_if(classes, IsClassSpace);
    at = PutMarked('.', Utf8Prefix({classes.begin(), end}, kEnough), at);
    classes.remove_prefix(static_cast<size_t>(end - classes.begin()));
    if (!classes.empty()) classes.remove_prefix(1);
  }
  at = PutMarked('#', Utf8Prefix(id, kEnough), at);
  size_t length = static_cast<size_t>(at - segment.data());
  if (length > kMaxSegmentBytes) {
    length = Utf8Prefix({segment.data(), length}, kMaxSegmentBytes).size();
    // An escape is not cut in two: an odd run of backslashes at the end loses its last.
    size_t backslashes = 0;
    while (backslashes < length && segment[length - 1 - backslashes] == '\\') ++backslashes;
    length -= backslashes % 2;
    // Nor does it end in a mark that no name follows.
    const auto is_mark = [&segment](size_t i) {
      return (segment[i] == '.' || segment[i] == '#') && segment[i - 1] != '\\';
    };
    if (is_mark(length - 1)) --length;
  }
  path->append(segment.data(), length);
}

}  // namespace uzushio
