#include "lm/static_vectors.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/test_support.h"
#include "lm/classifier_head.h"
#include "lm/safetensors_test_support.h"

namespace uzushio {
namespace {

constexpr const char* kLetters = R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
  "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "vocab": {"?": 0, "a": 1, "b": 2}, "unk_token": "?"}})";

class StaticVectorsTest : public FolderTest {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
    return (root_ / name).string();
  }
  StaticVectorsOptions Options() const {
    StaticVectorsOptions options;
    options.tokenizer = Write("tokenizer.json", kLetters);
    options.vectors = Write("v", SafetensorsBytes({{"embeddings", {{3, 2}, {100, 100, 1, 2, 4, 8}}}}));
    return options;
  }
  static std::vector<double> MeanOf(const StaticVectorsOptions& options, std::string_view text) {
    const auto vectors = StaticVectors::Open(options).ValueOrDie();
    StaticVectorsBuffers buffers;
    std::vector<double> mean;
    EXPECT_TRUE(vectors->MeanOf(text, &buffers, &mean).ok());
    return mean;
  }
  std::string Fault(const std::map<std::string, SmallTensor>& tensors, int64_t dimensions = 0) const {
    StaticVectorsOptions options = Options();
    options.vectors = Write("other", SafetensorsBytes(tensors));
    options.dimensions = dimensions;
    const auto opened = StaticVectors::Open(options);
    return opened.ok() ? "none" : opened.status().message();
  }
};

TEST_F(StaticVectorsTest, AreMeansOfTokens) {
  StaticVectorsOptions options = Options();
  EXPECT_THAT(MeanOf(options, "a b"), testing::ElementsAre(2.5, 5));
  EXPECT_THAT(MeanOf(options, "a ? a"), testing::ElementsAre(1, 2));
  EXPECT_THAT(MeanOf(options, ""), testing::ElementsAre(0, 0));
  EXPECT_THAT(MeanOf(options, "zzz"), testing::ElementsAre(0, 0));
  options.drop_unknown = false;
  EXPECT_THAT(MeanOf(options, "b zzz"), testing::ElementsAre(52, 54));
  options.max_tokens = 1;
  EXPECT_THAT(MeanOf(options, "b zzz"), testing::ElementsAre(4, 8));
  options.dimensions = 1;
  EXPECT_THAT(MeanOf(options, "b"), testing::ElementsAre(4));
  options.unit_length = true;
  EXPECT_THAT(MeanOf(options, "b"), testing::ElementsAre(1));
  EXPECT_THAT(MeanOf(options, ""), testing::ElementsAre(0));
}

TEST_F(StaticVectorsTest, HaveWeightsOfTokens) {
  StaticVectorsOptions options = Options();
  options.vectors =
      Write("weighed", SafetensorsBytes({{"embedding.weight", {{3, 1}, {5, 1, 2}}}, {"weights", {{3}, {1, 10, 0.5}}}}));
  EXPECT_THAT(MeanOf(options, "a b b"), testing::ElementsAre(4));
}

TEST_F(StaticVectorsTest, AreMeansOfLongTexts) {
  StaticVectorsOptions options = Options();
  std::string text = "b\n";
  for (int i = 0; i < 99'999; ++i) text += i % 2 == 0 ? "a\n" : "a a\n";  // more than one part
  EXPECT_THAT(MeanOf(options, text), testing::ElementsAre(150'002.0F / 149'999, 300'004.0F / 149'999));
  std::string tokenizer = kLetters;
  tokenizer.replace(tokenizer.find("\"a\""), 3, "\"aaaaaaaa\"");
  tokenizer.replace(tokenizer.find("\"b\""), 3, "\"bbbbbbbb\"");
  options.tokenizer = Write("long.json", tokenizer);
  options.max_tokens = 40'000;  // more than there are in the first part
  text.clear();
  for (int i = 0; i < 39'999; ++i) text += "x\n";
  EXPECT_THAT(MeanOf(options, text + "bbbbbbbb aaaaaaaa"), testing::ElementsAre(4, 8));
  EXPECT_THAT(MeanOf(options, text + "x bbbbbbbb"), testing::ElementsAre(0, 0));
}

TEST_F(StaticVectorsTest, ThatAreNoNumbersAreErrors) {
  StaticVectorsOptions options = Options();
  for (const float number : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38F}) {
    options.vectors = Write("v", SafetensorsBytes({{"embeddings", {{3, 2}, {0, 0, 0, number, 4, 8}}}}));
    const auto vectors = StaticVectors::Open(options).ValueOrDie();
    StaticVectorsBuffers buffers;
    std::vector<double> mean;
    EXPECT_TRUE(vectors->MeanOf("b", &buffers, &mean).ok());
    EXPECT_THAT(vectors->MeanOf("a b a", &buffers, &mean).message(), testing::HasSubstr("make no mean"));
  }
}

// Ids have no bounds in a tokenizer's file.
TEST_F(StaticVectorsTest, OfLargeIdsAreRefused) {
  StaticVectorsOptions options = Options();
  std::string tokenizer = kLetters;
  tokenizer.replace(tokenizer.find("2}"), 1, "4294967295");
  options.tokenizer = Write("large.json", tokenizer);
  EXPECT_THAT(StaticVectors::Open(options).status().message(), testing::HasSubstr("4294967296 tokens"));
  options.vectors =
      Write("weighed", SafetensorsBytes({{"embeddings", {{3, 1}, {5, 1, 2}}}, {"weights", {{3}, {1, 10, 0.5}}}}));
  EXPECT_THAT(StaticVectors::Open(options).status().message(), testing::HasSubstr("are read of 16777216 tokens"));
}

TEST_F(StaticVectorsTest, ThatDoNotFitAreRefused) {
  using testing::HasSubstr;
  EXPECT_THAT(Fault({{"x", {{3, 1}, {1, 2, 3}}}}), HasSubstr("no array `embeddings` or `embedding.weight`"));
  EXPECT_THAT(Fault({{"embeddings", {{3}, {1, 2, 3}}}}), HasSubstr("no matrix"));
  EXPECT_THAT(Fault({{"embeddings", {{2, 1}, {1, 2}}}}), HasSubstr("they are of different models"));
  EXPECT_THAT(Fault({{"embeddings", {{3, 1}, {1, 2, 3}}}}, 2), HasSubstr("fewer than `dimensions: 2`"));
  EXPECT_THAT(Fault({{"embeddings", {{3, 1}, {1, 2, 3}}}, {"weights", {{1}, {1}}}}), HasSubstr("`weights`"));
  EXPECT_THAT(Fault({{"embeddings", {{3, 1}, {1, 2, 3}}}, {"mapping", {{3}, {0, 1, 2}}}}), HasSubstr("`mapping`"));
  StaticVectorsOptions options = Options();
  options.vectors = "nowhere";
  EXPECT_THAT(StaticVectors::Open(options).status().message(), HasSubstr("there are no vectors 'nowhere'"));
}

TEST_F(StaticVectorsTest, HeadsAreLinearLayers) {
  std::vector<double> outputs;
  const auto one = ClassifierHead::Open(Write("one", SafetensorsBytes({{"weight", {{2}, {1, -1}}}}))).ValueOrDie();
  one->Score(std::vector<double>{3, 3}, &outputs);
  EXPECT_THAT(outputs, testing::ElementsAre(0.5));
  const auto two =
      ClassifierHead::Open(Write("two", SafetensorsBytes({{"0.bias", {{2}, {1, 1}}}, {"0.weight", {{2, 1}, {0, 0}}}})))
          .ValueOrDie();
  EXPECT_EQ(two->inputs(), 1U);
  two->Score(std::vector<double>{7}, &outputs);
  EXPECT_THAT(outputs, testing::ElementsAre(0.5, 0.5));
  const auto fault = [this](const std::map<std::string, SmallTensor>& tensors) {
    return ClassifierHead::Open(Write("bad", SafetensorsBytes(tensors))).status().message();
  };
  using testing::HasSubstr;
  EXPECT_THAT(fault({{"bias", {{1}, {1}}}}), HasSubstr("no array `weight`"));
  EXPECT_THAT(fault({{"weight", {{2, 1}, {1, 2}}}, {"bias", {{1}, {1}}}}), HasSubstr("does not fit"));
  EXPECT_THAT(fault({{"a.weight", {{1}, {1}}}, {"b.weight", {{1}, {1}}}}), HasSubstr("several arrays `weight`"));
  EXPECT_THAT(fault({{"weight", {{1}, {std::numeric_limits<float>::infinity()}}}}), HasSubstr("is no number"));
  EXPECT_THAT(ClassifierHead::Open(Write("text", "hello")).status().message(), HasSubstr("can not be used as a head"));
  EXPECT_THAT(ClassifierHead::Open("nowhere").status().message(), HasSubstr("there is no head 'nowhere'"));
}

}  // namespace
}  // namespace uzushio
