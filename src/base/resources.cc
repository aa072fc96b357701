#include "base/resources.h"

#include <algorithm>

#include "base/memory_error.h"
#include "base/size.h"

namespace uzushio {

const Options<Resources>& Resources::Declared() {
  static const Options<Resources> options =
      Options<Resources>()
          .Group("Common options")
          .Integer(
              "threads", [](auto& resources) -> auto& { return resources.threads; }, 1, 4096,
              "Number of threads (default: number of available processors)")
          .Alias("j")
          .InShortHelp()
          .WithoutDefault()
          .Frontends(kOnCommandLine | kInPython)
          .Size(
              "memory", [](auto& resources) -> auto& { return resources.memory; }, 1, kAny,
              "Memory limit, such as 512MiB or 16GiB (default: half of the available memory)")
          .InShortHelp();
  return options;
}

arrow::Result<int64_t> ChooseMemory(const Resources& resources, int64_t least) {
  if (!resources.memory) return std::max(DefaultMemory(), least);
  if (*resources.memory >= least) return *resources.memory;
  return MemoryError("--memory ", SizeText(*resources.memory), ": ", resources.threads, " threads need ", least >> 20,
                     "MiB");
}

}  // namespace uzushio
