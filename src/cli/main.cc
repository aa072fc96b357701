// The program `uzushio`.
#include <arrow/filesystem/filesystem.h>
#include <malloc.h>

#include <cstdio>
#include <exception>

#include "cli/app.h"

namespace {

// Pages come and go by the thousand: keeping what they free saves giving it back to the system and having it cleared
// again. What is kept this way counts in the memory that a stage is bound to.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  int code = uzushio::kExitFailed;
  try {
    code = uzushio::RunApp({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // not even memory for what there is to say
    std::fprintf(stderr, "uzushio: error: %s\n", error.what());
  }
  arrow::fs::EnsureFinalized();  // threads of S3's library
  return code;
}
