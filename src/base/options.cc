#include "base/options.h"

#include <charconv>

#include "base/nearest.h"
#include "base/size.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

const char* TypeName(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kSize:
      return "size";
    case OptionType::kShare:
      return "share";
    case OptionType::kText:
      return "text";
    case OptionType::kPath:
      return "path";
  }
  return "";
}

std::string Shown(const OptionDeclaration& option, int64_t number) {
  return option.type == OptionType::kSize ? SizeText(number) : std::to_string(number);
}
}  // namespace

std::string RangeText(const OptionDeclaration& option) {
  if (option.type == OptionType::kShare) return "above 0, at most 1";
  const bool unbound = option.most == kAny;
  if (unbound) return Shown(option, option.least) + " or more";
  return "from " + Shown(option, option.least) + " to " + Shown(option, option.most);
}

namespace {

arrow::Status Refuse(const OptionDeclaration& option, const std::string& text, const std::string& wanted) {
  return arrow::Status::Invalid(option.flag(), " ", text, ": ", wanted);
}

arrow::Result<int64_t> NumberOf(const OptionDeclaration& option, const std::string& text) {
  int64_t number = 0;
  if (option.type == OptionType::kSize) {
    const auto size = ParseSize(text);
    if (!size.ok()) return Refuse(option, text, "give a size, " + RangeText(option) + ", such as 512MiB");
    number = *size;
  } else {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
      return Refuse(option, text, "give a whole number, " + RangeText(option));
  }
  if (number >= option.least && number <= option.most) return number;
  return Refuse(
      option, text,
      "give " + std::string(option.type == OptionType::kSize ? "a size, " : "a whole number, ") + RangeText(option));
}

// The parts between commas.
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

arrow::Status NoOption(const std::string& name, const std::vector<OptionDeclaration>& options) {
  if (name == "max-nodes" && std::ranges::find(options, "max-tree-bytes", &OptionDeclaration::name) != options.end()) {
    return arrow::Status::Invalid("--max-nodes: is gone; --max-tree-bytes bounds what a page's tree takes");
  }
  std::vector<std::string> names;
  for (const OptionDeclaration& option : options) {
    if (option.name.size() > 1) names.push_back(option.name);
  }
  std::string hint = DidYouMean(name, names);  // dashes would make all names alike
  if (!hint.empty()) hint.insert(hint.rfind(' ') + 1, "--");
  return arrow::Status::Invalid(name.size() == 1 ? "-" : "--", name, ": no such option", hint);
}

nlohmann::ordered_json ToJson(const OptionDeclaration& option) {
  nlohmann::ordered_json json = {{"name", option.name},
                                 {"aliases", option.aliases},
                                 {"type", TypeName(option.type)},
                                 {"help", option.help},
                                 {"placeholder", option.placeholder},
                                 {"group", option.group},
                                 {"default", nullptr},
                                 {"choices", option.choices},
                                 {"implicit_value", nullptr},
                                 {"required", option.is_required},
                                 {"in_short_help", option.in_short_help},
                                 {"list", option.is_list},
                                 {"several", option.takes_several()},
                                 {"split", option.is_split},
                                 {"program", (option.frontends & kOnCommandLine) != 0},
                                 {"python", (option.frontends & kInPython) != 0},
                                 {"spark", (option.frontends & kOnSpark) != 0}};
  if (option.default_value) json["default"] = *option.default_value;
  if (option.implicit_value) json["implicit_value"] = *option.implicit_value;
  if (option.is_number()) {
    json["least"] = option.least;
    json["most"] = option.most;
    json["range"] = RangeText(option);
  }
  if (option.type == OptionType::kShare) json["range"] = RangeText(option);
  return json;
}

arrow::Result<OptionTexts> GivenBy(const nlohmann::json& values, const std::vector<OptionDeclaration>& options) {
  OptionTexts given;
  for (const auto& [key, value] : values.items()) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    if (value.is_null()) continue;
    const auto option = std::ranges::find(options, name, &OptionDeclaration::name);
    const bool is_flag =
        option != options.end() && (option->type == OptionType::kFlag || option->implicit_value.has_value());
    const bool is_list = option != options.end() && option->is_list;
    if (is_flag && value.is_boolean()) {
      if (value == true) given.emplace_back(name, option->implicit_value.value_or(""));
      continue;
    }
    if (option != options.end() && option->type == OptionType::kFlag) {
      return Refuse(*option, value.dump(), "True or False is wanted");
    }
    if (is_list && value.empty() && option->default_value) return Refuse(*option, "", "nothing is named");
    const bool several = is_list && value.is_array();
    for (const nlohmann::json& one : several ? value : nlohmann::json::array({value})) {
      given.emplace_back(name, one.is_string() ? one.get<std::string>() : one.dump());
    }
  }
  return given;
}

