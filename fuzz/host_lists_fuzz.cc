// Any bytes as a list of hosts, as text, as a file of UT1 or as compiled lists: read or refused. What text gives is the
// same when it is compiled, and each of its entries covers itself.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bytes.h"
#include "filters/host_lists.h"

namespace {

using uzushio::HostEntry;
using uzushio::HostLists;

void CheckCovered(std::string_view line, const HostLists& lists) {
  HostEntry entry;
  if (!entry.Parse(line)) return;
  if (entry.is_below_only) entry.location.host = "x." + entry.location.host;
  uzushio::HostParts scratch;
  bool found = false;
  lists.ForEachMatch(entry.location, &scratch, [&](const uzushio::HostMatch& match) {
    if (match.list >= lists.names().size() || uzushio::EntryText(entry.location, match).empty()) std::abort();
    found = true;
  });
  if (!found) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = uzushio_fuzz::View(data, size);
  const uzushio_fuzz::File file(text, ".hosts");
  uzushio::HostListLosses losses;
  const auto lists = HostLists::Read({file.path()}, &losses);
  uzushio::Location location;
  location.Parse(text);
  if (!lists.ok()) {
    if (lists.status().message().empty() || !text.starts_with("ARROW1")) std::abort();
    return 0;
  }
  if (text.starts_with("ARROW1")) return 0;
  if (!(*lists)->Write(file.path(), true).ok()) std::abort();
  const auto again = HostLists::Read({file.path()}, &losses);
  if (!again.ok() || (*again)->checksum() != (*lists)->checksum()) std::abort();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t\r\f\v");
    if (begin != std::string_view::npos && line[begin] != '#' && line.size() < 60000) CheckCovered(line, **again);
  }
  return 0;
}
