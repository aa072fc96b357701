#include "stages/report/funnel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

using Json = nlohmann::json;

ReportOutput OutputOf(const std::string& stage, const Json& counts, const Json& configuration = Json::object()) {
  ReportOutput output;
  output.name = "run/" + stage;
  output.stage = stage;
  output.mark = {{"counts", counts}, {"run", {{"stage", stage}, {"configuration", configuration}}}};
  return output;
}

Json FilterCountsOf(int64_t documents, int64_t paragraphs, int64_t bytes) {
  return {{"documents", documents}, {"paragraphs", paragraphs}, {"text_bytes", bytes}};
}

Json ExtractMark() {
  return {{"records", 10},
          {"documents", 3},
          {"paragraphs", 30},
          {"text_bytes", 99},
          {"characters", 40},
          {"file_bytes", 500},
          {"rejected", {{"language", 1}, {"http-status/404", 5}}},
          {"quarantined", {{"cut-off", 1}}}};
}

Json FilterMark() {
  Json removed = Json::array();
  for (const int64_t documents : {2, 0}) {
    removed.push_back(FilterCountsOf(documents, 4 * documents, 50));
    removed.back()["step"] = 0;
    removed.back()["reason"] = documents == 2 ? "DocLength.Low(5)" : "DocLength.High(9)";
  }
  return {{"input", FilterCountsOf(3, 30, 90)},
          {"passed", FilterCountsOf(1, 22, 40)},
          {"empty", FilterCountsOf(0, 0, 0)},
          {"removed", removed},
          {"quarantined", {{"no-utf8", 4}}}};
}

TEST(Funnel, IsInTheOrderOfTheFlow) {
  const Json filters = {{"filters", Json::array({{{"class", "DocLength"}}})}};
  const Json rows = FunnelOf({OutputOf("extract", ExtractMark()), OutputOf("stats", Json::object()),
                              OutputOf("filter", FilterMark(), filters)})
                        .ValueOrDie();
  std::vector<std::string> told;
  for (const Json& row : rows) {
    told.push_back(row["label"].get<std::string>() + " " + row["kind"].get<std::string>() + " " + row["stage"].dump());
  }
  EXPECT_THAT(told, testing::ElementsAre("WARC records input 0", "http-status/404 rejected 0", "language rejected 0",
                                         "quarantined rejected 0", "documents output 0", "documents input 2",
                                         "quarantined rejected 2", "DocLength.Low(5) removed 2", "passed output 2"));
  EXPECT_TRUE(rows[0]["bytes"].is_null());
  EXPECT_EQ(rows[4]["characters"], 40);
  EXPECT_TRUE(rows[4]["records"].is_null());
  EXPECT_EQ(rows[5]["documents"], 7);
  EXPECT_TRUE(rows[7]["characters"].is_null());
  EXPECT_EQ(rows[7]["class"], "DocLength");
}

// What minhash removed, in the order in which it looks.
TEST(Funnel, PartsDuplicatesByReason) {
  Json counts = {{"documents", 9}, {"text_bytes", 90}, {"kept", 3}, {"duplicates", 6}, {"quarantined", Json::object()}};
  const auto told = [&counts] {
    std::vector<std::string> rows;
    for (const Json& row : FunnelOf({OutputOf("minhash", counts)}).ValueOrDie()) {
      rows.push_back(row["label"].get<std::string>() + " " + row["documents"].dump());
    }
    return rows;
  };
  EXPECT_THAT(told(), testing::ElementsAre("documents 9", "duplicates 6", "kept 3"));
  counts["contained"] = 2;
  EXPECT_THAT(told(), testing::ElementsAre("documents 9", "duplicates 4", "contained 2", "kept 3"));
  counts["older_captures"] = 4;
  EXPECT_THAT(told(), testing::ElementsAre("documents 9", "older_captures 4", "duplicates 0", "contained 2", "kept 3"));
  counts["duplicates"] = 5;
  EXPECT_THAT(FunnelOf({OutputOf("minhash", counts)}).status().message(),
              testing::HasSubstr(": fewer 'duplicates' than"));
}

// An error that names the mark; nothing else happens.
TEST(Funnel, RefusesDamagedMarks) {
  const auto error = [](const std::string& stage, Json counts, const char* pointer, const Json& value) {
    counts[Json::json_pointer(pointer)] = value;
    const auto rows = FunnelOf({OutputOf(stage, counts, {{"filters", Json::array({Json::object()})}})});
    return rows.ok() ? "" : rows.status().message();
  };
  const auto names = testing::HasSubstr(": its manifest is damaged");
  EXPECT_THAT(error("extract", ExtractMark(), "/records", -1), names);
  EXPECT_THAT(error("extract", ExtractMark(), "/rejected", 3), names);
  EXPECT_THAT(error("extract", ExtractMark(), "/rejected/language", "x"), names);
  EXPECT_THAT(error("extract", ExtractMark(), "/characters", 1.5), names);
  EXPECT_THAT(error("filter", FilterMark(), "/removed", nullptr), names);
  EXPECT_THAT(error("filter", FilterMark(), "/removed/0/step", 1), names);
  EXPECT_THAT(error("filter", FilterMark(), "/removed/0/reason", 1), names);
  EXPECT_THAT(error("clean", FilterMark(), "/passed", nullptr), names);
  EXPECT_THAT(error("minhash", {{"documents", 3}, {"kept", 2}}, "/duplicates", 1), names);
  EXPECT_EQ(error("minhash", {{"documents", 3}}, "/buckets", 1), "");
}

}  // namespace
}  // namespace uzushio
