// Writes the paragraphs of shown text: white space as CSS collapses it, marks, preformatted lines, rows of tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/paragraph_writer.h"

namespace uzushio {

// Builds a document's text in the markup of document/markup.h, in one pass. Text comes in pieces, cut anywhere between
// characters.
//
// Runs of white space become one space. One with a line break in it becomes nothing between two wide characters (CSS
// Text 3, section 4.1.3: East Asian Width Fullwidth, Wide or Halfwidth on both sides, and no Hangul). U+00A0 and U+3000
// are text, but a paragraph of nothing else is left out. Control characters are white space, so that a page cannot
// forge marks.
class ShownWriter {
 public:
  using PathSource = ParagraphWriter::PathSource;  // appends path, U+001E and structure

  // Appends to `document`, which outlives the writer.
  ShownWriter(std::string* document, PathSource* paths) : out_(*document), paths_(paths) {}

  void Text(std::string_view raw);
  // Text that stands as it is in the line, white space in it as single spaces.
  void Symbol(std::string_view text) { Text(text); }
  // A `<br>`. Two of them in a row end the paragraph; in preformatted text they leave a blank line.
  void LineBreak();
  // Ends the line where it has text: the border of a block in preformatted text.
  void LineBorder();
  // A line of code, which may be empty, and may end with a line break of its own.
  void BeginCodeLine();
  void EndCodeLine();
  void EndParagraph();

  // White space in the text between is kept, and line breaks end lines.
  void BeginPreformatted() { ++preformatted_; }
  void EndPreformatted() { --preformatted_; }
  bool preformatted() const { return preformatted_ > 0 && !in_cell_; }

  // Text between is enclosed in `start` and the mark that follows it, without white space at its ends and without
  // spanning lines. Marks nest; the one that was opened last ends first.
  void BeginMark(char start) { marks_.push_back(start); }
  void EndMark();
  // What follows in the open marks of this kind does not have them.
  void DropMark(char start);

  // A row of a table. A tab stands before each column but the first, line breaks in cells are spaces. A cell that spans
  // columns or rows is written once, where it begins; the row ends behind its last own cell. Rows without text are left
  // out.
  void BeginRow();
  void BeginCell(bool is_header);
  void EndCell(int columns, int rows);
  void EndRow();
  // Of a table's end, too: cells do not reach down behind it (HTML, section 4.9.12.1).
  void EndRowGroup() { spanned_.clear(); }
  bool in_cell() const { return in_cell_; }
  // Whether the text of the cell will begin a paragraph, with its row.
  bool holds_back_paragraph() const { return in_cell_ && !in_paragraph_; }

  // Whether the last character written is next to what comes now.
  bool touches_text() const;
  int64_t paragraphs() const { return paragraphs_; }
  // Bytes of text written so far, without white space between.
  size_t text_bytes() const { return text_bytes_; }

 private:
  // What is held back between words: a line break of the source is nothing between wide characters, the end of a line
  // in a cell is a space, whatever is around it, unless the next line is indented.
  enum class White : uint8_t { kNone, kSpace, kBreak, kEndOfLine };

  void TakeWhite(std::string_view* raw);
  void TakeWords(std::string_view* raw);
  void Preformatted(std::string_view raw);
  // `spaces` are white space in the run: single ones, between words.
  void Emit(std::string_view run, size_t spaces);
  void WriteWhite(std::string_view next);
  void BeginParagraph();
  void EndLine();
  void OpenMarks();
  void CloseMarks();
  void CloseMark(char start);
  void SkipSpanned();
  std::string& sink() { return in_cell_ ? cell_ : out_; }

  std::string& out_;
  PathSource* paths_;
  int64_t paragraphs_ = 0;
  size_t text_bytes_ = 0;
  bool in_paragraph_ = false;
  bool in_line_ = false;  // the line, or the cell, has text
  White space_ = White::kNone;
  std::string indent_;  // white space held back until text follows
  int breaks_ = 0;      // line breaks held back
  int preformatted_ = 0;
  size_t line_breaks_ = 0;         // so far
  size_t breaks_before_line_ = 0;  // line_breaks_ where a line of code begins
  std::vector<char> marks_;        // start marks, of which the first open_ are written
  size_t open_ = 0;

  bool in_cell_ = false;
  bool header_cell_ = false;
  bool row_has_text_ = false;
  std::string cell_;
  std::string row_;           // so far, with a tab before each of its columns but the first
  size_t row_tabs_ = 0;       // in it
  size_t column_ = 0;         // of the next cell
  std::vector<int> spanned_;  // by column, the rows below that a cell reaches down to
};

}  // namespace uzushio
