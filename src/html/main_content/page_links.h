// What the addresses of a page's links say of the paragraphs that they are in.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "html/main_content/link_address.h"
#include "html/main_content/tokens.h"
#include "html/outline.h"

namespace uzushio {

// Of links that follow each other.
struct LinkSums {
  int64_t links = 0;
  int64_t inner = 0;  // that lead to a part of the page itself
  int64_t outer = 0;  // to another host
  int64_t score = 0;  // least and most scores of each link's tokens, in 1/16 of log2 of the odds
};

class PageLinks {
 public:
  // Of the links of a page with this URL.
  void Measure(const PageOutline& outline, std::string_view url, const TokenScores& tokens);

  // Of the links in paragraphs first … end - 1.
  LinkSums Between(size_t first, size_t end) const;
  // The least and the most score of a token of the paragraph's links; 0 where none is known.
  int32_t Least(size_t paragraph) const { return extremes_[paragraph].least; }
  int32_t Most(size_t paragraph) const { return extremes_[paragraph].most; }

 private:
  struct Extremes {
    int32_t least = 0;
    int32_t most = 0;
  };

  std::vector<LinkSums> before_;  // of the paragraphs before each
  std::vector<Extremes> extremes_;
};

// Calls visitor->Token(hash) for the tokens of a link of the page: those of its address and of `rel`.
LinkTarget VisitLink(const lxb_dom_node_t* link, const PageAddress& page, TokenVisitor* visitor);

}  // namespace uzushio
