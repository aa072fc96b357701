#include "base/options.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

struct Example {
  int64_t width = 3;
  std::string words;
  std::string order = "newest";
  std::string column = "date";
  bool fast = false;
  int64_t added = 0;  // as a new option is declared
};

const Options<Example>& Declared() {
  static const Options<Example> options =
      Options<Example>()
          .Integer("width", &Example::width, 1, 100, "Width")
          .Path("words", &Example::words, "FILE", "Words")
          .IdentityMembers([](const Example& all) {
            return nlohmann::json{{"words", all.words}, {"words_checksum", "of " + all.words}};
          })
          .Kind([](const Example& all) { return all.words.empty() ? LeftOut() : nlohmann::json("of " + all.words); })
          .KindKey("checksum")
          .Choice("order", &Example::order, {"newest", "first"}, "Order")
          .InKind(KindPart::kChoice)
          .Text("column", &Example::column, "NAME", "Column")
          .InKind(KindPart::kChoice)
          .Kind([](const Example& all) { return all.order == "newest" ? nlohmann::json(all.column) : LeftOut(); })
          .Flag("fast", &Example::fast, "Fast")
          .InKind(KindPart::kNone)
          .Integer("added", &Example::added, 0, 100, "New")
          .IdentityUnlessDefault();
  return options;
}

// Options of another command's arguments are told in the same way.
struct Whole {
  Example part;
  std::string output;
};

const Options<Whole>& DeclaredWhole() {
  static const Options<Whole> options =
      Options<Whole>().Path("output", &Whole::output, "DIR", "Folder").NotInIdentity().With(Declared(), &Whole::part);
  return options;
}

Whole Given(const OptionTexts& given) {
  Whole all;
  EXPECT_TRUE(DeclaredWhole().Set(given, &all).ok());
  return all;
}

nlohmann::json KindOf(const OptionTexts& given, KindPart part) {
  const auto values = DeclaredWhole().KindOf(Given(given), part);
  EXPECT_TRUE(values.ok()) << values.status();
  nlohmann::json kind = nlohmann::json::object();
  for (const auto& [option, value] : *values) kind[option->kind_key()] = value;
  return kind;
}

TEST(Options, OneMayHaveSeveralMembersOfTheIdentity) {
  const auto identity = DeclaredWhole().IdentityOf(Given({{"output", "o"}, {"words", "a"}}));
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(*identity, (nlohmann::json{{"width", 3},
                                       {"words", "a"},
                                       {"words_checksum", "of a"},
                                       {"order", "newest"},
                                       {"column", "date"},
                                       {"fast", false}}));
}

TEST(Options, AreOfTheKindUnlessTheySayOtherwise) {
  EXPECT_EQ(KindOf({}, KindPart::kRecords), (nlohmann::json{{"width", 3}}));
  EXPECT_EQ(KindOf({{"output", "o"}, {"words", "a"}, {"added", "1"}, {"fast", ""}}, KindPart::kRecords),
            (nlohmann::json{{"width", 3}, {"checksum", "of a"}, {"added", 1}}));
  EXPECT_EQ(KindOf({{"column", "c"}}, KindPart::kChoice), (nlohmann::json{{"order", "newest"}, {"column", "c"}}));
  EXPECT_EQ(KindOf({{"column", "c"}, {"order", "first"}}, KindPart::kChoice), (nlohmann::json{{"order", "first"}}));
}

}  // namespace
}  // namespace uzushio
