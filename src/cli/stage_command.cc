#include "cli/stage_command.h"

#include "base/memory_error.h"
#include "base/size.h"
#include "cli/allowed_threads.h"

namespace uzushio {

arrow::Status CheckStagePlaces(const CommonOptions& common, const std::vector<std::string>& inputs,
                               const StageOptions& config, const Places& more, OutputKind kind) {
  Places places = more;
  auto& of_output = kind == OutputKind::kFolder ? places.folders : places.files;
  of_output.insert(of_output.begin(), {"--output", config.output});
  places.files.insert(places.files.begin(), {"--summary", common.summary});
  std::vector<Places::Place> named;
  named.reserve(inputs.size());
  for (const std::string& input : inputs) named.push_back({"the input", input});
  places.inputs.insert(places.inputs.begin(), named.begin(), named.end());
  places.resolved = config.inputs;
  places.tmp = config.tmp;
  return CheckPlaces(places);
}

arrow::Status ChooseStagePlaces(const CommonOptions& common, const std::vector<std::string>& inputs,
                                StageOptions* config, const Places& more, OutputKind kind) {
  ARROW_RETURN_NOT_OK(CheckStagePlaces(common, inputs, *config, more, kind));
  ARROW_ASSIGN_OR_RAISE(config->tmp, ChooseTmp(config->tmp, config->output));
  return arrow::Status::OK();
}

arrow::Status ChooseStageThreads(const Console& console, const std::function<int64_t(int threads)>& needed,
                                 const std::string& what, StageOptions* config) {
  const int64_t memory = config->memory_or_half();
  const int threads = AllowedThreads(config->threads, memory, needed);
  if (needed(threads) > memory) {
    return MemoryError("--memory ", SizeText(memory), ": ", what);
  }
  if (threads < config->threads) console.Warning(AllowedThreadsWarning(threads, config->threads));
  config->threads = threads;
  return arrow::Status::OK();
}

}  // namespace uzushio
