#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <utility>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "storage/local_files.h"
#include "storage/local_task_output.h"
#include "storage/output_folder.h"
#include "storage/store_files.h"
#include "storage/store_task_output.h"
#include "storage/stored_names.h"

namespace uzushio::python {
namespace {

nb::bytes BytesOf(const arrow::Buffer& buffer) {
  return nb::bytes(reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size()));
}

std::string TextOf(nb::handle bytes) {
  const auto content = nb::cast<nb::bytes>(bytes);
  return std::string(content.c_str(), content.size());
}

// What an object of Python does with objects on a store, as python/uzushio/spark/_output.py has it. Its calls take the
// interpreter's lock.
class PythonFiles final : public StoreFiles {
 public:
  explicit PythonFiles(nb::object files) : files_(std::move(files)) {}
  ~PythonFiles() override {
    const nb::gil_scoped_acquire acquire;
    files_.reset();
    interrupt_.reset();
  }

  arrow::Result<std::map<std::string, int64_t>> List(const std::string& folder) override {
    return Guarded<std::map<std::string, int64_t>>(
        [&] { return nb::cast<std::map<std::string, int64_t>>(files_.attr("list")(folder)); });
  }
  arrow::Result<bool> Has(const std::string& path) override {
    return Guarded<bool>([&] { return nb::cast<bool>(files_.attr("has")(path)); });
  }
  arrow::Result<std::optional<std::string>> Read(const std::string& path) override {
    return Guarded<std::optional<std::string>>([&]() -> std::optional<std::string> {
      const nb::object content = files_.attr("read")(path);
      return content.is_none() ? std::nullopt : std::optional(TextOf(content));
    });
  }
  arrow::Status Write(const std::string& path,
                      const std::function<arrow::Status(arrow::io::OutputStream*)>& write) override {
    ARROW_ASSIGN_OR_RAISE(const auto stream, arrow::io::BufferOutputStream::Create());
    ARROW_RETURN_NOT_OK(write(stream.get()));
    ARROW_ASSIGN_OR_RAISE(const auto content, stream->Finish());
    return Done([&] { files_.attr("put")(path, BytesOf(*content)); });
  }
  arrow::Status Delete(const std::string& path) override {
    return Done([&] { files_.attr("delete")(path); });
  }
  arrow::Status Move(const std::string& from, const std::string& to) override {
    return Done([&] { files_.attr("move")(from, to); });
  }
  void DropIfEmpty(const std::string& folder) override {
    (void)Done([&] { files_.attr("drop_if_empty")(folder); });
  }
  arrow::Status DropTree(const std::string& folder) override {
    return Done([&] { files_.attr("drop_tree")(folder); });
  }
  bool keeps_folders() const override { return true; }

  // Throws what a call has raised that is no error, as Ctrl-C.
  void Rethrow() {
    if (!interrupt_.is_valid()) return;
    const nb::object interrupt = std::exchange(interrupt_, {});
    PyErr_SetObject(interrupt.type().ptr(), interrupt.ptr());
    throw nb::python_error();
  }

 private:
  template <typename T, typename Work>
  arrow::Result<T> Guarded(Work work) {
    const nb::gil_scoped_acquire acquire;
    try {
      return work();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) {
        if (!interrupt_.is_valid()) interrupt_ = nb::borrow(error.value());
        return arrow::Status::Cancelled("interrupted");
      }
      return arrow::Status::IOError(nb::cast<std::string>(nb::str(error.value())));
    } catch (std::exception& error) {  // of a conversion
      return arrow::Status::IOError(error.what());
    }
  }
  template <typename Work>
  arrow::Status Done(Work work) {
    return Guarded<bool>([&] {
             work();
             return true;
           })
        .status();
  }

  nb::object files_;
  nb::object interrupt_;  // what the first call raised that was no error
};

