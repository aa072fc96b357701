// What of a document is written in Markdown.
#pragma once

namespace uzushio {

struct MarkdownForm {
  bool headings = true;
  bool lists = true;
  bool tables = true;
  bool code = true;
  bool quotes = true;
  bool emphasis = false;
  // Nothing but what is around texts is written: they stay as they are, with their marks.
  bool keeps_texts = false;

  // Whether there is anything to write in Markdown.
  bool any() const { return headings || lists || tables || code || quotes || emphasis; }
};

}  // namespace uzushio
