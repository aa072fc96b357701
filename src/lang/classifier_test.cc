#include "lang/classifier.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/test_support.h"
#include "base/utf8.h"
#include "lang/gram_table.h"
#include "lang/grams.h"

namespace uzushio {
namespace {

uint64_t GramOf(const std::u32string& text) {
  uint64_t gram = 0;
  for (const char32_t point : text) gram = gram << kGramBits | (uint64_t{point} + 1);
  return gram;
}

using Weights = std::map<uint64_t, double>;

std::shared_ptr<const LanguageClassifier> ModelOf(const Weights& weights) {
  const std::string file = ClassifierFile({weights.begin(), weights.end()});
  return LanguageClassifier::Read(file, "model").ValueOrDie();
}

// The definition, of a text without markup.
double PlainScore(const std::u32string& text, const Weights& weights) {
  double greatest = 0;
  for (const auto& [gram, weight] : weights) greatest = std::max(greatest, std::abs(weight));
  const double scale = greatest / 32767;
  double sum = 0;
  int64_t grams = 0;
  for (size_t n = 1; n <= 3; ++n) {
    for (size_t i = 0; i + n <= text.size(); ++i) {
      ++grams;
      const auto found = weights.find(GramOf(text.substr(i, n)));
      if (found != weights.end()) sum += std::round(found->second / scale);
    }
  }
  return grams == 0 ? 0 : sum * scale / std::sqrt(static_cast<double>(grams));
}

TEST(LanguageClassifier, ScoresByTheDefinition) {
  const std::vector<std::string> pieces = {"あ", "の", "漢",   "a",    "b",        " ", "\n",
                                           "𠮟", "é",  "\x7f", "\xFF", "\xE3\x81", "😀"};
  EXPECT_TRUE(rc::check([&pieces] {
    const auto text_of = [&pieces](const std::vector<size_t>& choice) {
      std::string text;
      for (const size_t i : choice) text += pieces[i];
      return text;
    };
    const auto any = rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, pieces.size()));
    const std::string text = text_of(*any);
    std::u32string points;
    DecodeUtf8(text, &points);
    Weights weights = {{GramOf(U"の"), 3.0}};
    for (size_t n = 1; n <= 3; ++n) {
      for (size_t i = 0; i + n <= points.size(); ++i) {
        const int weight = *rc::gen::inRange(-100, 100);
        if (weight != 0) weights[GramOf(points.substr(i, n))] = weight / 50.0;
      }
    }
    // A line break before another would begin another paragraph.
    RC_PRE(text.find("\n\n") == std::string::npos && !text.starts_with('\n'));
    const double score = ModelOf(weights)->Score(text);
    RC_ASSERT(std::abs(score - PlainScore(points, weights)) < 1e-9);
    RC_ASSERT(ModelOf(weights)->IsJapanese(text) == (score > 0));
  }));
}

TEST(LanguageClassifier, JoinsParagraphsWithoutPathsAndLinkMarks) {
  const auto model = ModelOf({{GramOf(U"い\nう"), 1.0}, {GramOf(U"あい"), 0.5}, {GramOf(U"b"), -1.0}});
  const double joined = model->Score("あい\nう");
  EXPECT_GT(joined, 0);
  EXPECT_EQ(model->Score("body>b.b\x1cあ\x02い\x03\n\nbody>p\x1c\x02う\x03"), joined);
  EXPECT_EQ(model->Score("\x02\x03"), 0);
  EXPECT_EQ(model->Score(""), 0);
  EXPECT_EQ(ModelOf({})->Score("あいう"), 0);
}

TEST(LanguageClassifier, OneCharacterIsOneGram) {
  const auto model = ModelOf({{GramOf(U"あ"), 2.0}, {GramOf(U"𠮟"), -1.0}});
  EXPECT_DOUBLE_EQ(model->Score("あ"), 2.0);
  EXPECT_DOUBLE_EQ(model->Score("ああ"), 4.0 / std::sqrt(3));
  EXPECT_NEAR(model->Score("𠮟"), -1.0, 1e-4);
}

TEST(ClassifierFile, LeavesOutWeightsThatAreNothing) {
  const auto model = ModelOf({{GramOf(U"a"), 1.0}, {GramOf(U"b"), 1e-9}, {GramOf(U"c"), -0.5}});
  EXPECT_EQ(model->size(), 2);
  EXPECT_EQ(ModelOf({})->size(), 0);
}

std::string SomeFile() {
  return ClassifierFile({{GramOf(U"a"), 1.0}, {GramOf(U"b"), -1.0}, {GramOf(U"ああ"), 0.5}, {GramOf(U"あああ"), 0.1}});
}

