#include "cli/run_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "base/nearest.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "datasets/text_reader.h"
#include "filters/chain.h"
#include "filters/chain_file.h"
#include "filters/preset.h"
#include "filters/word_list.h"
#include "lm/tokenizer.h"
#include "pipeline/checksum.h"
#include "stages/extract/crawl_index.h"
#include "stages/extract/extract.h"
#include "storage/local_files.h"
#include "storage/output_folder.h"
#include "storage/store_place.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using Properties = std::map<std::string, std::string>;

std::string ChecksumOfJson(const nlohmann::json& json) { return ChecksumOf(JsonText(json)); }

// By what a file is known: the XXH64 of its bytes, or, of a large one as models are, its size and time.
arrow::Result<std::string> ContentsOfFile(const fs::path& path) {
  constexpr uintmax_t kLarge = 64 << 20;
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return arrow::Status::IOError("cannot look at ", path.string(), ": ", error.message());
  if (size > kLarge) {
    const auto time = fs::last_write_time(path, error).time_since_epoch().count();
    return fmt::format("{} {}", size, time);
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return arrow::Status::IOError("cannot read ", path.string());
  }
  return ChecksumOf(bytes);
}

// The contents of what texts in a chain name: word lists, models, installed files.
arrow::Status AddNamedFiles(const nlohmann::json& value, nlohmann::json* contents) {
  if (value.is_structured()) {
    for (const auto& one : value) ARROW_RETURN_NOT_OK(AddNamedFiles(one, contents));
  }
  if (!value.is_string() || value.empty()) return arrow::Status::OK();
  const auto& name = value.get_ref<const std::string&>();
  std::error_code error;
  if (name.starts_with("hojichar/")) {
    ARROW_ASSIGN_OR_RAISE(const auto list, WordList::Load(name));
    (*contents)[name] = list->Contents();
  } else if (const fs::path path = FindPresetFile(name); fs::is_regular_file(path, error)) {
    ARROW_ASSIGN_OR_RAISE((*contents)[name], ContentsOfFile(path));
  }
  return arrow::Status::OK();
}

// What texts in a chain name and is there, or is on a store that outputs lie on: that is not asked.
void AddPathsOfChain(const nlohmann::json& value, const std::string& key, std::vector<NamedPath>* paths) {
  if (value.is_structured()) {
    for (const auto& one : value) AddPathsOfChain(one, key, paths);
  }
  if (!value.is_string()) return;
  const auto& text = value.get_ref<const std::string&>();
  if (IsOutputStore(text)) return paths->push_back({key, text, true});
  const fs::path path = FindPresetFile(text);
  std::error_code error;
  if (fs::exists(PathOfName(path.string()), error)) paths->push_back({key, path.string(), true});
}

// `@FOLDER` as a path.
std::string Located(const std::string& text, const fs::path& output) {
  return text.starts_with('@') ? (output / text.substr(1)).string() : text;
}

std::string TextOfValue(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : JsonText(value);
}

arrow::Result<const Command*> FindCommand(const PipelineStage& stage) {
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    const bool writes_folder = std::ranges::any_of(command.options, [](const OptionDeclaration& option) {
      return option.name == "output" && option.placeholder == "DIR";
    });
    if (!writes_folder || command.name == "run") continue;
    if (command.name == stage.command) return &command;
    names.push_back(command.name);
  }
  return arrow::Status::Invalid(stage.place, ".command: '", stage.command, "' is no command that writes a folder",
                                DidYouMean(stage.command, names));
}

// The texts of an option that are paths and no outputs of stages: its own, or those of its names.
void AddPaths(const OptionDeclaration& option, const std::string& key, const nlohmann::json& value,
              std::vector<NamedPath>* paths) {
  if (option.type != OptionType::kPath && !value.is_object()) return;
  for (const auto& one : value.is_structured() ? value : nlohmann::json::array({value})) {
    std::string text = TextOfValue(one);
    if (!text.starts_with('@')) paths->push_back({key, std::move(text)});
  }
}

