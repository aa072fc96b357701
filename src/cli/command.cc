#include "cli/command.h"

#include <algorithm>
#include <map>

#include "base/nearest.h"

namespace uzushio {

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  return names;
}

arrow::Status NoCommand(const std::string& name) {
  if (std::ranges::find(CommandsLeftOut(), name) != CommandsLeftOut().end()) {
    return arrow::Status::Invalid("'", name,
                                  "' is not in the program that ./dev demo builds; ./dev build makes it whole");
  }
  return arrow::Status::Invalid("'", name, "' is no command", DidYouMean(name, CommandNames()));
}

namespace {

// An option's name in Python, where one thing has one name in all functions and classes.
std::string KeywordOf(std::string name) {
  static const std::map<std::string, std::string> kNames = {{"P", "properties"},       {"set", "settings"},
                                                            {"language", "languages"}, {"stats", "statistics"},
                                                            {"input", "inputs"},       {"input-column", "text_column"}};
  if (const auto found = kNames.find(name); found != kNames.end()) return found->second;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

nlohmann::ordered_json ToJson(const Command& command) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const OptionDeclaration& option : command.options) {
    options.push_back(ToJson(option));
    options.back()["keyword"] = KeywordOf(option.name);
  }
  return {{"name", command.name},
          {"summary", command.summary},
          {"positional",
           {{"name", command.positional.name},
            {"help", command.positional.help},
            {"required", command.positional.is_required},
            {"list", command.positional.is_list}}},
          {"options", options},
          {"examples", command.examples}};
}

}  // namespace uzushio
