#include "pipeline/checksum.h"

#include <xxhash.h>

#include <fmt/format.h>

namespace uzushio {

std::string ChecksumOf(const std::string& text) { return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0)); }

}  // namespace uzushio
