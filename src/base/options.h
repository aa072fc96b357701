// Options of commands. Each is declared once: name, type, default, range, meaning, and where its value goes. Every
// frontend (command line, Python, Spark) reads the declarations, and hands over texts; so all mean the same by the same
// text, and refuse it in the same words.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/size.h"

namespace uzushio {

enum class OptionType { kFlag, kInteger, kSize, kShare, kText, kPath };

// For a number without an upper bound.
inline constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

// Where an option is to be had. Python's functions have their own ways to tell progress and what was done; executors
// have their threads from Spark.
enum Frontend : unsigned { kOnCommandLine = 1, kInPython = 2, kOnSpark = 4, kEverywhere = 7 };

// What outputs of runs with different values of an option are to a later run that reads several of them together, such
// as the indexes of minhash: an output records its kind, and the later run compares it with its own.
enum class KindPart : uint8_t {
  kRecords,  // other records: they cannot be used together
  kChoice,   // others of the same records win: they cannot be used together where the later run chooses between theirs
  kNone,     // no others
};

struct OptionDeclaration {
  std::string name;  // "max-page-bytes": --max-page-bytes, in Python max_page_bytes; "P", a letter: -P
  OptionType type = OptionType::kText;
  std::string help;
  std::string placeholder;                   // "DIR"
  std::vector<std::string> aliases;          // other names, on command lines only
  std::string group;                         // its heading in the help; empty: the command's own
  std::optional<std::string> default_value;  // as a text; none: nothing, which `help` says
  int64_t least = 0;                         // of numbers and sizes
  int64_t most = 0;
  std::vector<std::string> choices;           // of texts; empty: any
  std::optional<std::string> implicit_value;  // what it means without a value, of choices; none: it has to have one
  bool is_required = false;
  bool in_short_help = false;  // given so often that a short help shows it
  bool is_list = false;        // may be repeated
  bool is_several = false;     // a list, whose values may follow one another on a command line, as globs give them
  bool is_split = false;       // a list, whose values may stand in one, parted by commas, too
  unsigned frontends = kEverywhere;
  // It has an effect only if one of these is given: names of options, or `name=value` of a choice; empty: always.
  std::vector<std::string> only_with;
  bool in_identity = true;  // of a run
  // Its key there: its name, unless it says otherwise; empty: what is told of it has members, which the identity gets.
  std::string identity;
  KindPart kind_part = KindPart::kRecords;  // of those in the identity
  std::string kind;                         // its key there; empty: that of the identity

