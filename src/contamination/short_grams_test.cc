#include "contamination/short_grams.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace uzushio {
namespace {

using Found = std::vector<std::pair<size_t, std::vector<uint32_t>>>;

Found Look(const ShortGrams& grams, std::string document, size_t begin, size_t end, const std::string& codes) {
  const size_t size = document.size();
  document.append(8, '\0');
  Found found;
  uint64_t work = 0;
  grams.ForEach(std::string_view(document).substr(0, size), begin, end, codes.data(), &work,
                [&found](size_t place, std::span<const uint32_t> others) {
                  found.emplace_back(place, std::vector<uint32_t>(others.begin(), others.end()));
                });
  return found;
}

// Beside a map of all n-grams; of few codes, so that they recur.
TEST(ShortGrams, AreThoseOfAMap) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto text = [&random](size_t size) {
      std::string codes;
      for (size_t j = 0; j < size; ++j) codes += static_cast<char>(200 + random() % 3);
      return codes;
    };
    std::string codes = text(kShortGram + random() % 300);
    std::vector<uint32_t> places;
    for (uint32_t at = 0; at + kShortGram <= codes.size(); ++at) {
      if (random() % 3 == 0) places.push_back(at);
    }
    codes.append(8, '\0');
    const size_t most = 1 + random() % 4;
    std::map<std::string, std::vector<uint32_t>> wanted;
    for (const uint32_t place : places) wanted[codes.substr(place, kShortGram)].push_back(place);
    std::erase_if(wanted, [most](const auto& one) { return one.second.size() > most; });
    ShortGrams grams;
    grams.Make(codes.data(), places, most);
    const std::string document = text(random() % 200);
    const size_t begin = random() % (document.size() + 1);
    const size_t end = begin + random() % 250;
    Found expected;
    for (size_t at = begin; at < end && at + kShortGram <= document.size(); ++at) {
      const auto one = wanted.find(document.substr(at, kShortGram));
      if (one != wanted.end()) expected.emplace_back(at, one->second);
    }
    EXPECT_EQ(Look(grams, document, begin, end, codes), expected);
  }
}

TEST(ShortGrams, NoneAreFoundWhereThereAreNone) {
  ShortGrams grams;
  EXPECT_TRUE(Look(grams, "abcdefghijkl", 0, 12, "").empty());
  grams.Make("", {}, 1);
  EXPECT_TRUE(Look(grams, "abcdefghijkl", 0, 12, "").empty());
}

}  // namespace
}  // namespace uzushio
