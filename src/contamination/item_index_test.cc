#include "contamination/item_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "contamination/folding.h"
#include "contamination/sampled_grams.h"

namespace uzushio {
namespace {

std::string CodesOfText(const std::string& text) {
  static const Folding kFolding({});
  std::string codes;
  kFolding.Append(text, &codes);
  return codes;
}

// Codes at random, of which none is 0.
std::string RandomCodes(std::mt19937_64* random, size_t size) {
  std::string codes;
  for (size_t i = 0; i < size; ++i) codes += static_cast<char>(1 + (*random)() % 255);
  return codes;
}

std::unique_ptr<ItemIndex> IndexOf(const std::vector<ItemParts>& items) {
  ItemIndexBuilder builder;
  for (const ItemParts& item : items) EXPECT_TRUE(builder.Add(item).ok());
  return builder.Finish();
}

std::optional<ItemMatch> Search(const ItemIndex& index, std::string codes, ItemSearch* search) {
  const size_t size = codes.size();
  codes.append(ItemIndex::kSlack, '\0');
  return index.Find(std::string_view(codes).substr(0, size), search);
}

double ShareOf(const ItemIndex& index, const std::string& codes) {
  ItemSearch search;
  const auto match = Search(index, codes, &search);
  return match ? match->share : 0;
}

TEST(SampledGrams, SharedRunsShareOne) {
  std::mt19937_64 random(1);
  const auto sampled = [](const std::string& codes) {
    std::set<uint64_t> hashes;
    ForEachSampledGram(codes, [&](size_t place, uint64_t hash) {
      EXPECT_EQ(hash, GramHash(codes.data() + place));
      hashes.insert(hash);
    });
    return hashes;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string run = RandomCodes(&random, kRun);
    const auto one = sampled(RandomCodes(&random, random() % 40) + run + RandomCodes(&random, random() % 40));
    const auto other = sampled(RandomCodes(&random, random() % 40) + run + RandomCodes(&random, random() % 40));
    EXPECT_TRUE(std::ranges::any_of(one, [&](uint64_t hash) { return other.contains(hash); }));
  }
  EXPECT_TRUE(sampled(RandomCodes(&random, kRun - 1)).empty());
  EXPECT_LT(sampled(RandomCodes(&random, 10000)).size(), 3600U);
}

// As winnowing is described: the n-gram that was taken stays until it leaves the window or a lesser one comes in; of
// equal ones the last follows it.
TEST(SampledGrams, AreTheLeastOfTheirWindows) {
  using Taken = std::vector<std::pair<size_t, uint64_t>>;
  std::mt19937_64 random(14);
  for (int i = 0; i < 2000; ++i) {
    const size_t kinds = i % 3 == 0 ? 1 + random() % 2 : 255;  // few, so that n-grams are repeated
    std::string codes;
    for (size_t size = random() % (i % 50 == 0 ? 2000 : 40); codes.size() < size;) {
      codes += static_cast<char>(1 + random() % kinds);
    }
    if (i % 5 == 0 && !codes.empty()) {  // with a period
      const std::string period = codes.substr(0, 1 + random() % 6);
      for (int times = 0; times < 100; ++times) codes += period;
    }
    Taken wanted;
    for (size_t window = 0; window + kRun <= codes.size(); ++window) {
      size_t least = window;
      for (size_t at = window; at < window + kWindow; ++at) {
        if (GramHash(codes.data() + at) <= GramHash(codes.data() + least)) least = at;
      }
      const uint64_t hash = GramHash(codes.data() + least);
      const bool stays = !wanted.empty() && wanted.back().first >= window && wanted.back().second == hash;
      if (!stays) wanted.emplace_back(least, hash);
    }
    for (const bool wide : {false, HasAvx2()}) {
      Taken taken;
      ForEachSampledGram(codes, [&](size_t place, uint64_t hash) { taken.emplace_back(place, hash); }, wide);
      EXPECT_EQ(taken, wanted) << i << wide;
    }
  }
}

TEST(ItemIndex, FindsItemsWordForWordAndChanged) {
  const auto index = IndexOf({
      {CodesOfText("次の文の空欄に入る最も適切な語はどれか。彼は毎朝駅まで走る。"),
       CodesOfText("走って通勤する"),
       {CodesOfText("電車に乗って通勤する"), CodesOfText("自転車で学校に行く")}},
      {CodesOfText("太郎君はリンゴを１２個持っています。花子さんに５個あげると、残りは何個ですか。"),
       CodesOfText("7"),
       {}},
  });
  EXPECT_EQ(index->size(), 2U);
  const std::string before = CodesOfText("これは関係のない文章です。今日は天気が良いので散歩に出かけました。");
  EXPECT_EQ(ShareOf(*index, before), 0);
  EXPECT_EQ(ShareOf(*index, before +
                                CodesOfText("次の文の空欄に入る最も適切な語はどれか。彼は毎朝駅まで走る。"
                                            "(1)自転車で学校に行く(2)走って通勤する(3)電車に乗って通勤する") +
                                before),
            1);
  // Another name, other numbers.
  const double changed = ShareOf(
      *index,
      CodesOfText("次郎君はりんごを３０個持っています。花子さんに８個あげると、残りは何個ですか。答えは22個。"));
  EXPECT_GT(changed, 0.6);
  EXPECT_LT(changed, 1);

  ItemSearch search;
  const auto match = Search(
      *index, before + CodesOfText("太郎君はリンゴを12個持っています。花子さんに5個あげると、残りは何個ですか。7"),
      &search);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->item, 1U);
  EXPECT_EQ(match->covered, match->pieces);
  const ItemRun run = index->LongestRun(
      *match, before + CodesOfText("太郎君はリンゴを12個持っています。花子さんに5個あげると、残りは何個ですか。7"));
  EXPECT_EQ(run.part, 0U);
  EXPECT_EQ(run.begin, before.size());
  EXPECT_EQ(run.length, match->pieces + 4);  // the question: an answer of one character does not count
}

TEST(ItemIndex, QuestionAndAnswerDoWithoutOtherChoices) {
  std::mt19937_64 random(2);
  const std::string question = RandomCodes(&random, 30);
  const std::string answer = RandomCodes(&random, 20);
  const std::string other = RandomCodes(&random, 50);
  const auto known = IndexOf({{question, answer, {other}}});
  EXPECT_EQ(ShareOf(*known, question + "x" + answer), 1);
  EXPECT_DOUBLE_EQ(ShareOf(*known, question), 26.0 / (26 + 16));
  EXPECT_DOUBLE_EQ(ShareOf(*known, question + other), 72.0 / 88);
  const auto unknown = IndexOf({{question, "", {answer, other}}});
  EXPECT_DOUBLE_EQ(ShareOf(*unknown, question), 26.0 / 88);
  EXPECT_DOUBLE_EQ(ShareOf(*unknown, question + other), 72.0 / 88);
}

// Questions as JCommonsenseQA has them.
TEST(ItemIndex, FindsShortItems) {
  const std::string question = CodesOfText("駅に止まるのは？");
  const std::string choices = CodesOfText("1.砂利 2.飛行機 3.電車 4.ロケット 5.ベンチ");
  const auto index =
      IndexOf({{question,
                CodesOfText("電車"),
                {CodesOfText("砂利"), CodesOfText("飛行機"), CodesOfText("ロケット"), CodesOfText("ベンチ")}}});
  EXPECT_EQ(index->size(), 1U);
  const std::string before = CodesOfText("これは関係のない文章です。今日は天気が良いので散歩に出かけました。");
  EXPECT_EQ(ShareOf(*index, before + question + choices + before), 1);
  EXPECT_EQ(ShareOf(*index, before + question + CodesOfText("どの電車か") + before), 0);  // that may be chance
  EXPECT_EQ(ShareOf(*index, before + choices + before), 0);
  EXPECT_EQ(ShareOf(*IndexOf({{question, CodesOfText("電車"), {}}}), question), 0);
}

// However many there are; those that are of too common n-grams are counted.
TEST(ItemIndex, FindsManyShortItems) {
  std::mt19937_64 random(15);
  std::vector<ItemParts> items;
  for (int i = 0; i < 70000; ++i) items.push_back({RandomCodes(&random, kRun - 1), "", {}});
  const auto many = IndexOf(items);
  EXPECT_EQ(many->common_items(), 0);
  for (size_t i = 0; i < items.size(); i += 1000) EXPECT_EQ(ShareOf(*many, items[i].question), 1);
  const std::string question = RandomCodes(&random, kRun - 1);
  items.clear();
  for (int i = 0; i < 20; ++i) items.push_back({question, "", {RandomCodes(&random, 3), RandomCodes(&random, 3)}});
  items.push_back({RandomCodes(&random, 40), "", {}});
  const auto common = IndexOf(items);
  EXPECT_EQ(common->common_items(), 20);
  EXPECT_TRUE(common->IsCommonItem(0));
  EXPECT_FALSE(common->IsCommonItem(20));
  ItemParts choices = {question, "", {}};
  std::string all = question;
  for (int i = 0; i < 67; ++i) all += choices.choices.emplace_back(RandomCodes(&random, 4)) + std::string(1, 'x');
  EXPECT_GT(ShareOf(*IndexOf({choices}), all), 0.9);
}

// Particles and other short choices are in many texts.
TEST(ItemIndex, ShortChoicesAloneAreNoEvidence) {
  const auto index = IndexOf({{CodesOfText("これはなんですか"),
                               "",
                               {CodesOfText("から"), CodesOfText("まで"), CodesOfText("ので"), CodesOfText("のに")}}});
  EXPECT_EQ(ShareOf(*index, CodesOfText("朝から晩まで働いたので疲れたのに、これはなんでだろう。")), 0);
}

TEST(ItemIndex, FindsShortItemsOfWhichAWordIsReplaced) {
  const auto index = IndexOf({{CodesOfText("オランダが活版印刷発明の地"), CodesOfText("ハールレム市"), {}}});
  EXPECT_GT(ShareOf(*index, CodesOfText("ベルギーが活版印刷発明の地、ハールレム市。")), 0.6);
  EXPECT_EQ(ShareOf(*index, CodesOfText("オランダは活版印刷発明の国。ハールレム市。")), 0);  // two: too little is left
}

TEST(ItemIndex, RepeatedPiecesCountOnce) {
  const auto index =
      IndexOf({{CodesOfText("電気抵抗溶接の金属表面は？"),
                "",
                {CodesOfText("粗くなければならない"), CodesOfText("清潔でなければならない"),
                 CodesOfText("湿っていなければならない"), CodesOfText("色がついていなければならない")}}});
  EXPECT_LT(ShareOf(*index, CodesOfText("それが知られていなければならない。電気抵抗溶接の図")), 0.5);
  const auto zeros =
      IndexOf({{CodesOfText("何本の映画が観られるか"), "", {"YYXXXXXXXX", "YYXXXXXXXXX", "YYXXXXXXXXXX"}}});
  EXPECT_EQ(ShareOf(*zeros, "YY" + std::string(40, 'X')), 0);
}

TEST(ItemIndex, LooksAtOnePlaceOfADocument) {
  std::mt19937_64 random(3);
  const std::string question = RandomCodes(&random, 40);
  const std::string answer = RandomCodes(&random, 40);
  const auto index = IndexOf({{question, answer, {}}});
  EXPECT_EQ(ShareOf(*index, question + RandomCodes(&random, 20) + answer), 1);
  EXPECT_EQ(ShareOf(*index, question + RandomCodes(&random, 2000) + answer), 0.5);
}

TEST(ItemIndex, BoilerplateDoesNotCount) {
  std::mt19937_64 random(4);
  const std::string boilerplate = RandomCodes(&random, 60);
  std::vector<ItemParts> items;
  for (int i = 0; i < 40; ++i) items.push_back({boilerplate + RandomCodes(&random, 30), "", {}});
  const auto index = IndexOf(items);
  EXPECT_EQ(ShareOf(*index, boilerplate), 0);
  EXPECT_EQ(ShareOf(*index, items[7].question), 1);
  items.resize(4);
  EXPECT_GT(ShareOf(*IndexOf(items), boilerplate), 0.6);
}

TEST(ItemIndex, CountsWhatItCannotFind) {
  std::mt19937_64 random(5);
  const std::string same = RandomCodes(&random, 30);
  std::vector<ItemParts> items = {{RandomCodes(&random, kShortGram - 1), RandomCodes(&random, kShortGram - 1), {}},
                                  {RandomCodes(&random, kRun), "", {}}};
  for (int i = 0; i < 60; ++i) items.push_back({same, RandomCodes(&random, 3), {}});
  items.push_back(items[1]);
  const auto index = IndexOf(items);
  EXPECT_EQ(index->short_items(), 1);
  EXPECT_EQ(index->repeated_items(), 1);
  EXPECT_EQ(index->common_items(), 60);
  EXPECT_EQ(index->size(), 61U);
  EXPECT_EQ(index->NumberOf(0), 1U);
  EXPECT_EQ(ShareOf(*IndexOf({}), same), 0);
}

TEST(ItemIndex, ManyChoicesAreFound) {
  std::mt19937_64 random(6);
  for (const size_t choices : {60U, 61U, 62U, 63U, 64U, 200U}) {
    ItemParts item;
    item.question = RandomCodes(&random, 20);
    std::string all = item.question;
    for (size_t i = 0; i < choices; ++i) all += item.choices.emplace_back(RandomCodes(&random, 20));
    EXPECT_EQ(ShareOf(*IndexOf({item, {RandomCodes(&random, 30), "", {}}}), all), 1) << choices;
  }
}

// Each item is found where it stands, among thousands.
TEST(ItemIndex, FindsEachOfThousands) {
  std::mt19937_64 random(7);
  std::vector<ItemParts> items;
  for (int i = 0; i < 5000; ++i) {
    items.push_back({RandomCodes(&random, kRun + random() % 100), RandomCodes(&random, random() % 30), {}});
  }
  const auto index = IndexOf(items);
  ItemSearch search;
  for (uint32_t i = 0; i < items.size(); ++i) {
    const auto match = Search(*index, RandomCodes(&random, 50) + items[i].question + items[i].answer, &search);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->item, i);
    EXPECT_EQ(match->share, 1);
  }
  EXPECT_EQ(ShareOf(*index, RandomCodes(&random, 100000)), 0);
}

