// Which paragraphs of a page are its main content.
#pragma once

#include <lexbor/html/html.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "html/outline.h"

namespace uzushio {

// What is decided of a paragraph.
struct ContentMark {
  float score;   // 0 … 1, how surely it is content
  bool content;  // whether it is kept
};

// A page as extraction has it. Views into the caller's memory.
struct PageForContent {
  lxb_html_document_t* tree;
  std::string_view url;
  std::string_view text;  // in the markup of document/markup.h
  const PageOutline* outline;
};

class PageFeatures;

// The model's marks (tools/train_main_content.py). Keeps its memory from page to page; not for several threads at once.
class MainContent {
 public:
  MainContent();
  ~MainContent();

  // Sets `marks` to a mark for each of the outline's paragraphs.
  void Mark(const PageForContent& page, std::vector<ContentMark>* marks);

 private:
  std::unique_ptr<PageFeatures> features_;
  std::vector<float> log_odds_;
};

// Marks paragraphs of so many words by their log-odds of being content. Kept is what has a probability from which on the
// highest F of the whole, in words, is to be expected: half of that F (Lipton, Elkan and Naryanaswamy 2014, theorem 1).
// Scores are probabilities, scaled so that what is kept has .5 at least, and the rest less.
void MarkByLogOdds(std::span<const float> log_odds, std::span<const int32_t> words, std::vector<ContentMark>* marks);

}  // namespace uzushio
