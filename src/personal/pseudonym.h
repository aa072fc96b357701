// Pseudonyms: what stands for a value everywhere, without telling it to those who do not have the key.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>

#include "personal/kinds.h"

namespace uzushio {

// HMAC-SHA-256 of the kind's token, a colon and the value in its plain form, cut to 64 bits:
// `<PHONE:0123456789abcdef>`. Values are few (there are some 10^9 telephone numbers): whoever has the key finds all of
// them by trying. Without it, equal values are still seen to be equal, and counted.
class Pseudonyms {
 public:
  static constexpr size_t kLeastKeyBytes = 16;

  // Reads the key: a file's bytes, without line ends behind them.
  static arrow::Result<std::shared_ptr<const Pseudonyms>> Read(const std::string& path);
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  // Appends the pseudonym of a value as it stands in a text.
  void Append(PersonalKind kind, std::string_view value, std::string* out) const;
  // Tells keys apart, and tells nothing of them.
  std::string Fingerprint() const;

 private:
  std::string Hash(std::string_view text) const;
  std::string key_;
};

// A value's plain form, which all ways to write it have in common: digits of a number, without separators and with 0
// for +81; an address in small letters of ASCII; of others, what is not white space.
std::string PlainForm(PersonalKind kind, std::string_view value);

}  // namespace uzushio
