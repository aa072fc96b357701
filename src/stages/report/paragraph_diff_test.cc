#include "stages/report/paragraph_diff.h"

#include <gtest/gtest.h>

#include <random>

namespace uzushio {
namespace {

using In = DiffedParagraph::In;

// As `a` of both, `-a` of the first and `+a` of the second text, for texts whose paragraphs are letters.
std::string Diff(const std::string& first, const std::string& second) {
  const auto split = [](const std::string& text) {
    std::vector<std::string> paragraphs;
    for (const char c : text) paragraphs.emplace_back(1, c);
    return paragraphs;
  };
  const auto a = split(first);
  const auto b = split(second);
  std::string all;
  for (const DiffedParagraph& one : DiffParagraphs(a, b)) {
    if (one.in != In::kBoth) all += one.in == In::kFirst ? "-" : "+";
    all += one.in == In::kSecond ? b[one.place] : a[one.place];
  }
  return all;
}

TEST(DiffParagraphs, WhatIsInOneOrInBoth) {
  EXPECT_EQ(Diff("", ""), "");
  EXPECT_EQ(Diff("abc", "abc"), "abc");
  EXPECT_EQ(Diff("abc", ""), "-a-b-c");
  EXPECT_EQ(Diff("", "abc"), "+a+b+c");
  EXPECT_EQ(Diff("abcd", "acd"), "a-bcd");
  EXPECT_EQ(Diff("acd", "abcd"), "a+bcd");
  EXPECT_EQ(Diff("axc", "ayc"), "a-x+yc");
  EXPECT_EQ(Diff("abxyc", "pbc"), "-a+pb-x-yc");
}

TEST(DiffParagraphs, OfWhatOccursSeveralTimes) {
  EXPECT_EQ(Diff("xaxb", "axb"), "-xaxb");
  EXPECT_EQ(Diff("axbx", "axb"), "axb-x");
  EXPECT_EQ(Diff("mam", "mm"), "m-am");
  EXPECT_EQ(Diff("aaaa", "aa"), "aa-a-a");
}

TEST(DiffParagraphs, WhatIsMovedIsInOneOfThem) { EXPECT_EQ(Diff("abcde", "bcdea"), "-abcde+a"); }

TEST(DiffParagraphs, KeepsTheOrderOfBoth) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto text = [&random] {
      std::string made;
      for (size_t size = random() % 12; size > 0; --size) made += static_cast<char>('a' + random() % 4);
      return made;
    };
    const std::string first = text();
    const std::string second = text();
    std::string of_first;
    std::string of_second;
    const std::string diff = Diff(first, second);
    for (size_t i = 0; i < diff.size(); ++i) {
      const char sign = diff[i] == '-' || diff[i] == '+' ? diff[i++] : ' ';
      if (sign != '+') of_first += diff[i];
      if (sign != '-') of_second += diff[i];
    }
    EXPECT_EQ(of_first, first) << diff;
    EXPECT_EQ(of_second, second) << diff;
  }
}

TEST(DiffParagraphs, OfManyTakesNoLongTime) {
  std::vector<std::string> first;
  for (int i = 0; i < 200'000; ++i) first.push_back(std::to_string(i % 100'000));
  std::vector<std::string> second(first.rbegin(), first.rend());
  EXPECT_GE(DiffParagraphs(first, second).size(), first.size());
}

}  // namespace
}  // namespace uzushio
