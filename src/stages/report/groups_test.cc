#include "stages/report/groups.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/memory_plan.h"
#include "base/test_support.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"
#include "document/paragraph_hash.h"
#include "stages/report/distinct_count.h"
#include "stages/report/wanted_paragraphs.h"
#include "statistics/folder.h"

namespace uzushio {
namespace {

class ReportGroups : public FolderTest {
 protected:
  struct Row {
    int64_t hash, pivot;
    int32_t exact, near;
  };

  void WriteStatistics(const std::vector<Row>& rows) {
    std::filesystem::create_directories(folder_);
    const auto table = TableWriter::Create(folder_ / kStatisticsFile, StatisticsSchema()).ValueOrDie();
    for (const Row& row : rows) {
      table->Int64(row.hash);
      table->Int64(row.pivot);
      table->Int32(row.exact);
      table->Int32(row.near);
      EXPECT_TRUE(table->EndRow().ok());
    }
    EXPECT_TRUE(table->Finish().ok());
  }

  void WriteTexts(const std::vector<std::string>& texts) {
    std::filesystem::create_directories((folder_ / kIntermediateFile.path).parent_path());
    const auto table = TableWriter::Create(folder_ / kIntermediateFile.path, IntermediateSchema()).ValueOrDie();
    for (const std::string& text : texts) {
      table->Int64(ParagraphHash(text));
      table->Int64(ParagraphHash(text));
      table->Int32(1);
      table->Int32(1);
      table->Text(text);
      EXPECT_TRUE(table->EndRow().ok());
    }
    EXPECT_TRUE(table->Finish().ok());
  }

  void WriteGroups(const std::string& lines) {
    std::filesystem::create_directories((folder_ / kGroupsFile.path).parent_path());
    std::ofstream(folder_ / kGroupsFile.path, std::ios::binary) << Gzip(lines);
  }

  // Of (url, text).
  void WriteDocuments(const std::vector<std::pair<std::string, std::string>>& documents, size_t files = 1) {
    std::filesystem::create_directories(root_ / "d");
    for (size_t file = 0; file < files; ++file) {
      const auto table =
          TableWriter::Create(root_ / "d" / ("part-" + std::to_string(file) + ".parquet"),
                              arrow::schema({arrow::field("url", arrow::utf8()), arrow::field("text", arrow::utf8())}))
              .ValueOrDie();
      for (size_t i = file; i < documents.size(); i += files) {
        table->Text(documents[i].first);
        table->Text(documents[i].second);
        EXPECT_TRUE(table->EndRow().ok());
      }
      EXPECT_TRUE(table->Finish().ok());
    }
  }

  arrow::Result<nlohmann::json> Groups(bool documents, int threads = 2, int64_t spare = 0) {
    GroupsConfig config;
    config.name = "run/statistics";
    config.folder = folder_.string();
    config.tmp = root_.string();
    config.threads = threads;
    config.memory = kPartitionsMemory.With(threads) + spare;
    if (documents) {
      config.documents.emplace();
      config.documents->files = ResolveInputs({(root_ / "d").string()}, kDocumentSuffixes).ValueOrDie();
      config.documents->threads = threads;
    }
    return GroupsOf(config, nullptr);
  }

