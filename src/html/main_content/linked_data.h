// What a page says of its content in linked data (JSON-LD): kinds of things, and texts that the page shows, too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace uzushio {

class LinkedData {
 public:
  // Kinds of things that are named, as bits.
  enum Kind : uint32_t {
    kArticle = 1U << 0,
    kProduct = 1U << 1,
    kForum = 1U << 2,
    kList = 1U << 3,
    kFaq = 1U << 4,
  };
  // What a text is there, as bits.
  enum Role : uint32_t {
    kText = 1U << 0,    // description, articleBody, text
    kReview = 1U << 1,  // reviewBody
    kName = 1U << 2,    // name, headline
  };

  void Clear();
  // Reads a script's text. Strings are looked for one after another, whatever is around them: pages have all sorts of
  // broken JSON. Linear; no more than kMostBytes of a page are looked at.
  void Read(std::string_view json);
  // After the last script, before texts are asked for.
  void Finish();

  uint32_t kinds() const { return kinds_; }
  // The roles of texts that begin, or have a line or a sentence that begins, as a paragraph does.
  uint32_t RolesOf(std::string_view paragraph) const;

  static constexpr size_t kMostBytes = size_t{256} << 10;

 private:
  struct Opening {
    uint32_t hash;
    uint32_t roles;
  };

  void AddText(std::string_view text, uint32_t role);
  void AddOpening(std::string_view text, uint32_t role);

  uint32_t kinds_ = 0;
  size_t bytes_left_ = kMostBytes;
  std::vector<Opening> openings_;  // when finished: by hash, each once
};

}  // namespace uzushio
