#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/app.h"
#include "io/local_files.h"
#include "python/declare.h"
#include "python/interop.h"
#include "python/interruptible.h"

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
      .summary = [&summary](const nlohmann::json& json) { summary = JsonText(json); },
      .print = [&printed](const std::string& text) { printed += text; },
  };
  int exit_code = kExitDone;
  RunInterruptibly([&] { exit_code = RunApp(Natives(arguments), hooks); }, &news, progress);
  if (exit_code == kExitBadRecords) return nb::make_tuple(summary, Text(printed), Text(status.message()));
  Check(status);
  return nb::make_tuple(summary, Text(printed), "");
}

}  // namespace

void DeclareRun(nb::module_& module) {
  module.def("run", &Run, nb::arg("arguments"), nb::arg("progress").none(),
             nb::sig("def run(arguments: collections.abc.Sequence[str | os.PathLike[str]], progress: "
                     "collections.abc.Callable[[float, "
                     "str], object] | None) -> "
                     "tuple[str, str, str]"));
}

}  // namespace uzushio::python
