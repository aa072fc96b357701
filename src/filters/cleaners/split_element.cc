#include <algorithm>
#include <limits>

#include "document/sentences.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"
#include "filters/quoted.h"

namespace uzushio {
namespace {

// Cuts elements. The metric is how many there are afterwards.
class Splitter : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const final {
    Parts parts;
    size_t count = 0;
    document.ForEachAlive([&](const FilterParagraph& element) {
      Cut(element.plain, &parts);
      count += parts.all.size();
    });
    return static_cast<double>(count);
  }

  // A document of more elements than there may be stays as it is.
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const final {
    std::vector<FilterParagraph> elements;
    Parts parts;
    parts.most = scratch->most_elements;
    for (FilterParagraph element : document->paragraphs()) {
      if (element.alive()) {
        Cut(element.plain, &parts);
        if (parts.all.empty()) element.removed_by = place;  // nothing but delimiters
      }
      if (element.alive()) {
        AppendParts(element, parts.all, &elements);
      } else {
        elements.push_back(element);
      }
      if (std::max(elements.size(), parts.all.size()) > scratch->most_elements) {
        scratch->too_many = std::max(elements.size(), parts.all.size());
        return;
      }
    }
    document->Replace(std::move(elements));
  }

 protected:
  struct Parts {
    size_t most = std::numeric_limits<size_t>::max();  // where there are more, some are not cut any more
    std::vector<std::string_view> all;
    SentenceCutter cutter;
  };
  virtual void Cut(std::string_view text, Parts* parts) const = 0;
  static void CutAt(std::string_view text, std::string_view delimiter, Parts* parts) {
    parts->all.clear();
    while (!text.empty() && parts->all.size() <= parts->most) {
      const size_t end = std::min(text.find(delimiter), text.size());
      if (end > 0) parts->all.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + delimiter.size(), text.size()));
    }
  }
};

class SplitElement final : public Splitter {
 public:
  arrow::Status Prepare() const {
    return delim.empty() ? arrow::Status::Invalid("delim: is empty") : arrow::Status::OK();
  }
  std::vector<std::string> Reasons() const override { return {"SplitElement"}; }
  std::string MetricKey() const override { return delim == "\n" ? "" : Quoted(delim); }
  std::string delim = "\n";

 private:
  void Cut(std::string_view text, Parts* parts) const override { CutAt(text, delim, parts); }
};

class SplitIntoParagraph final : public Splitter {
 public:
  std::vector<std::string> Reasons() const override { return {"SplitIntoParagraph"}; }

 private:
  void Cut(std::string_view text, Parts* parts) const override { CutAt(text, "\n\n", parts); }
};

class SplitIntoSentence final : public Splitter {
 public:
  std::vector<std::string> Reasons() const override { return {"SplitIntoSentence"}; }
  std::string MetricKey() const override { return by == "lines" ? "" : by; }
  std::string by = "lines";

 private:
  void Cut(std::string_view text, Parts* parts) const override {
    if (by == "lines") return CutAt(text, "\n", parts);
    parts->all = parts->cutter.Cut(text, parts->most);
  }
};

constexpr const char* kMetricMeaning = "number of elements afterwards";

}  // namespace

FilterDeclaration DeclareSplitElement() {
  return Declare<SplitElement>("SplitElement", "rewrites", "Splits each element at a delimiter.")
      .Metric("SplitElement", kMetricMeaning)
      .Text("delim", &SplitElement::delim, "the delimiter; it is removed, as are empty elements")
      .Done();
}

FilterDeclaration DeclareSplitIntoParagraph() {
  return Declare<SplitIntoParagraph>("SplitIntoParagraph", "rewrites", "Splits each element at empty lines.")
      .Metric("SplitIntoParagraph", kMetricMeaning)
      .Done();
}

FilterDeclaration DeclareSplitIntoSentence() {
  return Declare<SplitIntoSentence>("SplitIntoSentence", "rewrites", "Splits each element into sentences.")
      .Metric("SplitIntoSentence", kMetricMeaning)
      .Text("by", &SplitIntoSentence::by,
            "lines: each line is a sentence; punctuation: sentences also end after 。！？ and closing marks, but not "
            "inside brackets and quotes",
            {"lines", "punctuation"})
      .Done();
}

}  // namespace uzushio
