#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>

#include "base/machine.h"
#include "base/size.h"
#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/interruptible.h"
#include "bindings/options.h"
#include "cli/app.h"
#include "cli/clean_command.h"
#include "cli/command.h"
#include "cli/run_plan.h"
#include "cli/summary.h"
#include "stages/extract/index_selection.h"
#include "stages/extract/options.h"
#include "stages/minhash/options.h"
#include "storage/local_files.h"

namespace uzushio::python {
namespace {

// Runs a command line. Returns its summary as JSON, what it printed, what it warns of, and a complaint when there were
// too many bad records, else nothing.
nb::object Run(const Paths& arguments, const nb::object& progress) {
  Progress news;
  arrow::Status status;
  std::string summary;
  std::string printed;
  std::vector<std::string> warnings;
  const RunHooks hooks = {
      .progress = [&news](double share, const std::string& note) { news.Set(share, note); },
      .error = [&status](const arrow::Status& error) { status = error; },
      .warning = [&warnings](const std::string& warning) { warnings.push_back(warning); },
      .summary = [&summary](const nlohmann::ordered_json& json) { summary = JsonText(json); },
      .print = [&printed](const std::string& text) { printed += text; },
  };
  int exit_code = kExitDone;
  RunInterruptibly([&] { exit_code = RunApp(Natives(arguments), hooks); }, &news, progress);
  const bool many_bad = exit_code == kExitBadRecords;
  if (!many_bad) Check(status);
  nb::list texts;
  for (const std::string& warning : warnings) texts.append(Text(warning));
  return nb::make_tuple(summary, Text(printed), texts, many_bad ? Text(status.message()) : Text(""));
}

// The declarations of all commands, as JSON.
std::string CommandsJson() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Command& command : Commands()) all.push_back(ToJson(command));
  return JsonText(all);
}

std::string NativeOf(nb::handle text) { return Natives({nb::cast<std::filesystem::path>(text)}).front(); }

