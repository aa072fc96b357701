// Exact numbers of `report --serve`: `bench_kept TABLE DOCUMENTS THREADS` writes a table of 15 made-up metrics to the
// file TABLE, and prints JSON: seconds to read it, to answer with one threshold moved (the median and the longest of
// 30), and with all moved; and the memory that it takes.
#include <arrow/type.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/common.h"
#include "datasets/metric_columns.h"
#include "datasets/table_writer.h"
#include "stages/report/kept_table.h"

namespace {

using namespace uzushio;  // NOLINT(google-build-using-namespace)

constexpr size_t kColumns = 15;

template <typename Work>
double Elapsed(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string ColumnName(size_t column) { return "Metric" + std::to_string(column); }

arrow::Status WriteMetrics(const std::filesystem::path& path, int64_t documents) {
  arrow::FieldVector fields = {arrow::field("docId", arrow::utf8(), false)};
  for (size_t i = 0; i < kColumns; ++i) fields.push_back(arrow::field(ColumnName(i), arrow::float64(), false));
  for (const char* name : kSizeColumns) fields.push_back(arrow::field(name, arrow::int64(), false));
  ARROW_ASSIGN_OR_RAISE(const auto table, TableWriter::Create(path, arrow::schema(fields)));
  std::mt19937_64 random(1);
  for (int64_t document = 0; document < documents; ++document) {
    table->Text(std::to_string(document));
    for (size_t i = 0; i < kColumns; ++i) table->Double(static_cast<double>(random() >> 40) * 0x1p-24);
    for (size_t i = 0; i < kSizeColumns.size(); ++i) table->Int64(static_cast<int64_t>(random() % 4000));
    ARROW_RETURN_NOT_OK(table->EndRow());
  }
  return table->Finish();
}

// What a mark would say: a filter of two bounds for each column, and one that removes at random by the last.
ReportOutput OutputIn(const std::filesystem::path& folder, int64_t documents) {
  nlohmann::json columns = nlohmann::json::array();
  nlohmann::json rules = nlohmann::json::array();
  for (size_t i = 0; i < kColumns; ++i) {
    columns.push_back({{"name", ColumnName(i)}});
    nlohmann::json rule = {
        {"class", "Filter" + std::to_string(i)}, {"kind", "documents"}, {"parameters", nlohmann::json::object()},
        {"thresholds", nlohmann::json::array()}, {"random", nullptr},   {"normal", nullptr}};
    if (i + 1 == kColumns) rule["random"] = {{"parameter", "expected"}, {"column", i}, {"value", 0.5}};
    for (const bool is_low : {true, false}) {
      if (i + 1 == kColumns) break;
      rule["thresholds"].push_back({{"parameter", is_low ? "low" : "high"},
                                    {"column", i},
                                    {"removes", is_low ? "<" : ">"},
                                    {"value", is_low ? 0.03 : 0.97},
                                    {"integer", false},
                                    {"float", true},
                                    {"single", true},
                                    {"margin", 0}});
    }
    rules.push_back(std::move(rule));
  }
  ReportOutput output;
  output.name = output.stage = "metrics";
  output.folder = folder;
  output.mark["counts"]["documents"] = documents;
  output.mark["run"]["configuration"] = {{"columns", columns}, {"rules", rules}};
  return output;
}

arrow::Status Measure(const std::filesystem::path& folder, int64_t documents, int threads) {
  const std::filesystem::path path = folder / kMetricsFile;
  if (!std::filesystem::exists(path)) ARROW_RETURN_NOT_OK(WriteMetrics(path, documents));
  ARROW_ASSIGN_OR_RAISE(const MetricsTable metrics, MetricsTable::Open(OutputIn(folder, documents)));
  arrow::Result<std::unique_ptr<KeptTable>> table;
  const double read = Elapsed([&] { table = KeptTable::Read(metrics, threads, {}); });
  ARROW_RETURN_NOT_OK(table.status());
  KeptQuestion question = (*table)->chain();
  std::vector<double> one;
  constexpr size_t kQuestions = 30;
  const std::clock_t start = std::clock();
  for (size_t i = 0; i < kQuestions; ++i) {
    const size_t filter = i % kColumns;
    for (double& number : question.thresholds[filter]) number += 0.01;
    if (question.expected[filter]) *question.expected[filter] += 0.1;
    one.push_back(Elapsed([&] { (*table)->Ask(question).ValueOrDie(); }));
  }
  const double busy = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::ranges::sort(one);
  const std::clock_t start_of_all = std::clock();
  const double all = Elapsed([&] { (*table)->Ask((*table)->chain()).ValueOrDie(); });
  const double busy_with_all = static_cast<double>(std::clock() - start_of_all) / CLOCKS_PER_SEC;
  std::cout << nlohmann::json({{"documents", documents},
                               {"threads", threads},
                               {"read", read},
                               {"one_moved", one[one.size() / 2]},
                               {"one_moved_longest", one.back()},
                               {"one_moved_processors", busy / kQuestions},
                               {"all_moved", all},
                               {"all_moved_processors", busy_with_all},
                               {"peak_memory", PeakMemory()}})
            << "\n";
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const arrow::Status measured = Measure(argv[1], std::stoll(argv[2]), std::stoi(argv[3]));
  if (!measured.ok()) std::cerr << measured.ToString() << "\n";
  return measured.ok() ? 0 : 1;
}
