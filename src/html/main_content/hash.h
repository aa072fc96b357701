// Hashes of attributes, and how much of them is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace uzushio {

// What is looked at of an attribute: pages may have any.
inline constexpr size_t kMostAttributeBytes = 512;

// FNV-1a, which the model's tokens are named by.
inline constexpr uint32_t kHashSeed = 2166136261U;
constexpr uint32_t HashByte(uint32_t hash, unsigned char byte) { return (hash ^ byte) * 16777619U; }
constexpr uint32_t HashText(std::string_view text, uint32_t hash = kHashSeed) {
  for (const char c : text) hash = HashByte(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace uzushio
