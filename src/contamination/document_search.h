// Searches documents, paragraph by paragraph, for items of benchmarks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contamination/benchmark_items.h"
#include "contamination/item_index.h"

namespace uzushio {

// One thread's. Keeps its memory from document to document.
class DocumentSearch {
 public:
  // Begins a document. With places, places of matches in its text can be told: that of its paragraphs, joined by
  // kBetween.
  void Begin(const BenchmarkItems* items, bool with_places);
  // `paragraph` is valid UTF-8.
  void Add(std::string_view paragraph);
  static constexpr std::string_view kBetween = "\n\n";

  // As ItemIndex::Find.
  std::optional<ItemMatch> Find();
  // As ItemIndex::FindAbove. Valid until the next call.
  const std::vector<ItemMatch>& FindAbove(double share);

  // The longest run of a match as a part of the text.
  struct Span {
    size_t part = 0;   // as ItemRun has it
    size_t codes = 0;  // that are the same
    size_t begin = 0;  // in bytes
    size_t end = 0;
  };
  Span LongestRun(const ItemMatch& match);
  // With places.
  const std::string& text() const { return text_; }

 private:
  std::string_view CodesWithSlack();

  const BenchmarkItems* items_ = nullptr;
  bool with_places_ = false;
  std::string codes_;  // with slack, or without
  size_t size_ = 0;    // without
  std::vector<uint32_t> places_;
  std::string text_;
  ItemSearch search_;
  std::vector<ItemMatch> matches_;
};

}  // namespace uzushio
