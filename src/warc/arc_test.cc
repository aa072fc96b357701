#include "warc/arc.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_support.h"
#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

// A record of ARC; the line end behind it is the next one's.
std::string ArcRecord(const std::string& url, const std::string& content, const std::string& length = {}) {
  return url + " 192.0.2.7 20100102030405 text/html " + (length.empty() ? std::to_string(content.size()) : length) +
         "\n" + content + "\n";
}

std::string FileLine() {
  return ArcRecord("filedesc://test.arc", "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n");
}

const std::string kFile = "filedesc://test.arc";
const std::string kA = "http://a.jp/";
const std::string kB = "http://b.jp/";
const std::string kC = "http://c.jp/";

TEST(Arc, ALineHasFields) {
  const auto line = ParseArcLine("http://a.jp/x 192.0.2.7 20100102030405 text/html 12");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->url, "http://a.jp/x");
  EXPECT_EQ(line->ip, "192.0.2.7");
  EXPECT_EQ(line->date, "20100102030405");
  EXPECT_EQ(line->type, "text/html");
  EXPECT_EQ(line->length, "12");
}

TEST(Arc, UrlsAndTypesMayHoldBlanks) {
  const auto line = ParseArcLine("http://a.jp/x y 1 2001:db8::1 20100102030405 text/html; charset=UTF-8 12\r");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->url, "http://a.jp/x y 1");
  EXPECT_EQ(line->ip, "2001:db8::1");
  EXPECT_EQ(line->type, "text/html; charset=UTF-8");
  EXPECT_EQ(line->length, "12");
}

TEST(Arc, LinesOfVersion2AreRead) {
  const auto line = ParseArcLine("http://a.jp/ 192.0.2.7 20100102030405 text/html 200 3Q2X - 1234 test.arc 56");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->date, "20100102030405");
  EXPECT_EQ(line->length, "56");
}

TEST(Arc, OtherLinesAreNone) {
  for (const char* line : {"", "http", "http:", "http://a.jp/", "http://a.jp/ 192.0.2.7 20100102030405",
                           "http://a.jp/ 192.0.2.7 2010 text/html 12", "http://a.jp/ host 20100102030405 text/html 12",
                           "1 0 InternetArchive", "/x 192.0.2.7 20100102030405 text/html 12",
                           "URL IP-address Archive-date Content-type Archive-length"}) {
    EXPECT_FALSE(ParseArcLine(line)) << line;
  }
}

