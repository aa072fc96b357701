// A linear classifier that tells Japanese text by its characters.
//
// The score of a text is the sum of the weights of its n-grams of 1 to 3 characters over the square root of their
// number; above 0 it is Japanese (Okazaki et al. 2024, section 3.1, and the code published with it).
//
// The file of a model, version 1, little-endian:
//
//   header   64 bytes: "UZULANG\0", version uint32, zero uint32, number of n-grams uint64, scale float64, XXH3-64 of
//   all
//            behind the header, XXH3-64 of the header's bytes before it, zeros
//   n-grams  uint64 each, increasing (lang/grams.h)
//   weights  int16 each: a weight is this number times the scale
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/gram_table.h"

namespace uzushio {

class LanguageClassifier {
 public:
  // A model by the name of its file, local only. One that is open already, with the same content, is not made again.
  // The error says what is wrong with it: missing, no model, of another version, cut off, damaged.
  static arrow::Result<std::shared_ptr<const LanguageClassifier>> Open(const std::string& path);
  // A model from a file's bytes. `name` is for the error.
  static arrow::Result<std::shared_ptr<const LanguageClassifier>> Read(std::string_view bytes, const std::string& name);

  // The score of a document's text (document/markup.h): paragraphs are joined by a line break, without paths and link
  // marks. 0 where there is none.
  double Score(std::string_view document) const;
  bool IsJapanese(std::string_view document) const { return Score(document) > 0; }

  int64_t size() const { return size_; }
  // Of all that is in it: equal models, equal checksums.
  uint64_t checksum() const { return checksum_; }

 private:
  explicit LanguageClassifier(size_t size);
  void Add(uint64_t gram, int16_t weight);
  class Sum;

  std::vector<int16_t> characters_;  // weights of the characters up to U+FFFF, by their n-gram
  GramTable others_;
  int64_t size_ = 0;
  double scale_ = 0;
  uint64_t checksum_ = 0;
};

// The file of a model with these weights by n-gram, in order of n-grams. Weights that are nothing next to the greatest
// are left out.
std::string ClassifierFile(const std::vector<std::pair<uint64_t, double>>& weights);

}  // namespace uzushio
