#include "stages/extract/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lang/identify.h"
#include "warc/headers.h"

namespace uzushio {
namespace {

arrow::Result<std::set<std::string>> ParseLanguages(const std::vector<std::string>& languages) {
  std::set<std::string> codes;
  for (const std::string& language : languages) {
    if (language == "all") {
      if (languages.size() > 1) return arrow::Status::Invalid("--language: 'all' stands alone");
      return codes;
    }
    const auto is_named = [&](const std::string& code) { return EqualsIgnoreCase(TrimAscii(language), code); };
    const auto known = std::ranges::find_if(LanguageCodes(), is_named);
    if (known == LanguageCodes().end()) {
      return arrow::Status::Invalid("--language: '", language, "' is no language code; give ISO 639-1 codes as ja,en,",
                                    " or all");
    }
    codes.insert(*known);
  }
  return codes;
}

// The model of the test, or null where it needs none.
arrow::Result<std::shared_ptr<const LanguageClassifier>> OpenClassifier(const ExtractOptions& options) {
  const bool has_test = options.japanese_test != JapaneseTest::kKana;
  if (options.language_model.empty()) {
    if (!has_test) return nullptr;
    return arrow::Status::Invalid("--japanese-test ", NameOf(options.japanese_test),
                                  ": needs --language-model, a file that ", "uzushio train-language makes");
  }
  if (!has_test) {
    return arrow::Status::Invalid("--language-model: needs --japanese-test, which says how it is used");
  }
  auto opened = LanguageClassifier::Open(options.language_model);
  if (opened.ok()) return opened;
  return opened.status().WithMessage("--language-model: ", opened.status().message());
}

// The way with the model's digest: another model, another text.
nlohmann::json ContentIdentity(const ExtractOptions& options) {
  const std::string method = NameOf(options.main_content);
  return method.empty() ? nlohmann::json() : nlohmann::json(method);
}

// The test with its model, which the file's name does not tell.
nlohmann::json TestIdentity(const ExtractOptions& options) {
  if (options.classifier == nullptr) return nullptr;
  return {{"name", NameOf(options.japanese_test)}, {"model", fmt::format("{:016x}", options.classifier->checksum())}};
}

}  // namespace

std::string NameOf(JapaneseTest test) {
  return test == JapaneseTest::kRapid ? "rapid" : test == JapaneseTest::kPrecise ? "precise" : "";
}

std::string NameOf(TextForm form) { return form == TextForm::kShown ? "shown" : "original"; }

const Options<PageLimits>& DeclaredPageLimits() {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  constexpr int64_t kMostTreeBytes = int64_t{64} << 30;
  static const Options<PageLimits> options =
      Options<PageLimits>()
          .Group("Caps on a page; what passes one is rejected and counted")
          .Size("max-page-bytes", &PageLimits::max_bytes, 1, kMostBytes,
                "Size of the page, after content codings are decoded")
          .Size("max-text-bytes", &PageLimits::max_text_bytes, 1, kMostBytes, "Size of its text with paths")
          .Integer("max-inflation", &PageLimits::max_inflation, 1, kAny, "Decompressed bytes per compressed byte")
          .Integer("max-depth", &PageLimits::max_depth, 1, kAny, "Nesting depth of its elements")
          .Integer("max-attributes", &PageLimits::max_attributes, 1, kAny, "Number of attributes of an element")
          .Size("max-tree-bytes", &PageLimits::max_tree_bytes, 1, kMostTreeBytes,
                "Size of its tree: elements, attributes, texts");
  return options;
}

const Options<ExtractOptions>& DeclaredExtractOptions() {
  static const Options<ExtractOptions> options =
      Options<ExtractOptions>()
          .Text("language", &ExtractOptions::languages, "CODE,…", "Languages to keep, such as ja,en, or all")
          .InShortHelp()
          .SplitAtCommas()
          .Identity("languages", [](const ExtractOptions& options) { return nlohmann::json(options.codes); })
          .Choice("japanese-test", &ExtractOptions::japanese_test,
                  Choices<JapaneseTest>{{"rapid", JapaneseTest::kRapid}, {"precise", JapaneseTest::kPrecise}},
                  "Detect Japanese with a model: by the text, or rapidly by lang=ja or the title, then by the text "
                  "(default: by kana)")
          .Identity("japanese_test", TestIdentity)
          .Path("language-model", &ExtractOptions::language_model, "FILE",
                "Model for --japanese-test, from train-language")
          .NotInIdentity()
          .Choice("main-content", &ExtractOptions::main_content,
                  Choices<ContentMethod>{{"model", ContentMethod::kModel}, {"justext", ContentMethod::kJustext}},
                  "Keep only the main content of each page, with its title first")
          .Identity("main_content", ContentIdentity)
          .ImplicitValue("model")
          .InShortHelp()
          .Flag("mark-boilerplate", &ExtractOptions::mark_boilerplate,
                "Keep all paragraphs; write the probability that each is main content, for the filter MainContent. "
                "Requires --main-content")
          .Flag("no-title", &ExtractOptions::no_title, "Do not add the title to main content that does not contain it")
          .Identity("add_title", [](const ExtractOptions& options) { return nlohmann::json(!options.no_title); })
          .Choice("text", &ExtractOptions::text,
                  Choices<TextForm>{{"shown", TextForm::kShown}, {"original", TextForm::kOriginal}},
                  "Text as a browser shows it, with code, lists and tables, or as the original Uzushio extracts it")
          .Choice("ruby", &ExtractOptions::ruby,
                  Choices<RubyForm>{{"base", RubyForm::kBase}, {"readings", RubyForm::kReadings}},
                  "Remove ruby readings, or write them once, in brackets after the word")
          .Choice("charset", &ExtractOptions::charset,
                  Choices<CharsetRule>{{"tolerant", CharsetRule::kTolerant}, {"strict", CharsetRule::kStrict}},
                  "Keep pages with a few undecodable characters, replaced by U+FFFD, or only pages without")
          .With(DeclaredPageLimits(), &ExtractOptions::limits);
  return options;
}

arrow::Status Complete(ExtractOptions* options) {
  ARROW_ASSIGN_OR_RAISE(options->codes, ParseLanguages(options->languages));
  if (options->mark_boilerplate && options->main_content == ContentMethod::kNone) {
    return arrow::Status::Invalid("--mark-boilerplate: give --main-content, too, which says how it is told");
  }
  if (options->no_title && options->main_content == ContentMethod::kNone) {
    return arrow::Status::Invalid("--no-title requires --main-content; without it no title is added");
  }
  if (options->ruby == RubyForm::kReadings && options->text == TextForm::kOriginal) {
    return arrow::Status::Invalid("--ruby readings requires --text shown; original text has the readings in any case");
  }
  ARROW_ASSIGN_OR_RAISE(options->classifier, OpenClassifier(*options));
  if (options->japanese_test == JapaneseTest::kRapid && !options->only_japanese()) {
    return arrow::Status::Invalid("--japanese-test rapid: rejects pages before it is known what other language they ",
                                  "are in; give --language ja alone, or --japanese-test precise");
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
