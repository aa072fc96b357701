#include "lm/kenlm_check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/test_support.h"
#include "lm/language_model.h"
#include "lm/model.hh"

namespace uzushio {
namespace {

constexpr const char* kArpa = R"(\data\
ngram 1=6
ngram 2=6
ngram 3=3

\1-grams:
-1.5	<unk>
0	<s>	-0.3
-1.1	</s>
-0.9	a	-0.2
-1.0	b	-0.4
-1.2	c	-0.1

\2-grams:
-0.4	<s> a	-0.1
-0.5	a b	-0.3
-0.6	b c	-0.2
-0.7	c </s>
-0.3	b a	-0.1
-0.8	a a	-0.2

\3-grams:
-0.2	<s> a b
-0.1	a b c
-0.3	a b a

\end\
)";

// Every sequence of a few words, those that are unknown among them.
double ScoreAll(const LanguageModel& model) {
  const lm::base::Vocabulary& vocabulary = model.model().BaseVocabulary();
  std::vector<lm::WordIndex> words = {vocabulary.BeginSentence(), vocabulary.EndSentence(), 0};
  for (const char* word : {"a", "b", "c", "d", "e"}) words.push_back(vocabulary.Index(word));
  const size_t size = model.model().StateSize();
  std::vector<char> states(5 * size);
  double sum = 0;
  const auto score = [&](const auto& self, size_t depth) -> void {
    for (const lm::WordIndex word : words) {
      sum += model.model().BaseScore(&states[depth * size], word, &states[(depth + 1) * size]);
      if (depth < 2) self(self, depth + 1);
    }
  };
  model.model().NullContextWrite(states.data());
  score(score, 0);
  model.model().BeginSentenceWrite(states.data());
  score(score, 0);
  return sum;
}

class KenlmCheckTest : public FolderTest {
 protected:
  // The bytes of a binary model.
  template <typename Model>
  std::string Make(bool quantizes) const {
    std::ofstream(root_ / "arpa") << kArpa;
    const std::string path = root_ / "made";
    lm::ngram::Config config;
    config.messages = nullptr;
    config.show_progress = false;
    config.write_mmap = path.c_str();
    config.temporary_directory_prefix = (root_ / "tmp").string();
    config.building_memory = 1 << 20;
    config.pointer_bhiksha_bits = 1;  // so that there is something to compress
    if (quantizes) config.prob_bits = config.backoff_bits = 4;
    {
      const Model model((root_ / "arpa").c_str(), config);
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string Write(const std::string& bytes) const {
    std::ofstream(root_ / "model", std::ios::binary) << bytes;
    return root_ / "model";
  }

  // Whether it can be opened; then it is searched.
  bool IsHarmless(const std::string& bytes) const {
    const auto model = LanguageModel::Open(Write(bytes));
    if (model.ok()) ScoreAll(**model);
    return model.ok();
  }

  template <typename Model>
  void Check(bool quantizes = false) const {
    const std::string whole = Make<Model>(quantizes);
    ASSERT_TRUE(CheckKenlmBinary(Write(whole)).ok()) << CheckKenlmBinary(Write(whole));
    ASSERT_TRUE(IsHarmless(whole));
    for (size_t length = 0; length < whole.size(); ++length) IsHarmless(whole.substr(0, length));
    int refused = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ change);
        refused += IsHarmless(bytes) ? 0 : 1;
      }
      std::string bytes = whole;
      bytes.replace(i, 8, std::min<size_t>(8, whole.size() - i), '\xFF');
      IsHarmless(bytes);
    }
    EXPECT_GT(refused, 0);
  }
};

TEST_F(KenlmCheckTest, HashTablesThatAreChangedAreRefusedOrHarmless) { Check<lm::ngram::ProbingModel>(); }
TEST_F(KenlmCheckTest, TriesThatAreChangedAreRefusedOrHarmless) { Check<lm::ngram::TrieModel>(); }
TEST_F(KenlmCheckTest, CompressedTriesThatAreChangedAreRefusedOrHarmless) { Check<lm::ngram::ArrayTrieModel>(); }
TEST_F(KenlmCheckTest, QuantizedTriesThatAreChangedAreRefusedOrHarmless) { Check<lm::ngram::QuantTrieModel>(true); }
TEST_F(KenlmCheckTest, SmallestTriesThatAreChangedAreRefusedOrHarmless) { Check<lm::ngram::QuantArrayTrieModel>(true); }

TEST_F(KenlmCheckTest, SaysWhatIsWrong) {
  const std::string whole = Make<lm::ngram::ProbingModel>(false);
  const std::string message = LanguageModel::Open(Write(whole.substr(0, whole.size() / 2))).status().message();
  EXPECT_THAT(message, testing::HasSubstr("cut off or changed: the end is missing"));
  EXPECT_THAT(message, testing::HasSubstr("uzushio train-lm"));
}

TEST_F(KenlmCheckTest, AnArpaModelIsNotLookedAt) { EXPECT_TRUE(CheckKenlmBinary(Write(kArpa)).ok()); }

// As processes do that live long: the file is another, though its path, size and time are the same.
TEST_F(KenlmCheckTest, AModelThatWasReplacedIsReadAgain) {
  std::string bytes = kArpa;
  const std::string path = Write(bytes);
  const auto time = std::filesystem::last_write_time(path);
  const auto before = LanguageModel::Open(path).ValueOrDie();
  EXPECT_EQ(LanguageModel::Open(path).ValueOrDie(), before);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // more than a tick of the clock of files
  bytes.replace(bytes.find("-0.9"), 4, "-2.9");
  Write(bytes);
  std::filesystem::last_write_time(path, time);
  EXPECT_NE(ScoreAll(*LanguageModel::Open(path).ValueOrDie()), ScoreAll(*before));
}

}  // namespace
}  // namespace uzushio
