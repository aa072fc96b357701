// What single elements are to a reader: hidden, code, an anchor, a formula, a table of data.
#pragma once

#include <lexbor/dom/interfaces/node.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/structure.h"

namespace uzushio {

// The next node of a subtree in document order, or null at its end; without `into`, what is in `node` is passed over.
const lxb_dom_node_t* NextIn(const lxb_dom_node_t* root, const lxb_dom_node_t* node, bool into);

// What an element's classes and attributes say.
enum ElementTrait : uint32_t {
  kHiddenByMarkup = 1U << 0,   // `hidden`, an inline `display: none` or `visibility: hidden`
  kKeepsWhiteSpace = 1U << 1,  // an inline `white-space` that keeps line breaks: pre, pre-wrap, pre-line, break-spaces
  kLineNumbers = 1U << 2,      // a class that highlighters give to the line numbers of code
  kFormulaClass = 1U << 3,     // a formula by KaTeX or Wikipedia
  kFormulaAgain = 1U << 4,     // a formula for eyes, or until a script runs: MathJax' output and preview
  kAnchorClass = 1U << 5,      // a link that is only there to be linked to
  kCodeBoxClass = 1U << 6,     // see IsCodeBox
  kCodeLineClass = 1U << 7,    // what generators give to a line of code in such a box
  kCodeAgainClass = 1U << 8,   // not seen: code for the clipboard, tips on names in code
  kNoteClass = 1U << 9,        // a note of Aozora Bunko
  kLineBlockClass = 1U << 10,  // lines of a poem or an address, as docutils writes them
  kKanbunClass = 1U << 11,     // how Chinese is to be read as Japanese: order of words, endings
  kHasStyle = 1U << 12,        // an inline style
};
uint32_t TraitsOf(const lxb_dom_node_t* element);

// Whether an element with kFormulaAgain shows a formula that stands beside it, or around it, as TeX.
bool RepeatsFormula(const lxb_dom_node_t* element);

// Whether an `rt` or `rtc` is as readings are: short, without blocks. One that is not closed takes the rest of its
// block.
bool IsReading(const lxb_dom_node_t* element);

// Whether an element in code has an inline style that Chroma and Pygments give to line numbers where they write no
// classes. Outside of code it says nothing: cells of tables have the same.
bool HasStyleOfLineNumbers(const lxb_dom_node_t* element);

// Whether digits and white space are all that is in an element, and there is a digit.
bool HoldsOnlyDigits(const lxb_dom_node_t* element);
// The item of a list that a description is whose term is nothing but a list's mark (`•`, `1.`, `(2)`), as man pages
// have them; nothing for other terms and descriptions. `element` is either of them.
std::optional<StructureBlock> ItemOfMark(const lxb_dom_node_t* element);

// Whether an element is code that is laid out without `pre`, a line in each block or row of a table: by Doxygen, GeSHi,
// SyntaxHighlighter, Crayon, and as GitHub shows files.
bool IsCodeBox(const lxb_dom_node_t* element);
// The language of code, a `pre` or a code box, by the classes and attributes of it, of a `code` in it and of the
// elements around it; or empty.
std::string_view LanguageOfCode(const lxb_dom_node_t* code);

// Whether a link in a heading is only there to be linked to: `¶`, `#`, an icon.
bool IsHeadingAnchor(const lxb_dom_node_t* link);

// Whether a table has data in it, and is no layout: two columns or more with text, no table in it or around it, no
// blocks in cells but a single paragraph, and no role that says otherwise. Where a `thead` has header cells, a cell may
// have several paragraphs and lists, of at most 2 KiB; where the first row has no others, several paragraphs.
bool IsDataTable(const lxb_dom_node_t* table);

// The character that an image stands for: an `alt` of one character, or of two that are no letters, as
// emoji; or that which a note of Aozora Bunko names (html/gaiji.h). Empty where it is a picture.
std::string CharacterOfImage(const lxb_dom_node_t* image);

// Whether an element is a note of Aozora Bunko; and whether one that says how the book is laid out: ［＃改ページ］.
bool IsNote(const lxb_dom_node_t* element);
bool IsNoteOfLayout(const lxb_dom_node_t* element);

// How many marks for characters (`※`) the base of a ruby has.
size_t MarksInRuby(const lxb_dom_node_t* ruby);

// The character that an element names whose text is a note of Aozora Bunko: ［＃「爿＋可」、U+7241、237-7］. Empty
// where it names none.
std::string CharacterOfNoteIn(const lxb_dom_node_t* element);

// A superscript or subscript as text: Unicode's where there is one for each character, `^x` and `_x` for a letter.
// Nothing where its text is to stand as it is.
std::optional<std::string> ScriptText(const lxb_dom_node_t* element);

// Whether there are blocks in an element: one with a formula's class and paragraphs in it is no formula.
bool HoldsBlocks(const lxb_dom_node_t* element);

// A formula's TeX, without the marks around it.
struct Formula {
  std::string tex;
  bool display = false;
};
// The formula that an element is, with all that is in it; by KaTeX, MathJax, MathML with an annotation or `alttext`,
// Wikipedia's images.
std::optional<Formula> FormulaOf(const lxb_dom_node_t* element);

}  // namespace uzushio