  static std::string FlagOf(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }
  std::string flag() const { return FlagOf(name); }
  const std::string& kind_key() const { return kind.empty() ? identity : kind; }
  // All of its names: "--values, -b".
  std::string flags() const {
    std::string all = flag();
    for (const std::string& alias : aliases) all += ", " + FlagOf(alias);
    return all;
  }
  bool is_number() const { return type == OptionType::kInteger || type == OptionType::kSize; }
  // Whether several values may follow one another on a command line.
  bool takes_several() const { return is_several || (is_list && is_number()); }
};

// What a number may be: "from 1 to 64".
std::string RangeText(const OptionDeclaration& option);

nlohmann::ordered_json ToJson(const OptionDeclaration& option);

// That there is no option of this name, and which may be meant.
arrow::Status NoOption(const std::string& name, const std::vector<OptionDeclaration>& options);

// What was given, in order: names of options and their texts; a flag's is empty.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

// The texts of one option, checked. Errors say the option, the text, and what may stand there.
arrow::Result<std::vector<int64_t>> NumbersOf(const OptionDeclaration& option, const std::vector<std::string>& texts);
// Shares are above 0, and at most 1.
arrow::Result<std::vector<double>> SharesOf(const OptionDeclaration& option, const std::vector<std::string>& texts);
arrow::Result<std::vector<std::string>> TextsOf(const OptionDeclaration& option, const std::vector<std::string>& texts);

// Sets `texts` to those that were given for each of the options, those of a split list apart. After an error all that
// is right is set, too. Errors: an unknown option, with the nearest name; one that is given twice and is no list; a
// required one that is missing, or empty.
arrow::Status Collect(const std::vector<OptionDeclaration>& options, const OptionTexts& given,
                      std::vector<std::vector<std::string>>* texts);

// That each option which was given has an effect: what it depends on is given, too. A default that is given is nothing.
arrow::Status CheckEffects(const std::vector<OptionDeclaration>& options,
                           const std::vector<std::vector<std::string>>& texts);

// The same of a program's values, by name, which may be written with underscores: texts, numbers, true or false for a
// flag or an option that may be without a value, arrays for lists; null is not given. Errors: values of other kinds,
// and an empty array where it would mean the default.
arrow::Result<OptionTexts> GivenBy(const nlohmann::json& values, const std::vector<OptionDeclaration>& options);

// Texts and what they stand for.
template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// What a run's identity says of an option where it says nothing: the option's key is not in it.
inline nlohmann::json LeftOut() { return nlohmann::json(nlohmann::json::value_t::discarded); }

// Options and what is told of them.
using OptionValues = std::vector<std::pair<const OptionDeclaration*, nlohmann::json>>;

// A member of a member: Within(&Arguments::limits, &Limits::depth).
template <typename Outer, typename Inner>
constexpr auto Within(Outer outer, Inner inner) {
  return [outer, inner](auto& arguments) -> auto& { return std::invoke(inner, std::invoke(outer, arguments)); };
}

// Declares options whose values are members of Arguments, with their defaults. `get` is a pointer to the member, or, of
// a member further in, Within(…).
template <typename Arguments>
class Options {
 public:
  template <typename Get>
  Options& Flag(const std::string& name, Get get, const std::string& help) {
    Add(name, OptionType::kFlag, get, "", help,
        [](const OptionDeclaration&, const std::vector<std::string>& texts, bool* member) {
          *member = !texts.empty();
          return arrow::Status::OK();
        });
    return *this;
  }
  // The member is a whole number, or an optional or a vector of such.
  template <typename Get>
  Options& Integer(const std::string& name, Get get, int64_t least, int64_t most, const std::string& help) {
    return Number(name, OptionType::kInteger, get, least, most, "N", help);
  }
  // Bytes.
  template <typename Get>
  Options& Size(const std::string& name, Get get, int64_t least, int64_t most, const std::string& help) {
    return Number(name, OptionType::kSize, get, least, most, "SIZE", help);
  }
  // The member is a number above 0, at most 1, or an optional of such.
  template <typename Get>
  Options& Share(const std::string& name, Get get, const std::string& help) {
    Add(name, OptionType::kShare, get, "X", help,
        [](const OptionDeclaration& declared, const std::vector<std::string>& texts, auto* member) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(const std::vector<double> shares, SharesOf(declared, texts));
          *member = shares.front();
          return arrow::Status::OK();
        });
    return *this;
  }
  // The member is a string, or an optional or a vector of such.
  template <typename Get>
  Options& Text(const std::string& name, Get get, const std::string& placeholder, const std::string& help) {
    return String(name, OptionType::kText, get, placeholder, help);
  }
  template <typename Get>
  Options& Path(const std::string& name, Get get, const std::string& placeholder, const std::string& help) {
    return String(name, OptionType::kPath, get, placeholder, help);
  }
  // A text of several, each with its value.
  template <typename Get, typename Value>
  Options& Choice(const std::string& name, Get get, const Choices<Value>& values, const std::string& help) {
    OptionDeclaration& option = Add(name, OptionType::kText, get, "", help,
                                    [values](const OptionDeclaration& declared, const std::vector<std::string>& texts,
                                             auto* member) -> arrow::Status {
                                      ARROW_ASSIGN_OR_RAISE(const auto checked, TextsOf(declared, texts));
                                      for (const auto& [text, value] : values) {
                                        if (!checked.empty() && text == checked.front()) *member = value;
                                      }
                                      return arrow::Status::OK();
                                    });
    tellers_.back() = [get, values](const Arguments& arguments) -> arrow::Result<nlohmann::json> {
      const auto& member = std::invoke(get, arguments);
      for (const auto& [text, value] : values) {
        if (value == member) return text;
      }
      return kIsOptional<Member<Get>> ? LeftOut() : nlohmann::json();
    };
    Arguments default_value;
    for (const auto& [text, value] : values) {
      option.choices.push_back(text);
      if (!option.default_value && value == std::invoke(get, default_value)) option.default_value = text;
    }
    return *this;
  }
  // A choice among texts.
  template <typename Get>
  Options& Choice(const std::string& name, Get get, const std::vector<std::string>& texts, const std::string& help) {
    Choices<std::string> values;
    for (const std::string& text : texts) values.emplace_back(text, text);
    return Choice(name, get, values, help);
  }

