// What documents are: languages, charsets, hosts and dates, for `uzushio report`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "storage/inputs.h"

namespace uzushio {

// Documents, which one or more outputs of stages are.
struct CorpusConfig {
  std::string name;  // as it was given
  std::vector<InputFile> files;
  std::string text_column = "text";
  std::string url_column = "url";
  std::string tmp;  // folder for temporary data
  int threads = 1;
  int64_t memory = 0;  // bytes, kHostsMemory at least
};

// Languages, charsets and hosts that are listed, and months.
inline constexpr size_t kMostNames = 200;
inline constexpr size_t kMostMonths = 1200;

// An object with `name`, `documents`, and, where there are such columns, `languages`, `charsets`, `hosts` (the most
// frequent first) and `dates` (months, in order), each a list of {`name`, `documents`}, and `distinctHosts`. Counts are
// exact, for any number of hosts: what memory has no room for is counted on disk. Values that say nothing, as a URL
// without a host, are left out. `characters` and `bytes` are null: texts are not read. Errors: a file that can not be
// read; a full disk.
arrow::Result<nlohmann::json> CorpusOf(const CorpusConfig& config,
                                       const std::function<void(double share)>& on_progress);

// The month of a date, `yyyy-mm`, or nothing.
std::string_view MonthOf(std::string_view date);

}  // namespace uzushio
