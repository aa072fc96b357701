// Look-ups in compiled lists of hosts: `bench_hosts LISTS URLS` prints JSON. URLS has a URL a line.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filters/host_lists.h"

namespace {

using uzushio::HostLists;
using uzushio::Location;

// Of the processor, whatever else it is busy with.
template <typename Work>
double Seconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

int64_t Matches(const HostLists& lists, const Location& location, uzushio::HostParts* scratch) {
  int64_t matches = 0;
  lists.ForEachMatch(location, scratch, [&matches](const uzushio::HostMatch&) { ++matches; });
  return matches;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<std::string> urls;
  std::ifstream file(argv[2]);
  for (std::string line; std::getline(file, line);) urls.push_back(line);
  arrow::Result<std::shared_ptr<const HostLists>> lists;
  uzushio::HostListLosses losses;
  const double open = Seconds([&] { lists = HostLists::Read({argv[1]}, &losses); });
  if (!lists.ok()) {
    std::cerr << lists.status().ToString() << "\n";
    return 1;
  }
  std::vector<Location> locations(urls.size());
  const double parse = Seconds([&] {
    for (size_t i = 0; i < urls.size(); ++i) locations[i].Parse(urls[i]);
  });
  uzushio::HostParts scratch;
  int64_t found = 0;
  int64_t domains = 0;
  const double look_up = Seconds([&] {
    for (const Location& location : locations) {
      found += Matches(**lists, location, &scratch) > 0 ? 1 : 0;
      domains += static_cast<int64_t>(scratch.domains.size());
    }
  });
  std::cout << nlohmann::json({{"open", open},
                               {"parse", parse},
                               {"look_up", look_up},
                               {"urls", urls.size()},
                               {"domains", domains},
                               {"found", found}})
                   .dump()
            << "\n";
  return 0;
}
