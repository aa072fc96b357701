#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/machine.h"
#include "cli/app.h"
#include "cli/summary.h"
#include "storage/local_files.h"
#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/interruptible.h"

namespace uzushio::python {
namespace {

// Runs a command line. Returns its summary as JSON, what it printed, and a complaint when there were too many bad
// records, else nothing.
nb::object Run(const Paths& arguments, const nb::object& progress) {
  Progress news;
  arrow::Status status;
  std::string summary;
  std::string printed;
  const RunHooks hooks = {
      .progress = [&news](double share, const std::string& note) { news.Set(share, note); },
      .error = [&status](const arrow::Status& error) { status = error; },
      .summary = [&summary](const nlohmann::ordered_json& json) { summary = JsonText(json); },
      .print = [&printed](const std::string& text) { printed += text; },
  };
  int exit_code = kExitDone;
  RunInterruptibly([&] { exit_code = RunApp(Natives(arguments), hooks); }, &news, progress);
  if (exit_code == kExitBadRecords) return nb::make_tuple(summary, Text(printed), Text(status.message()));
  Check(status);
  return nb::make_tuple(summary, Text(printed), "");
}

// Ends a run of another engine as the command line does: writes the summary to a file, unless its name is empty, says
// on standard error what was done, and returns the exit code.
int FinishForeignRun(const std::string& summary, const std::string& file, int64_t max_bad, bool quiet) {
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
                     "tuple[str, str, str]"));
  module.def("finish_run", &FinishForeignRun, nb::arg("summary"), nb::arg("file"), nb::arg("max_bad"),
             nb::arg("quiet"));
  module.def("machine_threads", [] { return MachineThreads(); });
}

}  // namespace uzushio::python
