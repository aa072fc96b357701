#include "warc/warc_reader.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

TEST(WarcReader, ReadsEveryContainer) {
  const std::string a = Record("a", "first");
  const std::string b = Record("b", "");
  const std::string c = Record("c", std::string(30'000, 'x'));
  for (const std::string& file : {a + b + c, Gzip(a) + Gzip(b) + Gzip(c), Gzip(a + b + c), Zstd(a) + Zstd(b) + Zstd(c),
                                  Zstd(a + b + c), Gzip(a + b) + Gzip(c), Lz4(a) + Lz4(b) + Lz4(c), Lz4(a + b + c)}) {
    const auto records = ReadAll(file);
    EXPECT_EQ(GoodIds(records), (Ids{"a", "b", "c"}));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].content, "first");
    EXPECT_EQ(records[2].content.size(), 30'000U);
  }
}

// Nothing is read where a false length would end, which is an error on some stores.
TEST(WarcReader, LengthsBeyondTheFileAreFalseOneBehindTheOther) {
  for (const char* length : {"99999999999999", "9223372036854775807", "18446744073709551615"}) {
    const std::string bad =
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: " + std::string(length) + "\r\n\r\nlost\r\n\r\n";
    for (const Wrap& wrap : {kPlain, kGzip}) {
      EXPECT_EQ(GoodIds(ReadAll(wrap(bad + bad + Record("c", "third")))), (Ids{"c"})) << length;
    }
  }
}

// A member that may be all there is is searched behind damage: the first one, also where line ends come before its
// first record, and one behind members that hold nothing.
TEST(WarcReader, TheFirstMemberThatHoldsSomethingIsSearchedBehindDamage) {
  const std::string bad = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\nlost\r\n\r\n";
  const std::string all = bad + Record("b", "second") + Record("c", "third");
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    for (const std::string& file : {wrap(all), wrap("\r\n\r\n" + all), wrap("") + wrap(all)}) {
      EXPECT_EQ(GoodIds(ReadAll(file)), (Ids{"b", "c"}));
    }
  }
}

TEST(WarcReader, ARecordAloneInItsMemberIsDecodedInRoomThatFits) {
  const std::string a = Record("a", "first");
  const std::string b = Record("b", std::string(30'000, 'x'));
  const std::string c = Record("c", "third");
  std::vector<bool> in_room;
  ReadInRoom(Gzip(a) + Gzip(b) + Gzip(c), "test.warc", {}, 20'000, &in_room);
  EXPECT_EQ(in_room, (std::vector<bool>{true, false, true}));
  in_room.clear();
  ReadInRoom(Gzip(a + b) + Gzip(c), "test.warc", {}, 40'000, &in_room);
  EXPECT_EQ(in_room, (std::vector<bool>{true, false, true}));  // b came with a
}

TEST(WarcReader, APlaceIsTheRecordAlone) {
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const std::string file = wrap(Record("a", "first")) + wrap(Record("b", "second")) + wrap(Record("c", "third"));
    for (const Seen& record : ReadAll(file)) {
      const auto again = ReadAll(file.substr(static_cast<size_t>(record.offset), static_cast<size_t>(record.length)));
      ASSERT_EQ(again.size(), 1U);
      EXPECT_EQ(again[0].id, record.id);
      EXPECT_EQ(again[0].content, record.content);
    }
  }
}

TEST(WarcReader, ReadsZstdWithADictionary) {
  const std::string dictionary(5000, 'd');
  for (const std::string& stored : {dictionary, Zstd(dictionary)}) {
    std::string frame = "\x5d\x2a\x4d\x18";
    for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(stored.size() >> shift & 0xFF);
    const std::string file =
        frame + stored + Zstd(Record("a", dictionary), dictionary) + Zstd(Record("b", "x"), dictionary);
    EXPECT_EQ(GoodIds(ReadAll(file)), (Ids{"a", "b"}));
  }
}

TEST(WarcReader, AFlippedByteLosesOneRecord) {
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    const std::string before = wrap(Record("a", "first"));
    const std::string damaged = wrap(Record("b", std::string(300, 'b') + "second"));
    const std::string after = wrap(Record("c", "third"));
    for (size_t place = 0; place < damaged.size(); ++place) {
      std::string flipped = damaged;
      flipped[place] = static_cast<char>(flipped[place] ^ 0x55);
      const auto records = ReadAll(before + flipped + after, NameOf(wrap));
      const Ids ids = GoodIds(records);
      // Bytes of a gzip header that say nothing may change; all else is noticed.
      if (ids == Ids{"a", "b", "c"}) continue;
      EXPECT_EQ(ids, (Ids{"a", "c"})) << place;
      ASSERT_EQ(records.size(), 3U) << place;
      EXPECT_EQ(records[1].raw, flipped) << place;
      EXPECT_EQ(records[1].offset, static_cast<int64_t>(before.size())) << place;
    }
  }
}

TEST(WarcReader, ALyingLengthLosesOneRecord) {
  for (const char* length : {"0", "3", "500", "60000", "99999999999999", "-1", "1e3", "x"}) {
    const std::string a = Record("a", "first");
    const std::string b = Record("b", "second", length);
    const std::string c = Record("c", "third");
    for (const std::string& file :
         {a + b + c, Gzip(a) + Gzip(b) + Gzip(c), Gzip(a + b + c), Zstd(a + b + c), Lz4(a + b + c)}) {
      const auto records = ReadAll(file);
      EXPECT_EQ(GoodIds(records), (Ids{"a", "c"})) << length;
      EXPECT_EQ(records.size(), 3U) << length;
    }
  }
}

TEST(WarcReader, ACutOffFileLosesItsLastRecord) {
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const std::string whole = wrap(Record("a", "first")) + wrap(Record("b", "second"));
    const size_t second = wrap(Record("a", "first")).size();
    for (size_t size = 0; size < whole.size(); ++size) {
      const auto records = ReadAll(whole.substr(0, size), "x.warc" + std::string(wrap("").empty() ? "" : ".gz"));
      const bool only_line_ends_missing = wrap("").empty() && size + 4 >= whole.size();
      if (size >= second) {
        EXPECT_EQ(GoodIds(records), (only_line_ends_missing ? Ids{"a", "b"} : Ids{"a"})) << size;
      }
      EXPECT_LE(records.size(), 2U) << size;
    }
  }
}

TEST(WarcReader, ContentOverTheCapIsSkipped) {
  const std::string large = Record("large", std::string(kMaxContent + 1, 'x'));
  for (const std::string& file : {large + Record("b", "second"), Gzip(large) + Gzip(Record("b", "second")),
                                  Gzip(large + Record("b", "second"))}) {
    const auto records = ReadAll(file);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].state, WarcRecord::State::kTooLarge);
    EXPECT_EQ(records[0].id, "large");
    EXPECT_EQ(records[1].content, "second");
  }
}