  // Of the option before: another name for it, on command lines.
  Options& Alias(const std::string& name) {
    return Change([&name](OptionDeclaration& option) { option.aliases.push_back(name); });
  }
  Options& Required() {
    return Change([](OptionDeclaration& option) { option.is_required = true; });
  }
  // One that a short help shows; required ones are shown anyway.
  Options& InShortHelp() {
    return Change([](OptionDeclaration& option) { option.in_short_help = true; });
  }
  // Where the default is the machine's.
  Options& WithoutDefault() {
    return Change([](OptionDeclaration& option) { option.default_value.reset(); });
  }
  // What it means when it is given without a value.
  Options& ImplicitValue(const std::string& choice) {
    return Change([&choice](OptionDeclaration& option) { option.implicit_value = choice; });
  }
  Options& Several() {
    return Change([](OptionDeclaration& option) { option.is_several = true; });
  }
  Options& SplitAtCommas() {
    return Change([](OptionDeclaration& option) { option.is_split = true; });
  }
  // Of the option before: alone it would be ignored, and is refused.
  Options& OnlyWith(const std::vector<std::string>& options) {
    return Change([&options](OptionDeclaration& option) { option.only_with = options; });
  }
  Options& Frontends(unsigned frontends) {
    return Change([frontends](OptionDeclaration& option) { option.frontends = frontends; });
  }
  // Of the option before: it does not decide about what a run writes, or other parts of the identity tell it.
  Options& NotInIdentity() {
    return Change([](OptionDeclaration& option) { option.in_identity = false; });
  }
  // What the identity says of it instead of its value: JSON, or a result of such; LeftOut() says nothing.
  template <typename Tell>
  Options& Identity(const std::string& key, Tell tell) {
    tellers_.back() = [tell](const Arguments& arguments) -> arrow::Result<nlohmann::json> { return tell(arguments); };
    return Change([&key](OptionDeclaration& option) { option.identity = key; });
  }
  // The same of several keys: JSON of an object, or a result of such, whose members the identity gets.
  template <typename Tell>
  Options& IdentityMembers(Tell tell) {
    return Identity("", tell);
  }
  // It says nothing of the default. So is every option that is new: outputs of earlier versions are known again.
  Options& IdentityUnlessDefault() {
    tellers_.back() = [tell = tellers_.back()](const Arguments& arguments) -> arrow::Result<nlohmann::json> {
      ARROW_ASSIGN_OR_RAISE(nlohmann::json value, tell(arguments));
      ARROW_ASSIGN_OR_RAISE(const nlohmann::json default_value, tell(Arguments()));
      return value == default_value ? LeftOut() : value;
    };
    return *this;
  }
  // Of the option before, where outputs have a kind. Those that do not say are of its records.
  Options& InKind(KindPart part) {
    return Change([part](OptionDeclaration& option) { option.kind_part = part; });
  }
  // What the kind says of it instead of what the identity does, likewise.
  template <typename Tell>
  Options& Kind(Tell tell) {
    kind_tellers_.back() = [tell](const Arguments& arguments) -> arrow::Result<nlohmann::json> {
      return tell(arguments);
    };
    return *this;
  }
  Options& KindKey(const std::string& key) {
    return Change([&key](OptionDeclaration& option) { option.kind = key; });
  }
  // Of those that follow.
  Options& Group(const std::string& group) {
    group_ = group;
    return *this;
  }
  // Options of another command, which gets their values from this one: the member is an object of JSON, with what is
  // given by name, for GivenBy.
  template <typename Get>
  Options& HandedOn(const std::vector<OptionDeclaration>& declarations, Get get) {
    for (const OptionDeclaration& declaration : declarations) {
      OptionDeclaration& option = declarations_.emplace_back(declaration);
      option.group = group_;
      option.in_identity = false;
      setters_.push_back(
          [get](Arguments* arguments, const OptionDeclaration& declared, const std::vector<std::string>& texts) {
            nlohmann::json& value = std::invoke(get, *arguments)[declared.name];
            if (declared.type == OptionType::kFlag) {
              value = true;
            } else if (declared.is_list) {
              value = texts;
            } else {
              value = texts.front();
            }
            return declared.is_number() ? NumbersOf(declared, texts).status() : TextsOf(declared, texts).status();
          });
      tellers_.push_back([](const Arguments&) -> arrow::Result<nlohmann::json> { return LeftOut(); });
      kind_tellers_.emplace_back();
    }
    return *this;
  }
  // Options of a part of the arguments: a member, or the struct that they derive from.
  template <typename Part, typename Get>
  Options& With(const Options<Part>& part, Get get) {
    for (size_t i = 0; i < part.declarations_.size(); ++i) {
      OptionDeclaration& option = declarations_.emplace_back(part.declarations_[i]);
      if (option.group.empty()) option.group = group_;
      setters_.push_back([get, set = part.setters_[i]](Arguments* arguments, const OptionDeclaration& declared,
                                                       const std::vector<std::string>& texts) {
        return set(&std::invoke(get, *arguments), declared, texts);
      });
      tellers_.push_back(
          [get, tell = part.tellers_[i]](const Arguments& arguments) { return tell(std::invoke(get, arguments)); });
      kind_tellers_.emplace_back();
      if (part.kind_tellers_[i]) {
        kind_tellers_.back() = [get, tell = part.kind_tellers_[i]](const Arguments& arguments) {
          return tell(std::invoke(get, arguments));
        };
      }
    }
    return *this;
  }
  template <typename Part>
  Options& With(const Options<Part>& part) {
    return With(part, []<typename Of>(Of& arguments) -> CopyConst<Of, Part>& {
      CopyConst<Of, Part>* base = &arguments;
      return *base;
    });
  }

