#include "cli/command.h"

#include <algorithm>
#include <map>

#include "base/nearest.h"

#include "cli/clean_command.h"
#include "cli/completion_command.h"
#include "cli/doctor_command.h"
#include "cli/extract_command.h"
#include "cli/filter_command.h"
#include "cli/hosts_command.h"
#include "cli/man_command.h"
#include "cli/metrics_command.h"
#include "cli/minhash_command.h"
#include "cli/options_command.h"
#include "cli/overlap_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/stats_command.h"
#include "cli/train_language_command.h"
#include "cli/train_lm_command.h"

namespace uzushio {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      RunCommand(),     ExtractCommand(), CleanCommand(),      StatsCommand(),   MergeCommand(),
      FilterCommand(),  MetricsCommand(), ReportCommand(),     ExplainCommand(), MinHashCommand(),
      OverlapCommand(), HostsCommand(),   HostListsCommand(),  FiltersCommand(), TrainLanguageCommand(),
      TrainLmCommand(), DoctorCommand(),  CompletionCommand(), ManCommand(),     OptionsCommand(),
  };
  return commands;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  return names;
}

arrow::Status NoCommand(const std::string& name) {
  return arrow::Status::Invalid("'", name, "' is no command", DidYouMean(name, CommandNames()));
}

namespace {

// An option's name in Python, where one thing has one name in all functions and classes.
std::string KeywordOf(std::string name) {
  static const std::map<std::string, std::string> kNames = {{"P", "properties"},
                                                            {"set", "settings"},
                                                            {"language", "languages"},
                                                            {"stats", "statistics"},
                                                            {"input", "inputs"}};
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
            {"meaning", command.positional.meaning},
            {"required", command.positional.is_required},
            {"list", command.positional.is_list}}},
          {"options", options},
          {"examples", command.examples}};
}

}  // namespace uzushio
