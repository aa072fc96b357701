#include "stages/filter/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/test_support.h"
#include "stages/filter/filter.h"
#include "stages/filter/hosts.h"
#include "stages/filter/metrics.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"

namespace uzushio {
namespace {

// The identities of runs, by options as they are given.
class ChainStageOptions : public FolderTest {
 protected:
  ChainStageOptions() {
    std::ofstream(root_ / "chain.conf") << "filters: [{class: HiraganaRatio, low: ${low}}]";
    std::ofstream(root_ / "other.conf") << "filters: [{class: HiraganaRatio, low: ${low}, high: 0.5}]";
    for (const auto& [file, vocabulary] :
         std::map<std::string, std::string>{{"tokenizer.json", R"({"a": 0})"}, {"other.json", R"({"a": 0, "b": 1})"}}) {
      std::ofstream(root_ / file)
          << R"({"version": "1.0", "added_tokens": [], "model": {"type": "WordLevel", "unk_token": "a", "vocab": )"
          << vocabulary << "}}";
    }
    auto writer = FrequencyIndexWriter::Create((root_ / "index").string()).ValueOrDie();
    EXPECT_TRUE(writer->Append({1, 2, 3}).ok());
    EXPECT_TRUE(writer->Finish().ok());
  }

  std::shared_ptr<const FilterChain> ReadChain(const std::string& file, const std::vector<std::string>& given) const {
    std::map<std::string, std::string> properties;
    for (const std::string& one : given) properties[one.substr(0, one.find('='))] = one.substr(one.find('=') + 1);
    auto chain = FilterChain::Read(root_ / file, properties);
    EXPECT_TRUE(chain.ok()) << chain.status();
    return *std::move(chain);
  }
  // What a command and the run make of options.
  void Complete(FilterConfig* config) const { config->chain = ReadChain(config->chain_file, config->properties); }
  void Complete(HostsConfig* config) const { config->chain = ReadChain(config->chain_file, config->properties); }
  void Complete(MetricsConfig* config) const {
    if (!config->wanted.config.empty()) {
      config->chain = ReadChain(config->wanted.config, config->properties);
      return;
    }
    config->wanted.tokenizer = config->wanted.tokenizer.empty() ? "" : (root_ / config->wanted.tokenizer).string();
    auto chain = config->wanted.Make(&config->missing);
    EXPECT_TRUE(chain.ok()) << chain.status();
    config->chain = *std::move(chain);
  }

  template <typename Config>
  Config Completed(const Options<Config>& declared, const OptionTexts& given) const {
    Config config;
    EXPECT_TRUE(declared.Set(given, &config).ok());
    Complete(&config);
    if (!config.statistics.empty()) config.index = FrequencyIndex::Open(root_ / "index").ValueOrDie();
    return config;
  }

  // A text that sets an option to another value than its default, or than `base`.
  static std::string OtherThanDefault(const OptionDeclaration& option) {
    if (option.name == "config") return "other.conf";
    if (option.name == "P") return "low=0.2";
    if (option.name == "metric") return "CompressionRate";
    if (option.name == "tokenizer") return "other.json";
    if (option.type == OptionType::kFlag) return "";
    if (option.is_number()) return "7";
    return option.choices.empty() ? "other" : option.choices.back();
  }

  // Goes through all options: a run in which one was changed is another run, unless its declaration says that it
  // is not. Those in `by_chain` are told by the chain.
  template <typename Config, typename Identify>
  void CheckEach(const Options<Config>& declared, const std::set<std::string>& by_chain, Identify identify,
                 const std::function<OptionTexts(const OptionDeclaration&)>& base_of) const {
    for (const OptionDeclaration& option : declared.declarations()) {
      const OptionTexts before = base_of(option);
      OptionTexts after = before;
      std::erase_if(after, [&option](const auto& one) { return one.first == option.name; });
      after.emplace_back(option.name, OtherThanDefault(option));
      const auto first = identify(Completed(declared, before));
      const auto second = identify(Completed(declared, after));
      ASSERT_TRUE(first.ok() && second.ok());
      EXPECT_EQ(*first != *second, option.in_identity || by_chain.contains(option.name)) << option.flag();
    }
  }
};

OptionTexts OfChain() { return {{"output", "out"}, {"config", "chain.conf"}, {"P", "low=0.1"}}; }

TEST_F(ChainStageOptions, FilterTellsEach) {
  CheckEach<FilterConfig>(DeclaredFilter(), {"P"}, FilterIdentity, [](const OptionDeclaration&) { return OfChain(); });
}

TEST_F(ChainStageOptions, MetricsTellsEach) {
  const auto identify = [](const MetricsConfig& config) { return DeclaredMetrics().IdentityOf(config); };
  const auto base_of = [](const OptionDeclaration& option) {
    if (option.name == "metric") return OptionTexts{{"output", "out"}, {"metric", "HiraganaRatio"}};
    if (option.name == "tokenizer") {
      return OptionTexts{{"output", "out"}, {"metric", "Tokens"}, {"tokenizer", "tokenizer.json"}};
    }
    OptionTexts given = OfChain();
    if (option.name == "shard-size") given.emplace_back("sorted-by", "HiraganaRatio");
    return given;
  };
  CheckEach<MetricsConfig>(DeclaredMetrics(), {"P", "metric", "tokenizer"}, identify, base_of);
}

TEST_F(ChainStageOptions, HostsTellsEach) {
  const auto identify = [](const HostsConfig& config) { return DeclaredHosts().IdentityOf(config); };
  CheckEach<HostsConfig>(DeclaredHosts(), {"P"}, identify, [](const OptionDeclaration&) { return OfChain(); });
}

// Their keys and values are in the manifests of earlier versions.
TEST_F(ChainStageOptions, IdentitiesAreThoseOfEarlierVersions) {
  OptionTexts given = OfChain();
  given.emplace_back("stats", "statistics");
  const FilterConfig filter = Completed(DeclaredFilter(), given);
  const std::string checksum = StatisticsIdentity(filter.index.get());
  const std::string filters = filter.chain->ToJson().dump();
  EXPECT_EQ(FilterIdentity(filter)->dump(),
            R"({"filters":)" + filters +
                R"(,"format":0,"id_column":"docId","input_delimiter":"\n\n","is_plain":false,"keep_markup":false,)"
                R"("output_column":"","output_delimiter":"\n\n","partitioned":false,"separator":"\n\n",)"
                R"("shard_bytes":1073741824,"statistics":"statistics","statistics_checksum":")" +
                checksum + R"(","text_column":"text"})");
  const HostsConfig hosts = Completed(DeclaredHosts(), given);
  EXPECT_EQ(DeclaredHosts().IdentityOf(hosts)->dump(), R"({"contents":null,"filters":)" + filters +
                                                           R"(,"id_column":"docId","statistics":")" + checksum +
                                                           R"(","text_column":"text","url_column":"url"})");
  const MetricsConfig metrics = Completed(DeclaredMetrics(), OfChain());
  nlohmann::json identity = *DeclaredMetrics().IdentityOf(metrics);
  EXPECT_EQ(identity["columns"], MetricsColumns(*metrics.chain));
  EXPECT_EQ(identity["rules"].size(), 1U);
  for (const char* key : {"columns", "rules"}) identity.erase(key);
  EXPECT_EQ(identity.dump(), R"({"filters":)" + filters +
                                 R"(,"id_column":"docId","sorted_by":"","statistics":null,"text_column":"text"})");
}

}  // namespace
}  // namespace uzushio
