// What tools/train_main_content.py learns the model of main content from.
#include <lexbor/dom/dom.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "html/html_parser.h"
#include "html/main_content/features.h"
#include "html/main_content/main_content.h"
#include "html/main_content/page_links.h"
#include "html/main_content/whole_parts.h"
#include "html/main_content/words.h"
#include "html/shown_text.h"

namespace uzushio::python {
namespace {

class CollectTokens final : public TokenVisitor {
 public:
  explicit CollectTokens(std::vector<uint32_t>* tokens) : tokens_(*tokens) {}
  void Token(uint32_t hash) override { tokens_.push_back(hash); }

 private:
  std::vector<uint32_t>& tokens_;
};

lexbor_action_t Anonymize(lxb_dom_node_t* node, void* /*context*/) {
  if (node->type != LXB_DOM_NODE_TYPE_ELEMENT) return LEXBOR_ACTION_OK;
  for (const std::string_view name : {"class", "id"}) {
    lxb_dom_element_remove_attribute(lxb_dom_interface_element(node), reinterpret_cast<const lxb_char_t*>(name.data()),
                                     name.size());
  }
  return LEXBOR_ACTION_OK;
}

// A page that stays parsed, while tokens' scores and margins change.
class ContentPage {
 public:
  ContentPage(const std::string& html, std::string url, bool anonymous) : url_(std::move(url)), parser_(Limits()) {
    if (parser_.Parse(html) != ParseOutcome::kOk) return;
    if (anonymous) lxb_dom_node_simple_walk(lxb_dom_interface_node(parser_.document()), Anonymize, nullptr);
    ExtractShownParagraphs(parser_.document(), RubyForm::kBase, size_t{1} << 30, &text_, &outline_);
  }

  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    texts.reserve(outline_.paragraphs.size());
    for (const auto& paragraph : outline_.paragraphs) {
      texts.push_back(text_.substr(paragraph.text, paragraph.end - paragraph.text));
    }
    return texts;
  }

  // Tuples of an element's first paragraph, the one behind its last, and its tokens.
  nb::list Elements() const {
    nb::list elements;
    for (const auto& element : outline_.elements) {
      std::vector<uint32_t> tokens;
      CollectTokens collect(&tokens);
      VisitTokens(element.node, &collect);
      elements.append(nb::make_tuple(element.first_paragraph, element.end_paragraph, tokens));
    }
    return elements;
  }

  // The tokens of links, each with its paragraph.
  nb::list Links() const {
    nb::list links;
    const PageAddress page(url_);
    for (const auto& link : outline_.links) {
      if (link.paragraph >= outline_.paragraphs.size()) continue;
      std::vector<uint32_t> tokens;
      CollectTokens collect(&tokens);
      VisitLink(link.node, page, &collect);
      links.append(nb::make_tuple(link.paragraph, tokens));
    }
    return links;
  }

  // The words of each paragraph; none of long ones.
  std::vector<std::vector<uint32_t>> Words() const {
    std::vector<std::vector<uint32_t>> words(outline_.paragraphs.size());
    for (size_t i = 0; i < words.size(); ++i) {
      const PageOutline::Paragraph& paragraph = outline_.paragraphs[i];
      CollectTokens collect(&words[i]);
      VisitWords(std::string_view(text_).substr(paragraph.text, paragraph.end - paragraph.text), &collect);
    }
    return words;
  }

  nb::bytes Features(const std::vector<std::pair<uint32_t, int32_t>>& tokens) {
    std::vector<TokenScores::Entry> entries;
    entries.reserve(tokens.size());
    for (const auto& [hash, score] : tokens) entries.push_back({hash, score});
    features_.Measure(Page(), TokenScores(entries));
    return Rows(0, PageFeatures::Names().size(), [this](size_t first, size_t n) { features_.Compute(first, n); });
  }

  // Which paragraphs are kept by the program's model, or by these log-odds. After Features only.
  std::vector<bool> Kept(const std::optional<std::vector<float>>& log_odds) {
    std::vector<ContentMark> marks;
    if (log_odds) {
      CheckLength(*log_odds);
      DecideMarks(features_, *log_odds, &marks);
    } else {
      MainContent().Mark(Page(), &marks);
    }
    KeepPartsWhole(Page(), &marks);
    std::vector<bool> kept;
    kept.reserve(marks.size());
    for (const ContentMark& mark : marks) kept.push_back(mark.content);
    return kept;
  }

  nb::bytes Context(const std::vector<float>& log_odds) {
    CheckLength(log_odds);
    features_.MeasureContext(log_odds);
    return Rows(PageFeatures::Names().size(), PageFeatures::ContextNames().size(),
                [this](size_t first, size_t n) { features_.ComputeContext(first, n); });
  }

 private:
  static PageLimits Limits() {
    PageLimits limits;
    limits.max_tree_bytes = size_t{1} << 30;
    return limits;
  }

  void CheckLength(const std::vector<float>& log_odds) const {
    if (log_odds.size() != outline_.paragraphs.size() || features_.words().size() != log_odds.size()) {
      throw nb::value_error("log_odds: one for each paragraph, after features()");
    }
    if (std::ranges::any_of(log_odds, [](float x) { return std::isnan(x); }))
      throw nb::value_error("log_odds: no number");
  }

  PageForContent Page() { return {parser_.document(), url_, text_, &outline_}; }

  // The values of `count` features, from `first` on, of all paragraphs, which `compute` computes for some.
  template <typename Compute>
  nb::bytes Rows(size_t first, size_t count, Compute compute) {
    std::string bytes;
    const size_t n = outline_.paragraphs.size();
    for (size_t part = 0; part < n; part += PageFeatures::kMostRows) {
      const size_t rows = std::min(PageFeatures::kMostRows, n - part);
      compute(part, rows);
      for (size_t i = 0; i < rows; ++i) {
        for (size_t f = first; f < first + count; ++f) {
          const float* value = features_.columns() + f * features_.stride() + i;
          bytes.append(reinterpret_cast<const char*>(value), sizeof *value);
        }
      }
    }
    return nb::bytes(bytes.data(), bytes.size());
  }

  std::string url_;
  HtmlParser parser_;
  std::string text_;
  PageOutline outline_;
  PageFeatures features_;
};

std::vector<std::string> Strings(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

}  // namespace

void DeclareMainContent(nb::module_& module) {
  nb::class_<ContentPage>(module, "ContentPage", "A page's paragraphs in numbers, for training.")
      .def(nb::init<const std::string&, std::string, bool>(), nb::arg("html"), nb::arg("url"),
           nb::arg("anonymous") = false)
      .def("texts", &ContentPage::Texts)
      .def("elements", &ContentPage::Elements)
      .def("links", &ContentPage::Links)
      .def("words", &ContentPage::Words)
      .def("features", &ContentPage::Features, nb::arg("tokens"))
      .def("kept", &ContentPage::Kept, nb::arg("log_odds") = nb::none())
      .def("context", &ContentPage::Context, nb::arg("log_odds"))
      .def_static("names", [] { return Strings(PageFeatures::Names()); })
      .def_static("context_names", [] { return Strings(PageFeatures::ContextNames()); });
}

}  // namespace uzushio::python
