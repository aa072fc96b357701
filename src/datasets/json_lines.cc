#include "datasets/json_lines.h"

#include <nlohmann/json.hpp>

#include "storage/line_reader.h"

namespace uzushio {
namespace {

constexpr size_t kMaxQuarantinedBytes = size_t{1} << 20;

}  // namespace

arrow::Status ForEachJsonLine(const InputFile& file, const ReaderMemory& memory,
                              const std::function<arrow::Result<const char*>(const nlohmann::json&)>& use,
                              const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  LineReader lines(file, kMaxJsonLineBytes, memory);
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) return arrow::Status::OK();
    if (line->empty() && !cut) continue;
    const char* reason = "line-too-long";
    if (!cut) {
      const nlohmann::json json = nlohmann::json::parse(*line, nullptr, false);
      reason = "no-json";
      if (!json.is_discarded()) {
        ARROW_ASSIGN_OR_RAISE(reason, use(json));
      }
    }
    if (reason == nullptr) continue;
    ARROW_RETURN_NOT_OK(
        bad({file.name, lines.offset(), lines.length(), reason, std::string(line->substr(0, kMaxQuarantinedBytes))}));
  }
}

arrow::Result<nlohmann::ordered_json> FirstJsonObject(const InputFile& file, const ReaderMemory& memory) {
  LineReader lines(file, kMaxJsonLineBytes, memory);
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) return arrow::Status::Invalid("holds no JSON object");
    if (cut) continue;
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(*line, nullptr, false);
    if (json.is_object()) return json;
  }
}

}  // namespace uzushio
