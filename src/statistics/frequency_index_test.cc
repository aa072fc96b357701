#include "statistics/frequency_index.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "base/test_support.h"

namespace uzushio {
namespace {

class Index : public FolderTest {
 protected:
  std::string Write(const std::map<int64_t, Frequencies>& entries) {
    const std::string path = root_ / "a.index";
    auto writer = FrequencyIndexWriter::Create(path).ValueOrDie();
    for (const auto& [hash, frequencies] : entries) {
      EXPECT_TRUE(writer->Append({hash, frequencies.exact_freq, frequencies.near_freq}).ok());
    }
    EXPECT_TRUE(writer->Finish().ok());
    return path;
  }

  static std::string ErrorOf(const std::string& path) {
    const auto index = FrequencyIndex::Open(path);
    return index.ok() ? "" : index.status().message();
  }
};

TEST_F(Index, FindsWhatIsThereAndNothingElse) {
  std::mt19937_64 random(1);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}, size_t{100000}}) {
    std::map<int64_t, Frequencies> entries;
    while (entries.size() < size) {
      auto hash = static_cast<int64_t>(random());
      const bool crowded = random() % 3 == 0;
      if (crowded) hash %= 100000;  // around zero
      entries[hash] = {static_cast<int32_t>(random() % 100), static_cast<int32_t>(random() % 1000)};
    }
    if (size > 1) {
      entries[INT64_MIN] = {3, 4};
      entries[INT64_MAX] = {5, 6};
    }
    const auto index = FrequencyIndex::Open(Write(entries)).ValueOrDie();
    EXPECT_EQ(index->size(), static_cast<int64_t>(entries.size()));
    std::vector<int64_t> hashes;
    for (const auto& [hash, frequencies] : entries) {
      hashes.push_back(hash);
      hashes.push_back(hash ^ 1);
    }
    for (int i = 0; i < 1000; ++i) hashes.push_back(static_cast<int64_t>(random()));
    hashes.insert(hashes.end(), {INT64_MIN, INT64_MAX, 0, -1});
    std::vector<Frequencies> found(hashes.size());
    index->LookUp(hashes, found);
    for (size_t i = 0; i < hashes.size(); ++i) {
      const auto entry = entries.find(hashes[i]);
      ASSERT_EQ(found[i], entry == entries.end() ? Frequencies{} : entry->second);
    }
  }
}

TEST_F(Index, RefusesHashesOutOfOrder) {
  auto writer = FrequencyIndexWriter::Create(root_ / "a.index").ValueOrDie();
  ASSERT_TRUE(writer->Append({5, 2, 2}).ok());
  EXPECT_FALSE(writer->Append({5, 2, 2}).ok());
}

TEST_F(Index, EveryChangedByteIsSeen) {
  const std::string path = Write({{-7, {1, 2}}, {0, {3, 3}}, {9, {2, 5}}});
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string copy = root_ / "copy.index";
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    std::ofstream(copy, std::ios::binary) << damaged;
    ASSERT_NE(ErrorOf(copy), "") << i;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::ofstream(copy, std::ios::binary) << bytes.substr(0, size);
    ASSERT_NE(ErrorOf(copy), "") << size;
  }
  std::ofstream(copy, std::ios::binary) << bytes << '\0';
  EXPECT_NE(ErrorOf(copy), "");
}

TEST_F(Index, ErrorsSayWhatIsWrong) {
  const std::string other = root_ / "other";
  std::ofstream(other) << std::string(1000, 'x');
  EXPECT_NE(ErrorOf(other).find("other"), std::string::npos);
  EXPECT_NE(ErrorOf(other).find("no frequency index"), std::string::npos);
  EXPECT_NE(ErrorOf(root_ / "missing").find("missing"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
