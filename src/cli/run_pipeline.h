// A pipeline and its output: what its steps read, what they depend on, and what is there of them.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/run_places.h"
#include "cli/run_step.h"
#include "pipeline/pipeline_file.h"
#include "pipeline/run_record.h"

namespace uzushio {

// What `${input}` stands for: files, or what the tables of a crawl's index name.
struct RunInputs {
  std::vector<std::string> files;
  std::vector<std::string> tables;
  nlohmann::json selection;  // options of extract that go with tables, by name; null: none
};

// A pipeline, all of which has been checked, for one output folder. What looks at files is for one thread at a time.
class Pipeline {
 public:
  // Reads the file. `properties` are values of `${name}`, `inputs` is that of `${input}`. `memory` is that of
  // --memory, or 0.
  static arrow::Result<Pipeline> Read(const std::string& path, const std::map<std::string, std::string>& properties,
                                      const RunInputs& inputs, const std::filesystem::path& output, int64_t memory);

  // Checks what the steps' commands do here before they have input: options that exclude each other, models and
  // dictionaries that are missing.
  arrow::Status CheckOptions() const;

  const std::vector<PipelineStep>& steps() const { return file_.steps(); }
  const PipelineStage& stage_of(size_t step) const { return file_.stages()[steps()[step].stage]; }
  const PreparedStep& prepared(size_t step) const { return prepared_[step]; }
  // A folder, or a URI of a store.
  const std::filesystem::path& output() const { return output_; }
  // The output, or a step's, for messages.
  std::string NameOf(const std::string& folder = "") const;
  const std::map<std::string, std::string>& properties() const { return properties_; }
  // What all chains do without, each once.
  std::vector<LeftOutFilter> left_out() const;
  std::vector<std::string> folders() const;
  std::vector<std::string> stage_names() const;

  // The files that a step reads and that no step has written: they are looked for, which takes time on S3.
  // Errors: one of them lies in the output of a step that this one does not name.
  arrow::Result<std::vector<InputFile>> Files(size_t step) const;
  // The bytes that a step reads: of these files, and of what is there of the outputs that it names.
  arrow::Result<int64_t> InputBytes(size_t step, const std::vector<InputFile>& files) const;
  // What a step's output depends on. The steps that it names are done.
  arrow::Result<StepIdentity> Identity(size_t step, const std::vector<InputFile>& files) const;
  // What lies in the place of a step's output; for the steps that name it, it is that until this is asked again.
  // Errors: that place lies in another output.
  arrow::Result<PlacedOutput> Placed(size_t step) const;

 private:
  arrow::Status CheckPaths() const;
  arrow::Result<PlacedOutput> PlacedBefore(size_t step) const;  // as Placed has seen it, if it has
  arrow::Result<PlacedOutput> PlacedAt(const std::string& place) const;

  PipelineFile file_;
  std::filesystem::path output_;
  std::map<std::string, std::string> properties_;
  RunInputs inputs_;
  std::vector<PreparedStep> prepared_;
  StepPlaces places_;
  std::map<std::string, size_t> step_at_;  // by the places of outputs, as options name them
  mutable std::map<size_t, PlacedOutput> placed_;
  mutable std::map<std::string, PlacedOutput> placed_elsewhere_;
  mutable std::set<std::filesystem::path> no_outputs_;  // folders that outputs lie in
};

// Filters that chains do without, for plans and summaries.
nlohmann::ordered_json ToJson(const std::vector<LeftOutFilter>& left_out);

}  // namespace uzushio