// A value as an option takes it: places of outputs, and pairs as `NAME=VALUE`.
arrow::Result<nlohmann::json> ValueFor(const OptionDeclaration& option, const nlohmann::json& value,
                                       const fs::path& output, const std::string& place) {
  if (value.is_object()) {
    if (!option.is_list) return arrow::Status::Invalid(place, ": one value is wanted, not names and values");
    nlohmann::json pairs = nlohmann::json::array();
    for (const auto& [name, one] : value.items()) pairs.push_back(name + "=" + Located(TextOfValue(one), output));
    return pairs;
  }
  if (value.is_array()) {
    if (!option.is_list) return arrow::Status::Invalid(place, ": one value is wanted, not ", JsonText(value));
    nlohmann::json texts = nlohmann::json::array();
    for (const std::string& text : ListOf(value)) texts.push_back(Located(text, output));
    return texts;
  }
  return value.is_string() ? nlohmann::json(Located(value.get<std::string>(), output)) : value;
}

arrow::Status CheckTexts(const Command& command, const OptionTexts& own) {
  const OptionTexts given = WithOutput(own, "DIR");
  std::vector<std::vector<std::string>> texts;
  ARROW_RETURN_NOT_OK(Collect(command.options, given, &texts));
  for (size_t i = 0; i < texts.size(); ++i) {
    const OptionDeclaration& option = command.options[i];
    if (texts[i].empty() || option.type == OptionType::kFlag) continue;
    if (option.is_number()) {
      ARROW_RETURN_NOT_OK(NumbersOf(option, texts[i]).status());
    } else if (option.type == OptionType::kShare) {
      ARROW_RETURN_NOT_OK(SharesOf(option, texts[i]).status());
    } else {
      ARROW_RETURN_NOT_OK(TextsOf(option, texts[i]).status());
    }
  }
  return CheckEffects(command.options, texts);
}

// --- chains ---

bool IsGiven(const std::string& need, const Properties& properties) {
  if (const auto given = properties.find(need); given != properties.end() && !given->second.empty()) return true;
  if (std::getenv(need.c_str()) != nullptr) return true;
  return need.find('/') != std::string::npos && WordList::Load(need).ok();
}

// What of a filter's needs is not there, as the user may give it; empty: nothing. A list needs all of its parts, a list
// in it one of its own.
arrow::Result<std::string> MissingOf(const nlohmann::json& needs, const Properties& properties,
                                     const std::string& place) {
  const auto way = [](const std::string& need) {
    return need.find('/') != std::string::npos ? need : "-P " + need + "=FILE";
  };
  std::string missing;
  for (const auto& need : needs.is_array() ? needs : nlohmann::json::array({needs})) {
    bool is_given = false;
    std::string ways;
    for (const auto& one : need.is_array() ? need : nlohmann::json::array({need})) {
      if (!one.is_string()) return arrow::Status::Invalid(place, ": ", JsonText(one), " is no name");
      is_given = is_given || IsGiven(one.get<std::string>(), properties);
      ways += (ways.empty() ? "" : " or ") + way(one.get<std::string>());
    }
    if (!is_given) missing += (missing.empty() ? "" : ", ") + ways;
  }
  return missing;
}

arrow::Result<ChainFile> ReadChainOf(const PipelineStage& stage, const nlohmann::json& config,
                                     const Properties& properties) {
  if (!stage.filters.is_null()) return ChainFile::Of(stage.file, stage.filters, stage.filter_lines);
  auto file = ChainFile::Read(TextOfValue(config), properties);
  return file.ok() ? std::move(file) : file.status().WithMessage(stage.place, ".config: ", file.status().message());
}