// The run is one of the document: pieces of an item in another order are none.
TEST(ItemIndex, LongestRunIsOneOfTheDocument) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 300; ++i) {
    // Few codes, so that runs occur several times.
    const auto few = [&random](size_t size) {
      std::string codes;
      for (size_t j = 0; j < size; ++j) codes += static_cast<char>('a' + random() % (2 + size % 3));
      return codes;
    };
    const std::vector<std::string> parts = {few(kRun + random() % 60), few(random() % 30), few(random() % 30)};
    const auto index = IndexOf({{parts[0], parts[1], {parts[2]}}});
    std::string document = few(random() % 200) + parts[0].substr(random() % 9, kRun) + few(random() % 200);
    const std::string shown = document;
    document.append(ItemIndex::kSlack, '\0');
    const ItemMatch all = {.item = 0, .begin = 0, .end = shown.size()};
    const ItemRun run = index->LongestRun(all, std::string_view(document).substr(0, shown.size()));
    ItemRun wanted;
    for (size_t part = 0; part < parts.size(); ++part) {
      for (size_t length = parts[part].size(); length > wanted.length; --length) {
        size_t first = std::string::npos;
        for (size_t at = 0; at + length <= parts[part].size(); ++at) {
          first = std::min(first, shown.find(parts[part].substr(at, length)));
        }
        if (first != std::string::npos) wanted = {part, first, length};
      }
    }
    EXPECT_EQ(run.part, wanted.part);
    EXPECT_EQ(run.begin, wanted.begin);
    EXPECT_EQ(run.length, wanted.length);
  }
}