  const std::vector<OptionDeclaration>& declarations() const { return declarations_; }

  // Sets what was given. After an error all that is right is set, too.
  arrow::Status Set(const OptionTexts& given, Arguments* arguments) const {
    std::vector<std::vector<std::string>> texts;
    arrow::Status status = Collect(declarations_, given, &texts);
    for (size_t i = 0; i < declarations_.size(); ++i) {
      if (texts[i].empty()) continue;
      arrow::Status set = setters_[i](arguments, declarations_[i], texts[i]);
      if (status.ok()) status = std::move(set);
    }
    return status.ok() ? CheckEffects(declarations_, texts) : status;
  }

  // What tells runs of the same stage and inputs apart: of each option that has a part in it, its value by its key.
  arrow::Result<nlohmann::json> IdentityOf(const Arguments& arguments) const {
    nlohmann::json identity = nlohmann::json::object();
    for (size_t i = 0; i < declarations_.size(); ++i) {
      if (!declarations_[i].in_identity) continue;
      ARROW_ASSIGN_OR_RAISE(nlohmann::json value, tellers_[i](arguments));
      if (value.is_discarded()) continue;
      if (declarations_[i].identity.empty()) {
        identity.update(value);
      } else {
        identity[declarations_[i].identity] = std::move(value);
      }
    }
    return identity;
  }

  // A part of the kind of the output that these make, in the order of the declarations: of each option that is in the
  // identity and in this part, its value, unless it is left out.
  arrow::Result<OptionValues> KindOf(const Arguments& arguments, KindPart part) const {
    OptionValues values;
    for (size_t i = 0; i < declarations_.size(); ++i) {
      if (!declarations_[i].in_identity || declarations_[i].kind_part != part) continue;
      ARROW_ASSIGN_OR_RAISE(nlohmann::json value, (kind_tellers_[i] ? kind_tellers_[i] : tellers_[i])(arguments));
      if (!value.is_discarded()) values.emplace_back(&declarations_[i], std::move(value));
    }
    return values;
  }

