#include "dedup/document_index.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <tuple>

#include "base/test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kDocuments = 3000;
const DocumentIndexKind kKind = {
    {.ngram = 5, .buckets = 3, .values = 4}, {{"ngram", 5}, {"buckets", 3}, {"values", 4}}, "newest"};

std::string IdOf(uint64_t number) { return number % 7 == 0 ? "" : "id" + std::to_string(number * number); }
uint64_t BucketOf(uint64_t number) { return number * 1000003 + 5; }
std::vector<uint8_t> SketchOf(uint64_t number) {
  return {static_cast<uint8_t>(number), static_cast<uint8_t>(number >> 8)};
}

// An index of documents that each have a bucket of their own; `change` is called with each bucket.
arrow::Status WriteIndex(const fs::path& folder, uint64_t documents,
                         const std::function<void(DocumentBucket*)>& change = nullptr) {
  ARROW_ASSIGN_OR_RAISE(const auto writer, DocumentIndexWriter::Create(folder / kDocumentIndexFolder.path, kKind));
  for (uint64_t i = 0; i < documents; ++i) ARROW_RETURN_NOT_OK(writer->AddDocument(IdOf(i), SketchOf(i)));
  ARROW_RETURN_NOT_OK(writer->FinishDocuments().status());
  for (uint64_t i = 0; i < documents; ++i) {
    DocumentBucket bucket = {BucketOf(i), Priority::Of(i, IdOf(i), i)};
    if (change) change(&bucket);
    ARROW_RETURN_NOT_OK(writer->AddBucket(bucket));
  }
  return writer->Finish();
}

using DocumentIndexes = FolderTest;

TEST_F(DocumentIndexes, KeepsWhatIsWritten) {
  ASSERT_TRUE(WriteIndex(root_, kDocuments).ok());
  const auto index = DocumentIndex::Open(root_.string());
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ((*index)->kind(), kKind);
  EXPECT_EQ((*index)->entries(), kDocuments);
  ASSERT_EQ((*index)->documents().size(), kDocuments);
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{1500}, kDocuments - 1}) {
    const auto document = (*index)->documents().Read(number);
    ASSERT_TRUE(document.ok()) << document.status();
    EXPECT_EQ(document->id, IdOf(number));
    EXPECT_EQ(document->sketch, SketchOf(number));
  }
  EXPECT_FALSE((*index)->documents().Read(kDocuments).ok());
}

TEST_F(DocumentIndexes, CursorsFindEachBucketAndWhatIsBetween) {
  ASSERT_TRUE(WriteIndex(root_, kDocuments).ok());
  const auto index = DocumentIndex::Open(root_.string());
  ASSERT_TRUE(index.ok()) << index.status();
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    DocumentIndex::Cursor cursor(index->get());
    for (uint64_t number = random() % kDocuments; number < kDocuments; number += 1 + random() % 700) {
      ASSERT_TRUE(cursor.SeekTo(BucketOf(number)).ok());
      ASSERT_NE(cursor.get(), nullptr);
      EXPECT_EQ(cursor.get()->priority, Priority::Of(number, IdOf(number), number));
      ASSERT_TRUE(cursor.SeekTo(BucketOf(number) + 1).ok());
      EXPECT_EQ(cursor.get() == nullptr, number + 1 == kDocuments);
      if (cursor.get() != nullptr) EXPECT_EQ(cursor.get()->bucket, BucketOf(number + 1));
    }
  }
}

TEST_F(DocumentIndexes, NoDocumentsAtAll) {
  ASSERT_TRUE(WriteIndex(root_, 0).ok());
  const auto index = DocumentIndex::Open(root_.string());
  ASSERT_TRUE(index.ok()) << index.status();
  DocumentIndex::Cursor cursor(index->get());
  ASSERT_TRUE(cursor.SeekTo(5).ok());
  EXPECT_EQ(cursor.get(), nullptr);
}