// Takes out the filters whose needs are not there, and says so.
arrow::Result<ChainFile> ChainWithoutMissing(const PipelineStage& stage, const nlohmann::json& config,
                                             Properties properties, std::vector<LeftOutFilter>* left_out) {
  for (const auto& [filter, needs] : stage.needs.items()) {
    ARROW_ASSIGN_OR_RAISE(const std::string missing, MissingOf(needs, properties, stage.place + ".needs." + filter));
    if (!missing.empty()) left_out->push_back({stage.name, filter, missing});
  }
  for (const LeftOutFilter& one : *left_out) {
    for (const auto& need : nlohmann::json(stage.needs[one.filter]).flatten()) {
      if (!need.is_string()) continue;
      const auto name = need.get<std::string>();
      if (name.find('/') == std::string::npos) properties.try_emplace(name, "");  // nothing takes it in the end
    }
  }
  ARROW_ASSIGN_OR_RAISE(ChainFile file, ReadChainOf(stage, config, properties));
  for (const auto& [filter, needs] : stage.needs.items()) {
    ChainFile tried = file;
    if (tried.Remove(filter) == 0) {
      return arrow::Status::Invalid(stage.place, ".needs.", filter, ": the chain has no such filter");
    }
  }
  for (const LeftOutFilter& one : *left_out) file.Remove(one.filter);
  return file;
}

arrow::Status PrepareChain(const PipelineStage& stage, const PipelineStep& step, const Properties& given,
                           int64_t memory, PreparedStep* prepared) {
  Properties properties = given;
  const auto own = step.values.find("P");
  if (own != step.values.end()) {
    if (!own->is_object())
      return arrow::Status::Invalid(stage.place, ".P: names and values are wanted, as {name: value}");
    for (const auto& [name, value] : own->items()) {
      properties[name] = TextOfValue(value);
      prepared->paths.push_back({"P." + name, properties[name], true});
      if (!properties[name].starts_with('@') && !value.is_structured()) continue;
      return arrow::Status::Invalid(stage.place, ".P.", name, ": one value is wanted, and not what a stage writes: ",
                                    "chains are checked before any is run");
    }
  }
  const bool has_config = step.values.contains("config");
  if (has_config == stage.filters.is_array()) {
    if (has_config) return arrow::Status::Invalid(stage.place, ": has both, `config` and `filters`");
    if (!stage.needs.is_null()) return arrow::Status::Invalid(stage.place, ".needs: there is no chain");
    return arrow::Status::OK();
  }
  if (!properties.contains("sudachi")) {
    if (const auto found = SudachiDictionary::Find(""); found.ok()) properties["sudachi"] = *found;
  }
  ARROW_ASSIGN_OR_RAISE(ChainFile file,
                        ChainWithoutMissing(stage, has_config ? step.values["config"] : nlohmann::json(), properties,
                                            &prepared->left_out));
  for (const auto& [name, value] : given) {
    if (file.Mentions(name)) prepared->taken.insert(name);
  }
  if (stage.command == "clean" && properties.contains("sudachi")) {
    file.SetDefault("RemoveNGWordDocument", "sudachi", properties["sudachi"]);
  }
  auto made = FilterChain::Of(file, memory);
  if (!made.ok()) return ChainFile::AtProperty(made.status(), properties);
  const auto chain = *std::move(made);
  prepared->chain = JsonText(file.ToJson(), 2) + "\n";
  prepared->kept_chain = JsonText(IdentityAsNoted(file.ToJson()), 2) + "\n";
  if (has_config)
    prepared->paths.push_back({"config", FindChainFile(TextOfValue(step.values["config"])).string(), true});
  AddPathsOfChain(file.filters(), has_config ? "config" : "filters", &prepared->paths);
  nlohmann::json named = nlohmann::json::object();
  ARROW_RETURN_NOT_OK(AddNamedFiles(file.filters(), &named));
  prepared->chain_identity = {file.ToJson(), chain->ToJson(), chain->Contents(), named};
  return arrow::Status::OK();
}

// Whether the tables of an index say what the step reads.
bool ReadsByIndex(const PipelineStage& stage, const PipelineStep& step) {
  return stage.command == "extract" && step.values.contains("index");
}

// The key of what it reads.
const char* InputKey(const PipelineStage& stage, const PipelineStep& step) {
  return ReadsByIndex(stage, step) ? "index" : "input";
}

// Whether an option of extract says which records of an index are read. Of those, the gap decides about nothing.
bool IsOfIndex(const std::string& option) { return option == "part" || option.starts_with("index"); }

