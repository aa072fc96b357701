#include "stages/filter/repeats.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

class Repeats : public FolderTest {
 protected:
  using Pieces = std::vector<std::vector<std::string>>;

  // Which elements repeat earlier ones, as the finder has it. Pieces are taken by two writers by turns, the last first.
  std::vector<std::vector<bool>> Find(const Pieces& pieces, const RepeatsPlan& plan) {
    SpillSpace space(root_);
    RepeatFinder finder(pieces.size(), 2, plan, &space);
    std::vector<RepeatFinder::Writer> writers(2, RepeatFinder::Writer(&finder));
    for (size_t piece = pieces.size(); piece-- > 0;) {
      RepeatFinder::Writer& writer = writers[piece % 2];
      writer.Begin(piece);
      for (const std::string& element : pieces[piece]) EXPECT_TRUE(writer.Add(element).ok());
    }
    for (RepeatFinder::Writer& writer : writers) EXPECT_TRUE(writer.Flush().ok());
    ChainRepeats repeats(2);
    repeats[1] = finder.Finish().ValueOrDie();
    std::vector<std::vector<bool>> found(pieces.size());
    for (size_t piece = 0; piece < pieces.size(); ++piece) {
      PieceRepeats of(repeats, piece);
      for (size_t i = 0; i < pieces[piece].size(); ++i) found[piece].push_back(of.Next(1));
      EXPECT_TRUE(of.Finish().ok()) << of.Finish();
    }
    spilled_ = space.bytes_written();
    return found;
  }

  static std::vector<std::vector<bool>> Oracle(const Pieces& pieces) {
    std::set<std::string> seen;
    std::vector<std::vector<bool>> found;
    for (const auto& piece : pieces) {
      found.emplace_back();
      for (const std::string& element : piece) found.back().push_back(!seen.insert(element).second);
    }
    return found;
  }

  // `most` different elements, one of them in every second place.
  static Pieces RandomPieces(size_t count, size_t elements, int most) {
    std::mt19937 random(static_cast<unsigned>(count));
    Pieces pieces(count);
    for (auto& piece : pieces) {
      for (size_t i = random() % (elements + 1); i > 0; --i) {
        piece.push_back(random() % 2 == 0 ? "hot" : std::to_string(static_cast<int>(random()) % most));
      }
    }
    return pieces;
  }
  int64_t spilled_ = 0;
};

constexpr RepeatsPlan kAmple = {int64_t{64} << 20, int64_t{8} << 20, int64_t{8} << 20};
constexpr RepeatsPlan kScarce = {int64_t{1} << 12, int64_t{1} << 18, int64_t{1} << 10};

TEST_F(Repeats, AreThoseOfASet) {
  for (const size_t count : {size_t{1}, size_t{2}, size_t{7}, size_t{400}}) {
    const Pieces pieces = RandomPieces(count, 4000 / count, 1500);
    EXPECT_EQ(Find(pieces, kAmple), Oracle(pieces));
    EXPECT_EQ(Find(pieces, kScarce), Oracle(pieces));
    EXPECT_GT(spilled_, 0);
  }
}

TEST_F(Repeats, MayBeNone) {
  EXPECT_EQ(Find({}, kAmple), Oracle({}));
  EXPECT_EQ(Find({{}, {"a"}, {}}, kAmple), Oracle({{}, {"a"}, {}}));
}

TEST_F(Repeats, KnowOtherDocuments) {
  SpillSpace space(root_);
  RepeatFinder finder(1, 1, kAmple, &space);
  RepeatFinder::Writer writer(&finder);
  writer.Begin(0);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(writer.Add("a").ok());
  ASSERT_TRUE(writer.Flush().ok());
  ChainRepeats repeats(1);
  repeats[0] = finder.Finish().ValueOrDie();
  PieceRepeats fewer(repeats, 0);
  EXPECT_FALSE(fewer.Next(0));
  EXPECT_FALSE(fewer.Finish().ok());
}

TEST_F(Repeats, MayBeGiven) {
  const std::vector<int64_t> some = {1, 4, 5, 7};  // of seven elements
  const std::vector<int64_t> none = {2};
  GivenRepeats given({{0, some}, {3, none}});
  std::vector<int> found;
  for (int i = 0; i < 7; ++i) {
    if (given.Next(0)) found.push_back(i);
  }
  EXPECT_EQ(found, (std::vector<int>{1, 4, 5}));
  EXPECT_FALSE(given.Next(3));
  EXPECT_EQ(given.Finish().message(), "was changed while it was read");  // one is missing
  EXPECT_FALSE(given.Next(3));
  EXPECT_TRUE(given.Finish().ok());
  EXPECT_FALSE(given.Next(3));  // one too many
  EXPECT_FALSE(given.Finish().ok());
}

}  // namespace
}  // namespace uzushio