TEST(Arc, ARecordMayBeginWithTextThatGoesOn) {
  EXPECT_TRUE(BeginsArcRecord("http://a.jp/ 192.0.2.7 20100102030405 text/html 12\nHTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(BeginsArcRecord("ht"));
  EXPECT_TRUE(MayBeginArcRecord("ht"));
  EXPECT_FALSE(MayBeginArcRecord("h\n"));
  EXPECT_FALSE(MayBeginArcRecord(""));
  EXPECT_TRUE(BeginsArcRecord("http://a.jp/" + std::string(5000, 'x')));
  EXPECT_FALSE(BeginsArcRecord("http://a.jp/" + std::string(500, 'x') + "\n"));
  EXPECT_FALSE(BeginsArcRecord("http://a.jp/" + std::string(500, '\x01')));
  EXPECT_FALSE(BeginsArcRecord("<p>"));
  EXPECT_FALSE(BeginsArcRecord(""));
}

std::string AsWarc(const std::string& line) {
  std::string header;
  WriteAsWarcHeader(*ParseArcLine(line), &header);
  return header;
}

TEST(Arc, AHeaderIsWrittenAsThatOfWarc) {
  EXPECT_EQ(AsWarc("http://a.jp/ 192.0.2.7 20100102030405 text/html 12"),
            "WARC-Type: response\r\nWARC-Target-URI: http://a.jp/\r\nWARC-Date: 2010-01-02T03:04:05Z\r\n"
            "WARC-IP-Address: 192.0.2.7\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(AsWarc("filedesc://x.arc - 201001020304 12"),
            "WARC-Type: warcinfo\r\nWARC-Target-URI: filedesc://x.arc\r\nWARC-Date: 2010-01-02T03:04Z\r\n"
            "Content-Length: 12\r\n\r\n");
}

TEST(Arc, FilesAreReadInEveryContainer) {
  const std::string b = ArcRecord(kB, "");
  const std::string c = ArcRecord(kC, std::string(30'000, 'x'));
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    for (const std::string& file : {wrap(FileLine()) + wrap(ArcRecord(kA, "first")) + wrap(b) + wrap(c),
                                    wrap(FileLine() + ArcRecord(kA, "first") + b + c)}) {
      const auto records = ReadAll(file, "no name that tells");
      EXPECT_EQ(GoodIds(records), (Ids{kFile, kA, kB, kC}));
      ASSERT_EQ(records.size(), 4U);
      EXPECT_EQ(records[1].content, "first");
    }
  }
}

// Of a file of which the beginning is elsewhere.
TEST(Arc, TheLineOfTheFileMayLack) {
  EXPECT_EQ(GoodIds(ReadAll(ArcRecord(kA, "first") + ArcRecord(kB, "second"))), (Ids{kA, kB}));
  EXPECT_EQ(GoodIds(ReadAll(Gzip(ArcRecord(kA, "first")) + Gzip(ArcRecord(kB, "second")))), (Ids{kA, kB}));
}

TEST(Arc, ARecordsPlaceIsItsMember) {
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const std::string file = wrap(FileLine()) + wrap(ArcRecord(kA, "first")) + wrap(ArcRecord(kB, "second"));
    for (const Seen& record : ReadAll(file)) {
      const auto again = ReadAll(file.substr(static_cast<size_t>(record.offset), static_cast<size_t>(record.length)));
      ASSERT_EQ(again.size(), 1U);
      EXPECT_EQ(again[0].id, record.id);
      EXPECT_EQ(again[0].content, record.content);
    }
  }
}

// Line ends are part of the content for some writers, or there are more of them.
TEST(Arc, RecordsMayLackLineEndsAndHaveMore) {
  const std::string a = ArcRecord(kA, "first");
  for (const char* ends : {"", "\n", "\r\n", "\n\n\n\n"}) {
    const std::string file = a.substr(0, a.size() - 1) + ends + ArcRecord(kB, "second");
    EXPECT_EQ(GoodIds(ReadAll(file)), (Ids{kA, kB})) << ends;
    EXPECT_EQ(ReadAll(file).size(), 2U) << ends;
  }
}

TEST(Arc, ALyingLengthLosesOneRecord) {
  const std::string a = ArcRecord(kA, "first");
  const std::string c = ArcRecord(kC, "third");
  for (const char* length : {"0", "3", "8", "9", "10", "500", "60000", "99999999999999", "-1", "1e3", "x"}) {
    const std::string b = ArcRecord(kB, "second", length);
    for (const std::string& file : {FileLine() + a + b + c, Gzip(FileLine()) + Gzip(a) + Gzip(b) + Gzip(c),
                                    Gzip(FileLine() + a + b + c), Lz4(FileLine() + a + b + c)}) {
      const auto records = ReadAll(file);
      EXPECT_EQ(GoodIds(records), (Ids{kFile, kA, kC})) << length;
      ASSERT_EQ(records.size(), 4U) << length;
      EXPECT_EQ(records[2].reason, "bad-length") << length;
    }
  }
}

// In a file with a record in each member, what is in one is no record of the file's, whatever its length says.
TEST(Arc, ARecordEndsWithItsMember) {
  const std::string forged = "text\n" + ArcRecord("http://forged.jp/", "x");
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    for (const char* length : {"4", "-1", "5000", "100000"}) {
      const auto records =
          ReadAll(wrap(FileLine()) + wrap(ArcRecord(kB, forged, length)) + wrap(ArcRecord(kC, "third")));
      EXPECT_EQ(GoodIds(records).back(), kC) << length;
      if (std::string(length) != "4") EXPECT_EQ(GoodIds(records), (Ids{kFile, kC})) << length;
    }
  }
}

TEST(Arc, SkippedContentIsNotSearchedForRecords) {
  std::string text;
  while (text.size() <= kMaxContent) text += "\n" + ArcRecord("http://forged.jp/", "x");
  for (const Wrap& wrap : {kPlain, kGzip, kZstd, kLz4}) {
    const auto records = ReadAll(wrap(FileLine()) + wrap(ArcRecord(kA, text)) + wrap(ArcRecord(kB, "second")));
    EXPECT_EQ(GoodIds(records), (Ids{kFile, kB}));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].state, WarcRecord::State::kTooLarge);
  }
}

