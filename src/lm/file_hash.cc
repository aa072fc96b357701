#include "lm/file_hash.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <memory>

#include "base/hash_state.h"

namespace uzushio {

arrow::Result<std::string> HashOfFile(const std::string& path) {
  constexpr int64_t kBlock = int64_t{1} << 20;
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  const Xxh64State state = NewXxh64State();
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file->Read(kBlock));
    if (block->size() == 0) return fmt::format("{:016x}", XXH64_digest(state.get()));
    XXH64_update(state.get(), block->data(), static_cast<size_t>(block->size()));
  }
}

}  // namespace uzushio
