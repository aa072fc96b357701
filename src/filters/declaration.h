// What a filter says of itself: its name, parameters and metrics.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "filters/filter.h"

namespace uzushio {

using ParameterValue = std::variant<int64_t, double, std::string, std::vector<std::string>>;

struct FilterParameter {
  std::string name;
  enum class Type { kInt, kFloat, kText, kTexts } type = Type::kInt;
  std::optional<ParameterValue> default_value;  // none: required
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  // of texts
  std::string help;
  bool may_be_empty = false;  // of a list
  bool is_file = false;       // names what the filter reads: files, or folders of them
};

struct DeclaredMetric {
  std::string name;
  std::string help;
};

struct FilterDeclaration {
  std::string name;
  std::string kind;  // documents, paragraphs, rewrites
  std::string summary;
  std::string metric;  // its name, or that of all of them
  std::string metric_help;
  std::vector<DeclaredMetric> metrics;  // one, or several
  std::vector<FilterParameter> parameters;
  bool bounded = false;  // has `low` and `high`, of which low must not be above high
  // One value for each parameter, checked.
  // `memory` is what filters have for their files, in bytes; 0: no bound.
  std::function<arrow::Result<std::unique_ptr<Filter>>(const std::vector<ParameterValue>&, int64_t memory)> make;
};

// Bounds may be so many times above what a metric can be: configurations say `high: 2.0` of a ratio to have no bound.
inline constexpr double kBoundsSlack = 100;

// What of Declare is the same for all filters, so that it is compiled once.
class DeclarationBuilder {
 protected:
  template <typename Value>
  using Setter = std::function<void(Filter*, Value)>;
  using Texts = std::vector<std::string>;

  DeclarationBuilder(std::string_view name, std::string_view kind, std::string_view summary);
  DeclarationBuilder(const DeclarationBuilder&) = delete;
  DeclarationBuilder& operator=(const DeclarationBuilder&) = delete;
  ~DeclarationBuilder();

  void SetMetric(std::string_view name, std::string_view help);
  void SetMetrics(std::vector<DeclaredMetric> metrics);
  void SetBounded();
  void AddInt(std::string_view name, int64_t default_value, int64_t least, int64_t most, std::string_view help,
              Setter<int64_t> set);
  void AddFloat(std::string_view name, double default_value, double least, double most, std::string_view help,
                Setter<double> set);
  // Required where there is no `standard`.
  void AddText(std::string_view name, const std::string* default_value, std::string_view help, Texts choices,
               Setter<const std::string&> set);
  void AddTexts(std::string_view name, const Texts* default_value, std::string_view help, Setter<const Texts&> set);
  void AddFlag(std::string_view name, bool default_value, std::string_view help, Setter<bool> set);
  void LetLastBeEmpty();
  void LetLastBeFile();
  // `make` makes a filter, `prepare` is called when its parameters are set. Unless the filter says itself what its
  // files hold, it is given their checksums.
  FilterDeclaration Finish(std::unique_ptr<Filter> (*make)(), arrow::Status (*prepare)(Filter*, int64_t memory),
                           bool says_contents);

