// Kinds of personal data.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace uzushio {

enum class PersonalKind : uint8_t {
  kEmail,
  kTelephone,
  kPostalCode,
  kMyNumber,
  kCorporateNumber,
  kCard,
  kBankAccount,
  kIpAddress,
  kLicensePlate,
  kCoordinates,
};
inline constexpr size_t kPersonalKinds = 10;

struct PersonalKindName {
  std::string_view name;   // of the parameter and the metric
  std::string_view token;  // without its brackets
};
inline constexpr std::array<PersonalKindName, kPersonalKinds> kPersonalKindNames = {
    {{"email", "EMAIL"},
     {"telephone", "PHONE"},
     {"postal_code", "POSTAL_CODE"},
     {"my_number", "MY_NUMBER"},
     {"corporate_number", "CORPORATE_NUMBER"},
     {"card", "CARD"},
     {"bank_account", "BANK_ACCOUNT"},
     {"ip_address", "IP_ADDRESS"},
     {"license_plate", "LICENSE_PLATE"},
     {"coordinates", "COORDINATES"}}};

constexpr const PersonalKindName& NameOf(PersonalKind kind) { return kPersonalKindNames[static_cast<size_t>(kind)]; }

using PersonalKindSet = std::bitset<kPersonalKinds>;

// Bytes of a text that are personal data.
struct PersonalSpan {
  size_t begin = 0;
  size_t end = 0;
  PersonalKind kind = PersonalKind::kEmail;

  bool operator==(const PersonalSpan&) const = default;
};

}  // namespace uzushio
