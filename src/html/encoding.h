// The encodings of the WHATWG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

struct UzEncoding;

namespace uzushio {

// Characters beyond ASCII, and those among them that cannot be mapped.
struct Faults {
  size_t characters = 0;
  size_t faults = 0;

  bool operator==(const Faults&) const = default;
};

inline constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

// A WHATWG encoding.
class Encoding {
 public:
  // By label, any case, white space around allowed; nothing when the WHATWG knows no such label.
  static std::optional<Encoding> ForLabel(std::string_view label);
  // What the bytes are most probably in, by chardetng, as those of a Japanese site or of any: never UTF-8, UTF-16 or
  // ISO-2022-JP.
  static Encoding Guess(std::string_view bytes, bool japanese);
  static Encoding Utf8();

  std::string_view name() const;  // as the WHATWG writes it: UTF-8, Shift_JIS, windows-1252
  bool operator==(const Encoding&) const = default;

  // What of `bytes` cannot be mapped. A character that their end cuts is no fault, unless they are `whole`. For
  // windows-1252, which maps every byte, the five that the code page leaves undefined are. Counting ends where there
  // are more than `most`.
  Faults FaultsOf(std::string_view bytes, bool whole = false, size_t most = kAnyNumber) const;

  // Whether `bytes` have no fault.
  bool Decodes(std::string_view bytes) const;

  // The bytes in UTF-8, with U+FFFD for what cannot be mapped: a view of `bytes` where they are that already, else of
  // `buffer`. A byte order mark is left out. Sets `*replaced`, if given, to how often there is a U+FFFD for something.
  std::string_view Decode(std::string_view bytes, std::string* buffer, int64_t* replaced = nullptr) const;

  // Whether texts in this encoding can hold kana as bytes: those with more than a byte for a character can.
  bool can_hold_kana() const;

  // Whether it is ISO-2022-JP: ASCII, with characters between escapes. Escapes that another follows at once are no
  // faults.
  bool escapes() const;

 private:
  explicit Encoding(const UzEncoding* encoding) : encoding_(encoding) {}
  const UzEncoding* encoding_;
};

}  // namespace uzushio
