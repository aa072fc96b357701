#include "stages/filter/walk_through.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "base/text_hash.h"
#include "filters/chain.h"
#include "filters/filter.h"

namespace uzushio {
namespace {

constexpr size_t kShownPoints = 60;

// The beginning of a text on one line.
std::string Excerpt(std::string_view text) {
  std::string shown;
  size_t points = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++points > kShownPoints) return shown + "…";
    shown += c == '\n' ? ' ' : c;
  }
  return shown;
}

// Whole numbers as such.
std::string Number(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// What one step did to the paragraphs.
std::string Removed(const FilterDocument& document, int place, const Filter& filter) {
  std::string text;
  size_t number = 0;
  for (const FilterParagraph& paragraph : document.paragraphs()) {
    ++number;
    if (paragraph.removed_by != place) continue;
    const std::string bound = filter.Bound(0);
    text += fmt::format("         - {} ({}{}{}nearFreq {}): {}\n", number, bound, bound.empty() ? "" : "; ",
                        paragraph.score <= kMaxScore ? fmt::format("score .{:02}; ", paragraph.score) : "",
                        paragraph.near_freq, Excerpt(paragraph.plain));
  }
  return text;
}

using ParagraphTexts = std::unordered_set<std::string_view, TextHash>;

// The texts of the paragraphs that are not removed.
ParagraphTexts AliveTexts(const FilterDocument& document) {
  ParagraphTexts texts;
  document.ForEachAlive([&texts](const FilterParagraph& paragraph) { texts.insert(paragraph.plain); });
  return texts;
}

// The paragraphs with texts that were not there before, as they will be written.
std::string Rewritten(const FilterDocument& document, const ParagraphTexts& before) {
  constexpr size_t kMostShown = 20;
  std::string text;
  size_t number = 0;
  size_t rewritten = 0;
  for (const FilterParagraph& paragraph : document.paragraphs()) {
    ++number;
    if (!paragraph.alive() || before.contains(paragraph.plain)) continue;
    if (++rewritten <= kMostShown) text += fmt::format("         + {}: {}\n", number, Excerpt(paragraph.plain));
  }
  if (rewritten > kMostShown) text += fmt::format("         + {} more\n", rewritten - kMostShown);
  return text;
}

// Writes down what a chain does to a document.
class Walk final : public FilterChain::Observer {
 public:
  Walk(const FilterChain& chain, const FilterDocument& document) : chain_(chain), document_(document) {}

  void Changing(size_t step) override {
    double metric = 0;  // filters of paragraphs have one
    chain_.steps()[step].filter->MeasureAll(document_, &scratch_, {&metric, 1});
    Metric(step, metric);
    before_ = AliveTexts(document_);
  }
  void Changed(size_t step) override {
    const std::string removed = Removed(document_, static_cast<int>(step), *chain_.steps()[step].filter);
    const std::string rewritten = Rewritten(document_, before_);
    text_ += removed.empty() ? "" : "; removes paragraphs";
    text_ += rewritten.empty() ? "" : "; rewrites paragraphs";
    text_ += "\n" + removed + rewritten;
  }
  void Decided(size_t step, std::span<const double> metrics, std::optional<size_t> reason) override {
    const FilterChain::Step& at = chain_.steps()[step];
    if (metrics.size() == 1) {
      Metric(step, metrics[0]);
      text_ += fmt::format("; removes {}{}\n", Bounds(at, 0),
                           at.filter->is_random() ? fmt::format("; random is {:.4f}", document_.random()) : "");
    } else {
      text_ += fmt::format("  {:>3}. {}\n", step + 1, at.name());
      for (size_t i = 0; i < metrics.size(); ++i) {
        const std::string bounds = Bounds(at, i);
        text_ += fmt::format("         - {} = {}{}{}\n", chain_.columns()[at.column + i], Number(metrics[i]),
                             bounds.empty() ? "" : "; removes ", bounds);
      }
    }
    if (!reason) return;
    const std::string detail = at.filter->Detail(*reason, document_);
    text_ += fmt::format("       removed by {}{}{}\n", at.reasons[*reason], detail.empty() ? "" : "; ", detail);
  }
  const std::string& text() const { return text_; }

 private:
  // Those that reasons hold a metric against.
  static std::string Bounds(const FilterChain::Step& step, size_t metric) {
    std::string bounds;
    for (size_t i = 0; i < step.reasons.size(); ++i) {
      if (step.filter->MetricOf(i) != metric) continue;
      bounds += (bounds.empty() ? "" : ", ") + step.filter->Bound(i);
    }
    return bounds;
  }
  void Metric(size_t step, double metric) {
    text_ += fmt::format("  {:>3}. {} = {}", step + 1, chain_.columns()[chain_.steps()[step].column], Number(metric));
  }

  const FilterChain& chain_;
  const FilterDocument& document_;
  FilterScratch scratch_;
  ParagraphTexts before_;  // of the step
  std::string text_;
};

}  // namespace

arrow::Result<std::string> WalkThrough(const FilterChain& chain, FilterDocument* document) {
  Walk walk(chain, *document);
  FilterScratch scratch;
  const ChainOutcome outcome = chain.Apply(document, &scratch, nullptr, nullptr, &walk);
  ARROW_RETURN_NOT_OK(TakeFailure(*document, &scratch));
  if (outcome.removed_by != kAlive) return walk.text();
  int64_t alive = 0;
  document->ForEachAlive([&alive](const FilterParagraph&) { ++alive; });
  return walk.text() + (alive > 0 ? fmt::format("  passed, with {} paragraphs\n", alive) : "  nothing is left of it\n");
}

}  // namespace uzushio
