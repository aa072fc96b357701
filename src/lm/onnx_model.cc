#include "lm/onnx_model.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file_stamp.h"
#include "base/installation.h"
#include "base/machine.h"
#include "base/native.h"
#include "lm/file_hash.h"
#include "lm/native_onnx.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOnnxRuntime = "libonnxruntime.so";
constexpr const char* kInstallOnnxRuntime =
    "pip install onnxruntime in the active virtual environment, or name by `library` the file that this has as "
    "onnxruntime/capi/libonnxruntime.so.1.… in its site-packages";

// The package has one file of this name, with its version.
std::string OnnxRuntimeIn(const fs::path& packages) {
  std::error_code error;
  std::string found;
  fs::directory_iterator entry(packages / "onnxruntime" / "capi", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const bool is_library = entry->path().filename().string().starts_with(kOnnxRuntime);
    if (is_library) found = std::max(found, entry->path().string());
  }
  return found;
}

arrow::Result<std::string> FindOnnxRuntime(const std::string& library) {
  std::error_code unknown;
  if (!library.empty()) {
    if (fs::is_regular_file(library, unknown)) return library;
    return arrow::Status::Invalid("library: there is no file '", library, "'; ", kInstallOnnxRuntime);
  }
  for (const fs::path& packages : PythonPackageFolders()) {
    if (std::string found = OnnxRuntimeIn(packages); !found.empty()) return found;
  }
  for (const char* name : {"libonnxruntime.so.1", "libonnxruntime.so"}) {
    if (::dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return std::string(name);
  }
  return arrow::Status::Invalid("there is no ONNX Runtime in the active virtual environment: ", kInstallOnnxRuntime);
}

}  // namespace

OnnxModel::~OnnxModel() {
  if (native_ != nullptr) uz_onnx_close(native_);
}

arrow::Result<std::shared_ptr<const OnnxModel>> OnnxModel::Open(const OnnxOptions& options) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const OnnxModel>> opened;
  const std::lock_guard lock(mutex);
  std::string stamp = std::to_string(options.max_tokens);
  for (const std::string& path : {options.model, options.tokenizer, options.library}) stamp += '\0' + FileStamp(path);
  if (auto model = opened[stamp].lock()) return model;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  ARROW_ASSIGN_OR_RAISE(auto model, Read(options));
  opened[stamp] = model;
  return model;
}

arrow::Result<std::shared_ptr<const OnnxModel>> OnnxModel::Read(const OnnxOptions& options) {
  std::error_code unknown;
  if (!fs::is_regular_file(options.model, unknown)) {
    return arrow::Status::Invalid("there is no model '", options.model,
                                  "'; optimum-cli export onnx writes one as model.onnx");
  }
  std::shared_ptr<OnnxModel> model(new OnnxModel());
  model->path_ = options.model;
  ARROW_ASSIGN_OR_RAISE(model->tokenizer_, TokenCounter::Open(options.tokenizer));
  ARROW_ASSIGN_OR_RAISE(const std::string library, FindOnnxRuntime(options.library));
  ARROW_ASSIGN_OR_RAISE(const std::string hash, HashOfFile(options.model));
  const int64_t before = ResidentMemory();
  UzOnnxShape shape{};
  {
    ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::MemoryMappedFile::Open(options.model, arrow::io::FileMode::READ));
    ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
    ARROW_ASSIGN_OR_RAISE(const auto bytes, file->ReadAt(0, size));
    NativeError error;
    model->native_ = uz_onnx_open(AsBytes(library), library.size(), bytes->data(), static_cast<size_t>(bytes->size()),
                                  model->tokenizer_->native(), static_cast<size_t>(options.max_tokens), &shape,
                                  error.bytes.data(), error.bytes.size(), &error.length);
    if (model->native_ == nullptr) {
      return arrow::Status::Invalid("'", options.model, "' can not be used as a model in ONNX (", error.text(), ")");
    }
  }
  model->outputs_ = static_cast<size_t>(shape.outputs);
  model->contents_ = hash + model->tokenizer_->contents() + " onnxruntime " + static_cast<const char*>(shape.version);
  const int64_t taken = std::max<int64_t>(0, ResidentMemory() - before);
  model->memory_ = {taken + model->tokenizer_->memory(), kCountingMemory + static_cast<int64_t>(shape.memory)};
  return model;
}

arrow::Status OnnxModel::Score(std::span<const std::string_view> texts, std::vector<double>* outputs) const {
  std::vector<UzPiece> pieces;
  pieces.reserve(texts.size());
  for (const std::string_view text : texts) pieces.push_back({AsBytes(text), CountedPart(text)});
  outputs->resize(texts.size() * outputs_);
  NativeError error;
  if (uz_onnx_score(native_, pieces.data(), pieces.size(), outputs->data(), error.bytes.data(), error.bytes.size(),
                    &error.length)) {
    return arrow::Status::OK();
  }
  return arrow::Status::Invalid("'", path_, "' can not score it: ", error.text());
}

}  // namespace uzushio
