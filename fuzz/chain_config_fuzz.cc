// Any bytes as the configuration of a chain: it is read or refused with a message of one line.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "filters/chain.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Nested deeper than any configuration, HOCON's parser is slow; includes would read this machine's files.
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || text.find("include") != std::string::npos) return 0;
  static const std::string path = "/tmp/uzushio-fuzz-" + std::to_string(getpid()) + ".conf";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  const auto chain = uzushio::FilterChain::Read(path, {{"name", "value"}});
  std::remove(path.c_str());
  if (chain.ok()) return 0;
  const std::string message = chain.status().message();
  if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  return 0;
}