nb::object ValueOf(const OptionDeclaration& option, const std::vector<std::string>& texts) {
  if (option.type == OptionType::kFlag) return nb::cast(!texts.empty());
  nb::list values;
  if (option.is_number()) {
    for (const int64_t number : Value(NumbersOf(option, texts))) values.append(number);
  } else if (option.type == OptionType::kShare) {
    for (const double share : Value(SharesOf(option, texts))) values.append(share);
  } else {
    for (const std::string& text : Value(TextsOf(option, texts)))
      values.append(
          nb::steal<nb::str>(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
  }
  if (option.is_list) return values;
  return nb::len(values) == 0 ? nb::none() : nb::object(values[0]);
}

// The values of a command's options on Spark: what is given, in pairs of name and text, and defaults.
nb::dict SparkOptions(const std::string& name, const nb::list& given) {
  OptionTexts texts;
  for (const nb::handle pair : given) {
    texts.emplace_back(nb::cast<std::string>(pair[0]), NativeOf(pair[1]));
  }
  const auto command = std::ranges::find(Commands(), name, &Command::name);
  if (command == Commands().end()) Raise(NoCommand(name));
  std::vector<OptionDeclaration> options;
  std::ranges::copy_if(command->options, std::back_inserter(options),
                       [](const OptionDeclaration& option) { return (option.frontends & kOnSpark) != 0; });
  std::vector<std::vector<std::string>> collected;
  Check(Collect(options, texts, &collected));
  nb::dict values;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string key = KeywordOf(options[i]);
    std::vector<std::string> of = collected[i];
    if (of.size() == 1 && of[0].empty() && options[i].type == OptionType::kPath) of.clear();
    if (of.empty() && options[i].default_value) of = {*options[i].default_value};
    values[key.c_str()] = ValueOf(options[i], of);
  }
  return values;
}

// The options that a stage's kernel declares, by their names in Python: what Spark's tasks have to know.
std::vector<std::string> KernelOptions(const std::string& stage) {
  if (stage == "extract") return KeywordsOf(DeclaredExtractOptions());
  if (stage == "extract --index") return KeywordsOf(DeclaredIndexSelection());
  if (stage == "minhash") return KeywordsOf(DeclaredMinhashOptions());
  Raise(arrow::Status::Invalid(stage, ": has no options of a kernel"));
}

// What `clean` does by these options, in pairs of name and text: the chain, and as JSON how it is read, what a kernel
// has to know, and how it is written.
nb::tuple PlanCleanFor(const std::vector<std::pair<std::string, std::string>>& given) {
  const CleanPlan plan = Value(WithoutLock([&] { return PlanClean(given); }));
  nlohmann::json input = {{"delimiter", plan.input.delimiter}, {"column_option", plan.input.column_option}};
  input["all"] = plan.input.all ? nlohmann::json(static_cast<int>(*plan.input.all)) : nlohmann::json();
  const nlohmann::json json = {{"input", input},
                               {"kernel",
                                {{"text_column", plan.kernel.text_column},
                                 {"partitioned", plan.kernel.partitioned},
                                 {"is_plain", plan.kernel.is_plain},
                                 {"separator", plan.kernel.separator}}},
                               {"ending", EndingOf(plan.format)},
                               {"column", plan.output_column},
                               {"delimiter", plan.output_delimiter}};
  return nb::make_tuple(std::const_pointer_cast<FilterChain>(plan.chain), json.dump());
}

// Ends a run of another engine as the command line does: writes the summary to a file, unless its name is empty, says
// on standard error what was done, and returns the exit code.
int FinishForeignRun(const std::string& summary, const std::string& file, std::optional<int64_t> max_bad, bool quiet) {
  CommonOptions common;
  common.summary = file;
  common.max_bad = max_bad;
  common.quiet = quiet;
  const RunHooks hooks;
  const Console console(common, hooks);
  const auto json = nlohmann::ordered_json::parse(summary, nullptr, false);
  if (!json.is_object()) Check(arrow::Status::Invalid("the summary is no JSON object"));
  const auto exit_code = FinishRun(common, console, json, SummaryText(json));
  return exit_code.ok() ? *exit_code : Report(console, exit_code.status());
}

}  // namespace

void DeclareRun(nb::module_& module) {
  module.def("run", &Run, nb::arg("arguments"), nb::arg("progress").none(),
             nb::sig("def run(arguments: collections.abc.Sequence[str | os.PathLike[str]], progress: "
                     "collections.abc.Callable[[float, "
                     "str], object] | None) -> "
                     "tuple[str, str, list[str], str]"));
  module.def("plan_clean", &PlanCleanFor, nb::arg("given"),
             nb::sig("def plan_clean(given: list[tuple[str, str]]) -> tuple[FilterChain, str]"));
  module.def("finish_run", &FinishForeignRun, nb::arg("summary"), nb::arg("file"), nb::arg("max_bad").none(),
             nb::arg("quiet"));
  module.def("commands", &CommandsJson);
  module.def("kernel_options", &KernelOptions, nb::arg("stage"));
  module.def("spark_options", &SparkOptions, nb::arg("command"), nb::arg("given"),
             nb::sig("def spark_options(command: str, given: list[tuple[str, str]]) -> dict[str, typing.Any]"));
  module.def(
      "summary_text",
      [](const std::string& summary) {
        const auto json = nlohmann::ordered_json::parse(summary, nullptr, false);
        if (!json.is_object()) Check(arrow::Status::Invalid("the summary is no JSON object"));
        const bool is_plan = json.contains("no_estimate");
        return Text(is_plan ? PlanText(json) : SummaryText(json));
      },
      nb::arg("summary"));
  module.def("size_in_bytes", [](const std::string& text) { return Value(ParseSize(text)); }, nb::arg("text"));
  module.def("machine_threads", [] { return MachineThreads(); });
}

}  // namespace uzushio::python
