#include "cli/allowed_threads.h"

#include <fmt/format.h>

namespace uzushio {

int AllowedThreads(int threads, int64_t memory, const std::function<int64_t(int threads)>& least) {
  int allowed = 1;
  for (int refused = threads + 1; refused - allowed > 1;) {
    const int middle = allowed + (refused - allowed) / 2;
    (least(middle) <= memory ? allowed : refused) = middle;
  }
  return allowed;
}

std::string AllowedThreadsWarning(int allowed, int threads) {
  return fmt::format("--memory allows {} of {} threads", allowed, threads);
}

}  // namespace uzushio
