#include <fmt/format.h>

#include <filesystem>

#include "base/memory_plan.h"
#include "cli/chain_warnings.h"
#include "cli/documents_options.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/host_lists.h"
#include "filters/preset.h"
#include "stages/filter/hosts.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

using HostsArguments = StageArguments<HostsConfig>;

arrow::Status Complete(HostsArguments* arguments) {
  HostsConfig& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.chain, ReadChain(config.chain_file, config.properties, config.memory));
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(config, kHostsMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places more;
  more.others = {{"--stats", config.statistics}, PlaceOfChain(config.chain_file)};
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config, more);
}

arrow::Result<int> RunHostsCommand(HostsArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments));
  const HostsConfig& config = arguments->config;
  WarnOfIncludes(console, FindChainFile(config.chain_file).string());
  WarnOfFilters(console, *config.chain);
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunHosts(config, [bar](double share) { bar->UpdateShare(share, "measuring"); });
      },
      [](const HostsResult& result) {
        return nlohmann::ordered_json{{"stage", "hosts"},
                                      {"documents", result.documents},
                                      {"without_host", result.without_host},
                                      {"hosts", result.hosts},
                                      {"spilled_bytes", result.spilled_bytes},
                                      {"quarantined", result.quarantined.counts()}};
      });
}

using HostListsArguments = StageArguments<StageOptions>;

arrow::Result<int> RunHostLists(HostListsArguments* arguments, const Console& console) {
  const StageOptions& config = arguments->config;
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, config.overwrite));
  // The output is none of a folder's of lists.
  ARROW_RETURN_NOT_OK(CheckStagePlaces(arguments->common, arguments->inputs, config));
  HostListLosses losses;
  ARROW_ASSIGN_OR_RAISE(const auto lists, HostLists::Read(arguments->inputs, &losses));
  ARROW_RETURN_NOT_OK(lists->Write(config.output, config.overwrite));
  Counters bad;
  if (losses.lines > 0) bad.Add("no-host", losses.lines);
  nlohmann::ordered_json sizes = nlohmann::ordered_json::object();
  const auto counted = lists->Sizes();
  for (size_t i = 0; i < counted.size(); ++i) sizes[lists->names()[i]] = counted[i];
  std::error_code error;
  nlohmann::ordered_json json = {{"stage", "host-lists"},
                                 {"lists", sizes},
                                 {"quarantined", bad.counts()},
                                 {"first_bad", losses.first},
                                 {"bytes", std::filesystem::file_size(config.output, error)},
                                 {"output", config.output}};
  return FinishRun(arguments->common, console, std::move(json), SummaryText);
}

}  // namespace

Command HostsCommand() {
  return WithMemory(
      NotOnSpark(WithExamples(MakeCommand("hosts", "Measure what a chain keeps of the documents of each host",
                                          kDocumentsPositional, WithCommon(DeclaredHosts()), &RunHostsCommand),
                              {"uzushio hosts documents --output hosts",
                               "uzushio hosts documents --output judged --config chain.conf --stats statistics"})),
      kHostsMemory);
}

Command HostListsCommand() {
  Command command = MakeCommand(
      "host-lists", "Convert lists of hosts to one file for HostFilter",
      {"INPUT", "Folders in the layout of the Blacklists UT1, files with one host per line, or outputs of this command",
       true, true},
      WithCommon(DeclaredOutputFile().Required()), &RunHostLists);
  std::erase_if(command.options,
                [](const OptionDeclaration& option) { return option.name == "threads" || option.name == "memory"; });
  return NotOnSpark(WithExamples(std::move(command), {"uzushio host-lists blacklists --output ut1.list",
                                                      "uzushio host-lists ut1.list hosts.txt --output hosts.list"}));
}

}  // namespace uzushio
