#include "filters/removal_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/test_support.h"
#include "filters/chain.h"
#include "filters/chain_rules.h"
#include "filters/list.h"
#include "lm/fasttext_test_support.h"
#include "lm/safetensors_test_support.h"

namespace uzushio {
namespace {

// A filter's parameters, where it has some without defaults, by files of a folder; null where it needs what a test does
// not have.
nlohmann::json FilterFor(const FilterDeclaration& declaration, const std::filesystem::path& folder) {
  nlohmann::json filter = {{"class", declaration.name}};
  for (const FilterParameter& parameter : declaration.parameters) {
    if (parameter.name == "sudachi" && declaration.name != "FastText") return nullptr;
    if (parameter.name == "library") return nullptr;
    if (parameter.name == "list" || parameter.name == "path") {
      filter[parameter.name] = (folder / "words.txt").string();
    }
    if (parameter.name == "model") {
      filter["model"] = (folder / "model.bin").string();
      filter["label"] = "1";
    }
    if (parameter.name == "metric") filter.update({{"metric", "DocLength"}, {"keep", 0.5}, {"low", 100.0}});
    if (parameter.name == "head") filter["high"] = 1.0;
    if (parameter.name == "metrics") filter["metrics"] = nlohmann::json::array({"DocLength"});
    if (parameter.name == "against") filter[parameter.name] = (folder / "items.jsonl").string();
    if (parameter.name == "tokenizer") filter[parameter.name] = (folder / "tokenizer.json").string();
    if (parameter.name == "vectors" || parameter.name == "head") {
      filter[parameter.name] = (folder / (parameter.name + ".safetensors")).string();
    }
  }
  return filter;
}

// Metrics to try: around each bound, and anywhere.
std::vector<double> MetricsToTry(const RemovalRule& rule, size_t metric, std::mt19937_64* random) {
  std::vector<double> values = {0, 0.5, 1, 2, 1e9};
  for (const Threshold& threshold : rule.thresholds) {
    if (threshold.metric != metric) continue;
    const double bound = threshold.number() - threshold.margin;
    const auto single = static_cast<float>(bound);
    values.insert(values.end(), {bound, std::nextafter(bound, 1e300), std::nextafter(bound, -1e300), single,
                                 std::nextafterf(single, 1e30F), std::nextafterf(single, -1e30F)});
  }
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 8; ++i) values.push_back(share(*random) * (i % 2 == 0 ? 1 : 20));
  std::erase_if(values, [](double value) { return value < 0; });
  return values;
}

// Whether a value of one metric is enough for a document to go.
auto RemovedBy(const RemovalRule& rule, size_t metric) {
  return [&rule, metric](double value) {
    return std::ranges::any_of(rule.thresholds,
                               [&](const Threshold& one) { return one.metric == metric && one.RemovesOne(value); });
  };
}

class RulesOfFilters : public FolderTest {};

// The rule removes the documents that the filter removes, as it is and read again from JSON.
void CheckRule(const FilterDeclaration& declaration, const nlohmann::json& filter) {
  nlohmann::json filters = nlohmann::json::array();
  if (filter.contains("metric") || filter.contains("metrics")) filters.push_back({{"class", "DocLength"}});
  filters.push_back(filter);
  const auto chain = FilterChain::Make(filters).ValueOrDie();
  const FilterChain::Step& step = chain->steps().back();
  const RemovalRule rule = step.filter->Rule();
  const auto read = ReadRules(nlohmann::json::parse(RulesOf(*chain).dump()), chain->columns().size()).ValueOrDie();
  ASSERT_EQ(read.size(), filters.size());
  if (step.filter->changes_paragraphs()) {
    EXPECT_TRUE(rule.thresholds.empty() && !rule.sampling && !rule.normal);
    return;
  }
  const bool removes = !rule.thresholds.empty() || rule.sampling || rule.normal;
  EXPECT_EQ(removes, declaration.name != "Identity");
  std::mt19937_64 random(1);
  size_t removed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> metrics;
    for (size_t metric = 0; metric < step.metrics(); ++metric) {
      std::vector<double> values = MetricsToTry(rule, metric, &random);
      if (random() % (step.metrics() == 1 ? 2 : 32) != 0) std::erase_if(values, RemovedBy(rule, metric));
      metrics.push_back(values[random() % values.size()]);
    }
    if (declaration.name == "HostFilter") metrics[0] = static_cast<double>(random() % 2);
    // Numbers of reasons, the last of its metrics.
    if (declaration.name == "OptOut") metrics[0] = static_cast<double>(random() % 3);
    if (declaration.name == "License") metrics.back() = static_cast<double>(random() % 2);
    const std::string id = "document " + std::to_string(i);
    FilterDocument document;
    document.Take(id, "text");
    const bool goes = step.filter->DecideAll(metrics, document).has_value();
    removed += goes ? 1 : 0;
    EXPECT_EQ(rule.RemovesOne(metrics, document.random(), document.Gaussian()), goes) << metrics[0];
    std::vector<double> columns(chain->columns().size());
    std::ranges::copy(metrics, columns.begin() + static_cast<std::ptrdiff_t>(step.column));
    EXPECT_EQ(read.back().rule.RemovesOne(columns, document.random(), document.Gaussian()), goes) << metrics[0];
  }
  EXPECT_EQ(removed > 0, removes);
  EXPECT_LT(removed, 2000U);
}

