#include <arrow/compute/initialize.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "stages/filter/host_batches.h"

namespace uzushio::python {
namespace {

// The rows of a chain, which this keeps.
class RowsForPython {
 public:
  explicit RowsForPython(std::shared_ptr<FilterChain> chain) : chain_(std::move(chain)), rows_(*chain_) {
    Check(arrow::compute::Initialize());
  }

  nb::object Add(nb::handle batch) {
    const auto taken = BatchOf(batch);
    return ToPython(Value(WithoutLock([&] { return rows_.Add(*taken); })));
  }
  nb::object Finish() { return ToPython(Value(rows_.Finish())); }

 private:
  std::shared_ptr<FilterChain> chain_;
  HostRows rows_;
};

}  // namespace

void DeclareHosts(nb::module_& module) {
  nb::class_<HostSums>(module, "HostSums",
                       "Sums of hosts, by FilterKernel.sum_hosts; see stages/filter/host_batches.h.")
      .def(nb::new_([](const FilterChain& chain, int64_t memory) {
             return std::make_unique<HostSums>(HostColumns(chain).width(), memory);
           }),
           nb::arg("chain"), nb::arg("memory"))
      .def("flush", [](HostSums& self) { Check(WithoutLock([&] { return self.Flush(); })); })
      .def(
          "next", [](HostSums& self) { return ToPython(self.Next()); }, nb::sig("def next(self) -> ArrowBatch | None"));
  nb::class_<RowsForPython>(module, "HostRows", "Rows of hosts, of their sums in order of hosts.")
      .def(nb::init<std::shared_ptr<FilterChain>>(), nb::arg("chain"))
      .def("add", &RowsForPython::Add, nb::arg("batch"), nb::sig("def add(self, batch: object) -> ArrowBatch"))
      .def("finish", &RowsForPython::Finish, nb::sig("def finish(self) -> ArrowBatch"));
  module.def(
      "hosts_schema", [](const FilterChain& chain) { return ToPython(HostColumns(chain).Schema()); }, nb::arg("chain"),
      nb::sig("def hosts_schema(chain: FilterChain) -> ArrowSchema"));
}

}  // namespace uzushio::python
