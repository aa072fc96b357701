#include "personal/pseudonym.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/native.h"
#include "personal/native_hash.h"
#include "personal/phrase.h"

namespace uzushio {
namespace {

struct AtWord {
  size_t at = std::string_view::npos;
  size_t bytes = 0;
};

// `--at--` or `_AT_` of an address that has no other sign.
AtWord FindAtWord(std::string_view address) {
  for (const std::string_view sign : {"@", "＠", "(", "[", "（"}) {
    if (address.find(sign) != std::string_view::npos) return {};
  }
  for (const std::string_view word : {"--at--", "--AT--", "_AT_"}) {
    const size_t at = address.rfind(word);
    if (at != std::string_view::npos) return {at, word.size()};
  }
  return {};
}

}  // namespace

arrow::Result<std::shared_ptr<const Pseudonyms>> Pseudonyms::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) {
    return arrow::Status::Invalid("key: cannot read '", path,
                                  "'; it is a file with a secret, as `head -c 32 /dev/urandom | base64` makes one");
  }
  std::string key = std::move(bytes).str();
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  if (key.size() < kLeastKeyBytes) {
    return arrow::Status::Invalid("key: '", path, "' has ", key.size(), " bytes; a key has ", kLeastKeyBytes,
                                  " or more, at random, as `head -c 32 /dev/urandom | base64` makes one");
  }
  return std::make_shared<const Pseudonyms>(std::move(key));
}

std::string Pseudonyms::Hash(std::string_view text) const {
  std::array<uint8_t, 32> hash{};
  uz_hmac_sha256(AsBytes(key_), key_.size(), AsBytes(text), text.size(), hash.data());
  uint64_t shown = 0;
  for (size_t i = 0; i < sizeof shown; ++i) shown = shown << 8 | hash[i];
  return fmt::format("{:016x}", shown);
}

void Pseudonyms::Append(PersonalKind kind, std::string_view value, std::string* out) const {
  const std::string_view token = NameOf(kind).token;
  std::string text(token);
  text += ':';
  text += PlainForm(kind, value);
  fmt::format_to(std::back_inserter(*out), "<{}:{}>", token, Hash(text));
}

std::string Pseudonyms::Fingerprint() const { return Hash("uzushio"); }

std::string PlainForm(PersonalKind kind, std::string_view value) {
  const bool is_number = kind != PersonalKind::kEmail && kind != PersonalKind::kIpAddress &&
                         kind != PersonalKind::kLicensePlate && kind != PersonalKind::kCoordinates;
  const AtWord word = kind == PersonalKind::kEmail ? FindAtWord(value) : AtWord();
  std::string plain;
  bool is_international = false;
  for (size_t at = 0; at < value.size();) {
    const PlainCharacter next = PlainAt(value, at);
    if (kind == PersonalKind::kEmail && (next.sign == '(' || next.sign == '[')) {  // (at), (dot)
      const bool is_dot = (PlainAt(value, at + next.bytes).sign | 0x20) == 'd';
      plain += is_dot ? '.' : '@';
      at += 2 * next.bytes + (is_dot ? 3U : 2U);
      continue;
    }
    if (at == word.at) {
      plain += '@';
      at += word.bytes;
      continue;
    }
    is_international = is_international || (is_number && next.sign == '+');
    if (is_number ? IsAsciiDigit(next.sign) : next.sign > ' ') {
      plain += next.sign >= 'A' && next.sign <= 'Z' ? static_cast<char>(next.sign | 0x20) : next.sign;
    } else if (!is_number && next.sign != ' ' && next.sign != '\\') {
      plain.append(value, at, next.bytes);
    }
    at += next.bytes;
  }
  if (!is_international) return plain;
  if (!plain.starts_with("81")) return "+" + plain;
  plain.erase(0, plain.starts_with("810") ? 3 : 2);
  return "0" + plain;
}

}  // namespace uzushio