TEST_F(RulesOfFilters, DecideAsFiltersDo) {
  std::ofstream(root_ / "words.txt") << "悪い言葉\n";
  std::ofstream(root_ / "items.jsonl") << R"({"question": "日本で一番高い山の名前は何ですか", "answer": "富士山"})";
  std::ofstream(root_ / "tokenizer.json") << R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})";
  std::ofstream(root_ / "model.bin", std::ios::binary) << SmallFastText().Bytes();
  std::ofstream(root_ / "vectors.safetensors", std::ios::binary)
      << SafetensorsBytes({{"embeddings", {{1, 2}, {1, 2}}}});
  std::ofstream(root_ / "head.safetensors", std::ios::binary) << SafetensorsBytes({{"weight", {{1, 2}, {1, -1}}}});
  size_t checked = 0;
  for (const FilterDeclaration& declaration : FilterDeclarations()) {
    const nlohmann::json filter = FilterFor(declaration, root_);
    if (filter.is_null()) continue;
    SCOPED_TRACE(declaration.name);
    CheckRule(declaration, filter);
    ++checked;
  }
  EXPECT_EQ(checked + 5, FilterDeclarations().size());  // four need a dictionary of Sudachi's, one ONNX Runtime
}

TEST(RemovalRule, IsFixedWhereNoParameterMovesIt) {
  RemovalRule rule;
  EXPECT_FALSE(rule.is_fixed());
  rule.thresholds = {{.parameter = "low", .removes = Removes::kBelow, .value = 0.5}};
  EXPECT_FALSE(rule.is_fixed());
  EXPECT_FALSE(rule.RemovesFixed(std::vector<double>{0.1}, 0));
  rule.thresholds.push_back({.parameter = "", .removes = Removes::kAbove, .value = int64_t{3}});
  EXPECT_TRUE(rule.is_fixed());
  EXPECT_FALSE(rule.RemovesFixed(std::vector<double>{3}, 0));
  EXPECT_TRUE(rule.RemovesFixed(std::vector<double>{4}, 0));
  EXPECT_FALSE(rule.RemovesOne(std::vector<double>{std::nan("")}, 0, 0));
}

TEST(ChainRules, RefusesWhatTheyAreNot) {
  const auto chain = FilterChain::Make(nlohmann::json::parse(R"([{"class": "HiraganaRatio"}])")).ValueOrDie();
  const nlohmann::json rules = RulesOf(*chain);
  EXPECT_EQ(rules[0]["thresholds"][0]["value"], 0.0);
  EXPECT_FALSE(ReadRules(nlohmann::json::object(), 1).ok());
  EXPECT_FALSE(ReadRules(rules, 0).ok());
  const auto changed = [&rules](const char* pointer, const nlohmann::json& value) {
    nlohmann::json other = rules;
    other[nlohmann::json::json_pointer(pointer)] = value;
    return ReadRules(other, 1).status().message();
  };
  EXPECT_NE(changed("/0/thresholds/0/removes", "!"), "");
  EXPECT_NE(changed("/0/thresholds/1/value", "x"), "");
  EXPECT_NE(changed("/0/thresholds/0/column", 1), "");
  EXPECT_NE(changed("/0/random", 3), "");
}

}  // namespace
}  // namespace uzushio
