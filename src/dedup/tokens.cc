#include "dedup/tokens.h"

#include <bit>
#include <cstring>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr size_t kTokenBytes = size_t{16} << 10;  // that are decoded at once

}  // namespace

static_assert(std::endian::native == std::endian::little);

void AppendToken(uint64_t hash, std::string* document) {
  document->append(reinterpret_cast<const char*>(&hash), sizeof hash);
}

std::span<const uint64_t> TokenReader::Take(std::string_view* document) {
  std::string_view part = document->substr(0, kTokenBytes);
  if (form_ == TokenForm::kHashes) {
    tokens_.resize(part.size() / sizeof(uint64_t));
    std::memcpy(tokens_.data(), part.data(), tokens_.size() * sizeof(uint64_t));
  } else {
    const std::string_view whole = Utf8Prefix(*document, kTokenBytes);
    if (!whole.empty()) part = whole;  // or bytes that are no UTF-8
    points_.clear();
    DecodeUtf8(part, &points_);
    tokens_.assign(points_.begin(), points_.end());
  }
  document->remove_prefix(part.size());
  return tokens_;
}

}  // namespace uzushio
