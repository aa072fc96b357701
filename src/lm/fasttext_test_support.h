// A small classifier in fastText's format, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uzushio {

struct SmallFastText {
  int32_t loss = 3;  // 1 hierarchical softmax, 2 negative sampling, 3 softmax, 4 one-vs-all
  bool quantized = false;
  bool pruned = false;

  // Of four words, the labels `__label__0` and `__label__1`, two columns and four buckets of n-grams of one and two
  // characters, and of two words.
  std::string Bytes() const {
    constexpr int32_t kWords = 4;
    constexpr int32_t kLabels = 2;
    constexpr int32_t kColumns = 2;
    constexpr int32_t kBuckets = 4;
    std::string bytes;
    for (const int32_t number : {793712314, 12, kColumns, 5, 5, 1, 5, 2, loss, 3, kBuckets, 1, 2, 100})
      Add(number, &bytes);
    Add(1e-4, &bytes);
    for (const int32_t number : {kWords + kLabels, kWords, kLabels}) Add(number, &bytes);
    Add(int64_t{100}, &bytes);
    Add(int64_t{pruned ? 2 : -1}, &bytes);
    int64_t count = 9;
    for (const std::string_view word : {"</s>", "a", "bb", "本", "__label__0", "__label__1"}) {
      bytes.append(word).push_back('\0');
      Add(count--, &bytes);
      bytes.push_back(word.starts_with("__label__") ? '\1' : '\0');
    }
    if (pruned) {
      for (const int32_t number : {1, 0, 3, 1}) Add(number, &bytes);
    }
    bytes.push_back(quantized ? '\1' : '\0');
    AddMatrix(kWords + (pruned ? 2 : kBuckets), kColumns, &bytes);
    bytes.push_back(quantized ? '\1' : '\0');
    AddMatrix(kLabels, kColumns, &bytes);
    return bytes;
  }

 private:
  template <typename Number>
  static void Add(Number number, std::string* bytes) {
    bytes->append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static void AddFloats(int32_t count, std::string* bytes) {
    for (int32_t i = 0; i < count; ++i) Add(static_cast<float>(i * 7 % 11 - 5) / 4, bytes);
  }
  static void AddQuantizer(int32_t columns, std::string* bytes) {
    for (const int32_t number : {columns, columns, 1, 1}) Add(number, bytes);
    AddFloats(columns * 256, bytes);
  }
  void AddMatrix(int32_t rows, int32_t columns, std::string* bytes) const {
    if (quantized) bytes->push_back('\1');
    Add(int64_t{rows}, bytes);
    Add(int64_t{columns}, bytes);
    if (!quantized) return AddFloats(rows * columns, bytes);
    Add(rows * columns, bytes);
    for (int32_t i = 0; i < rows * columns; ++i) bytes->push_back(static_cast<char>(i * 37));
    AddQuantizer(columns, bytes);
    for (int32_t i = 0; i < rows; ++i) bytes->push_back(static_cast<char>(i * 59));
    AddQuantizer(1, bytes);
  }
};

}  // namespace uzushio
