// Which paragraphs of a page are its main content, by a model that was trained on pages with gold by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

class PageFeatures;

// The model is a part of the program; tools/train_main_content.py makes it.
class MainContent final : public ContentMarker {
 public:
  MainContent();
  ~MainContent() override;

  void Mark(const PageForContent& page, std::vector<ContentMark>* marks) override;

 private:
  std::unique_ptr<PageFeatures> features_;
  std::vector<int8_t> bins_;  // of features, block after block
  std::vector<float> log_odds_;
};

// Marks paragraphs of so many words by their log-odds of being content; those of menus are not kept. Kept is what has a
// probability of at least a threshold: that one of the highest F, in words, to be expected of the page, where what is
// less probable is content only together with all that is more probable; but of about .2 at least. Scores are
// probabilities, scaled so that what is kept has .5 at least, and the rest less.
void MarkByLogOdds(std::span<const float> log_odds, const std::vector<bool>& menus, std::span<const int32_t> words,
                   std::vector<ContentMark>* marks);

// The same of a page whose features are measured, with what its paragraphs decide together: scattered.h, enclosed.h.
void DecideMarks(const PageFeatures& features, std::span<const float> log_odds, std::vector<ContentMark>* marks);

}  // namespace uzushio
