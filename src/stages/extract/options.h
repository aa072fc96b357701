// The options of `extract` that decide which documents come out.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/options.h"
#include "html/charset.h"
#include "html/limits.h"
#include "html/main_content/content_marker.h"
#include "html/shown_text.h"
#include "lang/classifier.h"

namespace uzushio {

// What tells Japanese pages: their kana, the classifier of the text, or of the title before that.
enum class JapaneseTest { kKana, kRapid, kPrecise };

// As the command line has it; empty for kana.
std::string NameOf(JapaneseTest test);

// The two forms of a page's text.
enum class TextForm : uint8_t {
  kOriginal,  // html/paragraphs.h
  kShown,     // html/shown_text.h
};

// As the command line has it.
std::string NameOf(TextForm form);

// What decides which documents come out.
struct ExtractOptions {
  std::vector<std::string> languages = {"ja"};  // as they are given
  JapaneseTest japanese_test = JapaneseTest::kKana;
  std::string language_model;  // a file
  ContentMethod main_content = ContentMethod::kNone;
  bool mark_boilerplate = false;  // what is no content stays, too, and all has a score
  bool no_title = false;          // else the title goes before content that does not say it
  TextForm text = TextForm::kShown;
  RubyForm ruby = RubyForm::kBase;
  CharsetRule charset = CharsetRule::kTolerant;
  PageLimits limits;

  // By Complete.
  std::set<std::string> codes = {"ja"};                  // of the languages to keep; empty: all
  std::shared_ptr<const LanguageClassifier> classifier;  // where the test needs one

  bool only_japanese() const { return codes.size() == 1 && codes.contains("ja"); }
  bool keeps(const std::string& language) const { return codes.empty() || codes.contains(language); }
};

const Options<PageLimits>& DeclaredPageLimits();
const Options<ExtractOptions>& DeclaredExtractOptions();

// Finds languages and the model. Errors: what is no code of a language; `all` beside one; boilerplate is to be marked,
// and nothing says by what; no title is to be added, and none would be; readings of ruby in original text, which has
// them anyway; a test without its model, a model without a test, a file that is none; the rapid test with other
// languages than Japanese.
arrow::Status Complete(ExtractOptions* options);

}  // namespace uzushio
