#include "stages/report/corpus.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "base/memory_plan.h"
#include "base/test_support.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"

namespace uzushio {
namespace {

TEST(MonthOf, IsOneOfAYear) {
  EXPECT_EQ(MonthOf("2023-05-01T00:00:00"), "2023-05");
  EXPECT_EQ(MonthOf("1999-12"), "1999-12");
  for (const char* none : {"", "2023", "2023-13-01", "2023-00", "2023/05", "x023-05", "2023-5-1", "2023-0"}) {
    EXPECT_EQ(MonthOf(none), "") << none;
  }
}

class CorpusTest : public FolderTest {
 protected:
  struct Row {
    std::string url, charset, date;
  };

  static void Write(const std::filesystem::path& path, const std::vector<Row>& rows) {
    std::filesystem::create_directories(path.parent_path());
    arrow::FieldVector fields;
    for (const char* name : {"text", "url", "charset", "date"}) {
      fields.push_back(arrow::field(name, arrow::utf8(), false));
    }
    const auto table = TableWriter::Create(path, arrow::schema(fields)).ValueOrDie();
    for (const Row& row : rows) {
      for (const std::string& text : {std::string("あ"), row.url, row.charset, row.date}) table->Text(text);
      EXPECT_TRUE(table->EndRow().ok());
    }
    EXPECT_TRUE(table->Finish().ok());
  }

  nlohmann::json Corpus(const std::string& folder, int threads = 2, int64_t spare = 0) {
    CorpusConfig config;
    config.name = "run/documents";
    config.files = ResolveInputs({folder}, kDocumentSuffixes).ValueOrDie();
    config.tmp = root_.string();
    config.threads = threads;
    config.memory = kHostsMemory.With(threads) + spare;
    return CorpusOf(config, nullptr).ValueOrDie();
  }
};

TEST_F(CorpusTest, WhatDocumentsAre) {
  const std::string bad("\xFF", 1);
  Write(root_ / "d/language=ja/part-00000.parquet", {{"https://a.jp/x", "utf-8", "2023-05-01T00:00:00"},
                                                     {"https://A.jp:80/y", "utf-8", "2023-05-31T00:00:00"},
                                                     {"http://b.jp/", "euc-jp", "2021-01-01T00:00:00"}});
  Write(root_ / "d/language=en/part-00000.parquet", {{"no url", bad, ""}, {"http://a.jp/", "", "soon"}});
  EXPECT_EQ(Corpus((root_ / "d").string()), nlohmann::json::parse(R"({
    "name": "run/documents", "documents": 5, "characters": null, "bytes": null,
    "languages": [{"name": "ja", "documents": 3}, {"name": "en", "documents": 2}],
    "charsets": [{"name": "utf-8", "documents": 2}, {"name": "euc-jp", "documents": 1}],
    "hosts": [{"name": "a.jp", "documents": 3}, {"name": "b.jp", "documents": 1}],
    "distinctHosts": 2,
    "dates": [{"name": "2021-01", "documents": 1}, {"name": "2023-05", "documents": 2}]})"));
}

TEST_F(CorpusTest, LinesOfTextsAlone) {
  std::filesystem::create_directories(root_ / "d");
  std::ofstream(root_ / "d/part.jsonl") << "{\"text\":\"a\"}\nno json\n{\"text\":\"b\"}\n";
  const auto corpus = Corpus((root_ / "d").string());
  EXPECT_EQ(corpus["documents"], 2);
  EXPECT_TRUE(corpus["hosts"].empty());
  EXPECT_TRUE(corpus["distinctHosts"].is_null());
}

TEST_F(CorpusTest, MoreHostsThanFit) {
  std::mt19937 random(1);
  std::map<std::string, int64_t> hosts;
  for (int file = 0; file < 3; ++file) {
    std::vector<Row> rows;
    for (int i = 0; i < 50000; ++i) {
      const std::string host = Repeat("x", 60) + std::to_string(random() % (random() % 4 == 0 ? 300 : 90000)) + ".jp";
      rows.push_back({"http://" + host + "/", "", ""});
      ++hosts[host];
    }
    Write(root_ / "d" / ("part-" + std::to_string(file) + ".parquet"), rows);
  }
  const auto corpus = Corpus((root_ / "d").string(), 3);
  EXPECT_EQ(corpus["distinctHosts"], hosts.size());
  ASSERT_EQ(corpus["hosts"].size(), kMostNames);
  int64_t before = INT64_MAX;
  for (const auto& host : corpus["hosts"]) {
    EXPECT_EQ(host["documents"], hosts[host["name"]]);
    EXPECT_LE(host["documents"], before);
    before = host["documents"];
  }
  EXPECT_EQ(corpus, Corpus((root_ / "d").string(), 1, 64 << 20));
}

}  // namespace
}  // namespace uzushio
