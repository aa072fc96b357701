#include "cli/clean_command.h"
#include "cli/command.h"
#include "cli/completion_command.h"
#include "cli/decontaminate_command.h"
#include "cli/doctor_command.h"
#include "cli/extract_command.h"
#include "cli/filter_command.h"
#include "cli/filters_command.h"
#include "cli/help_command.h"
#include "cli/hosts_command.h"
#include "cli/index_command.h"
#include "cli/man_command.h"
#include "cli/metrics_command.h"
#include "cli/minhash_command.h"
#include "cli/options_command.h"
#include "cli/overlap_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/short_names.h"
#include "cli/stats_command.h"
#include "cli/train_language_command.h"
#include "cli/train_lm_command.h"

namespace uzushio {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = WithShortNames({
      RunCommand(),     ExtractCommand(),       IndexCommand(),   CleanCommand(),  StatsCommand(),
      MergeCommand(),   FilterCommand(),        MetricsCommand(), ReportCommand(), ExplainCommand(),
      MinHashCommand(), DecontaminateCommand(), OverlapCommand(), HostsCommand(),  HostListsCommand(),
      FiltersCommand(), TrainLanguageCommand(), TrainLmCommand(), DoctorCommand(), CompletionCommand(),
      ManCommand(),     OptionsCommand(),       HelpCommand(),
  });
  return commands;
}

const std::vector<std::string>& CommandsLeftOut() {
  static const std::vector<std::string> none;
  return none;
}

}  // namespace uzushio
