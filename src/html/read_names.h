// The names of the attributes that are read. A page's tree has no others (html/read_attributes.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace uzushio {

enum class AttributeUse : uint8_t {
  kNone,
  kOfSome,  // of some elements, none of which is a formatting element
  kOfAny,
  kOfFont,  // by the parser, which asks whether `font` has one
};

struct AttributeName {
  std::string_view name;
  AttributeUse use;
};

// Who reads another adds it here.
inline constexpr auto kReadNames = std::to_array<AttributeName>({
    {"class", AttributeUse::kOfAny},
    {"id", AttributeUse::kOfAny},
    {"style", AttributeUse::kOfAny},
    {"rel", AttributeUse::kOfAny},
    {"href", AttributeUse::kOfAny},
    {"hidden", AttributeUse::kOfAny},
    {"role", AttributeUse::kOfAny},
    {"aria-hidden", AttributeUse::kOfAny},
    {"aria-label", AttributeUse::kOfAny},
    {"itemprop", AttributeUse::kOfAny},
    {"itemtype", AttributeUse::kOfAny},
    {"data-testid", AttributeUse::kOfAny},
    {"data-component", AttributeUse::kOfAny},
    {"data-lang", AttributeUse::kOfAny},
    {"data-language", AttributeUse::kOfAny},
    {"data-nosnippet", AttributeUse::kOfAny},
    {"display", AttributeUse::kOfAny},
    {"lang", AttributeUse::kOfSome},
    {"xml:lang", AttributeUse::kOfSome},
    {"type", AttributeUse::kOfSome},
    {"alt", AttributeUse::kOfSome},
    {"charset", AttributeUse::kOfSome},
    {"content", AttributeUse::kOfSome},
    {"http-equiv", AttributeUse::kOfSome},
    {"name", AttributeUse::kOfSome},
    {"property", AttributeUse::kOfSome},
    {"value", AttributeUse::kOfSome},
    {"start", AttributeUse::kOfSome},
    {"reversed", AttributeUse::kOfSome},
    {"colspan", AttributeUse::kOfSome},
    {"rowspan", AttributeUse::kOfSome},
    {"open", AttributeUse::kOfSome},
    {"shadowrootmode", AttributeUse::kOfSome},
    {"encoding", AttributeUse::kOfSome},
    {"alttext", AttributeUse::kOfSome},
    {"color", AttributeUse::kOfFont},
    {"face", AttributeUse::kOfFont},
    {"size", AttributeUse::kOfFont},
});

// The name of an attribute that is asked for; one that trees do not have does not compile.
class ReadName {
 public:
  consteval ReadName(const char* name) : name_(name) {  // NOLINT(google-explicit-constructor): as the text it is
    if (std::ranges::find(kReadNames, name_, &AttributeName::name) == kReadNames.end()) IsNotInReadNames();
  }
  constexpr operator std::string_view() const { return name_; }  // NOLINT(google-explicit-constructor)

 private:
  static void IsNotInReadNames() {}  // no constant expression
  std::string_view name_;
};

}  // namespace uzushio
