#include "warc/cdxj.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(Cdxj, ReadsCommonCrawlsLines) {
  Capture capture;
  EXPECT_EQ(ParseCdxj(R"(jp,a)/ 20231203004512 {"url": "http://a.jp/", "mime": "text/html", "mime-detected": )"
                      R"("text/html", "status": "200", "digest": "ABC", "length": "123", "offset": "45", "filename": )"
                      R"("crawl/a.warc.gz", "charset": "UTF-8", "languages": "jpn,eng", "truncated": "length"})",
                      &capture),
            "");
  EXPECT_EQ(capture.url, "http://a.jp/");
  EXPECT_EQ(capture.time, 1701564312000);
  EXPECT_EQ(capture.status, 200);
  EXPECT_EQ(capture.digest, "ABC");
  EXPECT_EQ(capture.languages, "jpn,eng");
  EXPECT_EQ(capture.truncated, "length");
  EXPECT_EQ(capture.file, "crawl/a.warc.gz");
  EXPECT_EQ(capture.offset, 45);
  EXPECT_EQ(capture.length, 123);
}

TEST(Cdxj, ReadsNumbersAndWhatIsNotKnown) {
  Capture capture;
  EXPECT_EQ(ParseCdxj(R"(jp,a)/b c 20231203004512 {"url":"http://a.jp/b","status":"-","digest":"sha1:X","offset":0,)"
                      R"("length":9,"filename":"a"})",
                      &capture),
            "");
  EXPECT_FALSE(capture.status);
  EXPECT_EQ(capture.digest, "X");
  EXPECT_EQ(capture.offset, 0);
  EXPECT_EQ(capture.languages, "");
}

TEST(Cdxj, SaysWhyALineIsNone) {
  Capture capture;
  const auto why = [&capture](std::string_view line) { return ParseCdxj(line, &capture); };
  EXPECT_EQ(why("jp,a)/ 20231203004512"), "no-json");
  EXPECT_EQ(why("jp,a)/ 20231203004512 {\"url\": "), "no-json");
  EXPECT_EQ(why("jp,a)/ 20231203004512 [{}]"), "no-json");
  EXPECT_EQ(why("jp,a)/ 2023 {}"), "no-time");
  EXPECT_EQ(why("{}"), "no-time");
  EXPECT_EQ(why("jp,\xff)/ 20231203004512 {}"), "no-utf8");
  EXPECT_EQ(why(R"(a 20231203004512 {"url":"u","offset":"-1","length":"9","filename":"a"})"), "no-place");
  EXPECT_EQ(why(R"(a 20231203004512 {"url":"u","offset":"1","length":"0","filename":"a"})"), "no-place");
  EXPECT_EQ(why(R"(a 20231203004512 {"url":"u","offset":"1x","length":"2","filename":"a"})"), "no-place");
  EXPECT_EQ(why(R"(a 20231203004512 {"url":"u","offset":"99999999999999999999","length":"2","filename":"a"})"),
            "no-place");
  EXPECT_EQ(why(R"(a 20231203004512 {"offset":"1","length":"2","filename":"a"})"), "no-url");
  EXPECT_TRUE(IsCdxjHeader("!meta 0 {}"));
  EXPECT_TRUE(IsCdxjHeader(" CDX N b a"));
  EXPECT_FALSE(IsCdxjHeader("jp,a)/ 2"));
}

TEST(Cdxj, ReadsTimes) {
  EXPECT_EQ(ParseCaptureTime("19700101000001"), 1000);
  EXPECT_EQ(ParseCaptureTime("1970-01-02"), 86400000);
  EXPECT_EQ(ParseCaptureTime("1970-01-01T00:01:00Z"), 60000);
  EXPECT_EQ(ParseCaptureTime("1970-01-01T00:01:00.123456Z"), 60000);
  for (const char* none : {"", "1970", "19700230", "1970-13-01", "yesterday", "19700101250000", "1970-01-01T00"}) {
    EXPECT_EQ(ParseCaptureTime(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace uzushio
