#include "base/resources.h"

#include <algorithm>

#include "base/memory_error.h"
#include "base/size.h"

namespace uzushio {

const Options<Resources>& Resources::Declared() {
  static const Options<Resources> options =
      Options<Resources>()
          .Group("Common options")
          .Integer("threads", &Resources::threads, 1, 4096,
                   "Number of threads (default: number of available processors)")
          .Alias("j")
          .InShortHelp()
          .WithoutDefault()
          .Frontends(kOnCommandLine | kInPython)
          .Size("memory", &Resources::memory, 1, kAny,
                "Memory limit, such as 512MiB or 16GiB (default: half of the available memory)")
          .WithoutDefault()
          .InShortHelp();
  return options;
}

arrow::Result<int64_t> ChooseMemory(const Resources& resources, int64_t least) {
  if (resources.memory == 0) return std::max(DefaultMemory(), least);
  if (resources.memory >= least) return resources.memory;
  return MemoryError("--memory ", SizeText(resources.memory), ": ", resources.threads,
                     resources.threads == 1 ? " thread needs " : " threads need ", least >> 20, "MiB");
}

}  // namespace uzushio
