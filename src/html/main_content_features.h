// A page's paragraphs in numbers: what the model of main content looks at.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "html/main_content.h"

namespace uzushio {

// How much tokens of class names, ids and roles speak for content, in 1/16 of log2 of the odds.
class TokenScores {
 public:
  struct Entry {
    uint32_t hash;  // of VisitTokens
    int32_t score;
  };
  TokenScores() : TokenScores(std::span<const Entry>()) {}
  explicit TokenScores(std::span<const Entry> entries);

  // The token's score; null for unknown ones.
  const int32_t* Find(uint32_t hash) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Entry& entry = table_[at];
      if (entry.score == kNone) return nullptr;
      if (entry.hash == hash) return &entry.score;
    }
  }

 private:
  static constexpr int32_t kNone = INT32_MIN;

  size_t mask_;
  std::vector<Entry> table_;
};

// Calls `visit(hash)` for each token of an element's attributes: the names and their parts, in small letters.
class TokenVisitor {
 public:
  virtual ~TokenVisitor() = default;
  virtual void Token(uint32_t hash) = 0;
};
void VisitTokens(const lxb_dom_node_t* element, TokenVisitor* visitor);

// What is known of one paragraph's text. Widths are of letters, digits and signs: 1, or 2 of Chinese, Japanese and Korean
// ones, which say as much as two or more Latin letters.
struct TextMeasure {
  int32_t width = 0;
  int32_t words = 0;  // two wide characters are one
  int32_t link_width = 0;
  int32_t links = 0;
  int32_t lines = 1;
  int32_t sentences = 0;  // ends of sentences
  int32_t commas = 0;
  int32_t digits = 0;
  int32_t capitals = 0;    // words that begin with one
  int32_t separators = 0;  // | » › • · and slashes between spaces
  int32_t currency = 0;
  bool ends_sentence = false;
  bool ends_colon = false;
  bool starts_digit = false;
  bool copyright = false;
  uint32_t hash = 0;
};
TextMeasure MeasureText(std::string_view text);

// 1 / (1 + e^-x), by arithmetic that gives the same on every machine.
double Probability(double log_odds);

// The features of a page's paragraphs, a row each. Its parts are used again for page after page.
class PageFeatures {
 public:
  // The first pass: what the page and the paragraphs' places and texts tell.
  void Compute(const PageForContent& page, const TokenScores& tokens);
  // The second pass: what the first pass' scores of the paragraphs around tell. `margins` are log-odds, one for each.
  void ComputeContext(std::span<const float> margins);

  // The rows, `width()` numbers each; those of the second pass are behind those of the first.
  const float* rows() const { return rows_.data(); }
  static size_t width();
  std::span<const int32_t> words() const { return words_; }  // of each paragraph
  static std::span<const std::string_view> Names();         // of the first pass
  static std::span<const std::string_view> ContextNames();  // of the second

 private:
  struct Sums {
    int64_t width = 0, link_width = 0, sentences = 0, prose = 0, currency = 0;
    int32_t paragraphs = 0;
    uint32_t images = 0, fields = 0;  // before, not sums
  };
  struct ElementFacts {
    uint32_t flags = 0;   // of itself and those above
    uint32_t up = 0;      // the nearest above that has more paragraphs
    uint32_t shape = 0;   // of the path of tags and classes down to it
    uint32_t own_shape = 0;
    uint32_t run = 0;     // of siblings of the same shape
    int32_t on_core = 0;  // the depth at which the path to it leaves the path to the core
    int32_t own_least = 0, own_most = 0, nearest = 0, least = 0, most = 0, sum = 0;  // of tokens' scores
    uint32_t best_run = 0;  // the longest run among itself and those above
  };
  struct Shape {
    uint32_t hash = 0;
    Sums sums;
    double probability = 0;
  };

  void MeasurePage(const PageForContent& page);
  void MeasureElements(const PageOutline& outline, const TokenScores& tokens);
  void FindCore(const PageOutline& outline);
  Sums Between(size_t first, size_t end) const;
  uint32_t ShapeOf(uint32_t hash);

  std::vector<TextMeasure> texts_;
  std::vector<int32_t> words_;
  std::vector<Sums> before_;  // of the paragraphs before each, and of all
  std::vector<ElementFacts> facts_;
  std::vector<uint32_t> runs_;
  std::vector<uint32_t> last_child_;
  std::vector<uint32_t> shape_of_;  // each paragraph's, in shapes_
  std::vector<Shape> shapes_;
  std::vector<uint32_t> shape_table_;
  std::vector<uint32_t> copies_table_;
  std::vector<float> rows_;
  std::vector<float> prose_after_;
  std::vector<float> probabilities_;
  std::vector<float> most_after_;
  std::vector<float> content_after_;
  std::vector<double> probability_before_;
  const PageOutline* outline_ = nullptr;
  uint32_t core_ = 0;
  uint32_t wide_core_ = 0;
};

}  // namespace uzushio