TEST(ReadClassifier, RefusesAnyChangeOfAnyByte) {
  const std::string file = SomeFile();
  ASSERT_TRUE(LanguageClassifier::Read(file, "m").ok());
  for (size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(LanguageClassifier::Read(changed, "m").ok()) << i;
    const auto cut = LanguageClassifier::Read(std::string_view(file).substr(0, i), "m");
    ASSERT_FALSE(cut.ok()) << i;
    EXPECT_NE(cut.status().message().find("'m' is no language model of uzushio: "), std::string::npos);
  }
  EXPECT_FALSE(LanguageClassifier::Read(file + "x", "m").ok());
}

// With right checksums, so that what is behind them is looked at.
std::string Sealed(std::string file) {
  const uint64_t behind = XXH3_64bits(file.data() + 64, file.size() - 64);
  std::memcpy(file.data() + 32, &behind, sizeof behind);
  const uint64_t header = XXH3_64bits(file.data(), 40);
  std::memcpy(file.data() + 40, &header, sizeof header);
  return file;
}

template <typename Value>
std::string With(std::string file, size_t at, Value value) {
  std::memcpy(file.data() + at, &value, sizeof value);
  return Sealed(file);
}

TEST(ReadClassifier, RefusesWhatNoModelSays) {
  const std::string file = SomeFile();
  ASSERT_TRUE(LanguageClassifier::Read(Sealed(file), "m").ok());
  const auto why = [](const std::string& changed) {
    const auto read = LanguageClassifier::Read(changed, "m");
    return read.ok() ? "it is read" : read.status().message();
  };
  EXPECT_NE(why(With<uint32_t>(file, 8, 2)).find("of another version"), std::string::npos);
  EXPECT_NE(why(With<uint64_t>(file, 16, UINT64_MAX)).find("cut off"), std::string::npos);
  EXPECT_NE(why(With<uint64_t>(file, 16, UINT64_MAX / 10 + 5)).find("cut off"), std::string::npos);
  EXPECT_NE(why(With<uint64_t>(file, 16, 3)).find("more behind it"), std::string::npos);
  EXPECT_NE(why(With(file, 24, std::nan(""))).find("scale"), std::string::npos);
  EXPECT_NE(why(With(file, 24, 0.0)).find("scale"), std::string::npos);
  for (const uint64_t gram : {uint64_t{0}, uint64_t{0x110001}, uint64_t{1} << 63, GramOf(U"a") << kGramBits}) {
    EXPECT_NE(why(With(file, 64, gram)).find("n-grams"), std::string::npos) << gram;
  }
  EXPECT_NE(why(With(file, 64, GramOf(U"b"))).find("no order"), std::string::npos);
}

TEST(OpenClassifier, OpensAFileOnceAndANewOneAnew) {
  const std::filesystem::path folder = testing::TempDir();
  const std::string path = folder / "classifier_test.model";
  const auto write = [&path](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  write(SomeFile());
  const auto first = LanguageClassifier::Open(path).ValueOrDie();
  EXPECT_EQ(LanguageClassifier::Open(path).ValueOrDie(), first);
  write(ClassifierFile({{GramOf(U"a"), -1.0}}));
  const auto second = LanguageClassifier::Open(path).ValueOrDie();
  EXPECT_NE(second->checksum(), first->checksum());
  EXPECT_FALSE(second->IsJapanese("a"));
  write("no model");
  EXPECT_NE(LanguageClassifier::Open(path).status().message().find("other bytes"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(LanguageClassifier::Open(path).status().message().find("there is no language model"), std::string::npos);
  EXPECT_FALSE(LanguageClassifier::Open(folder).ok());
}

TEST(GramTable, IsAMap) {
  EXPECT_TRUE(rc::check([] {
    const auto keys = *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(1, 1000));
    GramTable table;
    std::map<uint64_t, int32_t> expected;
    for (const uint64_t key : keys) {
      ++*table.At(key << 20);
      ++expected[key << 20];
    }
    RC_ASSERT(table.size() == expected.size());
    for (uint64_t key = 1; key < 1000; ++key) {
      const int32_t* const found = table.Find(key << 20);
      RC_ASSERT((found != nullptr) == expected.contains(key << 20));
      if (found != nullptr) RC_ASSERT(*found == expected[key << 20]);
    }
    size_t all = 0;
    table.ForEach([&](uint64_t key, int32_t value) { all += expected[key] == value ? 1 : 0; });
    RC_ASSERT(all == expected.size());
  }));
}

}  // namespace
}  // namespace uzushio
