// Texts of some documents, on disk, by number.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "storage/spill.h"

namespace uzushio {

class DocumentTexts {
 public:
  static arrow::Result<std::unique_ptr<DocumentTexts>> Create(SpillSpace* space);
  // Several threads may write, and read afterwards. A number is written once.
  arrow::Status Write(uint64_t number, std::string_view text);
  arrow::Status Read(uint64_t number, std::string* text) const;

 private:
  struct Place {
    int64_t offset = 0;
    uint64_t bytes = 0;
  };
  DocumentTexts() = default;

  SpillSpace* space_ = nullptr;
  std::unique_ptr<SpillFile> texts_;
  std::unique_ptr<SpillFile> places_;  // a Place at each number; what is not written takes no room
};

}  // namespace uzushio
