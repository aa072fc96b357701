#include "contamination/document_search.h"

#include <algorithm>

#include "base/utf8.h"

namespace uzushio {

void DocumentSearch::Begin(const BenchmarkItems* items, bool with_places) {
  items_ = items;
  with_places_ = with_places;
  codes_.clear();
  size_ = 0;
  places_.clear();
  text_.clear();
}

void DocumentSearch::Add(std::string_view paragraph) {
  const Folding& folding = items_->folding();
  codes_.resize(size_);  // without slack
  if (with_places_ && !text_.empty()) text_ += kBetween;
  if (size_ > 0 && !folding.options().spaces) folding.Append("\n", &codes_);
  if (with_places_) {
    const auto begin = static_cast<uint32_t>(text_.size());
    places_.resize(codes_.size(), begin);
    folding.Append(paragraph, &codes_, &places_, begin);
    text_ += paragraph;
  } else {
    folding.Append(paragraph, &codes_);
  }
  size_ = codes_.size();
}

// The codes, behind which as many bytes can be read as the index wants.
std::string_view DocumentSearch::CodesWithSlack() {
  codes_.resize(size_ + ItemIndex::kSlack);
  return std::string_view(codes_).substr(0, size_);
}

std::optional<ItemMatch> DocumentSearch::Find() { return items_->index().Find(CodesWithSlack(), &search_); }

const std::vector<ItemMatch>& DocumentSearch::FindAbove(double share) {
  items_->index().FindAbove(CodesWithSlack(), share, &search_, &matches_);
  return matches_;
}

DocumentSearch::Span DocumentSearch::LongestRun(const ItemMatch& match) {
  const ItemRun run = items_->index().LongestRun(match, CodesWithSlack());
  Span span = {run.part, run.length, 0, 0};
  if (run.length == 0 || run.begin + run.length > places_.size()) return span;
  span.begin = places_[run.begin];
  const size_t last = places_[run.begin + run.length - 1];
  span.end = std::min(text_.size(), last + Utf8Length(text_[last]));
  return span;
}

}  // namespace uzushio
