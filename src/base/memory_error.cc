#include "base/memory_error.h"

#include <cstring>
#include <string>

namespace uzushio {
namespace {

constexpr const char* kTypeId = "uzushio::MemoryDetail";

class Detail : public arrow::StatusDetail {
 public:
  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override { return "more memory would do"; }
};

}  // namespace

std::shared_ptr<arrow::StatusDetail> MemoryDetail() {
  static const auto detail = std::make_shared<Detail>();
  return detail;
}

bool IsMemoryError(const arrow::Status& error) {
  return error.detail() != nullptr && std::strcmp(error.detail()->type_id(), kTypeId) == 0;
}

}  // namespace uzushio
