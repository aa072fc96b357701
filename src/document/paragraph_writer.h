// Writes the paragraphs of a document, cleaning white space on the way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "document/markup.h"

namespace uzushio {

// Builds a document's text from raw text, line breaks, link borders and paragraph borders, in one pass and without
// copies. White space is cleaned as the original Uzushio cleans it:
//
// * runs of U+0000-0020 and U+00A0 become one space; a line break of the raw text ends a line, except inside a link,
//   where it is a space; U+0002 and U+0003 of the raw text count as spaces too, so that a page cannot forge marks;
// * lines are stripped of white space (U+3000 included), empty lines and empty paragraphs are left out;
// * links without text vanish with the white space in them.
//
// Unlike the original, links stay marked. A link neither begins nor ends with white space, never spans a line, and a
// link that spans paragraphs is marked in each. Without its marks the text equals the original's.
class ParagraphWriter {
 public:
  // Appends to `document`, which outlives the writer.
  explicit ParagraphWriter(std::string* document) : out_(*document) {}

  // Raw text of the current paragraph, UTF-8; calls may cut it anywhere between characters.
  void Text(std::string_view raw);

  // A separator that is not in the raw text: `<br>` and the ends of lists' and tables' items.
  void LineBreak();
  void Space() { pending_space_ = true; }

  // Borders of a link. Nested links are one.
  void LinkStart();
  void LinkEnd();

  // Ends the paragraph. The next text begins another one.
  void EndParagraph();

  // Paragraphs begun so far.
  int64_t paragraphs() const { return paragraphs_; }
  // Bytes of text written so far, without white space between.
  size_t text_bytes() const { return text_bytes_; }

  // The path of the paragraph that the next text begins. Called before the first Text of a paragraph only.
  // The writer asks for it when there is something to write; see PathSource.
  class PathSource {
   public:
    virtual ~PathSource() = default;
    virtual void AppendPath(std::string* out) = 0;
  };
  void set_path_source(PathSource* source) { path_source_ = source; }

 private:
  void Emit(std::string_view run);
  void BeginParagraph();
  void EndLine();
  size_t StrippedEnd(size_t end) const;

  std::string& out_;
  PathSource* path_source_ = nullptr;
  size_t line_start_ = 0;  // of the current line in out_; meaningful inside a paragraph
  int64_t paragraphs_ = 0;
  size_t text_bytes_ = 0;
  int link_depth_ = 0;
  bool in_paragraph_ = false;
  bool pending_space_ = false;
  bool link_open_ = false;          // the start mark of the link around is written
  bool space_before_link_ = false;  // pending_space_ when the link began
};

// One paragraph cleaned: `text` may hold link marks and line breaks.
std::string CleanParagraph(std::string_view text);

// A paragraph's plain text, as statistics count it: without marks, and cleaned unless it is shown text, which is taken
// as it is. Either the text itself, when there is nothing to do, or a view of `buffer`. Empty when nothing is left.
std::string_view PlainParagraph(const ParagraphView& paragraph, std::string* buffer);
// The same of a text alone, which is no shown one.
std::string_view PlainParagraph(std::string_view text, std::string* buffer);

}  // namespace uzushio
