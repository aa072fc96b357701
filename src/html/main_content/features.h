// A page's paragraphs in numbers: what the model of main content looks at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "html/main_content/boosted_trees.h"
#include "html/main_content/content_marker.h"
#include "html/main_content/page_elements.h"
#include "html/main_content/page_kind.h"
#include "html/main_content/page_links.h"
#include "html/main_content/paragraph_sums.h"
#include "html/main_content/text_measure.h"
#include "html/main_content/tokens.h"
#include "html/main_content/words.h"

namespace uzushio {

// 1 / (1 + e^-x), by arithmetic that gives the same on every machine.
double Probability(double log_odds);

// The features of some paragraphs at a time, in columns: feature f of the i-th of them is columns()[f * stride() + i].
// Those of the first pass are what the paragraphs' places and texts tell, those of the second, behind them, what the
// first pass' scores around a paragraph tell. Its memory is used again for page after page.
class PageFeatures {
 public:
  // Paragraphs at a time, at most; pages that have more are gone through in parts.
  static constexpr size_t kMostRows = kTreeRows;

  static std::span<const std::string_view> Names();         // of the first pass
  static std::span<const std::string_view> ContextNames();  // of the second
  // Those of the first pass that are the same for all of a page's paragraphs: the first one, and how many there are.
  static std::pair<size_t, size_t> OfPage();

  // What the page has to be known of as a whole. The page's parts have to live as long as its features are asked for.
  void Measure(const PageForContent& page, const TokenScores& tokens);
  // Likewise for the second pass; log-odds by the first one, one for each paragraph.
  void MeasureContext(std::span<const float> log_odds);

  // Computes the features of paragraphs first … first + count - 1. Parts follow each other, from 0 on. Columns of the
  // page's features are written with the first part.
  void Compute(size_t first, size_t count);
  void ComputeContext(size_t first, size_t count);

  // Gives memory back that a large page has taken, and with it what is known of that.
  void Trim();

  const float* columns() const { return columns_.data(); }
  static constexpr size_t stride() { return kStride; }
  // Of each paragraph of the page: its words, and the number of its shape, less than the number of paragraphs: those of
  // one shape have the same tags and classes up to the root.
  std::span<const int32_t> words() const { return words_; }
  std::span<const uint32_t> shapes() const { return shape_of_; }
  // Which paragraphs are of menus: those in a `nav`, or an element with a role of one, of which half or more are
  // links, where most other text of the page is elsewhere, so that an end tag that is missing makes no menu of an
  // article.
  const std::vector<bool>& menus() const { return menus_; }
  bool HasLinks(size_t paragraph) const { return links_.Between(paragraph, paragraph + 1).links > 0; }

 private:
  struct Row;  // writes a paragraph's features
  // An odd number of cache lines, so that columns do not compete for the same places of the cache.
  static constexpr size_t kStride = kMostRows + 16;
  struct Shape {
    TextSums sums;
    std::array<float, 4> shares = {};
    double content = 0;     // width × probability
    float probability = 0;  // its mean
  };
  // What is added of an element around a paragraph.
  struct ElementSums {
    uint32_t element = PageOutline::kNone;
    std::array<float, 6> values = {};
    float link_score = 0;
    float inner_share = 0;
    float outer_share = 0;
  };
  // Likewise of the longest run.
  struct RunShares {
    const ElementRun* run = nullptr;
    std::array<float, 6> values = {};
    float link_score = 0;
  };
  // The mean probability of what is in an element or a run.
  struct Mean {
    const void* of = nullptr;
    float probability = 0;
  };
  static constexpr int kLevelsUp = 4;
  struct PageFacts {
    int64_t main_width = 0;
    int64_t article_width = 0;
    int64_t list_width = 0;
    int64_t best_run = 0;
    int64_t h1 = 0;
  };
  // Of the paragraphs so far, counted in paragraphs; kFar where there was none.
  struct Running {
    float prose;
    float heading;
    float h1;
    float title;
    int heading_level;
    double title_index;
    float low_word;
    WordScores section;  // of the heading above
  };

  void MeasureTexts(const TokenScores& tokens);
  void MeasureSections();
  void MeasureShapes();
  void MeasurePage();
  void FindMenus();
  void FindShapes();
  uint32_t Nearby(size_t paragraph) const;
  TextSums Inside(uint32_t element) const;
  const ElementSums& Around(size_t level, uint32_t element) {
    if (around_[level].element != element) SumAround(element, &around_[level]);
    return around_[level];
  }
  void SumAround(uint32_t element, ElementSums* sums) const;
  const RunShares& RunAround(uint32_t element) {
    const ElementRun& run = elements_.BestRunOf(element);
    if (run_.run != &run) SumRun(run, &run_);
    return run_;
  }
  void SumRun(const ElementRun& run, RunShares* shares) const;
  void ForgetAround();
  float MeanProbability(size_t first, size_t end) const;
  template <typename Part>
  float MeanIn(const Part& part, Mean* last) const;

  void AddText(size_t i, Row* row) const;
  void AddWords(size_t i, Row* row) const;
  void AddPlace(size_t i, int level, Row* row) const;
  void AddFlags(size_t count, Row row) const;
  void AddElements(size_t i, Row* row);
  void AddNeighbours(size_t i, Row* row) const;
  void AddPage(size_t count, Row row) const;
  void AddHints(size_t i, bool in_title, Row* row) const;
  void AddStructure(size_t i, Row* row) const;
  void AddLinks(size_t i, Row* row);
  void Advance(size_t i, int level);
  int HeadingAround(size_t i) const;
  uint32_t ImagesBefore(size_t paragraph) const {
    return paragraph < n_ ? outline_->paragraphs[paragraph].images : outline_->images;
  }

  PageForContent page_ = {};
  const PageOutline* outline_ = nullptr;
  size_t n_ = 0;
  PageKind kind_;
  PageFacts facts_;
  PageElements elements_;
  PageLinks links_;
  ParagraphSums sums_;
  std::vector<TextMeasure> texts_;
  std::vector<float> link_shares_;  // of the texts' widths
  std::vector<float> link_scores_;  // the means of the paragraphs' links
  std::vector<int32_t> words_;
  std::vector<WordScores> word_scores_;
  std::vector<int32_t> levels_;  // of the heading that a paragraph is in, or 0
  std::vector<float> prose_after_;
  std::vector<bool> menus_;
  std::vector<uint32_t> shape_of_;  // each paragraph's, in shapes_
  std::vector<Shape> shapes_;
  std::vector<uint64_t> by_shape_;  // hashes of shapes and numbers of paragraphs, sorted
  std::vector<uint32_t> copies_;    // of texts, by hash
  Running running_ = {};
  std::array<ElementSums, kLevelsUp> around_;   // of the last paragraph
  RunShares run_;                               // likewise
  std::array<uint32_t, kMostRows> flags_ = {};  // of the paragraphs that are computed

  std::vector<float> probabilities_;
  std::vector<double> weight_before_;   // of the paragraphs before each
  std::vector<double> content_before_;  // weight × probability
  std::vector<float> section_;          // mean probability from a heading up to the next one
  std::vector<float> most_after_;
  std::vector<float> content_after_;
  std::array<Mean, kLevelsUp + 1> means_;  // of what is around the last paragraph
  float most_so_far_ = 0;
  float since_content_ = 0;

  std::vector<float> columns_;
};

}  // namespace uzushio
