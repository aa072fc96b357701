#include "cli/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <vector>

#include "base/machine.h"
#include "cli/run_sample.h"
#include "cli/summary.h"
#include "pipeline/run_folder.h"
#include "storage/store_place.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A step as it is planned.
struct PlannedStep {
  bool is_done = false;
  std::string reason;        // why it is run
  int64_t own_bytes = 0;     // of others' files that it reads
  int64_t input_bytes = 0;   // the same, and those of the steps that it stands on
  int64_t output_bytes = 0;  // of what is there; of one that is to be run, by the sample
  std::set<size_t> stands_on;
  StepTimes times;
};

std::string ReasonOf(StepState state, const std::vector<std::string>& changes) {
  switch (state) {
    case StepState::kDone:
      return "after an earlier stage";
    case StepState::kNew:
      return "new";
    case StepState::kStopped:
      return "was stopped";
    case StepState::kLost:
      return "its output is gone";
    case StepState::kChanged:
      break;
  }
  std::string all;
  for (const std::string& change : changes) all += (all.empty() ? "" : ", ") + change;
  return "changed: " + all;
}

arrow::Result<std::vector<PlannedStep>> PlanSteps(const Pipeline& pipeline, const CommonOptions& common) {
  ARROW_ASSIGN_OR_RAISE(const RunFolder own, RunFolder::Open(pipeline.output().string()));
  ARROW_ASSIGN_OR_RAISE(const RunRecord record, own.Record());
  ARROW_RETURN_NOT_OK(own.Summaries().status());  // as the run will
  std::vector<PlannedStep> plan;
  for (size_t i = 0; i < pipeline.steps().size(); ++i) {
    const PipelineStep& step = pipeline.steps()[i];
    PlannedStep planned;
    ARROW_ASSIGN_OR_RAISE(const auto files, pipeline.Files(i));
    ARROW_ASSIGN_OR_RAISE(const StepIdentity identity, pipeline.Identity(i, files));
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, pipeline.Placed(i));
    ARROW_ASSIGN_OR_RAISE(const StepState state, record.StateOf(step.folder, identity, placed));
    if (state == StepState::kNew) {
      ARROW_RETURN_NOT_OK(CheckIsOwn(pipeline, i, record, placed, own.path(), common));
    }
    planned.is_done = state == StepState::kDone;
    for (const InputFile& file : files) planned.own_bytes += file.size;
    planned.stands_on = {i};
    for (const size_t source : step.sources) {
      planned.is_done = planned.is_done && plan[source].is_done;
      planned.stands_on.insert(plan[source].stands_on.begin(), plan[source].stands_on.end());
    }
    if (!planned.is_done) planned.reason = ReasonOf(state, record.Changes(step.folder, identity));
    planned.output_bytes = placed.bytes;
    plan.push_back(std::move(planned));
    for (const size_t below : plan.back().stands_on) plan.back().input_bytes += plan[below].own_bytes;
  }
  return plan;
}

// What steps cost, in proportion to the sample; fills in what they write.
std::vector<StepCost> Estimate(const Pipeline& pipeline, const std::vector<SampledStep>& sampled,
                               const CommonOptions& common, std::vector<PlannedStep>* steps) {
  std::vector<StepCost> costs(steps->size());
  for (size_t i = 0; i < steps->size(); ++i) {
    PlannedStep& step = (*steps)[i];
    costs[i].is_done = step.is_done;
    if (step.is_done) continue;
    int64_t bytes = step.own_bytes;
    for (const size_t source : pipeline.steps()[i].sources) bytes += (*steps)[source].output_bytes;
    costs[i].need = NeedOf(pipeline.prepared(i), bytes, common);
    const SampledStep& like = sampled[pipeline.steps()[i].stage];
    if (like.input_bytes == 0) continue;
    const double times = static_cast<double>(step.input_bytes) / static_cast<double>(like.input_bytes);
    costs[i].thread_seconds = times * like.thread_seconds;
    step.output_bytes = static_cast<int64_t>(times * static_cast<double>(like.output_bytes));
  }
  return costs;
}

// A stage's line: the time is that from the start of its first step to the end of its last.
Json StageJson(const Pipeline& pipeline, const std::vector<PlannedStep>& steps, size_t stage, bool has_estimate) {
  std::set<std::string> reasons;
  int64_t count = 0;
  int64_t done = 0;
  int64_t input = 0;
  int64_t written = 0;  // by what is done
  int64_t bytes = 0;
  double start = std::numeric_limits<double>::max();
  double end = 0;
  std::string name;
  std::string command;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (pipeline.steps()[i].stage != stage) continue;
    name = pipeline.stage_of(i).name;
    command = pipeline.stage_of(i).command;
    ++count;
    input += steps[i].own_bytes;
    if (steps[i].is_done) {
      ++done;
      written += steps[i].output_bytes;
    } else {
      reasons.insert(steps[i].reason);
      bytes += steps[i].output_bytes;
      start = std::min(start, steps[i].times.start);
      end = std::max(end, steps[i].times.end);
    }
  }
  Json json = {{"name", name},       {"command", command},      {"steps", count},
               {"done", done},       {"reasons", reasons},      {"input_bytes", input},
               {"seconds", nullptr}, {"output_bytes", nullptr}, {"new_bytes", nullptr}};
  if (done < count && !has_estimate) return json;
  json["seconds"] = done < count ? end - start : 0;
  json["output_bytes"] = written + bytes;
  json["new_bytes"] = bytes;
  return json;
}

// What is free where the output is, or will be; of one on a store, where it is made.
int64_t FreeBytes(const fs::path& output) {
  std::error_code error;
  fs::path folder = IsOnStore(output.string()) ? fs::temp_directory_path(error) : fs::absolute(output, error);
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const fs::space_info space = fs::space(folder, error);
  return error ? 0 : static_cast<int64_t>(space.available);
}

