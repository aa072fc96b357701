#include "stages/filter/shares.h"

#include <arrow/api.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/sort.h"
#include "base/test_support.h"
#include "filters/filter.h"
#include "filters/wanted_edges.h"
#include "stages/filter/metrics.h"

namespace uzushio {
namespace {

struct Row {
  double value;
  int64_t characters;
};

class Shares : public FolderTest {
 protected:
  // A table as `uzushio metrics` writes it, in files of so many rows, and row groups of so many.
  MetricsFolder Table(const FilterChain& chain, const std::vector<Row>& rows, size_t of_file, int64_t of_group) {
    MetricsFolder table;
    table.name = root_;
    table.columns = MetricsColumns(chain);
    for (size_t begin = 0; begin == 0 || begin < rows.size(); begin += of_file) {
      arrow::StringBuilder ids;
      arrow::DoubleBuilder values;
      arrow::Int64Builder characters;
      for (size_t i = begin; i < std::min(rows.size(), begin + of_file); ++i) {
        EXPECT_TRUE(ids.Append(std::to_string(i)).ok());
        EXPECT_TRUE(values.Append(rows[i].value).ok());
        EXPECT_TRUE(characters.Append(rows[i].characters).ok());
      }
      const auto batch = arrow::Table::Make(
          arrow::schema({arrow::field("docId", arrow::utf8()), arrow::field("DocLength", arrow::float64()),
                         arrow::field("characters", arrow::int64())}),
          {ids.Finish().ValueOrDie(), values.Finish().ValueOrDie(), characters.Finish().ValueOrDie()});
      table.files.push_back(Written(*batch, of_group));
    }
    return table;
  }
  InputFile Written(const arrow::Table& table, int64_t of_group = 100) {
    const std::string path = root_ / (std::to_string(files_++) + ".parquet");
    const auto out = arrow::io::FileOutputStream::Open(path).ValueOrDie();
    EXPECT_TRUE(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, of_group).ok());
    EXPECT_TRUE(out->Close().ok());
    const auto local = std::make_shared<arrow::fs::LocalFileSystem>();
    const auto info = local->GetFileInfo(path).ValueOrDie();
    return {path, path, info.size(), local, info.mtime(), nullptr};
  }
  int files_ = 0;
};

std::shared_ptr<const FilterChain> Chain(const nlohmann::json& share) {
  nlohmann::json percentile = {{"class", "Percentile"}, {"metric", "DocLength"}};
  percentile.update(share);
  auto chain = FilterChain::Make({{{"class", "DocLength"}}, percentile});
  EXPECT_TRUE(chain.ok()) << chain.status();
  return *std::move(chain);
}

// Whether a row is in the share: what rows of its value or less weigh is above `from` of all and not above `to`.
bool IsInShare(const std::vector<Row>& rows, const Row& row, int64_t from, int64_t to, bool by_characters) {
  Uint128 below = 0;
  Uint128 all = 0;
  for (const Row& other : rows) {
    const auto weight = static_cast<uint64_t>(by_characters ? other.characters : 1);
    all += weight;
    below += other.value <= row.value ? weight : 0;
  }
  const auto whole = static_cast<uint64_t>(kWholeShare);
  return below * whole > all * static_cast<uint64_t>(from) && below * whole <= all * static_cast<uint64_t>(to);
}

std::vector<Row> Random(std::mt19937* random, size_t count) {
  std::vector<Row> rows;
  const int kind = static_cast<int>((*random)() % 4);
  for (size_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>((*random)());
    double value = number / 1e9;                          // close to each other
    if (kind == 1) value = std::floor(number / 4e8) - 5;  // few values, with both signs
    if (kind == 2) value = std::ldexp(number - 2e9, static_cast<int>((*random)() % 130) - 65);
    if (kind == 3) value = i % 3 == 0 ? -0.0 : 0.0;
    rows.push_back({value, static_cast<int64_t>((*random)() % 50 == 0 ? 100000 : (*random)() % 30)});
  }
  return rows;
}

TEST_F(Shares, AreExactHoweverTheTableIsDivided) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const std::vector<Row> rows = Random(&random, 1 + random() % 90);
    const bool by_characters = round % 2 == 1;
    const std::vector<double> shares = {0, 0.001, 0.1, 0.25, 0.3, 0.5, 0.7, 0.95, 1};
    const size_t first = random() % 8;
    const size_t last = first + 1 + random() % (8 - first);
    if (first == 0 && last == 8) continue;
    const auto chain =
        Chain({{"begin", shares[first]}, {"end", shares[last]}, {"by", by_characters ? kByCharacters : kByDocuments}});
    nlohmann::json found;
    for (const int threads : {1, 3}) {
      const MetricsFolder table = Table(*chain, rows, 1 + random() % 100, 1 + static_cast<int64_t>(random() % 40));
      const auto resolved = WithShares(chain, table, threads);
      const bool has_weight = !by_characters || std::ranges::any_of(rows, [](const Row& r) { return r.characters; });
      ASSERT_EQ(resolved.ok(), has_weight) << resolved.status();
      if (!has_weight) continue;
      EXPECT_TRUE((*resolved)->wanting_steps().empty());
      if (threads == 1) found = (*resolved)->ToJson();
      EXPECT_EQ((*resolved)->ToJson(), found);
      for (const Row& row : rows) {
        const std::vector<double> metrics = {row.value};
        const bool is_kept = !(*resolved)->steps()[1].Decide(metrics, FilterDocument());
        ASSERT_EQ(is_kept, IsInShare(rows, row, ShareOf(shares[first]), ShareOf(shares[last]), by_characters))
            << found << " round " << round << " value " << row.value;
      }
    }
  }
}