arrow::Result<std::vector<int64_t>> NumbersOf(const OptionDeclaration& option, const std::vector<std::string>& texts) {
  std::vector<int64_t> numbers;
  for (const std::string& text : texts) {
    ARROW_ASSIGN_OR_RAISE(const int64_t number, NumberOf(option, text));
    numbers.push_back(number);
  }
  return numbers;
}

arrow::Result<std::vector<double>> SharesOf(const OptionDeclaration& option, const std::vector<std::string>& texts) {
  std::vector<double> shares;
  for (const std::string& text : texts) {
    double share = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, share);
    const bool is_share = read.ec == std::errc() && read.ptr == end && share > 0 && share <= 1;
    if (!is_share) return Refuse(option, text, "give a number, " + RangeText(option) + ", such as 0.9");
    shares.push_back(share);
  }
  return shares;
}

arrow::Result<std::vector<std::string>> TextsOf(const OptionDeclaration& option,
                                                const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (option.type != OptionType::kPath && !IsValidUtf8(text)) return Refuse(option, text, "this is no UTF-8");
    if (option.choices.empty() || std::ranges::find(option.choices, text) != option.choices.end()) continue;
    std::string all;
    for (const std::string& choice : option.choices) all += (all.empty() ? "" : ", ") + choice;
    return Refuse(option, text, "give one of " + all + DidYouMean(text, option.choices));
  }
  return texts;
}

namespace {

bool IsDefault(const OptionDeclaration& option, const std::vector<std::string>& texts) {
  if (!option.default_value) return false;
  if (texts.front() == *option.default_value) return true;
  if (!option.is_number()) return false;
  const auto number = NumberOf(option, texts.front());
  return number.ok() && *number == NumberOf(option, *option.default_value).ValueOr(*number - 1);
}

// Whether `wanted`, a name or `name=value`, is given.
bool IsGiven(const std::string& wanted, const std::vector<OptionDeclaration>& options,
             const std::vector<std::vector<std::string>>& texts) {
  const size_t equals = wanted.find('=');
  const auto found = std::ranges::find(options, wanted.substr(0, equals), &OptionDeclaration::name);
  if (found == options.end()) return false;
  const std::vector<std::string>& of = texts[static_cast<size_t>(found - options.begin())];
  return !of.empty() && (equals == std::string::npos || of.front() == wanted.substr(equals + 1));
}

}  // namespace

arrow::Status CheckEffects(const std::vector<OptionDeclaration>& options,
                           const std::vector<std::vector<std::string>>& texts) {
  for (size_t i = 0; i < options.size(); ++i) {
    const std::vector<std::string>& only_with = options[i].only_with;
    if (only_with.empty() || texts[i].empty() || IsDefault(options[i], texts[i])) continue;
    const auto given = [&](const std::string& wanted) { return IsGiven(wanted, options, texts); };
    if (std::ranges::any_of(only_with, given)) continue;
    std::string all;
    for (std::string wanted : only_with) {
      std::ranges::replace(wanted, '=', ' ');
      all += (all.empty() ? "" : " or ") + OptionDeclaration::FlagOf(wanted);
    }
    return arrow::Status::Invalid(options[i].flag(), ": has no effect without ", all);
  }
  return arrow::Status::OK();
}

arrow::Status Collect(const std::vector<OptionDeclaration>& options, const OptionTexts& given,
                      std::vector<std::vector<std::string>>* texts) {
  arrow::Status status;
  const auto refuse = [&status](const arrow::Status& error) {
    if (status.ok()) status = error;
  };
  texts->assign(options.size(), {});
  for (const auto& [name, text] : given) {
    const auto found = std::ranges::find(options, name, &OptionDeclaration::name);
    if (found == options.end()) {
      refuse(NoOption(name, options));
      continue;
    }
    std::vector<std::string>& of = (*texts)[static_cast<size_t>(found - options.begin())];
    if (!of.empty() && !found->is_list && found->type != OptionType::kFlag) {
      refuse(Refuse(*found, text, "given before as " + of.front() + "; give it once"));
      continue;
    }
    const std::vector<std::string> parts = found->is_split ? SplitAtCommas(text) : std::vector<std::string>{text};
    of.insert(of.end(), parts.begin(), parts.end());
  }
  for (size_t i = 0; i < options.size(); ++i) {
    const bool missing = (*texts)[i].empty() || (*texts)[i].front().empty();
    if (options[i].is_required && missing) {
      refuse(arrow::Status::Invalid(options[i].flag(), " is required: ", options[i].help));
    }
  }
  return status;
}

}  // namespace uzushio
