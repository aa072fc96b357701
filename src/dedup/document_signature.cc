#include "dedup/document_signature.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dedup/grams.h"

namespace uzushio {
namespace {

// Odd, of no meaning (the fractional part of the golden ratio).
constexpr uint64_t kBase = 0x9e3779b97f4a7c15;
constexpr size_t kMostPlaces = size_t{32} << 10;  // for grams that were seen; with some of the text, what L2 holds

}  // namespace

double DetectionProbability(const SignatureOptions& options, double similarity) {
  return 1 - std::pow(1 - std::pow(similarity, options.values), options.buckets);
}

GramHasher::GramHasher(int ngram, TokenForm form) : reader_(form), ring_(static_cast<size_t>(ngram)) {
  for (int i = 0; i < ngram; ++i) outgoing_ *= kBase;
}

void GramHasher::Begin() {
  std::ranges::fill(ring_, 0);
  rolling_ = 0;
  tokens_ = 0;
  next_ = 0;
}

// The hashes that end in these tokens. A gram is a number in base kBase whose digits are its tokens, no character of
// them 0, so that no shorter text is another with zeros before it.
void GramHasher::Roll(std::span<const uint64_t> tokens) {
  hashes_.resize(tokens.size());
  size_t size = 0;
  for (const uint64_t token : tokens) {
    const uint64_t digit = token + 1;
    rolling_ = rolling_ * kBase + digit - ring_[next_] * outgoing_;
    ring_[next_] = digit;
    next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
    hashes_[size] = Mix64(rolling_);
    size += ++tokens_ >= ring_.size() ? 1 : 0;
  }
  hashes_.resize(size);
}

uint64_t GramHasher::HashOfWhole() const { return Mix64(rolling_ ^ kBase); }

DocumentSigner::DocumentSigner(const SignatureOptions& options, Simd simd)
    : options_(options), simd_(simd), grams_(options.ngram, options.form), seen_(kMostPlaces) {
  const size_t groups = (options.functions() + kHashFunctionGroup - 1) / kHashFunctionGroup;
  minima_.resize(groups * kHashFunctionGroup);
}

// A gram that was seen before changes no minimum. Those at whose place another was seen meanwhile come again, which
// costs time only.
void DocumentSigner::Collect(std::span<const uint64_t> hashes) {
  features_.clear();
  for (const uint64_t hash : hashes) {
    uint64_t& seen = seen_[hash & (places_ - 1)];
    if (seen == hash) continue;
    seen = hash;
    features_.push_back(static_cast<uint32_t>(hash >> 32));
  }
  LowerMinHash(features_, minima_, simd_);
}

void DocumentSigner::Sign(std::string_view document, std::span<uint64_t> buckets, std::span<uint8_t> sketch) {
  places_ = std::min(std::bit_ceil(document.size() + 16), kMostPlaces);
  std::fill_n(seen_.begin(), places_, 0);
  std::ranges::fill(minima_, UINT32_MAX);
  grams_.ForEach(document, [this](std::span<const uint64_t> hashes) { Collect(hashes); });
  const auto values = static_cast<size_t>(options_.values);
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    uint64_t hash = Mix64(bucket + 1);
    for (size_t i = 0; i < values; ++i) hash = Mix64(hash + minima_[bucket * values + i]);
    buckets[bucket] = hash;
  }
  std::ranges::fill(sketch, 0);
  for (size_t i = 0; i < options_.functions(); ++i) {
    // The highest bit of a product, on which all bits of the value act.
    sketch[i / 8] |= static_cast<uint8_t>(((minima_[i] * 0x9e3779b1U) >> 31) << (i % 8));
  }
}

double EstimateJaccard(std::span<const uint8_t> a, std::span<const uint8_t> b, size_t functions) {
  size_t different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different += static_cast<size_t>(std::popcount(static_cast<unsigned>(a[i] ^ b[i])));
  }
  return std::max(0.0, 1 - 2 * static_cast<double>(different) / static_cast<double>(functions));
}

}  // namespace uzushio
