// The markup of a document's text: paragraphs with their CSS paths and links in one string.
//
// Paragraphs are joined by "\n\n". Each is `path` U+001C `text`; link text lies between U+0002 and U+0003.
// The format is the original Uzushio's (its README and `lib/utils/Paragraphs.scala` name these code points).
//
// Beside it, a paragraph may have a score, how surely it is main content: `path` U+001D `dd` U+001C `text`, where dd
// are hundredths. It lies before the text, so that whoever looks at texts alone sees nothing of it, and goes where its
// paragraph goes.
//
// A paragraph of shown text (html/shown_text.h) has its structure (document/structure.h) between path and score:
// `path` U+001E `structure` [U+001D `dd`] U+001C `text`. The structure may be empty. Its text is taken as it is: white
// space in it is what the reader sees. Beside links, marks in it enclose inline code, strong and emphasized text and
// formulas, stand before header cells of tables, and for blank lines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

inline constexpr char kLinkStart = '\x02';
inline constexpr char kLinkEnd = '\x03';
inline constexpr char kCodeStart = '\x0e';
inline constexpr char kCodeEnd = '\x0f';
inline constexpr char kStrongStart = '\x10';
inline constexpr char kStrongEnd = '\x11';
inline constexpr char kEmphasisStart = '\x12';
inline constexpr char kEmphasisEnd = '\x13';
inline constexpr char kFormulaStart = '\x14';
inline constexpr char kFormulaEnd = '\x15';
inline constexpr char kHeaderCell = '\x16';  // before the text of a table's header cell
inline constexpr char kBlankLine = '\x1f';   // alone on its line, which is blank: "\n\n" ends paragraphs
inline constexpr char kPathSeparator = '\x1c';
inline constexpr char kScoreMark = '\x1d';
inline constexpr char kStructureMark = '\x1e';
inline constexpr std::string_view kParagraphSeparator = "\n\n";

// Whether a byte of a paragraph's text is a mark, which plain text is without.
inline constexpr auto kIsMark = [] {
  std::array<bool, 256> marks{};
  for (const char c : {kLinkStart, kLinkEnd, kBlankLine}) marks[static_cast<unsigned char>(c)] = true;
  for (size_t c = kCodeStart; c <= kHeaderCell; ++c) marks[c] = true;
  return marks;
}();
constexpr bool IsMark(char c) { return kIsMark[static_cast<unsigned char>(c)]; }

// The score of a paragraph that has none: it is content, as nobody has said otherwise.
inline constexpr uint8_t kNoScore = 100;
inline constexpr uint8_t kMaxScore = 99;

// A paragraph inside a document's text. `path` is empty where the source has none (plain text, WET).
struct ParagraphView {
  std::string_view path;
  std::string_view text;     // with marks
  uint8_t score = kNoScore;  // hundredths, at most kMaxScore where there is one
  std::string_view structure;
  bool shown = false;  // it has a structure, which may be empty

  bool operator==(const ParagraphView&) const = default;
};

// Iterates over the paragraphs of a document's text without copying. Any string is accepted: a paragraph without
// U+001C has an empty path, empty paragraphs are skipped, U+001D that no two digits follow is of what is before it, and
// the first U+001E ends the path.
class ParagraphReader {
 public:
  explicit ParagraphReader(std::string_view document) : rest_(document) {}

  // The next paragraph, or nothing at the end. The views live as long as the document's text.
  std::optional<ParagraphView> Next();

 private:
  std::string_view rest_;
};

// No document has more paragraphs than this says of its text.
size_t MostParagraphs(std::string_view document);

// All paragraphs of a document's text.
std::vector<ParagraphView> DecodeParagraphs(std::string_view document);

// Appends a paragraph to a document's text.
void AppendParagraph(const ParagraphView& paragraph, std::string* document);

// The text of a document with these paragraphs: the inverse of `DecodeParagraphs` for clean paragraphs (as
// `CleanParagraph` leaves them) whose paths hold no white space or control characters.
std::string EncodeParagraphs(const std::vector<ParagraphView>& paragraphs);

// The text without marks.
std::string StripMarks(std::string_view text);

// Appends one segment of a path, `tag.class.class#id`, to `path`. Class names are split at white space. `>`, `.`, `#`
// and `\` in names are escaped with `\`; white space and control characters are left out. A segment longer than
// kMaxSegmentBytes is cut between characters.
inline constexpr size_t kMaxSegmentBytes = 256;
void AppendPathSegment(std::string_view tag, std::string_view classes, std::string_view id, std::string* path);

}  // namespace uzushio