TEST(WarcReader, AMemberThatInflatesWithoutEndIsGivenUp) {
  const std::string bomb = Gzip(Record("bomb", std::string(size_t{64} << 20, '\0')));
  const auto records = ReadAll(Gzip(Record("a", "first")) + bomb + Gzip(Record("c", "third")));
  EXPECT_EQ(GoodIds(records), (Ids{"a", "c"}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].reason, "inflation");
}

TEST(WarcReader, ContentMayHoldTheTextOfARecord) {
  const std::string inner = "text\r\n\r\n" + Record("inner", "x");
  for (const Wrap& wrap : {kPlain, kGzip}) {
    EXPECT_EQ(GoodIds(ReadAll(wrap(Record("outer", inner)) + wrap(Record("next", "y")))), (Ids{"outer", "next"}));
  }
}

// A page over the cap that holds records, as text or as members, forges none.
TEST(WarcReader, SkippedContentIsNotSearchedForRecords) {
  const std::string forged = "\r\n\r\n" + Record("forged", "x");
  std::string text;
  while (text.size() <= kMaxContent) text += forged;
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const auto records = ReadAll(wrap(Record("large", text)) + wrap(Record("b", "second")));
    EXPECT_EQ(GoodIds(records), (Ids{"b"}));
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].state, WarcRecord::State::kTooLarge);
  }
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    const std::string whole = wrap(Record("large", text));
    EXPECT_EQ(GoodIds(ReadAll(whole.substr(0, whole.size() - 9))), Ids{});
  }
  for (const std::string& file : {Gzip(Record("large", text) + Record("b", "second")),
                                  Zstd(Record("a", "first") + Record("large", text) + Record("b", "second"))}) {
    const Ids ids = GoodIds(ReadAll(file));
    EXPECT_TRUE(std::ranges::find(ids, "forged") == ids.end());
    EXPECT_EQ(ids.back(), "b");
  }
}

// A file with a record in each member: what is behind a damaged one is its content.
TEST(WarcReader, ARecordEndsWithItsMember) {
  const std::string forged = "text\r\n\r\n" + Record("forged", "x");
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    for (const char* length : {"3", "-1", "5000", "100000"}) {
      const auto records =
          ReadAll(wrap(Record("a", "first")) + wrap(Record("b", forged, length)) + wrap(Record("c", "third")));
      EXPECT_EQ(GoodIds(records), (Ids{"a", "c"})) << length;
      ASSERT_EQ(records.size(), 3U) << length;
      EXPECT_EQ(records[1].reason, "bad-length");
    }
  }
}

// After damage, what looks like a record is none unless it is whole.
TEST(WarcReader, OnlyWholeRecordsAreFoundAfterDamage) {
  const std::string damaged = Record("a", "first", "3");
  const std::string last = Record("last", "x");
  const std::vector<std::string> fakes = {
      "WARC/1.0\r\n",
      "WARC/1.0\r\n\r\n",
      "WARC/1.0\r\nWARC-Type: response\r\n\r\n",
      "WARC/1.0\r\nWARC-Record-ID: fake\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
      "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 7\r\n\r\nx\r\n\r\n",
      "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 50000\r\n\r\nx\r\n\r\n",
      "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nx\r\n\r\ntext\r\n",
  };
  for (const std::string& fake : fakes) {
    for (const size_t times : {1, 1000}) {
      const auto records = ReadAll(damaged + Repeat(fake, times) + last);
      EXPECT_EQ(GoodIds(records), (Ids{"last"})) << fake;
      EXPECT_EQ(records.size(), 2U) << fake;
    }
  }
}

int64_t AllDecoded(const std::string& file) {
  auto window = InputWindow::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  auto reader = WarcReader::Open(std::move(*window), "x.warc.gz", size_t{8} << 20, 1000);
  WarcRecord record;
  while (*(*reader)->Next(&record)) {
  }
  return (*reader)->all_decoded_bytes();
}

