// MinHash signatures of whole documents: buckets that near-duplicates are likely to share, and a sketch that estimates
// how similar two are (Broder 1997; Lee et al. 2022, section 4.2; Okazaki et al. 2024, section 3.3).
//
// A document is the set of its n-grams of tokens (dedup/tokens.h): characters (code points), if no others are named.
// With Jaccard index s, two share one value of a MinHash function with probability s, all values of a bucket with
// s^values, and at least one of the buckets with 1 - (1 - s^values)^buckets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dedup/minhash.h"
#include "dedup/tokens.h"

namespace uzushio {

struct SignatureOptions {
  int ngram = 5;     // tokens
  int buckets = 40;  // of each document
  int values = 20;   // MinHash values of a bucket; buckets * values <= kMaxHashFunctions
  TokenForm form = TokenForm::kCharacters;

  size_t functions() const { return static_cast<size_t>(buckets) * static_cast<size_t>(values); }
  // A bit of each value.
  size_t sketch_bytes() const { return (functions() + 7) / 8; }
  bool operator==(const SignatureOptions&) const = default;
};

// The probability that two documents of Jaccard index `similarity` share a bucket.
double DetectionProbability(const SignatureOptions& options, double similarity);

// Hashes of the n-grams of a document, from first to last; repeats come again. Two different n-grams have one hash with
// a probability of some 2^-64. A document of fewer tokens is one gram: itself, be it empty.
class GramHasher {
 public:
  explicit GramHasher(int ngram, TokenForm form = TokenForm::kCharacters);
  // Calls `use(std::span<const uint64_t>)` with some thousand hashes at a time; ends early if it gives a bool, false.
  template <typename Use>
  void ForEach(std::string_view document, Use use) {
    Begin();
    while (!document.empty()) {
      Roll(reader_.Take(&document));
      if (hashes_.empty()) continue;
      if constexpr (std::is_same_v<decltype(use(std::span<const uint64_t>())), bool>) {
        if (!use(std::span<const uint64_t>(hashes_))) return;
      } else {
        use(std::span<const uint64_t>(hashes_));
      }
    }
    if (tokens_ >= ring_.size()) return;
    const uint64_t whole = HashOfWhole();
    use(std::span<const uint64_t>(&whole, 1));
  }
  // Of the last document.
  uint64_t tokens() const { return tokens_; }
  // No document of so many bytes has more of them.
  size_t MostGrams(size_t bytes) const { return reader_.MostTokens(bytes) + 1; }

 private:
  void Begin();
  void Roll(std::span<const uint64_t> tokens);
  uint64_t HashOfWhole() const;

  TokenReader reader_;
  std::vector<uint64_t> ring_;  // what the last n tokens add to the rolling hash
  uint64_t outgoing_ = 1;       // the factor of the token that leaves
  uint64_t rolling_ = 0;
  uint64_t tokens_ = 0;
  size_t next_ = 0;  // in the ring
  std::vector<uint64_t> hashes_;
};

// Makes signatures. Works in buffers that it keeps; what it takes does not depend on the texts.
class DocumentSigner {
 public:
  explicit DocumentSigner(const SignatureOptions& options, Simd simd = BestSimd());

  // The buckets and the sketch of a document, `options.buckets` and `options.sketch_bytes()` many. Buckets of two
  // documents are equal by their values, or with a probability of 2^-64, at different places too.
  void Sign(std::string_view document, std::span<uint64_t> buckets, std::span<uint8_t> sketch);
  // Of the last document.
  uint64_t tokens() const { return grams_.tokens(); }

 private:
  void Collect(std::span<const uint64_t> hashes);

  SignatureOptions options_;
  Simd simd_;
  GramHasher grams_;
  std::vector<uint64_t> seen_;  // the last gram of each place: most repeats are found, and spared
  size_t places_ = 0;
  std::vector<uint32_t> features_;
  std::vector<uint32_t> minima_;
};

// The Jaccard index that two sketches tell, from 0 to 1: a bit of two different values is equal in half of the cases
// (Li and König 2010, b = 1). Its standard deviation at .9 is .015 for 800 values.
double EstimateJaccard(std::span<const uint8_t> a, std::span<const uint8_t> b, size_t functions);

}  // namespace uzushio