// The output of a run on Spark.
class PythonTaskOutput {
 public:
  static std::unique_ptr<PythonTaskOutput> Local(const std::filesystem::path& path, const std::string& run,
                                                 bool overwrite) {
    const nlohmann::json identity = IdentityAsNoted(Json(run));
    auto output = Value(WithoutLock([&] { return LocalTaskOutput::Open(path, identity, overwrite); }));
    return std::make_unique<PythonTaskOutput>(nullptr, std::move(output));
  }
  static std::unique_ptr<PythonTaskOutput> OnStore(const nb::object& files, const std::string& path,
                                                   const std::string& name, const std::string& run, bool overwrite,
                                                   const std::string& about) {
    const auto reached = std::make_shared<PythonFiles>(files);
    const nlohmann::json identity = IdentityAsNoted(Json(run));
    const nlohmann::json said = Json(about);
    auto output = WithoutLock([&]() -> arrow::Result<std::unique_ptr<TaskOutput>> {
      ARROW_ASSIGN_OR_RAISE(const std::filesystem::path tmp, StagingRoot("set TMPDIR"));
      return StoreTaskOutput::Open({reached, path, name}, identity, overwrite, tmp.string(), said);
    });
    reached->Rethrow();
    return std::make_unique<PythonTaskOutput>(reached, Value(std::move(output)));
  }
  PythonTaskOutput(std::shared_ptr<PythonFiles> files, std::unique_ptr<TaskOutput> output)
      : files_(std::move(files)), output_(std::move(output)) {}
  ~PythonTaskOutput() {
    WithoutLock([&] { return (output_.reset(), 0); });
  }
  PythonTaskOutput(const PythonTaskOutput&) = delete;
  PythonTaskOutput& operator=(const PythonTaskOutput&) = delete;

  bool done() const { return output_->done(); }
  nb::str folder() const { return Text(output_->folder()); }
  std::string success() const { return JsonText(output_->success()); }
  void Commit(const std::string& success, const std::vector<std::string>& sources) {
    const auto json = Json(success);  // whose errors are Python's
    Call([&] { return output_->Commit(json, sources); });
  }
  void Close() {
    Call([&] { return output_->Close(); });
  }

 private:
  template <typename Work>
  void Call(Work work) {
    const arrow::Status status = WithoutLock(work);
    if (files_ != nullptr) files_->Rethrow();
    Check(status);
  }

  std::shared_ptr<PythonFiles> files_;  // null: it is local
  std::unique_ptr<TaskOutput> output_;
};

}  // namespace

void DeclareTaskOutputs(nb::module_& module) {
  module.attr("LOCK_BEGINNING") = std::string(StoreLock::kBeginning.substr(StoreLock::kBeginning.rfind('/') + 1));
  module.attr("PUT_TEMPORARY") = StoreCommit::kPutTemporary;
  nb::class_<PythonTaskOutput>(module, "TaskOutput", "An output whose files are written by tasks of Spark.")
      .def_prop_ro("done", &PythonTaskOutput::done)
      .def_prop_ro("folder", &PythonTaskOutput::folder)
      .def("success", &PythonTaskOutput::success)
      .def("commit", &PythonTaskOutput::Commit, nb::arg("success"), nb::arg("sources"))
      .def("close", &PythonTaskOutput::Close);
  module.def("local_task_output", &PythonTaskOutput::Local, nb::arg("path"), nb::arg("run"), nb::arg("overwrite"),
             nb::sig("def local_task_output(path: str | os.PathLike[str], run: str, overwrite: bool) -> TaskOutput"));
  module.def("store_task_output", &PythonTaskOutput::OnStore, nb::arg("files"), nb::arg("path"), nb::arg("name"),
             nb::arg("run"), nb::arg("overwrite"), nb::arg("about"),
             nb::sig("def store_task_output(files: object, path: str, name: str, run: str, overwrite: bool, "
                     "about: str) -> TaskOutput"));
  module.def("stored_name", &StoredName, nb::arg("path"), nb::arg("hash"));
  module.attr("NAME_HASH") = kNameHash;
}

}  // namespace uzushio::python
