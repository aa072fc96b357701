#include "stages/report/kept_table.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/test_support.h"
#include "datasets/metric_columns.h"
#include "datasets/table_writer.h"
#include "filters/filter_document.h"

namespace uzushio {
namespace {

class KeptTableTest : public FolderTest {
 protected:
  struct Document {
    std::string id;
    std::vector<double> metrics;
    int64_t characters = 1;
    int64_t bytes = 3;
  };

  // A chain of all kinds of rules over three columns, as marks have it.
  static nlohmann::json Rules() {
    const auto threshold = [](const char* parameter, int column, const char* removes, double value, bool is_single) {
      return nlohmann::json{{"parameter", parameter}, {"column", column},       {"removes", removes},
                            {"value", value},         {"integer", false},       {"float", is_single},
                            {"single", is_single},    {"margin", 0.01 * column}};
    };
    const auto step = [](const char* filter, const nlohmann::json& thresholds, const nlohmann::json& random = nullptr,
                         const nlohmann::json& normal = nullptr) {
      return nlohmann::json{{"class", filter},          {"kind", "documents"}, {"parameters", nlohmann::json::object()},
                            {"thresholds", thresholds}, {"random", random},    {"normal", normal}};
    };
    nlohmann::json none = nlohmann::json::array();
    nlohmann::json bounds = {threshold("low", 0, "<", 0.25, true), threshold("high", 0, ">", 0.75, true)};
    return {step("Bounds", bounds),
            step("Paragraphs", none),
            step("Hosts", nlohmann::json::array({threshold("", 2, ">=", 3, false)})),
            step("Wide", nlohmann::json::array({threshold("least", 1, ">=", 0.9, false)})),
            step("Sampled", none, {{"parameter", "expected"}, {"column", 2}, {"value", 1.5}}),
            step("Normal", none, nullptr, {{"column", 1}, {"mean", 0.8}, {"deviation", 0.2}})};
  }

  static std::vector<Document> Documents(size_t count) {
    std::mt19937_64 random(count);
    std::uniform_real_distribution<> uniform;
    std::vector<Document> documents;
    for (size_t i = 0; i < count; ++i) {
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      documents.push_back(
          {"document-" + std::to_string(i),
           {random() % 50 == 0 ? nothing : uniform(random), uniform(random), static_cast<double>(random() % 4)},
           static_cast<int64_t>(random() % 5 == 0 ? 0 : random() % 1000),
           static_cast<int64_t>(random() % 3000)});
    }
    return documents;
  }

  // A table, in a file or, as on Spark, in several.
  MetricsTable Write(const std::vector<Document>& documents, size_t files = 1) {
    const auto folder = root_ / std::to_string(++tables_);
    std::filesystem::create_directories(files > 1 ? folder / kMetricsFile : folder);
    arrow::FieldVector fields = {arrow::field("docId", arrow::utf8(), false)};
    for (const char* name : {"A", "B", "C"}) fields.push_back(arrow::field(name, arrow::float64(), false));
    for (const char* name : kSizeColumns) fields.push_back(arrow::field(name, arrow::int64(), false));
    for (size_t file = 0; file < files; ++file) {
      const auto path =
          files > 1 ? folder / kMetricsFile / ("part-" + std::to_string(file) + ".parquet") : folder / kMetricsFile;
      const auto table = TableWriter::Create(path, arrow::schema(fields)).ValueOrDie();
      const size_t end = documents.size() * (file + 1) / files;
      for (size_t i = documents.size() * file / files; i < end; ++i) {
        table->Text(documents[i].id);
        for (const double metric : documents[i].metrics) table->Double(metric);
        for (const int64_t size : {int64_t{7}, int64_t{7}, documents[i].characters, documents[i].bytes}) {
          table->Int64(size);
        }
        EXPECT_TRUE(table->EndRow().ok());
      }
      EXPECT_TRUE(table->Finish().ok());
    }
    ReportOutput output;
    output.name = "run/metrics";
    output.folder = folder;
    output.stage = "metrics";
    output.mark["counts"]["documents"] = documents.size();
    output.mark["run"]["configuration"] = {{"columns", {{{"name", "A"}}, {{"name", "B"}}, {{"name", "C"}}}},
                                           {"rules", Rules()}};
    return MetricsTable::Open(output).ValueOrDie();
  }

  static arrow::Result<std::unique_ptr<KeptTable>> Read(const MetricsTable& table) {
    return KeptTable::Read(table, 2, {});
  }

  // The chain, one document after the other.
  static KeptAnswer Oracle(const std::vector<Document>& documents, const KeptQuestion& question) {
    std::vector<StepRule> rules = ReadRules(Rules(), 3).ValueOrDie();
    for (size_t i = 0; i < rules.size(); ++i) {
      size_t number = 0;
      for (Threshold& one : rules[i].rule.thresholds) {
        if (one.parameter.empty()) continue;
        const double bound = question.thresholds[i][number++];
        if (std::holds_alternative<float>(one.value))
          one.value = static_cast<float>(bound);
        else
          one.value = bound;
      }
      if (rules[i].rule.sampling) rules[i].rule.sampling->value = *question.expected[i];
    }
    KeptAnswer answer;
    answer.removed.resize(rules.size());
    for (const Document& document : documents) {
      FilterDocument of;
      of.Take(document.id, {});
      KeptSum* sum = document.characters > 0 ? &answer.kept : nullptr;
      for (size_t i = rules.size(); i-- > 0;) {
        if (rules[i].rule.RemovesOne(document.metrics, of.random(), of.Gaussian())) sum = &answer.removed[i];
      }
      if (sum != nullptr) sum->Add({1, document.characters, document.bytes});
    }
    return answer;
  }