// Of equal ones the first, wherever a document is cut: a place near its beginning is smaller than the others.
TEST(ItemIndex, FindsTheFirstOfEqualOnes) {
  std::mt19937_64 random(16);
  const std::string question = RandomCodes(&random, 30);
  const std::string answer = RandomCodes(&random, 30);
  const auto index = IndexOf({{question, answer, {RandomCodes(&random, 10)}}});
  std::string codes;
  std::vector<ItemMatch> first;
  std::vector<ItemMatch> matches;
  ItemSearch search;
  for (int copies = 1; copies < 60; ++copies) {
    codes += question + answer + RandomCodes(&random, 9);
    std::string with_slack = codes + std::string(ItemIndex::kSlack, '\0');
    index->FindAbove(std::string_view(with_slack).substr(0, codes.size()), 0.5, &search, &matches);
    ASSERT_EQ(matches.size(), 1U);
    if (copies == 10) first = matches;
    if (copies < 10) continue;
    EXPECT_EQ(matches[0].begin, first[0].begin);
    EXPECT_EQ(matches[0].end, first[0].end);
  }
}

TEST(ItemIndex, FindsTheBestOfEachItem) {
  std::mt19937_64 random(11);
  std::vector<ItemParts> items;
  for (int i = 0; i < 50; ++i) items.push_back({RandomCodes(&random, 60), "", {}});
  const auto index = IndexOf(items);
  std::string codes;
  for (int i = 49; i >= 0; i -= 2) {
    codes += items[static_cast<size_t>(i)].question.substr(0, 40) + RandomCodes(&random, 300);
    codes += items[static_cast<size_t>(i)].question + RandomCodes(&random, 300);
  }
  codes += items[0].question.substr(0, 20);  // a third
  const size_t size = codes.size();
  codes.append(ItemIndex::kSlack, '\0');
  ItemSearch search;
  std::vector<ItemMatch> matches;
  index->FindAbove(std::string_view(codes).substr(0, size), 0.5, &search, &matches);
  ASSERT_EQ(matches.size(), 25U);
  for (size_t i = 0; i < matches.size(); ++i) {
    EXPECT_EQ(matches[i].item, 2 * i + 1);
    EXPECT_EQ(matches[i].share, 1);
    EXPECT_EQ(matches[i].covered, 56U);
  }
}