constexpr std::string_view kGzipHeader("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);

// The header of a stored block of deflate (RFC 1951, section 3.2.4), not the last.
std::string StoredHeader(size_t size) {
  std::string header(1, '\0');
  for (const size_t value : {size, ~size}) {
    header += static_cast<char>(value & 0xff);
    header += static_cast<char>(value >> 8 & 0xff);
  }
  return header;
}

// Members of which each goes on in those behind it, and whose checksum is false: all that is inflated is counted.
TEST(WarcReader, DamagedMembersThatOverlapAreInflatedLinearly) {
  std::string deflated = Gzip(std::string(size_t{100} << 20, '\0')).substr(kGzipHeader.size());
  deflated[deflated.size() - 6] ^= 1;
  const std::string start = "WARC/1.0\r\n";
  std::string file = deflated;
  for (int i = 0; i < 80; ++i) {
    file = std::string(kGzipHeader) + StoredHeader(start.size()) + start + StoredHeader(file.size() - deflated.size()) +
           file;
  }
  const auto size = static_cast<int64_t>(file.size());
  EXPECT_LE(AllDecoded(file), kFileInflationAllowance + 1000 * size + (int64_t{10} << 20));
  EXPECT_EQ(ReadAll(file, "x.warc.gz").back().reason, "inflation");
}

// Junk of which every third byte may begin a member costs a bounded number of tries.
TEST(WarcReader, WhatLooksLikeMembersIsTriedAFewTimes) {
  for (const std::string& magic :
       {std::string("\x1f\x8b\x08"), std::string("\x28\xb5\x2f\xfd"), std::string("\x04\x22\x4d\x18")}) {
    const std::string file = Repeat(magic, 300'000);
    EXPECT_LE(AllDecoded(file), kFileInflationAllowance + 1001 * static_cast<int64_t>(file.size()));
    const auto records = ReadAll(file, "x.warc.gz");
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].length, static_cast<int64_t>(file.size()));
  }
}

// Whatever the members: what they inflate to together is bounded by the file.
TEST(WarcReader, AFileThatInflatesTooMuchIsGivenUp) {
  const std::string bomb = Gzip(Record("bomb", std::string(size_t{8} << 20, '\0')));
  const auto records = ReadAll(Repeat(bomb, 30) + Gzip(Record("last", "x")), "x.warc.gz", {size_t{9} << 20, 200});
  EXPECT_EQ(records.back().reason, "inflation");
  EXPECT_LT(records.size(), 18U);
  EXPECT_GT(records.size(), 6U);
  const int64_t end = records.back().offset + records.back().length;
  EXPECT_EQ(end, static_cast<int64_t>((Repeat(bomb, 30) + Gzip(Record("last", "x"))).size()));
}

// A page may inflate by much, wherever it lies in the file: no others are lost by it.
TEST(WarcReader, APageThatInflatesMuchCostsNoOthers) {
  std::string file = Gzip(Record("a", "first")) + Gzip(Record("bomb", std::string(size_t{80} << 20, '\0')));
  for (int i = 0; i < 50; ++i) file += Gzip(Record("b", Noise(500, i)));
  EXPECT_EQ(GoodIds(ReadInRoom(file, "x.warc.gz", {kMaxContent, 1000}, 0)).size(), 51U);
}

// As bgzip writes: members end anywhere.
TEST(WarcReader, RecordsMayReachOverMembers) {
  std::string records;
  Ids ids;
  for (int i = 0; i < 40; ++i) {
    records += Record(std::to_string(i), Noise(300, i));
    ids.push_back(std::to_string(i));
  }
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    for (const size_t member : {1, 7, 50, 400, 1000, 5000}) {
      std::string file;
      for (size_t at = 0; at < records.size(); at += member) file += wrap(records.substr(at, member));
      EXPECT_EQ(GoodIds(ReadAll(file + wrap(""), "x.warc.gz")), ids) << member;
    }
  }
  EXPECT_EQ(GoodIds(ReadAll(Gzip("") + Gzip(Record("a", "x")) + Gzip(Record("b", "y")))), (Ids{"a", "b"}));
}

TEST(WarcReader, ContentOverTheCapMayReachOverMembers) {
  const std::string records = Record("a", "x") + Record("large", Noise(3 * kMaxContent, 1)) + Record("b", "y");
  std::string file;
  for (size_t at = 0; at < records.size(); at += 20'000) file += Gzip(records.substr(at, 20'000));
  const auto seen = ReadAll(file);
  EXPECT_EQ(GoodIds(seen), (Ids{"a", "b"}));
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[1].state, WarcRecord::State::kTooLarge);
}

// Where records reach over members, one that is damaged costs those that reach into it, and no others.
TEST(WarcReader, ADamagedMemberCostsTheRecordsThatReachIntoIt) {
  constexpr size_t kMember = 1000;
  std::string records;
  std::vector<size_t> begins;
  for (int i = 0; i < 40; ++i) {
    begins.push_back(records.size());
    records += Record(std::to_string(i), Noise(300, i));
  }
  begins.push_back(records.size());
  for (const size_t damaged : {1, 3, 9}) {
    std::string file;
    for (size_t at = 0; at < records.size(); at += kMember) {
      std::string member = Gzip(records.substr(at, kMember));
      if (at == damaged * kMember) member[member.size() / 2] ^= 0x55;
      file += member;
    }
    Ids ids;
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      const bool is_before = begins[i + 1] <= damaged * kMember;
      if (is_before || begins[i] >= (damaged + 1) * kMember) ids.push_back(std::to_string(i));
    }
    // What the damaged member shows before its checksum is read may be a record.
    Ids found = GoodIds(ReadAll(file));
    for (const std::string& id : ids) EXPECT_TRUE(std::ranges::find(found, id) != found.end()) << damaged << " " << id;
    EXPECT_LE(found.size(), ids.size() + 3);
  }
}

