// The program `uzushio`.
#include <arrow/filesystem/filesystem.h>

#include <cstdio>
#include <exception>

#include "base/memory.h"
#include "cli/app.h"

int main(int argc, char** argv) {
  uzushio::KeepFreedMemory(4 << 20, 32 << 20);
  int code = uzushio::kExitFailed;
  try {
    code = uzushio::RunApp({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // not even memory for what there is to say
    std::fprintf(stderr, "uzushio: error: %s\n", error.what());
  }
  arrow::fs::EnsureFinalized();  // threads of S3's library
  return code;
}
