// The file of a pipeline: HOCON, with a list of stages, each of which is a command with its options.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace uzushio {

// An element of `stages`.
struct PipelineStage {
  std::string name;
  std::string command;
  std::string place;  // "corpus.conf:12: stages[1]", for errors
  std::string file;
  std::vector<std::pair<std::string, std::vector<std::string>>> loops;  // of `for`: names and their values
  nlohmann::json values;                                                // the command's options, and `input`
  nlohmann::json filters;                                               // a chain that stands here; null: none
  std::vector<size_t> filter_lines;
  nlohmann::ordered_json needs;  // by class of filters, what they can not be without
};

// A stage for one value of each of its loops: one run of its command, with one output.
struct PipelineStep {
  size_t stage = 0;
  std::string folder;           // below the output: NAME, or NAME/VALUE/VALUE
  nlohmann::json values;        // names of loops filled in; what an earlier step wrote is "@FOLDER"; of an `input`
                                // that is an object, its members stand here instead
  std::vector<size_t> sources;  // the earlier steps that are named
};

class PipelineFile {
 public:
  // Reads the file. `properties`, an object, has the values of `${name}` and `input`, a list or an object of options
  // that name what is read. Errors name file, line and key.
  static arrow::Result<PipelineFile> Read(const std::string& path, const nlohmann::json& properties);

  const std::vector<PipelineStage>& stages() const { return stages_; }
  // In order: those that a step names are before it.
  const std::vector<PipelineStep>& steps() const { return steps_; }
  // Whether a value of this name is taken anywhere; true where other files are included.
  bool Mentions(const std::string& property) const;

 private:
  arrow::Status AddStage(const nlohmann::ordered_json& json, const std::string& place);
  arrow::Status AddSteps(size_t stage, const nlohmann::json& properties);
  arrow::Result<nlohmann::json> Filled(const nlohmann::json& value, const std::map<std::string, std::string>& loops,
                                       const nlohmann::json& properties, const std::string& key, PipelineStep* step);
  arrow::Result<nlohmann::json> Referred(const std::string& text, const std::map<std::string, std::string>& loops,
                                         const std::string& key, PipelineStep* step);

  std::string path_;
  std::string text_;
  std::vector<PipelineStage> stages_;
  std::vector<PipelineStep> steps_;
  std::vector<std::map<std::string, std::string>> loops_of_steps_;
};

}  // namespace uzushio