  std::filesystem::path folder_ = root_ / "s";
};

TEST_F(ReportGroups, SizesLargestAndFrequent) {
  WriteStatistics({{-9, -9, 5, 9}, {-3, -9, 3, 9}, {2, -9, 1, 9}, {7, 7, 2, 2}, {8, 8, 40, 41}, {9, 8, 1, 41}});
  const auto groups = Groups(false).ValueOrDie();
  EXPECT_EQ(groups, nlohmann::json::parse(R"({
    "name": "run/statistics", "groups": 2, "paragraphs": 6,
    "sizes": [{"least": 1, "most": 1, "groups": 1, "occurrences": 2},
              {"least": 2, "most": 2, "groups": 1, "occurrences": 41},
              {"least": 3, "most": 4, "groups": 1, "occurrences": 9}],
    "largest": [
      {"hash": "8", "occurrences": 41, "members": 2, "hosts": null, "variants": [
        {"text": null, "exactFreq": 40, "nearFreq": 41}, {"text": null, "exactFreq": 1, "nearFreq": 41}]},
      {"hash": "-9", "occurrences": 9, "members": 3, "hosts": null, "variants": [
        {"text": null, "exactFreq": 5, "nearFreq": 9}, {"text": null, "exactFreq": 3, "nearFreq": 9},
        {"text": null, "exactFreq": 1, "nearFreq": 9}]},
      {"hash": "7", "occurrences": 2, "members": 1, "hosts": null, "variants": [
        {"text": null, "exactFreq": 2, "nearFreq": 2}]}],
    "frequent": [
      {"text": null, "exactFreq": 40, "nearFreq": 41, "hosts": null, "documents": null},
      {"text": null, "exactFreq": 5, "nearFreq": 9, "hosts": null, "documents": null},
      {"text": null, "exactFreq": 3, "nearFreq": 9, "hosts": null, "documents": null},
      {"text": null, "exactFreq": 2, "nearFreq": 2, "hosts": null, "documents": null},
      {"text": null, "exactFreq": 1, "nearFreq": 41, "hosts": null, "documents": null},
      {"text": null, "exactFreq": 1, "nearFreq": 9, "hosts": null, "documents": null}]})"));
}

TEST_F(ReportGroups, TextsOfTheFolder) {
  const std::string text = Repeat("あ𠮷", 250);
  const int64_t hash = ParagraphHash(text);
  WriteStatistics({{hash, hash, 2, 2}});
  WriteTexts({"other", text});
  const auto groups = Groups(false).ValueOrDie();
  EXPECT_EQ(groups["frequent"][0]["text"], Repeat("あ𠮷", 200));
  EXPECT_EQ(groups["largest"][0]["variants"][0]["text"], Repeat("あ𠮷", 200));
}

TEST_F(ReportGroups, TextsOfTheGroups) {
  WriteStatistics({{5, 5, 2, 2}, {6, 6, 3, 3}});
  WriteGroups("{\"hash\":6,\"text\":\"six\"}\n{\"hash\":7,\"text\":\"-\"}\n{\"hash\":5,\"text\":\"five\"}\nnot read");
  const auto groups = Groups(false).ValueOrDie();
  EXPECT_EQ(groups["frequent"][0]["text"], "six");
  EXPECT_EQ(groups["frequent"][1]["text"], "five");
  WriteGroups("{\"hash\":6,\"text\":\"six\"}\n{\"hash\":\"5\"}\n");
  EXPECT_NE(Groups(false).status().message().find("a line is damaged (no-group)"), std::string::npos);
}

TEST_F(ReportGroups, DocumentsAndHosts) {
  const int64_t menu = ParagraphHash("menu");
  const int64_t near = ParagraphHash("menu!");
  WriteStatistics({{menu, 1, 6, 7}, {near, 1, 1, 7}});
  WriteDocuments({{"http://a.jp/1", "body>p\x1cmenu\n\nmenu\n\ntext"},
                  {"http://a.jp/2", "me\x02nu\x03"},
                  {"http://b.jp/", "menu\n\nmenu"},
                  {"none", "menu"},
                  {"http://c.jp/", "menu!"},
                  {"http://d.jp/", "\xFF\n\nmenu"}},
                 2);
  const auto groups = Groups(true).ValueOrDie();
  EXPECT_EQ(groups["frequent"], nlohmann::json::parse(R"([
    {"text": "menu", "exactFreq": 6, "nearFreq": 7, "documents": 4, "hosts": 2},
    {"text": "menu!", "exactFreq": 1, "nearFreq": 7, "documents": 1, "hosts": 1}])"));
  EXPECT_EQ(groups["largest"][0]["hosts"], 3);
}

TEST_F(ReportGroups, ManyHostsAreEstimated) {
  WriteStatistics({{ParagraphHash("menu"), 1, 6, 7}});
  std::vector<std::pair<std::string, std::string>> documents;
  for (int i = 0; i < 10000; ++i) documents.emplace_back("http://" + std::to_string(i) + ".jp/", "menu");
  WriteDocuments(documents, 3);
  const auto groups = Groups(true).ValueOrDie();
  const auto& frequent = groups["frequent"][0];
  EXPECT_EQ(frequent["documents"], 10000);
  EXPECT_TRUE(frequent["hostsAreEstimates"]);
  EXPECT_NEAR(frequent["hosts"].get<double>(), 10000, 500);
  EXPECT_EQ(groups, Groups(true, 3).ValueOrDie());
}

// By sorting all. The largest group does not fit in what a thread loads.
TEST_F(ReportGroups, AsManyAsDoNotFit) {
  std::mt19937_64 random(1);
  std::vector<Row> rows;
  std::map<int64_t, std::pair<int64_t, int64_t>> groups;  // members, occurrences
  std::vector<std::tuple<int64_t, int64_t, int64_t>> frequent;
  for (int i = 0; i < 800000; ++i) {
    const uint64_t kind = random() % 2;
    const auto pivot = static_cast<int64_t>(kind == 0 ? 12345U : random() % 50000 * 0x9E3779B97F4A7C15U);
    rows.push_back({static_cast<int64_t>(random()), pivot, static_cast<int32_t>(random() % 1000 + 1), 2000});
    ++groups[pivot].first;
    groups[pivot].second += rows.back().exact;
    frequent.emplace_back(-rows.back().exact, rows.back().hash, 0);
  }
  WriteStatistics(rows);
  const auto told = Groups(false, 1, 0).ValueOrDie();
  EXPECT_EQ(told["groups"], std::ranges::count_if(groups, [](const auto& of) { return of.second.first > 1; }));
  EXPECT_EQ(told["paragraphs"], rows.size());
  std::vector<std::pair<int64_t, int64_t>> largest;
  for (const auto& [pivot, sum] : groups) largest.emplace_back(-sum.second, pivot);
  std::ranges::sort(largest);
  ASSERT_EQ(told["largest"].size(), kMostGroups);
  for (size_t i = 0; i < kMostGroups; ++i) {
    EXPECT_EQ(told["largest"][i]["hash"], std::to_string(largest[i].second));
    EXPECT_EQ(told["largest"][i]["members"], groups[largest[i].second].first);
    EXPECT_EQ(told["largest"][i]["variants"].size(),
              std::min<size_t>(kMostVariants, static_cast<size_t>(groups[largest[i].second].first)));
  }
  int64_t members = 0;
  for (const auto& size : told["sizes"]) members += size["groups"].get<int64_t>();
  EXPECT_EQ(members, groups.size());
  std::ranges::sort(frequent);
  ASSERT_EQ(told["frequent"].size(), kMostFrequent);
  for (size_t i = 0; i < kMostFrequent; ++i) {
    EXPECT_EQ(told["frequent"][i]["exactFreq"], -std::get<0>(frequent[i]));
  }
  EXPECT_EQ(told, Groups(false, 3, 256 << 20).ValueOrDie());
}

TEST_F(ReportGroups, NoStatistics) {
  WriteDocuments({{"", ""}});
  folder_ = root_ / "d";
  EXPECT_NE(Groups(false).status().message().find("these are no statistics"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