// Many documents' worth of anchors at once: memory is bounded, and what is found is the same.
TEST(ItemIndex, LongDocumentsTakeBoundedMemory) {
  std::mt19937_64 random(12);
  const std::string text = RandomCodes(&random, 80);
  std::vector<ItemParts> items;
  for (int i = 0; i < 16; ++i) items.push_back({text + RandomCodes(&random, 20), "", {}});
  items.push_back({RandomCodes(&random, 3000), "", {}});  // found by six n-grams, wherever a document is cut
  const auto index = IndexOf(items);
  std::string codes;
  for (int i = 0; i < 5000; ++i) codes += text + RandomCodes(&random, 1 + random() % 3);
  const size_t at = codes.size();
  codes += items[16].question.substr(500, 1000) + RandomCodes(&random, 300000) + items[11].question;
  ItemSearch search;
  const auto match = Search(*index, codes, &search);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->item, 11U);
  EXPECT_EQ(match->share, 1);
  EXPECT_LT(search.anchors.capacity() + search.blocks.capacity() + search.lookups.capacity(), 400000U);
  std::vector<ItemMatch> matches;
  codes.append(ItemIndex::kSlack, '\0');
  index->FindAbove(std::string_view(codes).substr(0, codes.size() - ItemIndex::kSlack), 0.3, &search, &matches);
  ASSERT_EQ(matches.size(), 17U);
  EXPECT_EQ(matches[16].covered, 996U);
  EXPECT_LE(matches[16].begin, at);
}

