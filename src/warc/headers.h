// Named fields, as WARC records and HTTP messages have them.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace uzushio {

// Views of the lines `Name: value`; they live as long as the text that was parsed. Lines may end in CRLF or LF.
// Lines that continue a value are left out, and so are lines without a colon.
class Headers {
 public:
  // At most this many fields are kept.
  static constexpr size_t kMaxFields = 256;

  void Parse(std::string_view lines);

  // All of them, repeated ones too, in order; without white space around. A name and its value are views of one text.
  const std::vector<std::pair<std::string_view, std::string_view>>& fields() const { return fields_; }

  // The value of the first field of that name (case does not matter), without white space around, or nothing.
  std::optional<std::string_view> Find(std::string_view name) const;
  // The same, empty where there is none.
  std::string_view Get(std::string_view name) const { return Find(name).value_or(std::string_view()); }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

// Whether two ASCII strings are equal but for case.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
// Without spaces, tabs and line ends around.
std::string_view TrimAscii(std::string_view text);

// Where a block of header lines ends: the number of bytes up to and with the empty line, or npos when `text` holds no
// end. Line ends may be mixed, as browsers accept them.
size_t FindHeaderEnd(std::string_view text, size_t from = 0);

}  // namespace uzushio
