// Main content by jusText.
//
// Jan Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora, dissertation, Brno 2011, chapter 3; the
// parameters are the defaults of the program that he published with it. Long paragraphs are decided by themselves, by
// the share of their text that is links and of their words that are stop words, that is, function words; short ones by
// what is around them.
//
// What differs:
// * Paragraphs are ours, for which lists and rows of tables are lines, and `<br><br>` is no border.
// * Function words of Japanese are written in hiragana, and words are not parted: for the share of stop words among
//   words stands the share of hiragana among characters other than spaces. jusText has no list for Japanese. The share
//   in sentences is about .5, so that its thresholds, .30 and .32, part sentences from lists of names there, too.
// * A character of a Japanese page counts as two: the lengths were found on pages in European languages, which take
// about
//   twice as many for the same. Counted as one, 21 % of 895 pages of manuals and sites would have content; so, 53 %.
// * There are no lists for other languages: the density is not looked at, as jusText does it where there is no list
//   (thresholds 0): what is long enough and has few links is content. A page is Japanese, or not, as a whole.
#pragma once

#include <cstdint>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

struct JustextParameters {
  int64_t length_low = 70;  // of texts in European languages, in characters, as all lengths here
  int64_t length_high = 200;
  double stopwords_low = 0.30;
  double stopwords_high = 0.32;
  double max_link_density = 0.2;
  int64_t max_heading_distance = 200;
};

// The score says on what a decision rests. Content: 1 a paragraph that is good by itself, .9 one nearly so, .7 a short
// one or a heading, by its neighbours. Not content: .4 one nearly good, .2 a short one, by its neighbours; 0 by itself.
class Justext final : public ContentMarker {
 public:
  explicit Justext(const JustextParameters& parameters = {}) : parameters_(parameters) {}

  void Mark(const PageForContent& page, std::vector<ContentMark>* marks) override;

 private:
  enum class Class : uint8_t { kBad, kShort, kNearGood, kGood };
  struct Paragraph {
    int32_t length = 0;
    int32_t in_links = 0;
    int32_t spaces = 0;
    int32_t hiragana = 0;
    bool heading = false;
    bool never = false;  // a copyright notice, or a field to choose from
    Class alone = Class::kBad;
    Class decided = Class::kBad;
    // While neighbours are asked for: the next of good and bad ones, and of these and near-good ones.
    Class next = Class::kBad;
    Class next_near = Class::kBad;
  };

  static Paragraph Measure(std::string_view path, std::string_view text);
  Class Alone(const Paragraph& paragraph) const;
  bool HasGoodBehind(size_t heading) const;
  void FindNext();
  void DecideHeadings(Class from, Class to);
  void DecideShort();
  void DecideNearGood();

  int64_t LengthOf(const Paragraph& paragraph) const { return is_japanese_ ? 2 * paragraph.length : paragraph.length; }

  const JustextParameters parameters_;
  bool is_japanese_ = false;  // the page in hand
  std::vector<Paragraph> paragraphs_;
};

}  // namespace uzushio
