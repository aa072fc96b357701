// `uzushio extract`.
#pragma once

#include <arrow/result.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/common.h"

namespace uzushio {

// Adds the subcommand. When it is the one called, its exit code goes to `run`.
void AddExtractCommand(CLI::App* app, CommandRun* run);

// What --language takes: codes of languages to keep. The result is empty for `all`.
arrow::Result<std::set<std::string>> ParseLanguages(const std::vector<std::string>& languages);

// What --max-page-bytes and --max-text-bytes take: bytes, at most 1 GiB.
arrow::Result<size_t> ParsePageSize(const std::string& text);

}  // namespace uzushio