// What has checksums that fit, and is no index of this program.
TEST_F(DocumentIndexes, ForgedOnesAreErrors) {
  ASSERT_TRUE(WriteIndex(root_, kDocuments, [](DocumentBucket* bucket) {
                if (bucket->bucket == BucketOf(2500)) bucket->priority.low |= Priority::kMostNumber;
              }).ok());
  const auto index = DocumentIndex::Open(root_.string());
  ASSERT_TRUE(index.ok()) << index.status();
  DocumentIndex::Cursor cursor(index->get());
  EXPECT_TRUE(cursor.SeekTo(BucketOf(10)).ok());
  EXPECT_FALSE(cursor.SeekTo(BucketOf(2600)).ok());

  // Ends of ids that go back, or beyond the file.
  const fs::path place = root_ / kDocumentIndexFolder.path;
  for (const uint64_t end : {uint64_t{0}, uint64_t{1} << 60, UINT64_MAX}) {
    std::fstream file(place / "documents", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::streamoff{16} * 20);
    file.write(reinterpret_cast<const char*>(&end), sizeof end);
    file.close();
    const auto table = DocumentTable::Open(place, kKind.signature.sketch_bytes());
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_FALSE((*table)->Read(20).ok());
  }
  for (const char* json : {"", "[]", "{}", R"({"version": 3})", R"({"version": "1"})",
                           R"({"version":1,"ngram":0,"buckets":1,"values":1,"keep":"first"})",
                           R"({"version":1,"ngram":1,"buckets":2147483647,"values":2147483647,"keep":"first"})",
                           R"({"version":1,"ngram":1,"buckets":1,"values":1,"keep":"first","files":7})",
                           R"({"version":1,"ngram":1,"buckets":1,"values":1,"keep":"first","files":[]})"}) {
    std::ofstream(place / "index.json") << json;
    EXPECT_FALSE(DocumentIndex::Open(root_.string()).ok()) << json;
  }
}

// Ids of one letter, some with more behind six bytes.
class Ids final : public LeaderIds {
 public:
  static std::string Of(const Leader& leader) { return "abcdef" + std::to_string(leader.number() % 5); }
  int Compare(const Leader& a, const Leader& b) override { return Of(a).compare(Of(b)); }
};

TEST(Priority, OrderIsThatOfTheParts) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto draw = [&random] {
      return std::make_tuple(random() % 3, std::string(random() % 6, static_cast<char>('a' + random() % 3)),
                             random() % 3);
    };
    const auto [first_a, id_a, number_a] = draw();
    const auto [first_b, id_b, number_b] = draw();
    const Leader a = {Priority::Of(first_a, id_a, number_a), 0};
    const Leader b = {Priority::Of(first_b, id_b, number_b), 0};
    EXPECT_EQ(LeaderOrder()(a, b), std::tie(first_a, id_a, number_a) < std::tie(first_b, id_b, number_b));
    EXPECT_EQ(a.number(), number_a);
  }
  const Leader most = {Priority::Of(Priority::kMostFirst, "\xFF\xFF\xFF\xFF\xFF\xFF", Priority::kMostNumber), 0};
  EXPECT_EQ(most.number(), Priority::kMostNumber);
  EXPECT_TRUE(LeaderOrder()({Priority::Of(Priority::kMostFirst - 1, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 0), 0}, most));
}

TEST(Priority, IdsThatBeginAlikeAreRead) {
  Ids ids;
  const auto leader = [](uint64_t number, uint64_t source) {
    return Leader{Priority::Of(1, "abcdef", number), source};
  };
  const LeaderOrder order = {1, &ids};
  EXPECT_TRUE(order(leader(5, 1), leader(1, 1)));   // abcdef0, abcdef1
  EXPECT_TRUE(order(leader(0, 1), leader(5, 1)));   // equal: by number
  EXPECT_TRUE(order(leader(10, 1), leader(5, 2)));  // by set
  EXPECT_TRUE(order(leader(4, 0), leader(5, 1)));   // decided
  EXPECT_FALSE(order(leader(5, 1), leader(5, 1)));
}

TEST(BucketLeaders, AreTheFirstInOrder) {
  std::mt19937_64 random(3);
  Ids ids;
  for (int round = 0; round < 200; ++round) {
    const LeaderOrder order = {random() % 3, &ids};
    std::vector<Leader> all;
    for (uint64_t i = 0; i < 30; ++i) all.push_back({Priority::Of(random() % 4, "abcdef", i), random() % 4});
    BucketLeaders leaders(1 + random() % 8, order);
    for (const Leader& leader : all) leaders.Add(leader);
    std::ranges::sort(all, order);
    const size_t size = leaders.leaders().size();
    EXPECT_EQ(leaders.leaders(), std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)));
    for (size_t i = 0; i < all.size(); ++i) {
      size_t above = 0;
      const auto use = [&](const Follower& follower) {
        EXPECT_EQ(follower.number, all[i].number());
        ++above;
        return arrow::Status::OK();
      };
      ASSERT_TRUE(leaders.ForEachAbove(all[i], use).ok());
      EXPECT_EQ(above, std::min(i, size));
    }
  }
}

}  // namespace
}  // namespace uzushio