// Nor does damage at a member's very start cost the record before, which ends with a sound one.
TEST(WarcReader, ADamagedStartOfAMemberCostsNoRecordBeforeIt) {
  const std::string a = Record("a", Noise(300, 1));
  const std::string joined = Gzip(a.substr(0, 100)) + Gzip(a.substr(100)) + Gzip(Record("b", Noise(300, 2)));
  const std::string c = Gzip(Record("c", Noise(300, 3)));
  std::string damaged = c;
  damaged[10] = '\x07';  // a block of no kind
  for (const std::string& behind : {damaged + Gzip(Record("d", "x")), c.substr(0, 11), std::string(100, '\0')}) {
    const auto records = ReadAll(joined + behind);
    const Ids good = GoodIds(records);
    ASSERT_GE(good.size(), 2U);
    EXPECT_EQ((Ids{good[0], good[1]}), (Ids{"a", "b"}));
    EXPECT_EQ(records.size(), good.size() + 1);  // the damage is one record
  }
}

// A false length joins members that are apart, for its record alone: those behind it are where they were.
TEST(WarcReader, AFalseLengthJoinsNoOtherMembers) {
  const std::string forging = Record("e", "text\r\n\r\n" + Record("forged", "x"), "900");
  std::string file = Gzip(Record("a", "first")) + Gzip(Record("b", "second", "300")) + Gzip("no record");
  for (int i = 0; i < 5; ++i) file += Gzip(Record("c" + std::to_string(i), Noise(200, i)));
  const size_t place = file.size();
  const std::string last = Gzip(Record("d", "last"));
  const auto records = ReadAll(file + last + Gzip(forging) + last);
  const Ids good = GoodIds(records);
  EXPECT_EQ(good, (Ids{"a", "c0", "c1", "c2", "c3", "c4", "d", "d"}));
  const auto d = std::ranges::find(records, "d", &Seen::id);
  ASSERT_TRUE(d != records.end());
  EXPECT_EQ(d->offset, static_cast<int64_t>(place));
  EXPECT_EQ(d->length, static_cast<int64_t>(last.size()));
}

