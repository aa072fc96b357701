// Which paragraphs two texts have in common, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace uzushio {

// A paragraph of either text, or of both.
struct DiffedParagraph {
  enum class In : uint8_t { kBoth, kFirst, kSecond };
  In in = In::kBoth;
  size_t place = 0;  // among those of the first text; of kSecond, of the second

  bool operator==(const DiffedParagraph&) const = default;
};

// All paragraphs of both texts in an order that keeps that of each; between two common ones, those of the first text
// come first. Of paragraphs that occur as often in both, a longest common subsequence is found; it takes n log n.
std::vector<DiffedParagraph> DiffParagraphs(const std::vector<std::string>& first,
                                            const std::vector<std::string>& second);

}  // namespace uzushio
