// Any bytes as the configuration of a chain: it is read or refused with a message of one line.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bytes.h"
#include "filters/chain.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Nested deeper than any configuration, HOCON's parser is slow; includes would read this machine's files.
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || text.find("include") != std::string::npos) return 0;
  const uzushio_fuzz::File file(text, ".conf");
  const auto chain = uzushio::FilterChain::Read(file.path(), {{"name", "value"}});
  if (chain.ok()) return 0;
  const std::string message = chain.status().message();
  if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  return 0;
}