// By stage, why it does not run on Spark; null: it does.
Json OnSpark(const Pipeline& pipeline) {
  Json stages = Json::object();
  for (size_t i = 0; i < pipeline.steps().size(); ++i) {
    const std::string why_not = WhyNotOnSpark(pipeline.prepared(i));
    stages[pipeline.stage_of(i).name] = why_not.empty() ? Json() : Json(why_not);
  }
  return stages;
}

std::string OnSparkText(const Json& stages) {
  std::string text = "  times are those of this machine; on Spark:";
  std::string here;
  for (const auto& [name, why_not] : stages.items()) {
    if (why_not.is_null()) text += " " + name;
    if (why_not.is_string()) here += fmt::format("  {} runs here, as {}\n", name, why_not.get<std::string>());
  }
  return text + "\n" + here;
}

std::string TimeText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string StageLine(const Json& stage) {
  const int64_t to_do = stage["steps"].get<int64_t>() - stage["done"].get<int64_t>();
  std::string what;
  for (const Json& reason : stage["reasons"]) what += (what.empty() ? "" : "; ") + reason.get<std::string>();
  const bool is_known = stage["seconds"].is_number();
  const std::string input = stage["input_bytes"] == 0 ? "" : FormatBytes(stage["input_bytes"].get<int64_t>());
  return fmt::format("  {:<20} {:<9} {:>5} {:>5} {:>9} {:>9} {:>9}  {}\n", stage["name"].get<std::string>(),
                     stage["command"].get<std::string>(), stage["done"].get<int64_t>(), to_do, input,
                     is_known ? FormatBytes(stage["output_bytes"].get<int64_t>()) : "?",
                     !is_known    ? "?"
                     : to_do == 0 ? ""
                                  : TimeText(stage["seconds"].get<double>()),
                     what);
}

}  // namespace

arrow::Result<Json> PlanPipeline(const Pipeline& pipeline, const CommonOptions& common, const RunSteps& how,
                                 int64_t sample) {
  ARROW_ASSIGN_OR_RAISE(std::vector<PlannedStep> steps, PlanSteps(pipeline, common));
  const bool is_done = std::ranges::all_of(steps, &PlannedStep::is_done);
  std::string why_not;
  double seconds = 0;
  if (!is_done) {
    const auto sampled = RunSample(pipeline, common, sample);
    if (sampled.status().IsCancelled()) return sampled.status();
    why_not = sampled.status().message();
    if (sampled.ok()) {
      const auto costs = Estimate(pipeline, *sampled, common, &steps);
      const auto times = TimesOf(SourcesOf(pipeline), WholeShare(common), how.spark ? 1 : how.at_once, costs);
      for (size_t i = 0; i < steps.size(); ++i) steps[i].times = times[i];
      for (const StepTimes& one : times) seconds = std::max(seconds, one.end);
    }
  }
  Json stages = Json::array();
  int64_t to_write = 0;
  int64_t most_of_step = 0;
  for (const PlannedStep& step : steps) {
    if (!step.is_done && why_not.empty()) most_of_step = std::max(most_of_step, step.output_bytes);
  }
  const bool is_on_store = IsOnStore(pipeline.output().string());
  for (size_t stage = 0; stage <= pipeline.steps().back().stage; ++stage) {
    Json one = StageJson(pipeline, steps, stage, why_not.empty());
    if (one["seconds"].is_number()) to_write += one["new_bytes"].get<int64_t>();
    stages.push_back(std::move(one));
  }
  return Json{{"stage", "run"},
              {"plan", std::move(stages)},
              {"left_out", ToJson(pipeline.left_out())},
              {"on_spark", how.spark ? OnSpark(pipeline) : Json()},
              {"is_done", is_done},
              {"no_estimate", why_not},
              {"seconds", seconds},
              {"new_bytes", to_write},
              {"disk_bytes", is_on_store ? most_of_step : to_write},
              {"is_on_store", is_on_store},
              {"free_bytes", FreeBytes(pipeline.output())},
              {"memory_bytes", common.memory_or_half()},
              {"output", is_on_store ? pipeline.NameOf() : NameOfPath(pipeline.output().string())}};
}

std::string PlanText(const Json& plan) {
  std::string text =
      fmt::format("plan for {}\n  {:<20} {:<9} {:>5} {:>5} {:>9} {:>9} {:>9}\n", plan["output"].get<std::string>(),
                  "stage", "command", "done", "to do", "input", "output", "time");
  for (const Json& stage : plan["plan"]) text += StageLine(stage);
  text += LeftOutText(plan);
  if (plan["on_spark"].is_object()) text += OnSparkText(plan["on_spark"]);
  const std::string no_estimate = plan["no_estimate"].get<std::string>();
  if (!no_estimate.empty()) return text + "  no estimate: " + no_estimate + "\n";
  if (plan["is_done"].get<bool>()) return text + "  all of it is done\n";
  const int64_t bytes = plan["new_bytes"].get<int64_t>();
  const int64_t disk = plan["disk_bytes"].get<int64_t>();
  const int64_t free = plan["free_bytes"].get<int64_t>();
  const bool is_on_store = plan["is_on_store"].get<bool>();
  text +=
      fmt::format("  about {} to go, {} of new outputs ({}{} of disk are free), at most {} of memory\n",
                  TimeText(plan["seconds"].get<double>()), FormatBytes(bytes),
                  is_on_store ? "of the largest step, " + FormatBytes(disk) + " are on disk until they are put; " : "",
                  FormatBytes(free), FormatBytes(plan["memory_bytes"].get<int64_t>()));
  return disk > free ? text + "  warning: that is more than the disk has room for\n" : text;
}

}  // namespace uzushio
