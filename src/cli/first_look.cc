// What the program of a first look, which `./dev demo` builds, has in the place of what it leaves out
// (cmake/FirstLook.cmake).
#include "cli/commands_list.h"
#include "cli/short_names.h"
#include "lm/fasttext.h"
#include "lm/language_model.h"
#include "lm/onnx_model.h"
#include "stages/report/serve.h"

namespace uzushio {
namespace {

constexpr const char* kThis = "the program that ./dev demo builds; ./dev build makes it whole";

}  // namespace

#define UZUSHIO_MAKE_COMMAND(NAME) NAME##Command(),
#define UZUSHIO_NAME_COMMAND(NAME, TEXT) TEXT,
#define UZUSHIO_NO_COMMAND(...)

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands =
      WithShortNames({UZUSHIO_COMMANDS(UZUSHIO_MAKE_COMMAND, UZUSHIO_NO_COMMAND)});
  return commands;
}

const std::vector<std::string>& CommandsLeftOut() {
  static const std::vector<std::string> names = {UZUSHIO_COMMANDS(UZUSHIO_NO_COMMAND, UZUSHIO_NAME_COMMAND)};
  return names;
}

arrow::Status ServeReport(const ReportConfig&, const ReportProgress&, const std::function<void(const std::string&)>&) {
  return arrow::Status::Invalid("--serve is not in ", kThis);
}

arrow::Result<std::shared_ptr<const LanguageModel>> LanguageModel::Open(const std::string& path) {
  return arrow::Status::Invalid("'", path, "': language models are not in ", kThis);
}

arrow::Result<std::shared_ptr<const FastTextModel>> FastTextModel::Open(const std::string& path) {
  return arrow::Status::Invalid("'", path, "': classifiers of fastText are not in ", kThis);
}

arrow::Result<std::shared_ptr<const OnnxModel>> OnnxModel::Open(const OnnxOptions& options) {
  return arrow::Status::Invalid("'", options.model, "': models in ONNX are not in ", kThis);
}

// Are never called, as no model is ever open.
OnnxModel::~OnnxModel() = default;
arrow::Status OnnxModel::Score(std::span<const std::string_view>, std::vector<double>*) const {
  return arrow::Status::OK();
}
struct FastTextModel::Loaded {};
FastTextModel::~FastTextModel() = default;
std::optional<size_t> FastTextModel::FindLabel(std::string_view) const { return std::nullopt; }
arrow::Status FastTextModel::Score(std::string_view, std::vector<float>*) const { return arrow::Status::OK(); }
void LmScorer::Score(std::string_view, std::vector<float>* scores) { scores->clear(); }

}  // namespace uzushio