 private:
  FilterParameter& Add(std::string_view name, FilterParameter::Type type, std::string_view help,
                       Setter<const ParameterValue&> set);
  FilterDeclaration declaration_;
  // Sets the filter's Contents() to the checksums of what the values of these parameters name.
  static arrow::Status TakeContents(const std::vector<ParameterValue>& values, const std::vector<size_t>& files,
                                    Filter* filter);
  std::vector<Setter<const ParameterValue&>> setters_;
};

// Declares filter F, whose parameters are members with their defaults. F may have `arrow::Status Prepare()`, which is
// called when they are set; or `Prepare(int64_t memory)`, if it holds much of its files (FilterDeclaration::make).
template <typename F>
class Declare : DeclarationBuilder {
 public:
  Declare(std::string_view name, std::string_view kind, std::string_view summary)
      : DeclarationBuilder(name, kind, summary) {}
  Declare& Metric(std::string_view name, std::string_view help) {
    SetMetric(name, help);
    return *this;
  }
  // After Metric, of a filter of several.
  Declare& Metrics(std::vector<DeclaredMetric> metrics) {
    SetMetrics(std::move(metrics));
    return *this;
  }
  template <typename Of, typename Member>
  Declare& Int(std::string_view name, Member Of::* member, int64_t least, int64_t most, std::string_view help) {
    AddInt(name, defaults_.*member, least, most, help,
           [member](Filter* filter, int64_t value) { Self(filter)->*member = static_cast<Member>(value); });
    return *this;
  }
  template <typename Of, typename Member>
  Declare& Float(std::string_view name, Member Of::* member, double least, double most, std::string_view help) {
    AddFloat(name, defaults_.*member, least, most, help,
             [member](Filter* filter, double value) { Self(filter)->*member = static_cast<Member>(value); });
    return *this;
  }
  // The parameters `low` and `high`, of members of these names, for a metric between `least` and `most`. A `low` above
  // `most`, or above `high`, would remove every document and is refused; a `high` above `most` removes none.
  template <typename Number>
  Declare& Bounds(Number least, Number most) {
    SetBounded();
    if constexpr (std::is_integral_v<Number>) {
      Int("low", &F::low, least, most, "documents below are removed");
      return Int("high", &F::high, least, most, "documents above are removed");
    } else {
      Float("low", &F::low, least, most, "documents below are removed");
      return Float("high", &F::high, least, most * kBoundsSlack, "documents above are removed");
    }
  }
  Declare& Text(std::string_view name, std::string F::* member, std::string_view help,
                std::vector<std::string> choices = {}) {
    const std::string& default_value = defaults_.*member;
    AddText(name, default_value.empty() ? nullptr : &default_value, help, std::move(choices),
            [member](Filter* filter, const std::string& value) { Self(filter)->*member = value; });
    return *this;
  }
  // Yes or no.
  Declare& Flag(std::string_view name, bool F::* member, std::string_view help) {
    AddFlag(name, defaults_.*member, help, [member](Filter* filter, bool value) { Self(filter)->*member = value; });
    return *this;
  }
  // The same as Text, which may be empty.
  Declare& OptionalText(std::string_view name, std::string F::* member, std::string_view help) {
    AddText(name, &(defaults_.*member), help, {},
            [member](Filter* filter, const std::string& value) { Self(filter)->*member = value; });
    return *this;
  }
  // Several texts: a list, or one text.
  Declare& Texts(std::string_view name, std::vector<std::string> F::* member, std::string_view help) {
    const std::vector<std::string>& default_value = defaults_.*member;
    AddTexts(name, default_value.empty() ? nullptr : &default_value, help,
             [member](Filter* filter, const std::vector<std::string>& value) { Self(filter)->*member = value; });
    return *this;
  }
  // The same, of which there may be none.
  Declare& OptionalTexts(std::string_view name, std::vector<std::string> F::* member, std::string_view help) {
    AddTexts(name, &(defaults_.*member), help,
             [member](Filter* filter, const std::vector<std::string>& value) { Self(filter)->*member = value; });
    LetLastBeEmpty();
    return *this;
  }
  // The same as Text, OptionalText, Texts and OptionalTexts, of names of files or folders that the filter reads. Its
  // Contents() has to change with what they hold; the checksums of files are taken where it has none of its own.
  Declare& File(std::string_view name, std::string F::* member, std::string_view help) {
    return Text(name, member, help).AsFile();
  }
  Declare& OptionalFile(std::string_view name, std::string F::* member, std::string_view help) {
    return OptionalText(name, member, help).AsFile();
  }
  Declare& Files(std::string_view name, std::vector<std::string> F::* member, std::string_view help) {
    return Texts(name, member, help).AsFile();
  }
  Declare& OptionalFiles(std::string_view name, std::vector<std::string> F::* member, std::string_view help) {
    return OptionalTexts(name, member, help).AsFile();
  }
  FilterDeclaration Done() {
    constexpr bool kSaysContents = !std::is_same_v<decltype(&F::Contents), decltype(&Filter::Contents)>;
    return Finish([]() -> std::unique_ptr<Filter> { return std::make_unique<F>(); },
                  [](Filter* filter, [[maybe_unused]] int64_t memory) -> arrow::Status {
                    if constexpr (requires { Self(filter)->Prepare(memory); }) return Self(filter)->Prepare(memory);
                    if constexpr (requires { Self(filter)->Prepare(); }) return Self(filter)->Prepare();
                    return arrow::Status::OK();
                  },
                  kSaysContents);
  }

 private:
  Declare& AsFile() {
    LetLastBeFile();
    return *this;
  }
  static F* Self(Filter* filter) { return static_cast<F*>(filter); }
  const F defaults_;
};

}  // namespace uzushio
