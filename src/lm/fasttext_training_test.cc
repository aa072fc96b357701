#include "lm/fasttext_training.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/stop.h"
#include "base/test_support.h"
#include "lm/fasttext.h"

namespace uzushio {
namespace {

class FastTextTrainings : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::ofstream file(root_ / "lines");
    for (int i = 0; i < 200; ++i) file << "__label__a 猫 犬 x" << i % 7 << "\n__label__b 本 x" << i % 5 << "\n";
  }
  arrow::Status Train(const FastTextTraining& training, const std::string& name) {
    return TrainFastText(training, root_ / "lines", root_ / name, [](double) {});
  }
  std::string Bytes(const std::string& name) {
    std::ostringstream bytes;
    bytes << std::ifstream(root_ / name, std::ios::binary).rdbuf();
    return bytes.str();
  }
};

TEST_F(FastTextTrainings, TellLabelsAndAreTheSameAgain) {
  for (const std::string loss : {"softmax", "hs", "ova"}) {
    const FastTextTraining training = {
        .dim = 5, .word_ngrams = 2, .minn = 1, .maxn = 2, .bucket = 100, .min_count = 2, .loss = loss};
    ASSERT_TRUE(Train(training, "first").ok());
    // What memory held before does not matter.
    const std::string dirty(1 << 20, '\xff');
    EXPECT_EQ(dirty.back(), '\xff');
    ASSERT_TRUE(Train(training, "second").ok());
    EXPECT_EQ(Bytes("first"), Bytes("second"));
    const auto model = FastTextModel::Open(root_ / "first").ValueOrDie();
    std::vector<float> probabilities;
    ASSERT_TRUE(model->Score("猫", &probabilities).ok());
    EXPECT_GT(probabilities[*model->FindLabel("a")], 0.6) << loss;
    ASSERT_TRUE(model->Score("本", &probabilities).ok());
    EXPECT_GT(probabilities[*model->FindLabel("b")], 0.6) << loss;
  }
}

TEST_F(FastTextTrainings, SayThatNumbersGrew) {
  const arrow::Status status = Train({.dim = 4, .epoch = 50, .lr = 1e20}, "model");
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_THAT(status.message(), testing::HasSubstr("lower --lr"));
  EXPECT_FALSE(std::filesystem::exists(root_ / "model"));
}

TEST_F(FastTextTrainings, EndWhenTheyAreToldTo) {
  auto source = arrow::StopSource();
  source.RequestStop();
  const StopScope scope(source.token());
  EXPECT_TRUE(Train({.dim = 4}, "model").IsCancelled());
}

TEST_F(FastTextTrainings, FailWhereThereIsNoPlace) {
  EXPECT_TRUE(Train({.dim = 4}, "no/model").IsIOError());
  EXPECT_TRUE(TrainFastText({.dim = 4}, root_ / "none", root_ / "model", [](double) {}).IsInvalid());
}

TEST(FastTextTrainingMemory, GrowsWithWordsAndRows) {
  FastTextTraining training = {.dim = 10, .bucket = 1000};
  FastTextVocabulary vocabulary;
  for (int i = 0; i < 100; ++i) vocabulary.Add("本", training);
  const int64_t words = FastTextTrainingMemory(training, vocabulary);
  training.word_ngrams = 2;
  EXPECT_EQ(FastTextTrainingMemory(training, vocabulary), words + int64_t{1000} * 10 * 4);
  EXPECT_EQ(vocabulary.bytes, 300);
  training.maxn = 3;
  vocabulary.Add("本", training);
  EXPECT_EQ(vocabulary.ngrams, 9);
}

}  // namespace
}  // namespace uzushio
