#include "warc/members_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

constexpr size_t kRoom = size_t{100} << 10;

std::unique_ptr<WarcReader> ReaderOf(const std::string& file) {
  auto window = InputWindow::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  return WarcReader::Open(std::move(*window), "a.warc.gz", kMaxContent, 1000).ValueOrDie();
}

// The records of members that lie at `position`, with their places.
std::vector<std::string> RecordsOf(MembersReader* reader, const std::string& members, int64_t position) {
  EXPECT_TRUE(reader->Begin(members, position).ok());
  std::vector<std::string> records;
  WarcRecord record;
  std::string room(kRoom, '\0');
  while (*reader->Next(&record, room)) {
    records.push_back(std::string(record.headers.Get("WARC-Record-ID")) + " " + std::to_string(record.offset) + "+" +
                      std::to_string(record.length));
  }
  return records;
}

TEST(MembersReader, ReadsWhatWasTakenAsAReaderOfTheFile) {
  std::string file;
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    const std::string member = Gzip(Record(std::to_string(i), Noise(10'000, static_cast<uint32_t>(i))));
    expected.push_back(std::to_string(i) + " " + std::to_string(file.size()) + "+" + std::to_string(member.size()));
    file += member;
  }
  const auto whole = ReaderOf(file);
  MembersReader reader(kMaxContent, 1000);
  std::vector<std::string> records;
  std::string members;
  int times = 0;
  for (int64_t position = 0; *whole->TakeMembers(50'000, &members); position = whole->file_position(), ++times) {
    EXPECT_LT(members.size(), 70'000);
    const auto some = RecordsOf(&reader, members, position);
    records.insert(records.end(), some.begin(), some.end());
    EXPECT_TRUE(reader.is_whole());
    EXPECT_EQ(reader.place().position, whole->file_position());
  }
  EXPECT_EQ(records, expected);
  EXPECT_EQ(times, 10);
  EXPECT_EQ(whole->file_position(), static_cast<int64_t>(file.size()));
}

TEST(MembersReader, EndsWithTheFirstThatIsNoSoundMemberOfOneRecord) {
  const std::string good = Gzip(Record("good", "a"));
  std::string damaged = good;
  damaged[damaged.size() / 2] ^= 1;
  const std::array<std::string, 7> others = {
      damaged,
      good.substr(0, good.size() - 1),
      Gzip(Record("one", "") + Record("two", "")),
      Gzip("\r\n"),
      "junk",
      Gzip(Record("too small to be true", std::string(90'000, ' '), "80000")),
      Gzip(Record("inflates", std::string(60'000, 'a'))),  // more than half of what files may
  };
  MembersReader reader(kMaxContent, 200);
  for (const std::string& other : others) {
    std::string members = good;
    members += other;
    members += good;
    EXPECT_EQ(RecordsOf(&reader, members, 1000).size(), 1) << other.size();
    EXPECT_FALSE(reader.is_whole());
    EXPECT_EQ(reader.place().position, 1000 + static_cast<int64_t>(good.size()));
    EXPECT_EQ(reader.place().decoded, static_cast<int64_t>(Record("good", "a").size()));
  }
}

TEST(MembersReader, ReadsRecordsOverTheLimitAsSuch) {
  const std::string members = Gzip(Record("large", Noise(kMaxContent + 1, 1)));
  MembersReader reader(kMaxContent, 1000);
  EXPECT_TRUE(reader.Begin(members, 0).ok());
  WarcRecord record;
  EXPECT_TRUE(*reader.Next(&record, {}));
  EXPECT_EQ(record.state, WarcRecord::State::kTooLarge);
  EXPECT_FALSE(*reader.Next(&record, {}));
  EXPECT_TRUE(reader.is_whole());
}

TEST(TakeMembers, TakesNoneWhereTheyDoNotStandAlone) {
  std::string members;
  const std::string two = Record("a", "1") + Record("b", "2");
  const auto takes_behind_one = [&](const std::string& file) {
    const auto reader = ReaderOf(file);
    WarcRecord record;
    EXPECT_TRUE(*reader->Next(&record));
    return *reader->TakeMembers(1, &members);
  };
  EXPECT_FALSE(takes_behind_one(two));                                            // not compressed
  EXPECT_FALSE(takes_behind_one(Gzip(two)));                                      // inside a member
  EXPECT_TRUE(takes_behind_one(Gzip(Record("a", "1")) + Gzip(Record("b", ""))));  // between two
  EXPECT_FALSE(takes_behind_one(Gzip(Record("a", "1"))));                         // at the end
  const std::string large = Gzip(Record("a", Noise(3 << 20, 1)));
  EXPECT_FALSE(*ReaderOf(large + Gzip(Record("b", "2")))->TakeMembers(1, &members));  // no end is near
}

TEST(TakeMembers, LooksSoFarAndNoFurther) {
  constexpr size_t kMost = 1 + (size_t{2} << 20);
  const std::string member = Gzip(Record("a", "1"));
  std::string members;
  for (const size_t size : {kMost - 1, kMost, kMost + 1, kMost + 2, kMost + 3, 2 * kMost}) {
    const std::string file = member + std::string(size - member.size(), ' ');
    EXPECT_EQ(*ReaderOf(file)->TakeMembers(1, &members), size <= kMost) << size;
    const std::string with_another = file + member;
    EXPECT_EQ(*ReaderOf(with_another)->TakeMembers(1, &members), size + 3 <= kMost) << size;
  }
}

TEST(TakeMembers, GoesOnAtAPlaceAsIfAllHadBeenRead) {
  const std::string first = Gzip(Record("a", "1"));
  const std::string third = Gzip(Record("c", "3") + Record("d", "4"));
  const std::string file = first + Gzip(Record("b", "2")) + third;
  const auto expected = ReadAll(file, "a.warc.gz");
  const auto reader = ReaderOf(file);
  std::string members;
  WarcRecord record;
  EXPECT_TRUE(*reader->TakeMembers(1, &members));
  EXPECT_EQ(members, first);
  const auto decoded = static_cast<int64_t>(2 * Record("a", "1").size());
  reader->GoOnAt({static_cast<int64_t>(file.size() - third.size()), decoded, ArchiveFormat::kWarc});
  for (const size_t i : {2, 3}) {
    EXPECT_TRUE(*reader->Next(&record));
    EXPECT_EQ(record.offset, expected[i].offset);
    EXPECT_EQ(record.headers.Get("WARC-Record-ID"), expected[i].id);
  }
  EXPECT_EQ(reader->decoded_bytes(), 2 * decoded);
}

}  // namespace
}  // namespace uzushio