 private:
  template <typename>
  friend class Options;
  using Setter =
      std::function<arrow::Status(Arguments*, const OptionDeclaration&, const std::vector<std::string>& texts)>;
  using Teller = std::function<arrow::Result<nlohmann::json>(const Arguments&)>;
  template <typename Of, typename Part>
  using CopyConst = std::conditional_t<std::is_const_v<Of>, const Part, Part>;
  template <typename T>
  static constexpr bool kIsOptional = requires(T value) { value.has_value(); };
  template <typename T>
  static constexpr bool kIsList = requires(T list) { list.push_back({}); } && !std::is_same_v<T, std::string>;

  template <typename Get>
  using Member = std::remove_cvref_t<std::invoke_result_t<Get, Arguments&>>;

  // `set` gets the declaration, the texts, and a pointer to the member.
  template <typename Get, typename Set>
  OptionDeclaration& Add(const std::string& name, OptionType type, Get get, const std::string& placeholder,
                         const std::string& help, const Set& set) {
    setters_.push_back(
        [get, set](Arguments* arguments, const OptionDeclaration& declared, const std::vector<std::string>& texts) {
          return set(declared, texts, &std::invoke(get, *arguments));
        });
    tellers_.push_back([get](const Arguments& arguments) -> arrow::Result<nlohmann::json> {
      const auto& member = std::invoke(get, arguments);
      if constexpr (kIsOptional<Member<Get>>) {
        return member ? nlohmann::json(*member) : LeftOut();
      } else {
        return nlohmann::json(member);
      }
    });
    kind_tellers_.emplace_back();
    OptionDeclaration option;
    option.name = name;
    option.identity = name;
    std::ranges::replace(option.identity, '-', '_');
    option.type = type;
    option.help = help;
    option.placeholder = placeholder;
    option.group = group_;
    option.is_list = kIsList<Member<Get>>;
    return declarations_.emplace_back(std::move(option));
  }
  template <typename Get>
  Options& Number(const std::string& name, OptionType type, Get get, int64_t least, int64_t most,
                  const std::string& placeholder, const std::string& help) {
    using Of = Member<Get>;
    OptionDeclaration& option =
        Add(name, type, get, placeholder, help,
            [](const OptionDeclaration& declared, const std::vector<std::string>& texts, Of* member) -> arrow::Status {
              ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> numbers, NumbersOf(declared, texts));
              if constexpr (kIsList<Of>) {
                member->clear();
                for (const int64_t number : numbers) {
                  member->push_back(static_cast<std::ranges::range_value_t<Of>>(number));
                }
              } else if constexpr (std::is_integral_v<Of>) {
                *member = static_cast<Of>(numbers.front());
              } else {
                *member = static_cast<std::remove_cvref_t<decltype(**member)>>(numbers.front());
              }
              return arrow::Status::OK();
            });
    option.least = least;
    option.most = most;
    if constexpr (std::is_integral_v<Of>) {
      Arguments arguments;
      const auto value = static_cast<int64_t>(std::invoke(get, arguments));
      option.default_value = type == OptionType::kSize ? SizeText(value) : std::to_string(value);
    }
    return *this;
  }
  template <typename Get>
  Options& String(const std::string& name, OptionType type, Get get, const std::string& placeholder,
                  const std::string& help) {
    using Of = Member<Get>;
    OptionDeclaration& option =
        Add(name, type, get, placeholder, help,
            [](const OptionDeclaration& declared, const std::vector<std::string>& texts, Of* member) -> arrow::Status {
              ARROW_ASSIGN_OR_RAISE(std::vector<std::string> checked, TextsOf(declared, texts));
              if constexpr (kIsList<Of>) {
                *member = std::move(checked);
              } else {
                *member = checked.front();
              }
              return arrow::Status::OK();
            });
    Arguments arguments;
    const Of& value = std::invoke(get, arguments);
    std::string text;
    if constexpr (kIsList<Of>) {
      for (const std::string& one : value) text += (text.empty() ? "" : ",") + one;
    } else if constexpr (std::is_same_v<Of, std::string>) {
      text = value;
    }
    if (!text.empty()) option.default_value = text;
    return *this;
  }
  template <typename Edit>
  Options& Change(Edit edit) {
    edit(declarations_.back());
    return *this;
  }

  std::string group_;
  std::vector<OptionDeclaration> declarations_;
  std::vector<Setter> setters_;
  std::vector<Teller> tellers_;
  std::vector<Teller> kind_tellers_;  // none: what the identity says
};

}  // namespace uzushio
