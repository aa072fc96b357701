// What is around every stage in its command: where it reads and writes, how far it is, what it did.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/commands_list.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "storage/stage_options.h"
#include "storage/store_place.h"

namespace uzushio {

// What the command of a stage is given. `Config` derives from StageOptions, in which MakeCommand puts what the common
// options say of threads, memory and --overwrite.
template <typename Config>
struct StageArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // as they were given
  Config config;
};

// The stage's options, and then the common ones.
template <typename Config>
Options<StageArguments<Config>> WithCommon(const Options<Config>& options) {
  using Arguments = StageArguments<Config>;
  return Options<Arguments>().With(options, &Arguments::config).With(CommonOptions::Declared(), &Arguments::common);
}

// What a stage writes in the end: a folder, or a file in one that is there.
enum class OutputKind { kFolder, kFile };

// Checks where a stage reads, `inputs` as they were given and `config.inputs` as they were found, and where it writes;
// `more` are places beside these.
arrow::Status CheckStagePlaces(const CommonOptions& common, const std::vector<std::string>& inputs,
                               const StageOptions& config, const Places& more = {},
                               OutputKind kind = OutputKind::kFolder);
// The same, and chooses the folder for temporary data.
arrow::Status ChooseStagePlaces(const CommonOptions& common, const std::vector<std::string>& inputs,
                                StageOptions* config, const Places& more = {}, OutputKind kind = OutputKind::kFolder);

// Threads as asked for, but no more than the memory is enough for, which is what `needed(threads)` says. Errors:
// one is too many; `what` is wanted then.
arrow::Status ChooseStageThreads(const Console& console, const std::function<int64_t(int threads)>& needed,
                                 const std::string& what, StageOptions* config);

// What a summary says of a result that has `counts`.
template <typename Result>
nlohmann::ordered_json CountsOf(const std::string& stage, const Result& result) {
  nlohmann::ordered_json json = result.counts;
  json["stage"] = stage;
  if constexpr (requires { result.spilled_bytes; }) json["spilled_bytes"] = result.spilled_bytes;
  if constexpr (requires { result.bytes_out; }) {
    json["files"] = result.files;
    json["bytes_out"] = result.bytes_out;
  }
  return json;
}

// Runs a stage: `run` gets a bar to show how far it is, and returns the result; `tell` says of that what the summary
// has besides the output, and `text` puts the summary into words. The exit code.
template <typename Run, typename Tell>
arrow::Result<int> RunStage(const CommonOptions& common, const Console& console, const StageOptions& config, Run run,
                            Tell tell,
                            const std::function<std::string(const nlohmann::ordered_json&)>& text = SummaryText) {
  auto bar = std::make_unique<ProgressBar>(common, console);
  ARROW_ASSIGN_OR_RAISE(const auto result, run(bar.get()));
  bar.reset();
  if constexpr (requires { result.was_done; }) {
    if (result.was_done) console.Info(NameOfOutput(config.output) + ": was complete already; nothing to do");
  }
  nlohmann::ordered_json json = tell(result);
  json["output"] = NameOfOutput(config.output);
  return FinishRun(common, console, std::move(json), text);
}

}  // namespace uzushio
