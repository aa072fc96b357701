#include "cli/commands_list.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/memory_plan.h"
#include "cli/chain_warnings.h"
#include "cli/common.h"
#include "cli/documents_options.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/host_lists.h"
#include "filters/preset.h"
#include "stages/filter/hosts.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

struct HostsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string chain_file;
  std::vector<std::string> properties;
  HostsConfig config;
};

arrow::Status Complete(HostsArguments* arguments) {
  HostsConfig& config = arguments->config;
  config.overwrite = arguments->common.overwrite;
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(arguments->properties));
  ARROW_ASSIGN_OR_RAISE(config.chain, arguments->chain_file.empty()
                                          ? FilterChain::Make(nlohmann::json::array())
                                          : FilterChain::Read(arguments->chain_file, properties));
  config.threads = arguments->common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(arguments->common, kHostsMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments->common, config.output, arguments->inputs, config.inputs);
  places.others.push_back({"--stats", config.statistics});
  places.others.push_back(
      {"--config", arguments->chain_file.empty() ? "" : FindChainFile(arguments->chain_file).string()});
  places.tmp = config.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  return arrow::Status::OK();
}

arrow::Result<int> RunHostsCommand(HostsArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(Complete(arguments));
  WarnOfIncludes(console, FindChainFile(arguments->chain_file).string());
  HostsResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(result,
                          RunHosts(arguments->config, [&bar](double share) { bar.UpdateShare(share, "measuring"); }));
  }
  if (result.was_done) console.Info(arguments->config.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = {{"stage", "hosts"},
                                 {"documents", result.documents},
                                 {"without_host", result.without_host},
                                 {"hosts", result.hosts},
                                 {"spilled_bytes", result.spilled_bytes},
                                 {"quarantined", result.quarantined.counts()},
                                 {"output", arguments->config.output}};
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

struct HostListsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
};

arrow::Status CheckOutput(const HostListsArguments& arguments) {
  ARROW_RETURN_NOT_OK(CheckOutputFile(arguments.output, arguments.common.overwrite));
  Places places = PlacesOf(arguments.common, "", arguments.inputs, {});
  places.folders = {{"--output", arguments.output}};  // that is, not in a folder of lists
  return CheckPlaces(places);
}

arrow::Result<int> RunHostLists(HostListsArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(CheckOutput(*arguments));
  HostListLosses losses;
  ARROW_ASSIGN_OR_RAISE(const auto lists, HostLists::Read(arguments->inputs, &losses));
  ARROW_RETURN_NOT_OK(lists->Write(arguments->output, arguments->common.overwrite));
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
                                 {"bytes", std::filesystem::file_size(arguments->output, error)},
                                 {"output", arguments->output}};
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

}  // namespace

Command HostsCommand() {
  const auto options =
      Options<HostsArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "DIR", "Folder to create")
          .Required()
          .Path(
              "config", [](auto& all) -> auto& { return all.chain_file; }, "FILE",
              "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, fineweb2-ja "
              "(default: none; "
              "documents and characters only)")
          .InShortHelp()
          .Text(
              "P", [](auto& all) -> auto& { return all.properties; }, "NAME=VALUE",
              "Value for a ${name} in the configuration; may be repeated")
          .Path(
              "stats", [](auto& all) -> auto& { return all.config.statistics; }, "DIR",
              "Paragraph statistics (default: each paragraph occurs once)")
          .InShortHelp()
          .Path(
              "tmp", [](auto& all) -> auto& { return all.config.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .With(ColumnOptions(), [](auto& all) -> auto& { return all.config.kernel; })
          .Text(
              "url-column", [](auto& all) -> auto& { return all.config.kernel.url_column; }, "NAME",
              "Column or key of the URLs")
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(
      NotOnSpark(WithExamples(MakeCommand("hosts", "Measure what a chain keeps of the documents of each host",
                                          kDocumentsPositional, options, &RunHostsCommand),
                              {"uzushio hosts documents --output hosts",
                               "uzushio hosts documents --output judged --config chain.conf --stats statistics"})),
      kHostsMemory);
}

Command HostListsCommand() {
  const auto options = Options<HostListsArguments>()
                           .Path(
                               "output", [](auto& all) -> auto& { return all.output; }, "FILE", "File to create")
                           .Required()
                           .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  Command command = MakeCommand(
      "host-lists", "Convert lists of hosts to one file for HostFilter",
      {"INPUT", "Folders in the layout of the Blacklists UT1, files with one host per line, or outputs of this command",
       true, true},
      options, &RunHostLists);
  std::erase_if(command.options,
                [](const OptionDeclaration& option) { return option.name == "threads" || option.name == "memory"; });
  return NotOnSpark(WithExamples(std::move(command), {"uzushio host-lists blacklists --output ut1.list",
                                                      "uzushio host-lists ut1.list hosts.txt --output hosts.list"}));
}

}  // namespace uzushio
