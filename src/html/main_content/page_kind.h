// What a page says of itself in its head, and by its URL.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "html/main_content/content_marker.h"
#include "html/main_content/linked_data.h"

namespace uzushio {

// Which four bytes follow each other somewhere in a text, by hash: says of most others that they are not there.
class TextGrams {
 public:
  static constexpr size_t kBytes = 4;

  void Add(std::string_view text) {
    for (size_t i = 0; i + kBytes <= text.size(); ++i) {
      const uint32_t bit = BitOf(text.data() + i);
      bits_[bit / 64] |= uint64_t{1} << bit % 64;
    }
  }
  // Of a part of kBytes or more: false for nearly all that are not in the text.
  bool MayContain(std::string_view part) const {
    return Has(part.data()) && Has(part.data() + (part.size() - kBytes) / 2) && Has(part.data() + part.size() - kBytes);
  }

 private:
  static constexpr int kBits = 12;
  static uint32_t BitOf(const char* at) {
    uint32_t gram = 0;
    std::memcpy(&gram, at, kBytes);
    return gram * 0x9E3779B1U >> (32 - kBits);
  }
  bool Has(const char* at) const {
    const uint32_t bit = BitOf(at);
    return (bits_[bit / 64] >> bit % 64 & 1) != 0;
  }

  std::array<uint64_t, (1U << kBits) / 64> bits_ = {};
};

struct PageKind {
  int og = 0;  // og:type: 0 none, 1 website, 2 article, 3 product, 4 another
  LinkedData linked_data;
  int url_depth = 0;
  int url_digits = 0;
  int url_dashes = 0;
  bool url_query = false;
  bool url_slash = false;
  std::string_view title;
  std::array<std::string_view, 2> descriptions;
  TextGrams title_grams;
  TextGrams description_grams;  // of both
};

// Of the page; what `kind` was of another one before is forgotten, its memory used again.
void ReadKind(const PageForContent& page, PageKind* kind);

// Whether a paragraph stands in the page's title.
bool InTitle(std::string_view text, const PageKind& kind);

// Whether a paragraph opens as a part of the page's description, or the description as a part of it.
bool InDescription(std::string_view text, const PageKind& kind);

}  // namespace uzushio
