#include "lm/fasttext.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <numeric>

#include "base/test_support.h"
#include "lm/fasttext_check.h"
#include "lm/fasttext_test_support.h"

namespace uzushio {
namespace {

class FastTextModels : public FolderTest {
 protected:
  arrow::Result<std::shared_ptr<const FastTextModel>> Open(const std::string& bytes) {
    const std::string path = root_ / ("model" + std::to_string(++files_));
    std::ofstream(path, std::ios::binary) << bytes;
    auto model = FastTextModel::Open(path);
    std::filesystem::remove(path);
    return model;
  }
  // Scores of texts of every kind of word; what they are does not matter.
  void ScoreAll(const FastTextModel& model) {
    std::vector<float> probabilities;
    for (const std::string_view text : {"", "a bb 本", "本本本 zz\n</s> a", "__label__0 a", "x", "\xff\x80"}) {
      if (!model.Score(text, &probabilities).ok()) continue;
      ASSERT_EQ(probabilities.size(), model.labels().size());
      for (const float probability : probabilities) ASSERT_TRUE(std::isfinite(probability));
    }
  }

 private:
  int files_ = 0;
};

std::vector<SmallFastText> AllKinds() {
  return {{}, {.loss = 1}, {.loss = 2}, {.loss = 4}, {.quantized = true}, {.quantized = true, .pruned = true}};
}

TEST_F(FastTextModels, HaveLabelsAndContents) {
  const auto model = Open(SmallFastText().Bytes()).ValueOrDie();
  EXPECT_THAT(model->labels(), testing::ElementsAre("__label__0", "__label__1"));
  EXPECT_EQ(model->FindLabel("1"), 1U);
  EXPECT_EQ(model->FindLabel("__label__0"), 0U);
  EXPECT_EQ(model->FindLabel("2"), std::nullopt);
  EXPECT_EQ(model->contents().size(), 16U);
  EXPECT_NE(model->contents(), Open(SmallFastText{.loss = 4}.Bytes()).ValueOrDie()->contents());
  EXPECT_GT(model->memory(), 100);
  EXPECT_LT(model->memory(), 10000);
}

TEST_F(FastTextModels, SumToOne) {
  for (const SmallFastText& kind : {SmallFastText{}, SmallFastText{.loss = 1}, SmallFastText{.quantized = true}}) {
    const auto model = Open(kind.Bytes()).ValueOrDie();
    std::vector<float> probabilities;
    ASSERT_TRUE(model->Score("a bb 本", &probabilities).ok());
    EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1, 1e-3);
    EXPECT_GT(probabilities[0], 0);
  }
}

// Long texts are summed some rows at a time.
TEST_F(FastTextModels, RepeatedTextIsAsTheText) {
  const auto model = Open(SmallFastText{.loss = 4}.Bytes()).ValueOrDie();
  std::vector<float> once;
  std::vector<float> often;
  ASSERT_TRUE(model->Score(Repeat("a bb 本だよ ", 1000), &once).ok());
  ASSERT_TRUE(model->Score(Repeat("a bb 本だよ ", 100000), &often).ok());
  for (size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(once[i], often[i], 1e-2);
  ASSERT_TRUE(model->Score(Repeat("本", 200000), &often).ok());
}

TEST_F(FastTextModels, ThatAreCutOffAreRefused) {
  for (const SmallFastText& kind : AllKinds()) {
    const std::string bytes = kind.Bytes();
    ASSERT_TRUE(CheckFastText(bytes).ok()) << CheckFastText(bytes).status();
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(CheckFastText(std::string_view(bytes).substr(0, size)).ok()) << size;
    }
  }
}

// Numbers of a header and a dictionary, and some of the others: each as any byte and as the largest number.
TEST_F(FastTextModels, ThatAreChangedAreRefusedOrUsed) {
  for (const SmallFastText& kind : AllKinds()) {
    const std::string bytes = kind.Bytes();
    for (size_t at = 0; at < bytes.size(); at += at < 400 ? 1 : 211) {
      for (const int value : {0, 1, 0x7F, 0xFF}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(value);
        if (!CheckFastText(changed).ok()) continue;
        const auto model = Open(changed);
        if (model.ok()) ScoreAll(**model);
      }
    }
  }
}

TEST_F(FastTextModels, WeightsThatAreNoNumbersAreErrors) {
  std::string bytes = SmallFastText().Bytes();
  const size_t at = CheckFastText(bytes).ValueOrDie().input + kDenseMatrixHeader;
  for (size_t i = 0; i < 4; ++i) bytes[at + i] = '\xff';  // of </s>
  std::vector<float> probabilities;
  const arrow::Status status = Open(bytes).ValueOrDie()->Score("a", &probabilities);
  EXPECT_THAT(status.message(), testing::HasSubstr("make no probability"));
  bytes = SmallFastText().Bytes();
  for (size_t i = bytes.size() - 4; i < bytes.size(); ++i) bytes[i] = '\xff';
  EXPECT_THAT(Open(bytes).status().message(), testing::HasSubstr("a weight is no number"));
}

// fastText would go on to the end of every word, and divide by the number of buckets, where there are none.
TEST_F(FastTextModels, LengthsBelowZeroAreRefused) {
  for (const size_t at : {size_t{44}, size_t{48}}) {  // of the shortest and the longest n-gram of characters
    std::string bytes = SmallFastText().Bytes();
    bytes[at + 3] = '\xff';
    EXPECT_THAT(Open(bytes).status().message(), testing::HasSubstr("its n-grams have no length"));
    bytes.replace(40, 4, 4, '\0');
    EXPECT_FALSE(Open(bytes).ok());
  }
}

TEST_F(FastTextModels, TellWhatIsWrong) {
  EXPECT_THAT(Open("").status().message(), testing::HasSubstr("it is none of fastText's"));
  std::string bytes = SmallFastText().Bytes();
  bytes[4] = 13;
  EXPECT_THAT(Open(bytes).status().message(), testing::HasSubstr("its format has the version 13; 1 to 12"));
  bytes[4] = 12;
  bytes[36] = 2;
  EXPECT_THAT(Open(bytes).status().message(), testing::HasSubstr("it has vectors of words"));
  EXPECT_THAT(FastTextModel::Open(root_ / "none").status().message(), testing::HasSubstr("there is no model"));
}

TEST_F(FastTextModels, AreOpenedOnce) {
  const std::string path = root_ / "model.bin";
  std::ofstream(path, std::ios::binary) << SmallFastText().Bytes();
  EXPECT_EQ(FastTextModel::Open(path).ValueOrDie(), FastTextModel::Open(path).ValueOrDie());
}

}  // namespace
}  // namespace uzushio