// Work is counted, as clocks are not to be trusted. A document of twice the length takes at most about twice the work.
class ItemIndexWork : public testing::Test {
 protected:
  static uint64_t WorkOf(const ItemIndex& index, const std::string& codes) {
    ItemSearch search;
    Search(index, codes, &search);
    return search.work;
  }
  static void ExpectLinear(const ItemIndex& index, const std::string& piece, size_t times) {
    std::string codes;
    for (size_t i = 0; i < times; ++i) codes += piece;
    const uint64_t once = WorkOf(index, codes);
    const uint64_t twice = WorkOf(index, codes + codes);
    EXPECT_LE(twice, 3 * once + 10000);  // of four times for a square
    EXPECT_LE(twice, 8000 * codes.size());
  }
};

// Of n-grams that no item has, hardly one is looked for among the postings.
TEST_F(ItemIndexWork, FilterLeavesOutUnknownGrams) {
  std::mt19937_64 random(13);
  std::vector<ItemParts> items;
  for (int i = 0; i < 5000; ++i) items.push_back({RandomCodes(&random, 100), "", {}});
  const auto index = IndexOf(items);
  const std::string codes = RandomCodes(&random, 100000);
  size_t sampled = 0;
  ForEachSampledGram(codes, [&](size_t /*place*/, uint64_t /*hash*/) { ++sampled; });
  EXPECT_LT(WorkOf(*index, codes), codes.size() + sampled + sampled);
}

