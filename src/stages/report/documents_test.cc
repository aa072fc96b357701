#include "stages/report/documents.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

class ReportDocuments : public FolderTest {
 protected:
  // An output of these files, of which those of `there` are there.
  ReportOutput Output(const std::string& name, const std::string& stage, const std::vector<std::string>& files,
                      const std::vector<std::string>& inputs = {}, bool there = true) {
    ReportOutput output;
    output.name = name;
    output.folder = root_ / name;
    output.stage = stage;
    output.mark = {{"files", nlohmann::json::array()},
                   {"run", {{"inputs", nlohmann::json::array()}, {"configuration", nlohmann::json::object()}}}};
    for (const std::string& file : files) {
      output.mark["files"].push_back({{"path", file}, {"bytes", 0}, {"rows", 0}, {"xxh64", "0"}});
      std::filesystem::create_directories((output.folder / file).parent_path());
      if (there) std::ofstream(output.folder / file) << "";
    }
    for (const std::string& input : inputs) {
      output.mark["run"]["inputs"].push_back({{"name", (root_ / input).string()}, {"bytes", 0}});
    }
    return output;
  }

  // Below the test's folder.
  std::vector<std::string> Names(const std::optional<CorpusConfig>& documents) const {
    std::vector<std::string> names;
    for (const InputFile& file : documents.value_or(CorpusConfig()).files) {
      names.push_back(file.name.substr(root_.string().size() + 1));
    }
    return names;
  }
};

using Strings = std::vector<std::string>;

TEST_F(ReportDocuments, WhatIsKept) {
  const auto names = [this](const ReportOutput& output) { return Names(DocumentsOf(output).ValueOrDie()); };
  EXPECT_EQ(names(Output("d", "extract",
                         {"language=ja/part-00000.parquet", ".uzushio/full-data/language=ja/part-00000.pq",
                          "quarantine/_part-00000.jsonl.gz"})),
            (Strings{"d/language=ja/part-00000.parquet"}));
  EXPECT_EQ(names(Output("f", "filter", {"filter=none/part-00000.jsonl.gz", "filter=A/part-00000.jsonl.gz"})),
            (Strings{"f/filter=none/part-00000.jsonl.gz"}));
  EXPECT_EQ(names(Output("m", "minhash",
                         {"part-00000.parquet", ".uzushio/duplicates/part-00000.pq", ".uzushio/minhash/0.index"})),
            (Strings{"m/part-00000.parquet"}));
  EXPECT_EQ(names(Output("n", "minhash", {"dedup/part-00000.parquet", "dup/part-00000.parquet"})),
            (Strings{"n/dedup/part-00000.parquet"}));
  EXPECT_EQ(names(Output("s", "stats", {"statistics.parquet"})), Strings());
}

TEST_F(ReportDocuments, MarksAlone) {
  EXPECT_FALSE(DocumentsOf(Output("d", "extract", {"part-00000.parquet"}, {}, false)).ValueOrDie());
  ReportOutput some = Output("e", "extract", {"part-00000.parquet", "part-00001.parquet"});
  std::filesystem::remove(root_ / "e/part-00001.parquet");
  EXPECT_NE(DocumentsOf(some).status().message().find("e: part-00001.parquet, which its mark lists, is not there"),
            std::string::npos);
}

TEST_F(ReportDocuments, ColumnsOfTheRun) {
  ReportOutput output = Output("f", "filter", {"part-00000.parquet"});
  EXPECT_EQ(DocumentsOf(output).ValueOrDie()->text_column, "text");
  output.mark["run"]["configuration"] = {{"text_column", "body"}, {"url_column", "uri"}};
  EXPECT_EQ(DocumentsOf(output).ValueOrDie()->text_column, "body");
  EXPECT_EQ(DocumentsOf(output).ValueOrDie()->url_column, "uri");
}

TEST_F(ReportDocuments, BehindStatistics) {
  const ReportOutput a = Output("a", "extract", {"part-00000.parquet", "part-00001.parquet"});
  const ReportOutput b = Output("b", "extract", {"part-00000.parquet"});
  const ReportOutput of_a =
      Output("sa", "stats", {"statistics.parquet"}, {"a/part-00000.parquet", "a/part-00001.parquet"});
  const ReportOutput of_b = Output("sb", "stats", {"statistics.parquet"}, {"b/part-00000.parquet"});
  const ReportOutput merged =
      Output("merged", "merge", {"statistics.parquet"}, {"sa/statistics.parquet", "sb/statistics.parquet"});
  const Strings all = {"a/part-00000.parquet", "a/part-00001.parquet", "b/part-00000.parquet"};
  EXPECT_EQ(Names(DocumentsBehind(of_b, {a, b, of_b}).ValueOrDie()), (Strings{"b/part-00000.parquet"}));
  EXPECT_EQ(Names(DocumentsBehind(merged, {merged, b, of_a, of_b, a}).ValueOrDie()), all);
  EXPECT_FALSE(DocumentsBehind(merged, {a, b, of_b, merged}).ValueOrDie());
  EXPECT_FALSE(DocumentsBehind(of_a, {b, of_a}).ValueOrDie());
  const ReportOutput nowhere = Output("none", "stats", {"statistics.parquet"});
  EXPECT_FALSE(DocumentsBehind(nowhere, {a, nowhere}).ValueOrDie());
}