// Takes what says which records are read out of a step's options.
nlohmann::json TakeSelection(nlohmann::json* options) {
  nlohmann::json selection = nlohmann::json::object();
  nlohmann::json others = nlohmann::json::object();
  for (const auto& [key, value] : options->items()) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    if (!IsOfIndex(name)) {
      others[key] = value;
    } else if (name != "index" && name != "index-gap") {
      selection[name] = ListOf(value);
    }
  }
  *options = std::move(others);
  return selection;
}

// The texts of one of a step's values; none where it has no such.
std::vector<std::string> TextsOf(const PipelineStep& step, const char* key) {
  const auto value = step.values.find(key);
  return value == step.values.end() ? std::vector<std::string>() : ListOf(*value);
}

// Whether it says what is read, in one way.
arrow::Status CheckInput(const PipelineStage& stage, const PipelineStep& step) {
  const char* const key = InputKey(stage, step);
  const auto value = step.values.find(key);
  if (value == step.values.end()) {
    if (step.values.contains("index")) {
      return arrow::Status::Invalid(stage.place, ".input: ", stage.command, " does not read by an index; give files");
    }
    return arrow::Status::Invalid(stage.place, ".input: missing", stage.command == "extract" ? ", or `index`" : "");
  }
  if (ListOf(*value).empty()) return arrow::Status::Invalid(stage.place, ".", key, ": names nothing");
  if (ReadsByIndex(stage, step) && step.values.contains("input")) {
    return arrow::Status::Invalid(stage.place, ".input: `index` says which files are read; leave one of them out");
  }
  return arrow::Status::OK();
}

// What the files end with that a stage's command reads of folders.
const std::vector<std::string_view>& SuffixesOf(const PipelineStage& stage, const PipelineStep& step) {
  const std::string& command = stage.command;
  if (ReadsByIndex(stage, step)) return kParquetSuffixes;
  const bool of_cdxj = std::ranges::any_of(std::array{"from-cdxj", "from_cdxj"}, [&step](const char* name) {
    return step.values.contains(name) && step.values[name] == true;
  });
  if (command == "index") return of_cdxj ? kCdxjSuffixes : kWarcSuffixes;
  if (command == "extract" || command == "robots-txt") return kWarcSuffixes;
  if (command == "merge") return kParquetSuffixes;
  return command == "stats" || command == "clean" ? kTextSuffixes : kDocumentSuffixes;
}

}  // namespace

std::vector<std::string> ListOf(const nlohmann::json& value) {
  std::vector<std::string> texts;
  for (const auto& one : value.is_array() ? value : nlohmann::json::array({value})) texts.push_back(TextOfValue(one));
  return texts;
}

bool IsOfWholeRun(const std::string& option) {
  constexpr std::array kNames = {"output",   "threads",    "memory",    "max-bad", "quiet",
                                 "progress", "log-format", "overwrite", "summary", "plan"};
  return std::ranges::find(kNames, option) != kNames.end();
}

fs::path ChainPath(const fs::path& output, const std::string& folder) {
  return output / "_chains" / (folder + ".conf");
}

OptionTexts WithOutput(OptionTexts given, const std::string& output) {
  given.emplace_back("output", output);
  return given;
}

