#include "bindings/interop.h"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <nanobind/stl/string.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error_text.h"

namespace uzushio::python {

// --- errors ---

namespace {

// Whether the text says, at its end, that a file is not there.
bool TellsOfMissingFile(std::string_view text) {
  return std::ranges::any_of(std::array{"no such file", "no such file or folder", "No such file or directory"},
                             [&](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

void Raise(const arrow::Status& status) {
  if (status.IsCancelled()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  const bool usage = status.IsInvalid() || status.IsKeyError() || status.IsTypeError();
  const char* name = usage ? "UsageError" : status.IsIOError() ? "InputError" : "RunError";
  if ((usage || status.IsIOError()) && TellsOfMissingFile(status.message())) name = "MissingFile";
  const nb::object type = nb::module_::import_("uzushio._errors").attr(name);
  PyErr_SetObject(type.ptr(), Text(ErrorText(status)).ptr());
  throw nb::python_error();
}

// Until 3.13, Python ends such a thread by unwinding it: out of a destructor, which ends the whole process.
ReleasedLock::~ReleasedLock() {
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {
    while (true) pause();
  }
}

nb::str Text(const std::string& bytes) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

std::vector<std::string> Natives(const Paths& paths) {
  std::vector<std::string> natives;
  natives.reserve(paths.size());
  for (const std::filesystem::path& path : paths) natives.push_back(path.native());
  return natives;
}

nlohmann::json Json(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) Raise(arrow::Status::Invalid("a number among the arguments is too large"));
  return json;
}

// --- Arrow ---

namespace {

struct BatchForPython {
  std::shared_ptr<arrow::RecordBatch> batch;
};
struct StreamForPython {
  std::shared_ptr<arrow::RecordBatchReader> reader;
};

struct SchemaForPython {
  std::shared_ptr<arrow::Schema> schema;
};

// A capsule that owns a structure of the C Data Interface, and releases what is in it if nobody took it.
template <typename C>
nb::object Capsule(std::unique_ptr<C> content, const char* name) {
  PyObject* capsule = PyCapsule_New(content.get(), name, [](PyObject* self) {
    auto* owned = static_cast<C*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  });
  if (capsule == nullptr) throw nb::python_error();
  content.release();
  return nb::steal(capsule);
}

template <typename C>
C* Content(nb::handle capsule, const char* name) {
  auto* content = static_cast<C*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (content == nullptr) throw nb::python_error();
  return content;
}

nb::object ArrowArrayCapsules(const BatchForPython& self, const nb::object& /*requested_schema*/) {
  auto schema = std::make_unique<ArrowSchema>();
  auto array = std::make_unique<ArrowArray>();
  Check(arrow::ExportRecordBatch(*self.batch, array.get(), schema.get()));
  return nb::make_tuple(Capsule(std::move(schema), "arrow_schema"), Capsule(std::move(array), "arrow_array"));
}

nb::object ArrowStreamCapsule(const StreamForPython& self, const nb::object& /*requested_schema*/) {
  auto stream = std::make_unique<ArrowArrayStream>();
  Check(arrow::ExportRecordBatchReader(self.reader, stream.get()));
  return Capsule(std::move(stream), "arrow_array_stream");
}

nb::object ArrowSchemaCapsule(const SchemaForPython& self) {
  auto schema = std::make_unique<ArrowSchema>();
  Check(arrow::ExportSchema(*self.schema, schema.get()));
  return Capsule(std::move(schema), "arrow_schema");
}

// nb::hasattr takes each exception of an object's own __getattr__ for a missing attribute, an interrupt too.
bool HasAttribute(nb::handle object, const char* name) {
  PyObject* found = PyObject_GetAttrString(object.ptr(), name);
  if (found == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  Py_XDECREF(found);
  return found != nullptr;
}

nb::object Call(nb::handle object, const char* method) {
  if (!HasAttribute(object, method)) {
    const std::string type = nb::cast<std::string>(object.type().attr("__name__"));
    Raise(arrow::Status::TypeError("a table is expected (an object with ", method, "), not ", type));
  }
  return object.attr(method)();
}

}  // namespace

void DeclareArrow(nb::module_& module) {
  nb::class_<BatchForPython>(module, "ArrowBatch",
                             "A record batch, for libraries that know the Arrow C Data Interface.")
      .def("__arrow_c_array__", &ArrowArrayCapsules, nb::arg("requested_schema") = nb::none())
      .def("__len__", [](const BatchForPython& self) { return self.batch->num_rows(); });
  nb::class_<StreamForPython>(module, "ArrowStream", "A stream of record batches, to be read once.")
      .def("__arrow_c_stream__", &ArrowStreamCapsule, nb::arg("requested_schema") = nb::none());
  nb::class_<SchemaForPython>(module, "ArrowSchema", "The columns of batches.")
      .def("__arrow_c_schema__", &ArrowSchemaCapsule);
}

nb::object ToPython(const std::shared_ptr<arrow::RecordBatch>& batch) {
  if (batch == nullptr) return nb::none();
  return nb::cast(BatchForPython{batch});
}

nb::object ToPython(const std::shared_ptr<arrow::RecordBatchReader>& reader) {
  return nb::cast(StreamForPython{reader});
}

nb::object ToPython(const std::shared_ptr<arrow::Schema>& schema) { return nb::cast(SchemaForPython{schema}); }

std::shared_ptr<arrow::RecordBatch> BatchOf(nb::handle object) {
  const nb::object pair = Call(object, "__arrow_c_array__");
  auto* schema = Content<ArrowSchema>(pair[0], "arrow_schema");
  auto* array = Content<ArrowArray>(pair[1], "arrow_array");
  return Value(arrow::ImportRecordBatch(array, schema));
}

std::shared_ptr<arrow::RecordBatchReader> ReaderOf(nb::handle object) {
  const nb::object capsule = Call(object, "__arrow_c_stream__");
  return Value(arrow::ImportRecordBatchReader(Content<ArrowArrayStream>(capsule, "arrow_array_stream")));
}

std::shared_ptr<arrow::Schema> SchemaOf(nb::handle object) {
  const nb::object capsule = Call(object, "__arrow_c_schema__");
  return Value(arrow::ImportSchema(Content<ArrowSchema>(capsule, "arrow_schema")));
}

// --- files ---

namespace {

// A file object of Python. Its calls take the interpreter's lock.
class PythonFile final : public arrow::io::RandomAccessFile {
 public:
  explicit PythonFile(nb::object file) : file_(std::move(file)) {}
  ~PythonFile() override {
    nb::gil_scoped_acquire acquire;
    file_.reset();
  }

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override {
    return Guarded([&] { return nb::cast<int64_t>(file_.attr("tell")()); });
  }
  arrow::Status Seek(int64_t position) override {
    return Guarded([&] {
             file_.attr("seek")(position);
             return int64_t{0};
           })
        .status();
  }
  arrow::Result<int64_t> GetSize() override {
    return Guarded([&] {
      const auto at = nb::cast<int64_t>(file_.attr("tell")());
      file_.attr("seek")(0, 2);
      const auto size = nb::cast<int64_t>(file_.attr("tell")());
      file_.attr("seek")(at);
      return size;
    });
  }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    return Guarded([&]() -> arrow::Result<int64_t> {
      int64_t done = 0;
      while (done < bytes) {  // raw files may give less than they are asked for
        const nb::object data = file_.attr("read")(bytes - done);
        char* content = nullptr;
        Py_ssize_t length = 0;
        if (PyBytes_AsStringAndSize(data.ptr(), &content, &length) != 0) throw nb::python_error();
        if (length == 0) break;
        if (length > bytes - done) return Failed("read() gives more than it is asked for");
        std::memcpy(static_cast<char*>(out) + done, content, static_cast<size_t>(length));
        done += length;
      }
      return done;
    });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t done, Read(bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(done));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  template <typename Work>
  static arrow::Result<int64_t> Guarded(Work work) {
    const nb::gil_scoped_acquire acquire;
    try {
      return work();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) return arrow::Status::Cancelled("interrupted");  // Ctrl-C
      const auto type = nb::cast<std::string>(error.type().attr("__name__"));
      return Failed(type + ": " + nb::cast<std::string>(nb::str(error.value())));
    } catch (std::exception& error) {  // of a conversion
      return Failed(error.what());
    }
  }
  static arrow::Status Failed(const std::string& why) {
    return arrow::Status::IOError("reading the file object failed: ", why);
  }
  nb::object file_;
  bool closed_ = false;
};

}  // namespace

std::optional<std::string> PathOf(nb::handle source) {
  const nb::object path_like = nb::module_::import_("os").attr("PathLike");
  if (!nb::isinstance<nb::str>(source) && !nb::isinstance(source, path_like)) return std::nullopt;
  return nb::cast<std::filesystem::path>(source).native();
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenFileObject(nb::handle source, std::string* name) {
  for (const char* method : {"read", "seek", "tell"}) {
    if (!HasAttribute(source, method)) {
      return arrow::Status::TypeError("a path, a URI or a binary file with read, seek and tell is expected");
    }
  }
  if (HasAttribute(source, "seekable") && !nb::cast<bool>(source.attr("seekable")())) {
    return arrow::Status::TypeError("the file object can not seek; save it to a file, or read it into io.BytesIO");
  }
  if (name->empty() && HasAttribute(source, "name") && nb::isinstance<nb::str>(source.attr("name"))) {
    *name = nb::cast<std::string>(source.attr("name"));
  }
  return std::make_shared<PythonFile>(nb::borrow(source));
}

}  // namespace uzushio::python
