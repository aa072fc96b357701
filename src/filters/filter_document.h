// A document as filters see it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "document/markup.h"

namespace uzushio {

inline constexpr int kAlive = -1;

// The random number of a document, as the original Uzushio has it (`NgramHashExtractor.hashString` and
// `MathUtil.asRandomDouble`), so that the same documents survive sampling: a hash of the id's UTF-16 units.
uint64_t DocumentSeed(std::string_view doc_id);
// Of it, in [0, 1); and of a normal distribution with mean 0 and deviation 1.
double DocumentRandom(std::string_view doc_id);
double DocumentGaussian(std::string_view doc_id);

struct FilterParagraph {
  std::string_view path;    // as in the document's text
  std::string_view marked;  // the text with its marks
  std::string_view plain;   // the text without, cleaned; what filters look at
  std::string_view structure;
  bool shown = false;        // whether it has a structure; document/markup.h
  uint8_t score = kNoScore;  // hundredths; document/markup.h
  int32_t near_freq = 1;
  int removed_by = kAlive;  // the place in the chain of the filter that removed it
  double metric = 0;        // which it was removed by

  bool alive() const { return removed_by == kAlive; }
  // How surely it is main content, 0 … 1; 1 where nothing says that it is not.
  double content_score() const { return score / 100.0; }
};

// Columns of documents, besides texts and ids, that some filters look at.
enum class KnownColumn : uint8_t { kUrl, kRobots, kLicense };
inline constexpr std::array<std::string_view, 3> kKnownColumns = {"url", "robots", "license"};

// A document under work. Views the text that it was parsed from.
class FilterDocument {
 public:
  // Takes the paragraphs of a document's text, those without content left out. `text` is valid UTF-8 and stays where
  // it is; `doc_id` too.
  void Parse(std::string_view doc_id, std::string_view text);

  // Takes the text as one paragraph without path and link marks, whatever is in it; none if it is empty.
  void Take(std::string_view doc_id, std::string_view text);

  std::string_view doc_id() const { return doc_id_; }
  // What it has in a column, as it was given after Parse; empty where it was not.
  std::string_view value(KnownColumn column) const { return values_[static_cast<size_t>(column)]; }
  void set_value(KnownColumn column, std::string_view value) { values_[static_cast<size_t>(column)] = value; }
  std::string_view url() const { return value(KnownColumn::kUrl); }
  std::span<FilterParagraph> paragraphs() { return paragraphs_; }
  std::span<const FilterParagraph> paragraphs() const { return paragraphs_; }

  // Calls `use` with each paragraph that is not removed.
  template <typename Use>
  void ForEachAlive(Use use) const {
    for (const FilterParagraph& paragraph : paragraphs_) {
      if (paragraph.alive()) use(paragraph);
    }
  }

  // Sets `text` to the paragraphs that are not removed, joined by line breaks.
  void JoinAlive(std::string* text) const;
  // Code points of the paragraphs that are not removed.
  int64_t AliveLength() const;

  // In [0, 1); a function of the id alone.
  double random() const { return random_; }
  // Of a normal distribution with mean 0 and deviation 1; a function of the id alone.
  double Gaussian() const { return DocumentGaussian(doc_id_); }

  // Keeps a new text for a paragraph.
  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  void Replace(std::vector<FilterParagraph> paragraphs) { paragraphs_ = std::move(paragraphs); }

 private:
  void Begin(std::string_view doc_id);

  std::string_view doc_id_;
  std::array<std::string_view, kKnownColumns.size()> values_;
  std::vector<FilterParagraph> paragraphs_;
  std::deque<std::string> kept_;
  std::string buffer_;
  double random_ = 0;
};

}  // namespace uzushio
