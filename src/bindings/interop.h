// What crosses the border between Python and the program: Arrow data (C Data Interface), errors, files.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace uzushio::python {

namespace nb = nanobind;

// Raises an error as an exception of python/uzushio/_errors.py, with the message that the command line prints. Needs
// the interpreter's lock.
[[noreturn]] void Raise(const arrow::Status& status);
inline void Check(const arrow::Status& status) {
  if (!status.ok()) Raise(status);
}
template <typename T>
T Value(arrow::Result<T> result) {
  Check(result.status());
  return std::move(result).ValueUnsafe();
}

// The calling thread does without the interpreter's lock while this is there. Of a thread that wants it back when the
// interpreter has ended, as a daemon thread may, this never ends: it waits for the process to.
class ReleasedLock {
 public:
  ReleasedLock() : state_(PyEval_SaveThread()) {}
  ~ReleasedLock();
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;

 private:
  PyThreadState* const state_;
};

// Runs `work`, which returns a status or a result, without the interpreter's lock.
template <typename Work>
auto WithoutLock(Work work) {
  const ReleasedLock release;
  return work();
}

// Batches for Python: any library takes them by `__arrow_c_array__` or `__arrow_c_stream__`, without a copy.
void DeclareArrow(nb::module_& module);
nb::object ToPython(const std::shared_ptr<arrow::RecordBatch>& batch);  // None for null
nb::object ToPython(const std::shared_ptr<arrow::RecordBatchReader>& reader);
nb::object ToPython(const std::shared_ptr<arrow::Schema>& schema);

// From an object with `__arrow_c_array__`, and from one with `__arrow_c_stream__` (tables and readers).
std::shared_ptr<arrow::RecordBatch> BatchOf(nb::handle object);
std::shared_ptr<arrow::RecordBatchReader> ReaderOf(nb::handle object);
std::shared_ptr<arrow::Schema> SchemaOf(nb::handle object);

// Paths and URIs of Python, as the program has them: str, bytes or os.PathLike, in the file system's encoding.
using Paths = std::vector<std::filesystem::path>;
std::vector<std::string> Natives(const Paths& paths);

// A text for Python, whatever its bytes are.
nb::str Text(const std::string& bytes);

// A path or URI, of a str or os.PathLike; nothing where it is neither.
std::optional<std::string> PathOf(nb::handle source);

// A Python object with `read`, `seek` and `tell` as a file. `name` is set to the object's where it is empty.
arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenFileObject(nb::handle source, std::string* name);

// The JSON that python/uzushio/_values.py writes. Raises UsageError for numbers that no 64 bits hold.
nlohmann::json Json(const std::string& text);

}  // namespace uzushio::python
