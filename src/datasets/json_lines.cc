#include "datasets/json_lines.h"

#include "storage/line_reader.h"

namespace uzushio {
namespace {

constexpr size_t kMaxQuarantinedBytes = size_t{1} << 20;
constexpr int64_t kBeginningBytes = int64_t{1} << 20;

}  // namespace

arrow::Status ForEachJsonLine(const InputFile& file, const ReaderMemory& memory, const char* other,
                              const std::function<arrow::Result<const char*>(const JsonObject&)>& use,
                              const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  LineReader lines(file, kMaxJsonLineBytes, memory);
  JsonObject object;
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) return arrow::Status::OK();
    if (line->empty() && !cut) continue;
    const char* reason = "line-too-long";
    if (!cut) {
      const JsonObject::Line parsed = object.Parse(*line);
      reason = parsed == JsonObject::Line::kNoJson ? "no-json" : other;
      if (parsed == JsonObject::Line::kObject) {
        ARROW_ASSIGN_OR_RAISE(reason, use(object));
      }
    }
    if (reason == nullptr) continue;
    ARROW_RETURN_NOT_OK(
        bad({file.name, lines.offset(), lines.length(), reason, std::string(line->substr(0, kMaxQuarantinedBytes))}));
  }
}

arrow::Status ForFirstJsonObjects(const InputFile& file, const ReaderMemory& memory,
                                  const std::function<void(const JsonObject&)>& use) {
  LineReader lines(file, kMaxJsonLineBytes, memory);
  JsonObject object;
  bool found = false;
  while (!found || lines.offset() + lines.length() < kBeginningBytes) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) return found ? arrow::Status::OK() : arrow::Status::KeyError("holds no JSON object");
    if (cut || object.Parse(*line) != JsonObject::Line::kObject) continue;
    found = true;
    use(object);
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