  int tables_ = 0;

  static void ExpectSame(const KeptAnswer& answer, const KeptAnswer& expected) {
    EXPECT_EQ(answer.kept, expected.kept);
    EXPECT_EQ(answer.removed, expected.removed);
  }
};

TEST_F(KeptTableTest, AsTheChainDecides) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> uniform;
  for (const size_t count : {0U, 1U, 63U, 64U, 65U, 3001U, 150000U}) {
    const std::vector<Document> documents = Documents(count);
    const auto table = Read(Write(documents, count > 100 ? 3 : 1)).ValueOrDie();
    KeptQuestion question = table->chain();
    EXPECT_EQ(question.thresholds, (std::vector<std::vector<double>>{{0.25, 0.75}, {}, {}, {0.9}, {}, {}}));
    ExpectSame(table->Ask(question).ValueOrDie(), Oracle(documents, question));
    for (int i = 0; i < 4; ++i) {
      question.thresholds[0] = {uniform(random) / 2, uniform(random) / 2 + 0.5};
      if (i % 2 == 0) question.thresholds[3] = {uniform(random)};
      if (i > 1) question.expected[4] = 3 * uniform(random);
      ExpectSame(table->Ask(question).ValueOrDie(), Oracle(documents, question));
    }
    ExpectSame(table->Ask(table->chain()).ValueOrDie(), Oracle(documents, table->chain()));
  }
}

TEST_F(KeptTableTest, WhatItTakes) {
  EXPECT_EQ(KeptBytes(Write(Documents(8000))), 8000 * (4 + 8 + 8 + 4 + 4 + 8) + 1000 * 2 * 6);
  std::vector<Document> large = Documents(10);
  large[5].bytes = int64_t{1} << 32;
  EXPECT_NE(Read(Write(large)).status().message().find("which no text has"), std::string::npos);
}

TEST_F(KeptTableTest, QuestionsInJson) {
  const std::vector<Document> documents = Documents(500);
  std::vector<std::unique_ptr<KeptTable>> tables;
  tables.push_back(Read(Write(documents)).ValueOrDie());
  const std::string question =
      R"({"metrics":0,"thresholds":[[0,1],[],[],[2],[],[]],"random":[null,null,null,null,5,null]})";
  const auto answer = nlohmann::json::parse(AnswerKept(tables, question).ValueOrDie());
  const KeptAnswer expected = Oracle(documents, {{{0, 1}, {}, {}, {2}, {}, {}}, {{}, {}, {}, {}, 5, {}}});
  EXPECT_EQ(answer["documents"], expected.kept.documents);
  EXPECT_EQ(answer["bytes"], expected.kept.bytes);
  EXPECT_EQ(answer["removed"][2]["characters"], expected.removed[2].characters);
  EXPECT_EQ(answer["removed"].size(), 6);
  const std::pair<const char*, const char*> none[] = {
      {"{", "no JSON object"},
      {"[]", "no JSON object"},
      {"{}", "metrics: a number from 0 to 0"},
      {R"({"metrics":1})", "metrics: a number from 0 to 0"},
      {R"({"metrics":-1})", "metrics: a number from 0 to 0"},
      {R"({"metrics":0})", "thresholds: a list"},
      {R"({"metrics":0,"thresholds":[]})", "random: a list"},
      {R"({"metrics":0,"thresholds":[],"random":[]})", "0 and 0 filters, and the chain has 6"},
      {R"({"metrics":0,"thresholds":[1],"random":[]})", "thresholds[0]: no list"},
      {R"({"metrics":0,"thresholds":[["1"]],"random":[]})", "thresholds[0]: no number"},
      {R"({"metrics":0,"thresholds":[[0,1]],"random":["1"]})", "random[0]: no number"},
      {R"({"metrics":0,"thresholds":[[0],[],[],[2],[],[]],"random":[null,null,null,null,5,null]})",
       "thresholds[0]: 1 numbers, and Bounds has 2"},
      {R"({"metrics":0,"thresholds":[[0,1],[],[],[2],[],[]],"random":[1,null,null,null,5,null]})",
       "random[0]: Bounds removes no documents at random: null is wanted"},
      {R"({"metrics":0,"thresholds":[[0,1],[],[],[2],[],[]],"random":[null,null,null,null,null,null]})",
       "random[4]: Sampled removes documents at random: a number is wanted"}};
  for (const auto& [body, message] : none) {
    const arrow::Status status = AnswerKept(tables, body).status();
    EXPECT_TRUE(status.IsInvalid());
    EXPECT_NE(status.message().find(message), std::string::npos) << body << ": " << status;
  }
}

}  // namespace
}  // namespace uzushio
