// The markup of a document's text: paragraphs with their CSS paths and links in one string.
//
// Paragraphs are joined by "\n\n". Each is `path` U+001C `text`; link text lies between U+0002 and U+0003.
// The format is the original Uzushio's (its README and `lib/utils/Paragraphs.scala` name these code points).
//
// Beside it, a paragraph may have a score, how surely it is main content: `path` U+001D `dd` U+001C `text`, where dd
// are hundredths. It lies before the text, so that whoever looks at texts alone sees nothing of it, and goes where its
// paragraph goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

inline constexpr char kLinkStart = '\x02';
inline constexpr char kLinkEnd = '\x03';
inline constexpr char kPathSeparator = '\x1c';
inline constexpr char kScoreMark = '\x1d';
inline constexpr std::string_view kParagraphSeparator = "\n\n";

// The score of a paragraph that has none: it is content, as nobody has said otherwise.
inline constexpr uint8_t kNoScore = 100;
inline constexpr uint8_t kMaxScore = 99;

// A paragraph inside a document's text. `path` is empty where the source has none (plain text, WET).
struct ParagraphView {
  std::string_view path;
  std::string_view text;     // with link marks
  uint8_t score = kNoScore;  // hundredths, at most kMaxScore where there is one

  bool operator==(const ParagraphView&) const = default;
};

// Iterates over the paragraphs of a document's text without copying. Any string is accepted: a paragraph without
// U+001C has an empty path, empty paragraphs are skipped, and U+001D that no two digits follow is of the path.
class ParagraphReader {
 public:
  explicit ParagraphReader(std::string_view document) : rest_(document) {}

  // The next paragraph, or nothing at the end. The views live as long as the document's text.
  std::optional<ParagraphView> Next();

 private:
  std::string_view rest_;
};

// All paragraphs of a document's text.
std::vector<ParagraphView> DecodeParagraphs(std::string_view document);

// Appends a paragraph to a document's text.
void AppendParagraph(const ParagraphView& paragraph, std::string* document);

// The text of a document with these paragraphs: the inverse of `DecodeParagraphs` for clean paragraphs (as
// `CleanParagraph` leaves them) whose paths hold no white space or control characters.
std::string EncodeParagraphs(const std::vector<ParagraphView>& paragraphs);

// The text without link marks.
std::string StripLinkMarks(std::string_view text);

// Appends one segment of a path, `tag.class.class#id`, to `path`. Class names are split at white space. `>`, `.`, `#`
// and `\` in names are escaped with `\`; white space and control characters are left out. A segment longer than
// kMaxSegmentBytes is cut between characters.
inline constexpr size_t kMaxSegmentBytes = 256;
void AppendPathSegment(std::string_view tag, std::string_view classes, std::string_view id, std::string* path);

}  // namespace uzushio