// A column of tokens stands where its filter stands in the chain: before the metric, or behind it.
TEST_F(Shares, ByTokensAreTheSameWhereverTheFilterStands) {
  const auto chain = Chain({{"keep", 0.6}, {"by", kByTokens}});
  const std::vector<double> lengths = {10, 20, 30, 40, 50};
  const std::vector<double> tokens = {1, 1, 1, 1, 16};
  for (const bool before : {true, false}) {
    MetricsFolder table = Table(*chain, {}, 1, 1);
    const nlohmann::json length = table.columns[0];
    const nlohmann::json weight = {{"name", "Tokens(tokenizer.json)"}, {"identity", {{"metric", "Tokens"}}}};
    table.columns = before ? nlohmann::json{weight, length} : nlohmann::json{length, weight};
    arrow::StringBuilder ids;
    arrow::DoubleBuilder first;
    arrow::DoubleBuilder second;
    for (size_t i = 0; i < lengths.size(); ++i) ASSERT_TRUE(ids.Append(std::to_string(i)).ok());
    ASSERT_TRUE(first.AppendValues(before ? tokens : lengths).ok());
    ASSERT_TRUE(second.AppendValues(before ? lengths : tokens).ok());
    table.files = {Written(*arrow::Table::Make(
        arrow::schema({arrow::field("docId", arrow::utf8()), arrow::field("first", arrow::float64()),
                       arrow::field("second", arrow::float64())}),
        {ids.Finish().ValueOrDie(), first.Finish().ValueOrDie(), second.Finish().ValueOrDie()}))};
    const auto resolved = WithShares(chain, table, 1);
    ASSERT_TRUE(resolved.ok()) << resolved.status();
    EXPECT_EQ((*resolved)->ToJson()[1]["low"], 50) << (before ? "before" : "behind");
  }
}

TEST_F(Shares, BucketsAreAPartition) {
  std::mt19937 random(8);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Row> rows = Random(&random, 157);
    std::vector<int> buckets(rows.size());
    for (int bucket = 0; bucket < 20; ++bucket) {
      const auto chain = Chain({{"begin", bucket / 20.0}, {"end", (bucket + 1) / 20.0}});
      const auto resolved = WithShares(chain, Table(*chain, rows, 50, 9), 2).ValueOrDie();
      for (size_t i = 0; i < rows.size(); ++i) {
        const std::vector<double> metrics = {rows[i].value};
        buckets[i] += resolved->steps()[1].Decide(metrics, FilterDocument()) ? 0 : 1;
      }
    }
    for (const int count : buckets) EXPECT_EQ(count, 1);
  }
}

TEST_F(Shares, OfNothingAreKnown) {
  const auto chain = Chain({{"keep", 0.5}});
  const auto resolved = WithShares(chain, Table(*chain, {}, 1, 1), 2);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_TRUE((*resolved)->wanting_steps().empty());
}

TEST_F(Shares, WithoutANumberAreNotCounted) {
  const auto chain = Chain({{"keep", 0.5}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto resolved = WithShares(chain, Table(*chain, {{nan, 1}, {4, 1}, {nan, 1}, {1, 1}, {nan, 1}}, 9, 9), 1);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ((*resolved)->ToJson()[1]["low"], 4);
}

TEST_F(Shares, OfNoNumberOrNoWeightAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto chain = Chain({{"keep", 0.5}});
  const auto of_none = WithShares(chain, Table(*chain, {{nan, 1}, {nan, 2}}, 9, 9), 1);
  EXPECT_NE(of_none.status().message().find("no document has a value of DocLength; there is no share"),
            std::string::npos)
      << of_none.status();
  const auto by_characters = Chain({{"end", 0.5}, {"by", kByCharacters}});
  const auto of_empty = WithShares(by_characters, Table(*by_characters, {{1, 0}, {2, 0}, {nan, 9}}, 9, 9), 1);
  EXPECT_NE(of_empty.status().message().find("no document has a value of DocLength and any characters; there is"),
            std::string::npos)
      << of_empty.status();
}

TEST_F(Shares, AreOfTheMetricThatTheTableHas) {
  const auto chain = Chain({{"keep", 0.5}});
  MetricsFolder table = Table(*chain, {{1, 1}}, 9, 9);
  table.columns[0]["identity"]["metric"] = "Other";
  EXPECT_NE(WithShares(chain, table, 1).status().message().find("there is no DocLength"), std::string::npos);
  const auto by_tokens = Chain({{"keep", 0.5}, {"by", "tokens"}});
  EXPECT_NE(
      WithShares(by_tokens, Table(*by_tokens, {{1, 1}}, 9, 9), 1).status().message().find("there is no column Tokens"),
      std::string::npos);
}

}  // namespace
}  // namespace uzushio