arrow::Result<PreparedStep> PrepareStep(const PipelineStage& stage, const PipelineStep& step, const fs::path& output,
                                        const Properties& properties, int64_t memory) {
  PreparedStep prepared;
  prepared.folder = step.folder;
  ARROW_ASSIGN_OR_RAISE(prepared.command, FindCommand(stage));
  prepared.input_key = InputKey(stage, step);
  ARROW_RETURN_NOT_OK(CheckInput(stage, step));
  for (const std::string& text : TextsOf(step, "input")) {
    prepared.inputs.push_back(Located(text, output));
    if (!text.starts_with('@')) prepared.paths.push_back({"input", text});
  }
  ARROW_RETURN_NOT_OK(PrepareChain(stage, step, properties, memory, &prepared));
  nlohmann::json values = nlohmann::json::object();
  for (const auto& [key, value] : step.values.items()) {
    if (key == "input" || (prepared.chain && (key == "config" || key == "P"))) continue;
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const std::string place = stage.place + "." + key;
    if (IsOfWholeRun(name)) return arrow::Status::Invalid(place, ": is set for the whole run, on the command line");
    const auto option = std::ranges::find(prepared.command->options, name, &OptionDeclaration::name);
    const bool is_known = option != prepared.command->options.end() && (option->frontends & kOnCommandLine) != 0;
    if (!is_known) {
      std::vector<std::string> names = {"input", "for", "filters", "needs"};
      for (const OptionDeclaration& one : prepared.command->options) {
        if (!IsOfWholeRun(one.name)) names.push_back(one.name);
      }
      return arrow::Status::Invalid(place, ": no such option of ", stage.command, DidYouMean(name, names));
    }
    ARROW_ASSIGN_OR_RAISE(values[name], ValueFor(*option, value, output, place));
    AddPaths(*option, key, value, &prepared.paths);
  }
  if (prepared.chain) values["config"] = ChainPath(output, step.folder).string();
  auto given = GivenBy(values, prepared.command->options);
  const arrow::Status status = given.ok() ? CheckTexts(*prepared.command, *given) : given.status();
  if (!status.ok()) return status.WithMessage(stage.place, ": ", status.message());
  prepared.given = *std::move(given);
  return prepared;
}

arrow::Result<std::vector<InputFile>> FilesOfOthers(const PipelineStage& stage, const PipelineStep& step) {
  const char* const key = InputKey(stage, step);
  std::vector<std::string> named;
  for (const std::string& text : TextsOf(step, key)) {
    if (!text.starts_with('@')) named.push_back(text);
  }
  if (named.empty()) return std::vector<InputFile>();
  auto files = ResolveInputs(named, SuffixesOf(stage, step));
  if (files.ok()) return files;
  return files.status().WithMessage(stage.place, ".", key, ": ", files.status().message());
}

arrow::Result<StepIdentity> IdentityOf(const PreparedStep& prepared, const PipelineStep& step,
                                       const std::vector<InputFile>& files, const nlohmann::json& sources,
                                       const std::function<arrow::Result<PlacedOutput>(const std::string&)>& look) {
  StepIdentity identity;
  nlohmann::json options = step.values;
  for (const char* other : {"config", "tmp"}) options.erase(other);
  options["command"] = prepared.command->name;
  options["input"] = nlohmann::json::array();  // of files, the names that are found count
  for (const std::string& text : TextsOf(step, prepared.input_key)) {
    if (text.starts_with('@')) options["input"].push_back(text);
  }
  if (prepared.reads_by_index()) {
    identity[kSelectionIdentity] = ChecksumOfJson(IdentityAsNoted(TakeSelection(&options)));
  }
  if (prepared.command->changed_defaults) {
    options.update(prepared.command->changed_defaults(WithOutput(prepared.given, "DIR")));
  }
  identity["options"] = ChecksumOfJson(IdentityAsNoted(options));
  identity["chain"] = ChecksumOfJson(IdentityAsNoted(prepared.chain_identity));
  identity["inputs"] = ChecksumOfJson(prepared.reads_by_index() ? InputContents(files) : InputNames(files));
  identity["earlier stages"] = ChecksumOfJson(sources);
  identity["program"] = UZUSHIO_VERSION;
  nlohmann::json named = nlohmann::json::array();
  for (const auto& [name, text] : prepared.given) {
    const auto option = std::ranges::find(prepared.command->options, name, &OptionDeclaration::name);
    if (option->type != OptionType::kPath || name == "config" || name == "tmp") continue;
    if (prepared.reads_by_index() && IsOfIndex(name)) continue;  // the tables are inputs
    std::error_code error;
    if (fs::is_regular_file(text, error)) {
      ARROW_ASSIGN_OR_RAISE(const std::string contents, ContentsOfFile(text));
      named.push_back(contents);
    } else {
      ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, look(text));
      named.push_back(placed.contents);
    }
  }
  identity["files that options name"] = ChecksumOfJson(named);
  return identity;
}

}  // namespace uzushio
