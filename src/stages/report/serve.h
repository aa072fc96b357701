// The page of a report with exact numbers: `uzushio report --serve`.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stages/report/metrics_table.h"
#include "stages/report/report.h"

namespace uzushio {

// Makes the page, reads the tables of metrics into memory, calls `on_ready` with the URL, and serves (server.h) until
// it is told to end. Errors: there are no metrics among the outputs; they do not fit in the memory, with how much would
// do; those of RunReport.
arrow::Status ServeReport(const ReportConfig& config, const ReportProgress& on_progress,
                          const std::function<void(const std::string& url)>& on_ready);

// Errors: tables take more than `room` bytes of the run's `memory`; they say how much would do.
arrow::Status CheckKeptRoom(const std::vector<MetricsTable>& tables, int64_t room, int64_t memory);

}  // namespace uzushio
