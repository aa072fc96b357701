// The object of a line of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// A value. Views are of the object's memory.
struct JsonField {
  enum class Kind { kNull, kBool, kInt, kUint, kDouble, kText, kNested };  // kUint: above 2^63 - 1
  std::string_view key;
  Kind kind = Kind::kNull;
  bool truth = false;
  int64_t integer = 0;  // of kUint its bits
  double fraction = 0;
  std::string_view text;  // without escapes; of an array or an object as it stands in the line

  // Of those that are numbers.
  uint64_t natural() const { return static_cast<uint64_t>(integer); }
  double real() const {
    if (kind == Kind::kDouble) return fraction;
    return kind == Kind::kInt ? static_cast<double>(integer) : static_cast<double>(natural());
  }
};

// Parses lines, one after the other. Memory: the line's length, and no more than a MiB besides.
class JsonObject {
 public:
  JsonObject();
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(JsonObject&&) noexcept;
  ~JsonObject();

  // What a line is. A number that no double holds, a text that is no UTF-8 and half of a surrogate pair are no JSON.
  // kTooLarge: more than kMostKeys keys or kMostLevels levels; what follows them is not looked at.
  enum class Line { kObject, kOtherValue, kTooLarge, kNoJson };
  static constexpr size_t kMostKeys = 4096;
  static constexpr size_t kMostLevels = 1024;
  // The views of the line before end; those of this one may be of `line` itself.
  Line Parse(std::string_view line);

  // In the order of the line. Of a key that stands twice the last counts.
  const std::vector<JsonField>& fields() const { return fields_; }
  // The one that counts, or null.
  const JsonField* Find(std::string_view key) const;

 private:
  class Parser;

  std::unique_ptr<Parser> parser_;
  std::string buffer_;  // the line, in which escapes are replaced, and what a vector may read behind it
  std::vector<JsonField> fields_;
};

}  // namespace uzushio