TEST_F(ItemIndexWork, IsLinearInDocumentsOfOneGram) {
  const auto index = IndexOf({{std::string(1000, 'a'), "", {}}, {std::string(100, 'a') + "bcdefgh", "", {}}});
  ExpectLinear(*index, "a", 1000000);
  ExpectLinear(*IndexOf({{std::string(1000000, 'a'), "", {}}}), "a", 100000);
  ExpectLinear(*IndexOf({{std::string(40, 'a'), "", {}}}), "a", 100000);
}

TEST_F(ItemIndexWork, IsLinearWhereItemsAreRepeated) {
  std::mt19937_64 random(8);
  const std::string text = RandomCodes(&random, 80);
  ItemIndexBuilder builder;
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(builder.Add({text, i % 2 == 0 ? "" : std::to_string(i), {}}).ok());
  }
  const auto index = builder.Finish();
  EXPECT_EQ(index->repeated_items(), 49999);
  ExpectLinear(*index, text, 300);
  // As many as a gram may be of.
  std::vector<ItemParts> items;
  for (int i = 0; i < 16; ++i) items.push_back({text + RandomCodes(&random, 80), "", {}});
  ExpectLinear(*IndexOf(items), text, 300);
}

// One n-gram of each of many long items: there is too little of them for a comparison.
TEST_F(ItemIndexWork, IsLinearForPiecesOfLongItems) {
  std::mt19937_64 random(9);
  std::vector<ItemParts> items;
  std::string pieces;
  for (int i = 0; i < 40; ++i) {
    items.push_back({RandomCodes(&random, 2000), "", {}});
    pieces += items.back().question.substr(1000, 2 * kRun);
  }
  ExpectLinear(*IndexOf(items), pieces, 30);
}

}  // namespace
}  // namespace uzushio
