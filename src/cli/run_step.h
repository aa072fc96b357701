// A step of a pipeline as a command with its options.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "pipeline/pipeline_file.h"
#include "pipeline/run_record.h"

namespace uzushio {

// Filters that a chain has to do without, and what would bring them back.
struct LeftOutFilter {
  std::string stage;
  std::string filter;
  std::string wanted;
  bool operator==(const LeftOutFilter&) const = default;
};

// A text of a step that is a path, or may be one.
struct NamedPath {
  std::string key;
  std::string text;
  bool is_of_chain = false;
};

struct PreparedStep {
  const Command* command = nullptr;
  std::string folder;                // below the output
  std::vector<std::string> inputs;   // the positionals; none where the tables of an index say what is read
  const char* input_key = "input";   // or "index", by whose tables it reads
  OptionTexts given;                 // without those that the run sets
  std::optional<std::string> chain;  // its resolved text
  std::string kept_chain;            // without the credentials of URIs, as it goes to ChainPath
  nlohmann::json chain_identity;
  std::vector<LeftOutFilter> left_out;
  std::set<std::string> taken;   // properties, by the chain
  std::vector<NamedPath> paths;  // but outputs of stages that are named

  bool reads_by_index() const { return std::string_view(input_key) == "index"; }
};

// The texts of a value: those of a list, or one.
std::vector<std::string> ListOf(const nlohmann::json& value);

// Options that a pipeline sets for all of its stages.
bool IsOfWholeRun(const std::string& option);

// Where a step's chain is written, below the output.
std::filesystem::path ChainPath(const std::filesystem::path& output, const std::string& folder);

// The options of a step as its command takes them: with its output.
OptionTexts WithOutput(OptionTexts given, const std::string& output);

// Checks all that a step says. `properties` are looked up by its chain, and `memory` is that of --memory, or 0.
// Errors say its place.
arrow::Result<PreparedStep> PrepareStep(const PipelineStage& stage, const PipelineStep& step,
                                        const std::filesystem::path& output,
                                        const std::map<std::string, std::string>& properties, int64_t memory);

// The files that a step reads and that no step has written.
arrow::Result<std::vector<InputFile>> FilesOfOthers(const PipelineStage& stage, const PipelineStep& step);

// The part of the identity of a step that reads by an index which says what records of it are read.
inline constexpr const char* kSelectionIdentity = "records of the index";

// What a step's output depends on, by checksums. `sources` has, for the steps that it names, those of what they wrote.
// Outputs that options name are looked at by `look`.
arrow::Result<StepIdentity> IdentityOf(const PreparedStep& prepared, const PipelineStep& step,
                                       const std::vector<InputFile>& files, const nlohmann::json& sources,
                                       const std::function<arrow::Result<PlacedOutput>(const std::string&)>& look);

}  // namespace uzushio
