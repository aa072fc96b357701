#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "stages/decontaminate/decontaminate.h"

namespace uzushio {
namespace {

using DecontaminateArguments = StageArguments<DecontaminateConfig>;

arrow::Status Complete(DecontaminateArguments* arguments) {
  DecontaminateConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(CompleteFolding(&config));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places more;
  for (const std::string& name : config.against) more.others.push_back({"--against", name});
  ARROW_RETURN_NOT_OK(CheckStagePlaces(arguments->common, arguments->inputs, config, more));
  const auto items = BenchmarkItems::Load(config.against, config.columns, config.folding);
  if (!items.ok()) return items.status().WithMessage("--against ", items.status().message());
  config.items = *items;
  const int64_t bytes = config.items->bytes();
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kFilterMemory.With(config.threads) + bytes));
  config.memory -= bytes;
  return arrow::Status::OK();
}

std::string RowsText(const std::vector<uint64_t>& first, int64_t all) {
  return fmt::format("rows {}{}", fmt::join(first, ", "), static_cast<int64_t>(first.size()) < all ? ", …" : "");
}

// Names the items that cannot be found, and those whose answers are not what they seem to be.
arrow::Status WarnOfItems(const BenchmarkItems& items, const Console& console) {
  int64_t usable = 0;
  for (const BenchmarkItems::File& file : items.files()) {
    const int64_t unusable = file.too_short + file.boilerplate;
    usable += file.items - unusable;
    if (unusable > 0) {
      console.Warning(fmt::format("{}: {} of {} items cannot be found: {} too short, {} boilerplate; {}", file.name,
                                  unusable, file.items, file.too_short, file.boilerplate,
                                  RowsText(file.unusable_rows, unusable)));
    }
    if (file.no_choice > 0) {
      console.Warning(
          fmt::format("{}: {} of {} answers are none of the choices, by text, label, letter or place from "
                      "0, and looked for as texts of their own; {}",
                      file.name, file.no_choice, file.items, RowsText(file.no_choice_rows, file.no_choice)));
    }
  }
  if (usable > 0) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "--against: no item can be found; questions, answers and choices have fewer than six characters each, or are the "
      "same in many items; name their columns by --question, --answer and --choices");
}

arrow::Result<int> Run(DecontaminateArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments));
  const DecontaminateConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(WarnOfItems(*config.items, console));
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunDecontaminate(config, [bar](double share) { bar->UpdateShare(share, "searching"); });
      },
      [](const DecontaminateResult& result) { return CountsOf("decontaminate", result); });
}

}  // namespace

Command DecontaminateCommand() {
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("decontaminate", "Remove documents that contain items of benchmarks",
                      {"INPUT",
                       "Documents in Parquet, JSON Lines, or text separated by empty lines: files, folders or globs; "
                       "paths, s3://, gs:// or abfs://",
                       true, true},
                      WithCommon(DeclaredDecontaminate()), &Run),
          {"uzushio decontaminate documents --against benchmark.jsonl --output decontaminated",
           "uzushio decontaminate articles.jsonl --against benchmark.jsonl --output loosely --high 0.4"})),
      kFilterMemory);
}

}  // namespace uzushio