// Many such records are read in time, and cost no others their share of what may be decoded.
TEST(WarcReader, ManyFalseLengthsCostNoOthers) {
  std::string file;
  for (int i = 0; i < 300; ++i) file += Gzip(Record("b", std::string(2000, 'x'), "9000000")) + Gzip("no record\r\n");
  for (int i = 0; i < 20; ++i) file += Gzip(Record("c", Noise(20'000, i)));
  EXPECT_EQ(GoodIds(ReadInRoom(file, "x.warc.gz", {size_t{10} << 20, 1000}, 0)).size(), 20U);
}

// Also where no record lies in one member.
TEST(WarcReader, AFalseLengthInBlocksCostsItsRecordAlone) {
  for (const size_t wrong : {100, 900, 5000}) {
    std::string records = Record("wrong", Noise(700, 1), std::to_string(wrong));
    for (int i = 0; i < 20; ++i) records += Record("r", Noise(1000, i));
    std::string file;
    for (size_t at = 0; at < records.size(); at += 700) file += Gzip(records.substr(at, 700));
    EXPECT_EQ(GoodIds(ReadAll(file)).size(), 20U) << wrong;
  }
}

// A member that begins with a record is none that the one before goes on in.
TEST(WarcReader, ALengthBeyondTheMemberTakesNoneBehindItAlong) {
  const std::string b = Record("b", "second", "300");
  const auto records =
      ReadAll(Gzip(Record("a", "first")) + Gzip(b) + Gzip(Record("c", Noise(100, 1))) + Gzip(Record("d", "x")));
  EXPECT_EQ(GoodIds(records), (Ids{"a", "c", "d"}));
  EXPECT_EQ(records.size(), 4U);
  // Nor does it go on where there is nothing: what it holds is its content.
  const std::string forging = Record("b", "text\r\n\r\n" + Record("forged", "x"), "5000");
  for (const std::string& nothing : {std::string(), std::string("\r\n")}) {
    const std::string file = Gzip(Record("a", "first")) + Gzip(forging) + Gzip(nothing) + Gzip(Record("c", "third"));
    EXPECT_EQ(GoodIds(ReadAll(file)), (Ids{"a", "c"}));
  }
}

TEST(WarcReader, EveryVersionWithNamedFieldsIsRead) {
  for (const char* version : {"WARC/0.16", "WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"}) {
    const std::string record = std::string(version) +
                               "\r\nwarc-type: response\r\nwarc-record-id: a\r\ncontent-type: application/http; "
                               "msgtype=response\r\ncontent-length: 1\r\n\r\nx\r\n\r\n";
    for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
      EXPECT_EQ(GoodIds(ReadAll(wrap(record) + wrap(record))), (Ids{"a", "a"})) << version;
      EXPECT_EQ(GoodIds(ReadAll(wrap(record + record))), (Ids{"a", "a"})) << version;
    }
  }
}

// --- LZ4 ---

TEST(WarcReader, Lz4BlocksMayBeLarge) {
  const std::string large = Record("large", Noise(size_t{5} << 20, 1));
  const ReadLimits limits{size_t{8} << 20, 1000};
  for (const LZ4F_blockSizeID_t size : {LZ4F_max64KB, LZ4F_max256KB, LZ4F_max1MB, LZ4F_max4MB}) {
    const std::string frame = Lz4(large, 0, size);
    EXPECT_EQ(GoodIds(ReadAll(frame + Lz4(Record("b", "x"), 0, size), "x", limits)), (Ids{"large", "b"}));
    // Behind damage a frame is found by its beginning, of which a block may be more than is looked at.
    EXPECT_EQ(GoodIds(ReadAll("junk" + frame + Lz4(Record("b", "x"), 0, size), "x.lz4", limits)), (Ids{"large", "b"}));
    const std::string mixed =
        Lz4(Record("mixed", Noise(200'000, 2) + std::string(100'000, 'x') + Noise(200'000, 3)), 0, size);
    EXPECT_EQ(GoodIds(ReadAll("junk" + mixed + frame, "x.lz4", limits)), (Ids{"mixed", "large"}));
  }
}

// It is gone through, and what lies in it is no frame of the file's.
TEST(WarcReader, Lz4DictionariesAreRefused) {
  const std::string a = Lz4(Record("a", "first"));
  const std::string c = Lz4(Record("c", Noise(1000, 4)));
  const std::string forged = Noise(200'000, 1) + Lz4(Record("forged", Noise(1000, 2))) + Noise(200'000, 3);
  for (const std::string& content : {std::string("second"), forged}) {
    const std::string frame = Lz4(Record("b", content), 7);
    const auto records = ReadAll(a + frame + c);
    EXPECT_EQ(GoodIds(records), (Ids{"a", "c"}));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].reason, "lz4-dictionary");
    EXPECT_EQ(records[1].length, static_cast<int64_t>(frame.size()));
  }
  constexpr size_t kHeaderAndEnd = 7 + 8;
  const std::string frame = Lz4(Record("b", "second"), 7);
  for (size_t size = 4; size < frame.size(); ++size) {
    if (frame.size() - size == kHeaderAndEnd) continue;  // the blocks of the next frame are where its own would be
    EXPECT_EQ(GoodIds(ReadAll(a + frame.substr(0, size) + c)), (Ids{"a", "c"})) << size;
  }
}

TEST(WarcReader, AnLz4FrameThatExpandsWithoutEndIsGivenUp) {
  const std::string bomb = Lz4(Record("bomb", std::string(size_t{64} << 20, '\0')));
  const auto records = ReadAll(Lz4(Record("a", "first")) + bomb + Lz4(Record("c", "third")), "x", {kMaxContent, 50});
  EXPECT_EQ(GoodIds(records), (Ids{"a", "c"}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].reason, "inflation");
}

TEST(WarcReader, Lz4FilesMayBeginWithFramesWithoutContent) {
  const std::string skippable = std::string("\x5d\x2a\x4d\x18\x03\x00\x00\x00", 8) + "abc";
  const std::string file = skippable + Lz4(Record("a", "x")) + skippable + Lz4(Record("b", "y"));
  EXPECT_EQ(GoodIds(ReadAll(file, "x.warc.lz4")), (Ids{"a", "b"}));
}

// What lies behind a length that is false is looked at before so much is skipped.
TEST(WarcReader, AFalseLengthAboveTheCapCostsNoOthers) {
  std::string bad = Record("bad", "x");
  bad.replace(bad.find("Content-Length: "),
              bad.find("\r\n", bad.find("Content-Length: ")) - bad.find("Content-Length: "), "Content-Length: 20000");
  std::string file = Record("a", "first") + bad;
  for (int i = 0; i < 100; ++i) file += Record("b", Noise(400, i));
  EXPECT_EQ(GoodIds(ReadAll(file, "x.warc", {10'000, 1000})).size(), 101U);
}

// What inflates too much is gone through, and a member that is stored in it is no member of the file.
TEST(WarcReader, AMemberInAnotherThatInflatesTooMuchIsNone) {
  const std::string inner = Gzip(Record("forged", "x"));
  z_stream stream{};
  deflateInit2(&stream, 0, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string content = inner + std::string(size_t{40} << 20, '\0');
  std::string bomb(size_t{1} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(inner.size());
  stream.next_out = reinterpret_cast<Bytef*>(bomb.data());
  stream.avail_out = static_cast<uInt>(bomb.size());
  deflate(&stream, Z_FULL_FLUSH);  // stored
  deflateParams(&stream, 9, Z_DEFAULT_STRATEGY);
  stream.avail_in = static_cast<uInt>(content.size() - inner.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bomb.resize(stream.total_out);
  deflateEnd(&stream);
  ASSERT_NE(bomb.find(inner), std::string::npos);
  const auto records = ReadAll(Gzip(Record("a", "first")) + bomb + Gzip(Record("c", "third")));
  EXPECT_EQ(GoodIds(records), (Ids{"a", "c"}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].reason, "inflation");
}

std::string WideZstd(const std::string& data, int bits) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, bits);
  std::string out(ZSTD_compressBound(data.size()), '\0');
  ZSTD_inBuffer input{data.data(), data.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  while (input.pos < input.size) ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);  // of unknown size
  while (ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  out.resize(output.pos);
  return out;
}

TEST(WarcReader, ZstdWindowsAreBounded) {
  const std::string a = Zstd(Record("a", "first"));
  const std::string c = Zstd(Record("c", "third"));
  EXPECT_EQ(GoodIds(ReadAll(a + WideZstd(Record("b", "second"), 23) + c)), (Ids{"a", "b", "c"}));
  for (const int bits : {24, 27}) {
    // A frame within, as incompressible content is stored, is none of the file's.
    const std::string forged = Noise(200'000, 1) + Zstd(Record("forged", Noise(1000, 2))) + Noise(200'000, 3);
    for (const std::string& content : {std::string("second"), forged}) {
      const auto records = ReadAll(a + WideZstd(Record("b", content), bits) + c);
      EXPECT_EQ(GoodIds(records), (Ids{"a", "c"}));
      ASSERT_EQ(records.size(), 3U);
      EXPECT_EQ(records[1].reason, "zstd-window");
    }
    const std::string wide = WideZstd(Record("b", "second"), bits);
    for (size_t size = 6; size < wide.size(); ++size) {
      EXPECT_EQ(GoodIds(ReadAll(a + wide.substr(0, size) + c)), (Ids{"a", "c"})) << size;
    }
  }
}

TEST(WarcReader, JunkBetweenMembersIsOneBadRecord) {
  const auto records = ReadAll(Gzip(Record("a", "first")) + "junk\x1f\x8b\x08junk" + Gzip(Record("b", "second")));
  EXPECT_EQ(GoodIds(records), (Ids{"a", "b"}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].raw, "junk\x1f\x8b\x08junk");
}

TEST(WarcReader, LinesMayEndInLineFeedsAlone) {
  EXPECT_EQ(GoodIds(ReadAll("WARC/1.1\nWARC-Record-ID: a\nContent-Length: 1\n\nx\n\nWARC/1.1\nWARC-Record-ID: b\n"
                            "content-length:1\n\ny\n\n")),
            (Ids{"a", "b"}));
}

// Whatever is damaged in one member, every record of the others comes out, in order.
TEST(WarcReader, DamageStaysInItsMember) {
  EXPECT_TRUE(rc::check([] {
    const auto contents = *rc::gen::container<std::vector<std::string>>(5, rc::gen::arbitrary<std::string>());
    const auto hurt = *rc::gen::inRange<size_t>(0, 5);
    std::string file;
    Ids expected;
    for (size_t i = 0; i < contents.size(); ++i) {
      std::string member = Gzip(Record(std::to_string(i), contents[i]));
      if (i == hurt) {
        const auto place = *rc::gen::inRange<size_t>(0, member.size());
        const auto count = *rc::gen::inRange<size_t>(1, 20);
        member.replace(place, count, *rc::gen::arbitrary<std::string>());
      } else {
        expected.push_back(std::to_string(i));
      }
      file += member;
    }
    Ids ids = GoodIds(ReadAll(file, "x.warc.gz"));
    std::erase(ids, std::to_string(hurt));
    RC_ASSERT(ids == expected);
  }));
}

// --- records of more than a decoder takes at once, and the places of these ---

std::vector<Seen> ReadAllOf(const std::string& file, size_t max_content) {
  return ReadAll(file, "test.warc", {max_content, 1000});
}

TEST(WarcReader, LargeRecordsHaveTheirPlaceToo) {
  constexpr size_t kCap = size_t{4} << 20;
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    std::vector<std::string> members;
    std::string file;
    for (size_t i = 0; i < 6; ++i) {
      // Some pass what a window holds, some compress well, some not.
      const std::string noise = Noise((i % 3) * 700'001 + 10, static_cast<uint32_t>(i));
      members.push_back(wrap(Record(std::to_string(i), noise + std::string(i % 2 * 1'500'000, 'x'))));
      file += members.back();
    }
    const auto records = ReadAllOf(file, kCap);
    ASSERT_EQ(records.size(), members.size());
    int64_t offset = 0;
    for (size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].id, std::to_string(i));
      EXPECT_EQ(records[i].offset, offset);
      EXPECT_EQ(records[i].length, static_cast<int64_t>(members[i].size()));
      offset += records[i].length;
    }
  }
}

TEST(WarcReader, RecordsOverTheCapHaveTheirPlaceToo) {
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const std::string first = wrap(Record("a", "first"));
    const std::string large = wrap(Record("large", Noise(500'000, 1)));
    const auto records = ReadAll(first + large + wrap(Record("b", "second")));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].state, WarcRecord::State::kTooLarge);
    EXPECT_EQ(records[1].offset, static_cast<int64_t>(first.size()));
    EXPECT_EQ(records[1].length, static_cast<int64_t>(large.size()));
    EXPECT_EQ(records[2].content, "second");
  }
}

TEST(WarcReader, RecordsThatShareAMemberHaveDecodedPlaces) {
  const std::string plain = Record("a", "first") + Record("b", "second") + Record("c", "third");
  for (const std::string& file : {Gzip(plain), Zstd(plain)}) {
    for (const Seen& record : ReadAll(file)) {
      const auto again = ReadAll(plain.substr(static_cast<size_t>(record.offset), static_cast<size_t>(record.length)));
      ASSERT_EQ(again.size(), 1U);
      EXPECT_EQ(again[0].content, record.content);
    }
  }
}

// --- members as other writers make them ---

std::string GzipWithHeader(const std::string& data) {
  gz_header header{};
  std::string name = "page.warc";
  std::string comment = "a comment";
  std::string extra("sl\x08\x00\x01\x02\x03\x04\x05\x06\x07\x08", 12);  // the length fields of ARC/WARC writers
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.hcrc = 1;
  return Deflated(data, 31, &header);
}

TEST(WarcReader, GzipHeadersMayHoldNamesCommentsAndExtraFields) {
  std::string file;
  for (int i = 0; i < 4; ++i) file += GzipWithHeader(Record(std::to_string(i), Noise(i % 2 * 400'000 + 10, 7)));
  EXPECT_EQ(GoodIds(ReadAllOf(file, size_t{1} << 20)), (Ids{"0", "1", "2", "3"}));
}

TEST(WarcReader, EmptyMembersAndSkippableFramesAreNothing) {
  const std::string skippable = std::string("\x50\x2a\x4d\x18\x03\x00\x00\x00", 8) + "abc";
  EXPECT_EQ(GoodIds(ReadAll(Gzip("") + Gzip(Record("a", "x")) + Gzip("\r\n") + Gzip(Record("b", "y")) + Gzip(""))),
            (Ids{"a", "b"}));
  const auto records = ReadAll(skippable + Zstd(Record("a", "x")) + skippable + Zstd(Record("b", "y")) + skippable);
  EXPECT_EQ(GoodIds(records), (Ids{"a", "b"}));
  EXPECT_EQ(records.size(), 2U);
}

TEST(WarcReader, EmptyFilesHaveNoRecords) {
  for (const char* name : {"x.warc", "x.warc.gz", "x.warc.zst", "x.warc.lz4", "x.arc"})
    EXPECT_TRUE(ReadAll("", name).empty()) << name;
}

TEST(WarcReader, FilesThatAreNoneAreOneBadRecord) {
  for (const char* name : {"x.warc", "x.warc.gz", "x.warc.zst", "x.warc.lz4", "x.arc", "x.arc.gz"}) {
    for (const std::string& file : {std::string("<html>no archive"), std::string("\x1f\x8b"), Noise(300'000, 3)}) {
      const auto records = ReadAll(file, name);
      ASSERT_EQ(records.size(), 1U) << name;
      EXPECT_EQ(records[0].state, WarcRecord::State::kBad);
      EXPECT_EQ(records[0].raw, file);
      EXPECT_EQ(records[0].offset, 0);
      EXPECT_EQ(records[0].length, static_cast<int64_t>(file.size()));
    }
  }
}

TEST(WarcReader, ADamagedDictionaryIsAnError) {
  const std::string dictionary = Zstd(std::string(5000, 'd'));
  for (const std::string& file :
       {std::string("\x5d\x2a\x4d\x18\xff\x00\x00\x00short", 13), std::string("\x5d\x2a\x4d\x18\xff\xff\xff\xff", 8),
        std::string("\x5d\x2a\x4d\x18\x08\x00\x00\x00", 8) + dictionary.substr(0, 8)}) {
    auto window = InputWindow::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
    EXPECT_FALSE(WarcReader::Open(std::move(*window), "x.warc.zst", kMaxContent, 100).ok());
  }
}

TEST(WarcReader, RecordsMayLackLineEndsAndHaveMore) {
  const std::string a = "WARC/1.0\r\nWARC-Record-ID: a\r\nContent-Length: 5\r\n\r\nfirst";
  const std::string b = Record("b", "second");
  EXPECT_EQ(GoodIds(ReadAll(Gzip(a) + Gzip(b))), (Ids{"a", "b"}));
  EXPECT_EQ(GoodIds(ReadAll(a + "\r\n" + b)), (Ids{"a", "b"}));
  EXPECT_EQ(GoodIds(ReadAll(a + b)), (Ids{"a", "b"}));
  for (const std::string& ends : {"\r\n\r\n\r\n", "\n\n\n\n\n", "\r\n\r\n\r\n\r\n"}) {
    for (const std::string& file : {a + ends + b, Gzip(a + ends) + Gzip(b), Zstd(a + ends + b)}) {
      const auto records = ReadAll(file);
      EXPECT_EQ(GoodIds(records), (Ids{"a", "b"})) << ends.size();
      EXPECT_EQ(records.size(), 2U) << ends.size();
    }
  }
}

TEST(WarcReader, TheReasonIsTheTrueOne) {
  const std::string a = Record("a", "first");
  const std::string cut = a.substr(0, a.size() - 6);
  const auto last = [](const std::string& file) { return ReadAll(file).back().reason; };
  for (const char* length : {"-1", "x", "", "0", "99999999999999999999"}) {
    const std::string bad =
        "WARC/1.0\r\nWARC-Record-ID: a\r\nContent-Length: " + std::string(length) + "\r\n\r\nfirst\r\n\r\n";
    for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
      EXPECT_EQ(last(wrap(a) + wrap(bad)), "bad-length") << length << " " << wrap("").size();
      EXPECT_EQ(ReadAll(wrap(bad) + wrap(a))[0].reason, "bad-length") << length << " " << wrap("").size();
    }
  }
  EXPECT_EQ(last(a + cut), "cut-off");
  EXPECT_EQ(last(Gzip(a) + Gzip(a).substr(0, 40)), "cut-off");
  EXPECT_EQ(last(Zstd(a) + Zstd(a).substr(0, 40)), "cut-off");
  EXPECT_EQ(last(Gzip(a) + Gzip("text, no record")), "no-record");
  EXPECT_EQ(last(Gzip(a) + Gzip("WARC/1.0\r\nwithout: end")), "bad-header");
  std::string damaged = Gzip(a);
  damaged[damaged.size() - 6] ^= 1;  // in its checksum
  EXPECT_EQ(last(Gzip(a) + damaged), "damaged-member");
}

TEST(WarcReader, RawBytesOfABadRecordAreBounded) {
  const std::string junk = Noise(size_t{3} << 20, 5);
  for (const std::string& file : {"WARC/1.0\r\n" + junk, Gzip(junk), Zstd(junk)}) {
    const auto records = ReadAll(file);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_LE(static_cast<int64_t>(records[0].raw.size()), WarcRecord::kMaxRawBytes);
    EXPECT_TRUE(file.starts_with(records[0].raw));
    EXPECT_EQ(records[0].length, static_cast<int64_t>(file.size()));
  }
}

TEST(WarcReader, ACutAnywhereInThreeRecordsLosesOneAtMost) {
  const std::string text = "some text that does not compress into nothing";
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4, Wrap(GzipWithHeader)}) {
    const std::string name = NameOf(wrap);
    std::string whole;
    std::vector<size_t> ends;
    for (const char* id : {"a", "b", "c"}) {
      whole += wrap(Record(id, text + id));
      ends.push_back(whole.size());
    }
    for (size_t size = 0; size <= whole.size(); ++size) {
      const auto records = ReadAll(whole.substr(0, size), name);
      Ids expected;
      const size_t spare = wrap("").empty() ? 4 : 0;  // the line ends behind a record
      for (size_t i = 0; i < ends.size(); ++i) {
        if (size + spare >= ends[i]) expected.emplace_back(1, static_cast<char>('a' + i));
      }
      ASSERT_EQ(GoodIds(records), expected) << name << " " << size;
      ASSERT_LE(records.size(), expected.size() + 1) << name << " " << size;
    }
  }
}

// Whatever bytes stand in for a part of any kind of file, reading ends without an error and takes every byte of a
// place from the file.
TEST(WarcReader, AnyDamageIsReadThrough) {
  const std::vector<Wrap> wraps = {kPlain, kGzip, kZstd, kLz4};
  EXPECT_TRUE(rc::check([&wraps] {
    const auto wrap = *rc::gen::elementOf(std::vector<int>{0, 1, 2, 3});
    const bool is_arc = *rc::gen::arbitrary<bool>();
    const bool is_one = *rc::gen::arbitrary<bool>();
    const auto contents = *rc::gen::container<std::vector<std::string>>(rc::gen::arbitrary<std::string>());
    std::string file;
    for (size_t i = 0; i < contents.size(); ++i) {
      const std::string length = std::to_string(contents[i].size());
      const std::string record = is_arc
                                     ? "http://a.jp/ 192.0.2.7 20100102030405 - " + length + "\n" + contents[i] + "\n"
                                     : Record(std::to_string(i), contents[i]);
      file += is_one ? record : wraps[static_cast<size_t>(wrap)](record);
    }
    if (is_one) file = wraps[static_cast<size_t>(wrap)](file);
    const auto hits = *rc::gen::inRange(0, 4);
    for (int i = 0; i < hits && !file.empty(); ++i) {
      const auto place = *rc::gen::inRange<size_t>(0, file.size());
      file.replace(place, *rc::gen::inRange<size_t>(0, 40), *rc::gen::arbitrary<std::string>());
    }
    const auto records = ReadAll(file, NameOf(wraps[static_cast<size_t>(wrap)], is_arc ? "x.arc" : "x.warc"));
    for (const Seen& record : records) {
      RC_ASSERT(record.offset >= 0);
      RC_ASSERT(record.length > 0);
      RC_ASSERT((record.state == WarcRecord::State::kBad) == !record.reason.empty());
    }
  }));
}

// Of members that are decoded at once, and step by step.
TEST(WarcReader, LooksAtTheChecksumOfAHeader) {
  for (const size_t size : {size_t{10}, size_t{60'000}}) {
    gz_header header{};
    header.hcrc = 1;
    std::string member = Deflated(Record("a", Noise(size, 1)), 31, &header);
    EXPECT_EQ(GoodIds(ReadAll(member + Gzip(Record("b", "")), "x.warc.gz")), Ids({"a", "b"}));
    member[10] ^= 1;
    EXPECT_EQ(GoodIds(ReadAll(member + Gzip(Record("b", "")), "x.warc.gz")), Ids({"b"})) << size;
  }
}

// The buffer has grown by what came before.
TEST(WarcReader, InflationIsThatOfTheMemberWhateverCameBefore) {
  const std::string much = Gzip(Record("much", std::string(17 << 20, 'a')));
  const ReadLimits limits{.max_content = size_t{12} << 20, .max_inflation = 900};
  const auto reason_behind = [&](const std::string& before) {
    const auto records = ReadInRoom(before + much + Gzip(Record("b", "")), "x.warc.gz", limits, 0);
    return records[records.size() - 2].reason;
  };
  EXPECT_EQ(reason_behind(Gzip(Record("a", ""))), "inflation");
  EXPECT_EQ(reason_behind(Gzip(Record("a", Noise(11 << 20, 1)))), "inflation");
}

}  // namespace
}  // namespace uzushio