// A page of a WARC file may hold records of ARC, and the other way round: damage makes none of them records.
TEST(Arc, AFileIsOfOneFormat) {
  const std::string of_arc = "\n" + ArcRecord("http://forged.jp/", "x") + ArcRecord("http://forged.jp/", "y");
  const std::string of_warc = "\r\n" + Record("forged", "x") + Record("forged", "y");
  EXPECT_EQ(GoodIds(ReadAll(Record("a", of_arc, "3") + Record("b", "second"))), (Ids{"b"}));
  EXPECT_EQ(GoodIds(ReadAll(FileLine() + ArcRecord(kA, of_warc, "3") + ArcRecord(kB, "second"))), (Ids{kFile, kB}));
}

TEST(Arc, AFlippedByteLosesOneRecord) {
  for (const Wrap& wrap : {kGzip, kZstd, kLz4}) {
    const std::string before = wrap(FileLine());
    const std::string damaged = wrap(ArcRecord(kB, std::string(300, 'b') + "second"));
    const std::string after = wrap(ArcRecord(kC, "third"));
    for (size_t place = 0; place < damaged.size(); ++place) {
      std::string flipped = damaged;
      flipped[place] = static_cast<char>(flipped[place] ^ 0x55);
      const Ids ids = GoodIds(ReadAll(before + flipped + after));
      if (ids != Ids{kFile, kB, kC}) EXPECT_EQ(ids, (Ids{kFile, kC})) << place;
    }
  }
}

// Where the first member is damaged, those behind it tell what they are.
TEST(Arc, ADamagedBeginningCostsNoOthers) {
  std::string first = Gzip(FileLine());
  first[0] = 'x';
  for (const char* name : {"x.arc.gz", "x.gz"}) {
    EXPECT_EQ(GoodIds(ReadAll(first + Gzip(ArcRecord(kA, "first")) + Gzip(ArcRecord(kB, "second")), name)),
              (Ids{kA, kB}));
  }
  EXPECT_EQ(GoodIds(ReadAll("junk\n" + ArcRecord(kA, "first") + ArcRecord(kB, "second"), "x.arc")), (Ids{kA, kB}));
}

TEST(Arc, ACutOffFileLosesItsLastRecord) {
  const std::string a = FileLine() + ArcRecord(kA, "first");
  const std::string whole = a + ArcRecord(kB, "second");
  for (size_t size = a.size(); size < whole.size(); ++size) {
    const auto records = ReadAll(whole.substr(0, size));
    const bool only_line_end_missing = size + 1 == whole.size();
    EXPECT_EQ(GoodIds(records), (only_line_end_missing ? Ids{kFile, kA, kB} : Ids{kFile, kA})) << size;
    EXPECT_EQ(records.size(), size == a.size() ? 2U : 3U) << size;
  }
}

TEST(Arc, OnlyWholeRecordsAreFoundAfterDamage) {
  const std::string damaged = FileLine() + ArcRecord(kA, "first", "3");
  const std::string last = ArcRecord(kC, "x");
  for (const std::string& fake :
       {std::string("http://fake.jp/\n"), std::string("http://fake.jp/ 192.0.2.7 20100102030405 text/html 7\nx\n"),
        std::string("http://fake.jp/ 192.0.2.7 20100102030405 text/html 60000\nx\n"),
        std::string("http://fake.jp/ 192.0.2.7 20100102030405 text/html 1\nx\ntext\n"),
        std::string("http://fake.jp/ 192.0.2.7 20100102030405 text/html x\nx\n"),
        std::string("http:") + std::string(20'000, 'x') + "\n"}) {
    for (const size_t times : {1, 100}) {
      const auto records = ReadAll(damaged + Repeat(fake, times) + last);
      EXPECT_EQ(GoodIds(records), (Ids{kFile, kC})) << fake.substr(0, 100);
      EXPECT_EQ(records.size(), 3U) << fake.substr(0, 100);
    }
  }
}

}  // namespace
}  // namespace uzushio
