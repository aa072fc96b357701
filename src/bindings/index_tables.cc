#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/guard.h"
#include "base/machine.h"
#include "base/memory_plan.h"
#include "bindings/declare.h"
#include "bindings/indexed_places.h"
#include "bindings/interop.h"
#include "bindings/interruptible.h"
#include "bindings/options.h"
#include "datasets/dataset.h"
#include "stages/extract/extract.h"
#include "stages/extract/index_plan.h"
#include "stages/extract/index_selection.h"

namespace uzushio::python {
namespace {

// As many threads as the machine has, and as have the least memory for reading of the quarter that is theirs.
int ThreadsFor(int64_t memory) {
  return static_cast<int>(std::clamp<int64_t>(memory / 4 / kLeastDecoding, 1, MachineThreads()));
}

// What is selected, without the tables.
IndexSelection SelectionOf(const std::string& options) { return Picked(DeclaredIndexSelection(), Json(options)); }

// The tables of an index, and the rows that are wanted of them.
class IndexTables {
 public:
  // Finds the tables. `options`: those of `extract` that select rows.
  IndexTables(const Paths& tables, const std::string& options) : selection_(SelectionOf(options)) {
    selection_.tables = Natives(tables);
    Check(WithoutLock([this] { return Complete(&selection_); }));
  }

  std::string identity() const { return Value(DeclaredIndexSelection().IdentityOf(selection_)).dump(); }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(selection_.reading.tables.size());
    for (const InputFile& table : selection_.reading.tables) names.push_back(table.name);
    return names;
  }

  // Reads the tables and sorts the wanted rows, with so many bytes of memory and temporary files in a folder.
  void Read(const std::filesystem::path& tmp, int64_t memory, const std::string& places) {
    const int threads = ThreadsFor(memory);
    const IndexRowsPlan shares = PlanIndexRows(memory, kIndexedMemory.With(threads), threads);
    IndexedInputs& reading = selection_.reading;
    reading.places = PlacesOf(Json(places));
    reading.tmp = tmp.native();
    reading.memory = {shares.sorter, shares.names, shares.reader};
    arrow::Status status;
    Progress nothing;
    RunInterruptibly([&] { status = Guarded([&] { return MakeIndexPlan(reading, threads).Value(&plan_); }); }, &nothing,
                     nb::none());
    Check(status);
  }

  void CheckFound() const {
    Check(WithoutLock([this] { return uzushio::CheckFound(plan_.files); }));
  }
  void CheckUnchanged() const {
    Check(WithoutLock([this] { return uzushio::CheckUnchanged(selection_.reading.tables); }));
  }

  // The archives in order of their names: the name in the index, and the first, the count and the bytes of their
  // records.
  std::string archives() const {
    nlohmann::json archives = nlohmann::json::array();
    for (const IndexedRecords::File& of : plan_.of) {
      archives.push_back({{"name", of.name}, {"first", of.first}, {"count", of.count}, {"bytes", of.bytes}});
    }
    return archives.dump();
  }
  // Of the rows.
  std::string counts() const { return plan_.records->counts().ToJson().dump(); }

  // So many records from the one of that number on, as IndexedRecordFile reads them.
  nb::bytes Records(int64_t first, int64_t count) const {
    std::vector<IndexedRecord> records(static_cast<size_t>(count));
    Check(WithoutLock([&] { return plan_.records->Read(first, records); }));
    return nb::bytes(records.data(), records.size() * sizeof(IndexedRecord));
  }

 private:
  IndexSelection selection_;
  IndexPlan plan_;
};

}  // namespace

void DeclareIndexes(nb::module_& module) {
  module.def(
      "check_extract_ways",
      [](const Paths& inputs, const Paths& tables, const std::string& selection) {
        ExtractConfig config;
        config.index = SelectionOf(selection);
        config.index.tables = Natives(tables);
        Check(CheckWays(Natives(inputs), config));
        Check(CompleteQuery(&config.index));
      },
      nb::arg("inputs"), nb::arg("tables"), nb::arg("selection"),
      nb::sig("def check_extract_ways(inputs: collections.abc.Sequence[str | os.PathLike[str]], "
              "tables: collections.abc.Sequence[str | os.PathLike[str]], selection: str) -> None"),
      "Raises when nothing says what is read or two things do, and what is wrong with the selection of rows.");
  module.def("no_extract_counts", [] { return ExtractCounts().ToJson().dump(); });
  nb::class_<IndexTables>(module, "IndexTables", "The tables of an index of a crawl, and the rows wanted of them.")
      .def(nb::init<const Paths&, const std::string&>(), nb::arg("tables"), nb::arg("selection"),
           nb::sig("def __init__(self, tables: collections.abc.Sequence[str | os.PathLike[str]], selection: str) -> "
                   "None"))
      .def("identity", &IndexTables::identity)
      .def("names", &IndexTables::names)
      .def("read", &IndexTables::Read, nb::arg("tmp"), nb::arg("memory"), nb::arg("places"))
      .def("check_found", &IndexTables::CheckFound)
      .def("check_unchanged", &IndexTables::CheckUnchanged)
      .def("archives", &IndexTables::archives)
      .def("counts", &IndexTables::counts)
      .def("records", &IndexTables::Records, nb::arg("first"), nb::arg("count"));
}

}  // namespace uzushio::python
