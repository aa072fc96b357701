#include "stages/report/serve.h"

#include <memory>
#include <utility>

#include "base/memory.h"
#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "stages/report/kept_table.h"
#include "stages/report/server.h"

namespace uzushio {
namespace {

// In the order in which the page has them.
arrow::Result<std::vector<MetricsTable>> OpenTables(const std::vector<ReportOutput>& outputs) {
  std::vector<MetricsTable> tables;
  for (const ReportOutput& output : outputs) {
    if (output.stage != "metrics") continue;
    ARROW_ASSIGN_OR_RAISE(MetricsTable table, MetricsTable::Open(output));
    tables.push_back(std::move(table));
  }
  if (!tables.empty()) return tables;
  return arrow::Status::Invalid("--serve: there is no output of uzushio metrics among these, and nothing to ask for; ",
                                "name one, or write the page by --output");
}

}  // namespace

arrow::Status CheckKeptRoom(const std::vector<MetricsTable>& tables, int64_t room, int64_t memory) {
  int64_t bytes = 0;
  int64_t documents = 0;
  for (const MetricsTable& table : tables) {
    bytes += KeptBytes(table);
    documents += table.documents();
  }
  if (bytes <= room) return arrow::Status::OK();
  return MemoryError("--serve: the metrics of ", documents, " documents take ", (bytes >> 20) + 1, "MiB; --memory ",
                     ((memory - room + bytes) >> 20) + 1, "MiB would do");
}

arrow::Status ServeReport(const ReportConfig& config, const ReportProgress& on_progress,
                          const std::function<void(const std::string& url)>& on_ready) {
  const int64_t room = config.memory - kReportMemory.With(config.threads);
  ARROW_ASSIGN_OR_RAISE(std::vector<MetricsTable> tables, OpenTables(config.outputs));
  ARROW_RETURN_NOT_OK(CheckKeptRoom(tables, room, config.memory));
  ServerConfig server;
  ARROW_ASSIGN_OR_RAISE(server.token, MakeToken());
  ReportResult result;
  ARROW_ASSIGN_OR_RAISE(server.page, MakePage(config, server.token, on_progress, &result));
  ReturnFreedMemory();
  const ReportPlan plan = PlanReport(kReportMemory.With(config.threads), config.threads);
  std::vector<std::unique_ptr<KeptTable>> kept;
  for (const MetricsTable& table : tables) {
    on_progress(static_cast<double>(kept.size()) / static_cast<double>(tables.size()), "metrics to memory");
    ARROW_ASSIGN_OR_RAISE(kept.emplace_back(), KeptTable::Read(table, config.threads, plan.reader));
  }
  tables.clear();
  server.kept = [&kept](const std::string& body) { return AnswerKept(kept, body); };
  server.on_ready = on_ready;
  return Serve(server);
}

}  // namespace uzushio