// Of statistics that read more than the documents, as of all parts of a filter's output, or less.
TEST_F(ReportDocuments, BehindStatisticsOfOthersToo) {
  const Strings parts = {"filter=none/part-00000.parquet", "filter=A/part-00000.parquet"};
  const ReportOutput parted = Output("f", "filter", parts);
  const ReportOutput all = Output("all", "stats", {"statistics.parquet"}, {"f/" + parts[0], "f/" + parts[1]});
  const ReportOutput kept = Output("kept", "stats", {"statistics.parquet"}, {"f/" + parts[0]});
  EXPECT_FALSE(DocumentsBehind(all, {parted, all}).ValueOrDie());
  EXPECT_EQ(Names(DocumentsBehind(kept, {parted, kept}).ValueOrDie()), (Strings{"f/" + parts[0]}));
  const ReportOutput two = Output("d", "extract", {"part-00000.parquet", "part-00001.parquet"});
  const ReportOutput of_one = Output("one", "stats", {"statistics.parquet"}, {"d/part-00000.parquet"});
  EXPECT_FALSE(DocumentsBehind(of_one, {two, of_one}).ValueOrDie());
}

TEST_F(ReportDocuments, BehindStatisticsOfPartsMerged) {
  const ReportOutput d = Output("d", "extract", {"part-00000.parquet", "part-00001.parquet"});
  const ReportOutput first = Output("s0", "stats", {"statistics.parquet"}, {"d/part-00000.parquet"});
  const ReportOutput second = Output("s1", "stats", {"statistics.parquet"}, {"d/part-00001.parquet"});
  const ReportOutput merged =
      Output("merged", "merge", {"statistics.parquet"}, {"s0/statistics.parquet", "s1/statistics.parquet"});
  EXPECT_EQ(Names(DocumentsBehind(merged, {d, first, second, merged}).ValueOrDie()),
            (Strings{"d/part-00000.parquet", "d/part-00001.parquet"}));
}

// What was counted twice is not what the documents have.
TEST_F(ReportDocuments, BehindStatisticsOfSomethingTwice) {
  const ReportOutput d = Output("d", "extract", {"part-00000.parquet"});
  const ReportOutput first = Output("s0", "stats", {"statistics.parquet"}, {"d/part-00000.parquet"});
  const ReportOutput second = Output("s1", "stats", {"statistics.parquet"}, {"d/part-00000.parquet"});
  const Strings both = {"s0/statistics.parquet", "s1/statistics.parquet"};
  const ReportOutput merged = Output("m", "merge", {"statistics.parquet"}, both);
  EXPECT_FALSE(DocumentsBehind(merged, {d, first, second, merged}).ValueOrDie());
  const ReportOutput again = Output("n", "merge", {"statistics.parquet"}, {"m/statistics.parquet", both[0]});
  const ReportOutput one = Output("m", "merge", {"statistics.parquet"}, {both[0]});
  EXPECT_FALSE(DocumentsBehind(again, {d, first, one, again}).ValueOrDie());
  const ReportOutput twice = Output("s2", "stats", {"statistics.parquet"}, Strings(2, "d/part-00000.parquet"));
  EXPECT_FALSE(DocumentsBehind(twice, {d, twice}).ValueOrDie());
}

// The folder nearest to a file has it, by whatever links it is named.
TEST_F(ReportDocuments, BehindStatisticsInOneAnother) {
  const ReportOutput outer = Output("o", "extract", {"part-00000.parquet"});
  const ReportOutput inner = Output("o/i", "extract", {"part-00000.parquet"});
  std::filesystem::create_directory_symlink(root_ / "o", root_ / "link");
  const ReportOutput of_inner = Output("s", "stats", {"statistics.parquet"}, {"link/i/part-00000.parquet"});
  EXPECT_EQ(Names(DocumentsBehind(of_inner, {outer, inner, of_inner}).ValueOrDie()),
            (Strings{"o/i/part-00000.parquet"}));
}

}  // namespace
}  // namespace uzushio
