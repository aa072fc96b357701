#include "filters/word_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/test_support.h"

namespace uzushio {
namespace {

// An environment variable, which is as it was afterwards.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
    unsetenv(name);
  }
  ~Variable() {
    if (before_) {
      Set(*before_);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  void Set(const std::string& value) { setenv(name_, value.c_str(), 1); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class WordLists : public FolderTest {
 protected:
  std::string Write(const std::filesystem::path& name, const std::string& text) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  Variable folder_{"UZUSHIO_HOJICHAR"};
  Variable environment_{"VIRTUAL_ENV"};
};

std::string ErrorOfList(const std::string& name) {
  const auto list = WordList::Load(name);
  return list.ok() ? "" : list.status().message();
}

std::vector<uint32_t> Found(const std::string& name, std::string_view text) {
  std::vector<uint32_t> found = {7, 7, 7};
  WordList::Load(name).ValueOrDie()->Find(text, &found);
  return found;
}

// Words are numbered in their order.
TEST_F(WordLists, AreLinesWithoutComments) {
  const std::string list = Write("words", "# ない\r\nだめ\r\n\n\r\nない\nだめ\nだめだ");
  EXPECT_EQ(Found(list, "だめだ、ないない。だめ"), (std::vector<uint32_t>{1, 2, 2, 0}));
  EXPECT_EQ(Found(list, "# \r"), std::vector<uint32_t>{});
  EXPECT_EQ(Found(list, ""), std::vector<uint32_t>{});
  EXPECT_EQ(WordList::Load(list).ValueOrDie(), WordList::Load(list).ValueOrDie());
}

TEST_F(WordLists, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(ErrorOfList(root_ / "none"), "there is no word list '" + (root_ / "none").string() + "'");
  const std::string list = Write("empty", "# だめ\n\n\r\n");
  EXPECT_EQ(ErrorOfList(list), "word list '" + list + "': has no words");
  const std::string bytes = Write("bytes", "だめ\n\xff\n");
  EXPECT_EQ(ErrorOfList(bytes), "word list '" + bytes + "': not UTF-8");
  EXPECT_THAT(ErrorOfList("hojichar/words.txt"),
              testing::StartsWith("there is no word list 'hojichar/words.txt': install"));
  environment_.Set(root_ / "no environment");
  EXPECT_THAT(ErrorOfList("hojichar/words.txt"), testing::HasSubstr("install"));
}

TEST_F(WordLists, OfHojiCharAreInItsPackageOrAFolder) {
  const std::string dict = "env/lib/python3.11/site-packages/hojichar/dict/";
  Write("env/lib/apart/notes", "");
  Write(dict + "words.txt", "だめ");
  environment_.Set(root_ / "env");
  EXPECT_EQ(Found("hojichar/words.txt", "だめ"), std::vector<uint32_t>{0});
  // The folder that is named goes before.
  folder_.Set(root_ / "folder");
  Write("folder/words.txt", "ない");
  EXPECT_EQ(Found("hojichar/words.txt", "だめ"), std::vector<uint32_t>{});
  EXPECT_EQ(Found("hojichar/words.txt", "ない"), std::vector<uint32_t>{0});
}

// A list that is still used elsewhere is not taken for one that has been changed, or lies in another folder.
TEST_F(WordLists, OfHojiCharAreReadAgainWhenTheyAreOthers) {
  folder_.Set(root_ / "folder");
  Write("folder/words.txt", "だめ");
  const auto used = WordList::Load("hojichar/words.txt").ValueOrDie();
  EXPECT_EQ(WordList::Load("hojichar/words.txt").ValueOrDie(), used);
  Write("folder/words.txt", "ないない");
  EXPECT_EQ(Found("hojichar/words.txt", "ないない"), std::vector<uint32_t>{0});
  Write("other/words.txt", "よい");
  folder_.Set(root_ / "other");
  EXPECT_EQ(Found("hojichar/words.txt", "よい"), std::vector<uint32_t>{0});
}

// HojiChar has this one under two names.
TEST_F(WordLists, OfHojiCharMayHaveEitherName) {
  folder_.Set(root_);
  const std::string name = "hojichar/discriminations_keywords_ja.txt";
  EXPECT_NE(ErrorOfList(name), "");
  Write("discriminations_keywords_ja.txt", "だめ");
  EXPECT_EQ(Found(name, "だめ"), std::vector<uint32_t>{0});
  Write("discrimination_keywords_ja.txt", "ない");
  EXPECT_EQ(Found(name, "ない"), std::vector<uint32_t>{0});
}

// Whether words occur, and where, says the same as which do.
TEST(WordSpans, AreThoseOfWords) {
  const std::set<std::string> words = {"あ", "いう", "うえお", "a\nb", "🌊い"};
  const auto list = WordList::Of(words, "words").ValueOrDie();
  const std::vector<std::string> letters = {"あ", "い", "う", "え", "お", "a", "b", "\n", "🌊", "x"};
  rc::check([&] {
    std::string text;
    for (const size_t letter : *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, letters.size()))) {
      text += letters[letter];
    }
    std::vector<uint32_t> found;
    list->Find(text, &found);
    std::vector<TextSpan> spans;
    list->FindSpans(text, &spans);
    RC_ASSERT(list->Occurs(text) == !found.empty());
    RC_ASSERT(spans.size() == found.size());
    for (size_t i = 0; i < spans.size(); ++i) {
      const std::string word = text.substr(spans[i].begin, spans[i].end - spans[i].begin);
      RC_ASSERT(*std::next(words.begin(), found[i]) == word);
    }
  });
}

}  // namespace
}  // namespace uzushio
