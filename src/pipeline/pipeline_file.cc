#include "pipeline/pipeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/nearest.h"
#include "filters/hocon.h"

namespace uzushio {
namespace {

using LoopValues = std::map<std::string, std::string>;

// Whether it may be the name of a folder that readers of datasets do not pass over.
bool IsFolderName(const std::string& name) {
  if (name.empty() || name[0] == '.' || name[0] == '_' || name[0] == '@') return false;
  return std::ranges::all_of(name, [](char c) { return c != '/' && static_cast<unsigned char>(c) >= 0x20; });
}

std::string TextOf(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

arrow::Result<std::string> TextAt(const nlohmann::ordered_json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  if (found == json.end()) return arrow::Status::Invalid(place, ".", key, ": missing");
  if (found->is_string()) return found->get<std::string>();
  return arrow::Status::Invalid(place, ".", key, ": ", found->dump(), " is no text");
}

// What `input` stands for where it is an object: options that name what is read, in its place.
arrow::Status SpreadInput(const std::string& place, nlohmann::json* values) {
  const auto input = values->find("input");
  if (input == values->end()) return arrow::Status::OK();
  const bool is_list = input->is_array();
  if (is_list && std::ranges::any_of(*input, [](const auto& one) { return one.is_object(); })) {
    if (input->size() > 1) return arrow::Status::Invalid(place, ".input: options stand alone, without other inputs");
    *input = nlohmann::json(input->front());
  }
  if (!input->is_object()) return arrow::Status::OK();
  const nlohmann::json options = std::move(*input);
  values->erase("input");
  const auto with_dashes = [](std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
  };
  std::set<std::string> names;
  for (const auto& [name, value] : values->items()) names.insert(with_dashes(name));
  for (const auto& [name, value] : options.items()) {
    if (!names.insert(with_dashes(name)).second) {
      return arrow::Status::Invalid(place, ".", name, ": is given twice, in `input`, too");
    }
    (*values)[name] = value;
  }
  return arrow::Status::OK();
}

// All values of all loops, the last of them changing first.
std::vector<LoopValues> Combinations(const PipelineStage& stage) {
  std::vector<LoopValues> all = {{}};
  for (const auto& [name, values] : stage.loops) {
    std::vector<LoopValues> longer;
    for (const LoopValues& one : all) {
      for (const std::string& value : values) {
        longer.push_back(one);
        longer.back()[name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

arrow::Status ReadLoops(const nlohmann::ordered_json& loops, const std::string& place, PipelineStage* stage) {
  if (!loops.is_object()) return arrow::Status::Invalid(place, ".for: names and lists are wanted, as {year: [2023]}");
  for (const auto& [name, values] : loops.items()) {
    const std::string at = fmt::format("{}.for.{}", place, name);
    if (!values.is_array() || values.empty()) return arrow::Status::Invalid(at, ": a list of values is wanted");
    std::vector<std::string> texts;
    for (const auto& value : values) {
      texts.push_back(TextOf(value));
      if ((value.is_string() || value.is_number()) && IsFolderName(texts.back())) continue;
      return arrow::Status::Invalid(at, ": ", value.dump(), " can not be the name of a folder");
    }
    if (std::set<std::string>(texts.begin(), texts.end()).size() < texts.size()) {
      return arrow::Status::Invalid(at, ": a value stands there twice");
    }
    stage->loops.emplace_back(name, std::move(texts));
  }
  return arrow::Status::OK();
}

// A text with `${name}` filled in, once.
arrow::Result<std::string> FilledText(std::string text, const LoopValues& loops, const nlohmann::json& properties,
                                      const std::string& place) {
  for (size_t at = 0; (at = text.find("${", at)) != std::string::npos;) {
    const size_t end = text.find('}', at);
    const std::string name = text.substr(at + 2, end == std::string::npos ? end : end - at - 2);
    const auto loop = loops.find(name);
    const auto property = properties.find(name);
    const bool is_text = property != properties.end() && property->is_string();
    if (end == std::string::npos || (loop == loops.end() && !is_text)) {
      std::vector<std::string> names;
      for (const auto& [known, value] : loops) names.push_back(known);
      return arrow::Status::Invalid(place, ": ${", name, "} is neither a name of `for` nor given by -P",
                                    DidYouMean(name, names));
    }
    const std::string put = loop != loops.end() ? loop->second : property->get<std::string>();
    text.replace(at, end + 1 - at, put);
    at += put.size();
  }
  return text;
}

// Errors: there are more steps than anybody wants.
arrow::Status CheckLoops(const PipelineStage& stage) {
  constexpr size_t kMostSteps = 100'000;
  size_t steps = 1;
  for (const auto& [name, values] : stage.loops) {
    steps *= values.size();
    if (steps > kMostSteps) return arrow::Status::Invalid(stage.place, ".for: these are more than 100,000 steps");
  }
  return arrow::Status::OK();
}

size_t CountFilters(const std::vector<PipelineStage>& stages) {
  size_t count = 0;
  for (const PipelineStage& stage : stages) count += stage.filters.size();
  return count;
}

}  // namespace

arrow::Result<PipelineFile> PipelineFile::Read(const std::string& path, const nlohmann::json& properties) {
  PipelineFile file;
  file.path_ = path;
  ARROW_ASSIGN_OR_RAISE(file.text_, ReadConfiguration(path));
  auto json = ReadHocon(path, properties);
  if (!json.ok()) {
    const std::string& message = json.status().message();
    if (message.find("${input}") != std::string::npos) {
      return arrow::Status::Invalid(path, ": ${input}: no input is given; give it by --input or --index");
    }
    const bool is_name = message.find("${") != std::string::npos;
    return json.status().WithMessage(message, is_name ? "; a name of `for` stands in a quoted text" : "");
  }
  const auto stages = json->find("stages");
  if (stages == json->end() || !stages->is_array() || stages->empty()) {
    return arrow::Status::Invalid(path, ": has no list `stages`");
  }
  const std::vector<size_t> lines = LinesOfKey(file.text_, "command");
  for (size_t i = 0; i < stages->size(); ++i) {
    const std::string line = lines.size() == stages->size() ? fmt::format(":{}", lines[i]) : "";
    ARROW_RETURN_NOT_OK(file.AddStage((*stages)[i], fmt::format("{}{}: stages[{}]", path, line, i)));
  }
  const std::vector<size_t> of_filters = LinesOfKey(file.text_, "class");
  const bool are_known = of_filters.size() == CountFilters(file.stages_);
  auto next = of_filters.begin();
  for (size_t i = 0; i < file.stages_.size(); ++i) {
    const auto count = static_cast<std::ptrdiff_t>(file.stages_[i].filters.size());
    if (are_known) file.stages_[i].filter_lines.assign(next, next + count);
    if (are_known) next += count;
    ARROW_RETURN_NOT_OK(file.AddSteps(i, properties));
  }
  return file;
}

bool PipelineFile::Mentions(const std::string& property) const { return MayTakeProperty(text_, property); }

arrow::Status PipelineFile::AddStage(const nlohmann::ordered_json& json, const std::string& place) {
  if (!json.is_object()) return arrow::Status::Invalid(place, ": needs a `name` and a `command`");
  PipelineStage stage;
  stage.place = place;
  stage.file = path_;
  ARROW_ASSIGN_OR_RAISE(stage.name, TextAt(json, "name", place));
  ARROW_ASSIGN_OR_RAISE(stage.command, TextAt(json, "command", place));
  if (!IsFolderName(stage.name)) {
    return arrow::Status::Invalid(place, ".name: '", stage.name, "' can not be the name of a folder");
  }
  if (stage.name.ends_with(".conf")) {
    return arrow::Status::Invalid(place, ".name: '", stage.name, "' ends as the files of chains do");
  }
  if (std::ranges::find(stages_, stage.name, &PipelineStage::name) != stages_.end()) {
    return arrow::Status::Invalid(place, ".name: there is a stage '", stage.name, "' before it");
  }
  stage.values = nlohmann::json::object();
  for (const auto& [key, value] : json.items()) {
    if (key == "name" || key == "command") continue;
    if (key == "for") {
      ARROW_RETURN_NOT_OK(ReadLoops(value, place, &stage));
    } else if (key == "filters") {
      if (!value.is_array()) return arrow::Status::Invalid(place, ".filters: is no list");
      const std::string text = value.dump();
      if (text.find("\"@") != std::string::npos || text.find("${") != std::string::npos) {
        return arrow::Status::Invalid(place, ".filters: stages and names of `for` can not be named here");
      }
      stage.filters = value;
    } else if (key == "needs") {
      if (!value.is_object()) return arrow::Status::Invalid(place, ".needs: classes of filters and what they need");
      stage.needs = value;
    } else {
      stage.values[key] = value;
    }
  }
  stages_.push_back(std::move(stage));
  return arrow::Status::OK();
}

arrow::Status PipelineFile::AddSteps(size_t stage, const nlohmann::json& properties) {
  ARROW_RETURN_NOT_OK(CheckLoops(stages_[stage]));
  for (const LoopValues& loops : Combinations(stages_[stage])) {
    PipelineStep step;
    step.stage = stage;
    step.folder = stages_[stage].name;
    for (const auto& [name, values] : stages_[stage].loops) step.folder += "/" + loops.at(name);
    step.values = nlohmann::json::object();
    for (const auto& [key, value] : stages_[stage].values.items()) {
      ARROW_ASSIGN_OR_RAISE(step.values[key], Filled(value, loops, properties, key, &step));
    }
    ARROW_RETURN_NOT_OK(SpreadInput(stages_[stage].place, &step.values));
    steps_.push_back(std::move(step));
    loops_of_steps_.push_back(loops);
  }
  return arrow::Status::OK();
}

// A value with `${name}` in texts filled in, and what `@name` stands for.
arrow::Result<nlohmann::json> PipelineFile::Filled(const nlohmann::json& value, const LoopValues& loops,
                                                   const nlohmann::json& properties, const std::string& key,
                                                   PipelineStep* step) {
  if (value.is_object()) {
    nlohmann::json filled = nlohmann::json::object();
    for (const auto& [name, one] : value.items()) {
      ARROW_ASSIGN_OR_RAISE(filled[name], Filled(one, loops, properties, fmt::format("{}.{}", key, name), step));
    }
    return filled;
  }
  if (value.is_array()) {
    nlohmann::json filled = nlohmann::json::array();
    for (const auto& one : value) {
      ARROW_ASSIGN_OR_RAISE(nlohmann::json item, Filled(one, loops, properties, key, step));
      if (!item.is_array()) item = nlohmann::json::array({item});
      filled.insert(filled.end(), item.begin(), item.end());
    }
    return filled;
  }
  if (!value.is_string()) return value;
  ARROW_ASSIGN_OR_RAISE(std::string text, FilledText(value.get<std::string>(), loops, properties,
                                                     fmt::format("{}.{}", stages_[step->stage].place, key)));
  if (text.starts_with('@')) return Referred(text, loops, key, step);
  return text;
}

// Outputs of an earlier stage: of all its steps whose loops have this step's values.
arrow::Result<nlohmann::json> PipelineFile::Referred(const std::string& text, const LoopValues& loops,
                                                     const std::string& key, PipelineStep* step) {
  const size_t slash = std::min(text.find('/'), text.size());
  const std::string name = text.substr(1, slash - 1);
  nlohmann::json folders = nlohmann::json::array();
  std::vector<std::string> earlier;
  earlier.reserve(step->stage);
  for (size_t i = 0; i < step->stage; ++i) earlier.push_back(stages_[i].name);
  if (std::ranges::find(earlier, name) == earlier.end()) {
    return arrow::Status::Invalid(stages_[step->stage].place, ".", key, ": no stage before it is called '", name, "'",
                                  DidYouMean(name, earlier));
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool fits =
        stages_[steps_[i].stage].name == name && std::ranges::all_of(loops_of_steps_[i], [&loops](const auto& of) {
          const auto own = loops.find(of.first);
          return own == loops.end() || own->second == of.second;
        });
    if (!fits) continue;
    folders.push_back("@" + steps_[i].folder + text.substr(slash));
    if (std::ranges::find(step->sources, i) == step->sources.end()) step->sources.push_back(i);
  }
  if (folders.empty()) {
    return arrow::Status::Invalid(stages_[step->stage].place, ".", key, ": '", name,
                                  "' has none of the values of `for`");
  }
  return folders.size() == 1 ? folders.front() : folders;
}

}  // namespace uzushio
