#include "document/provenance.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

TEST(DocumentId, KeepsUuids) {
  const std::string uuid = "c5e9743b-2509-476e-b80f-6ce52d62e4b0";
  EXPECT_EQ(DocumentId("<urn:uuid:" + uuid + ">", "u", "d", 0), uuid);
  EXPECT_EQ(DocumentId("urn:uuid:" + uuid, "u", "d", 0), uuid);
}

// Documents are found by their ids again: the id of a place is the same in every version of the program.
TEST(DocumentId, DerivesAUuidFromThePlace) {
  const std::string id = DocumentId("<urn:x:1>", "http://a/", "2020-01-01", 7);
  EXPECT_EQ(id, DocumentId("", "http://a/", "2020-01-01", 7));
  EXPECT_EQ(id, DocumentId("<urn:uuid:c5e9743b-2509-476e-b80f-6ce52d62e4bX>", "http://a/", "2020-01-01", 7));
  EXPECT_NE(id, DocumentId("", "http://a/", "2020-01-01", 8));
  EXPECT_NE(id, DocumentId("", "http://a/2", "020-01-01", 7));
  EXPECT_EQ(DocumentId("", "http://b/", "2020-01-01", 7), "9a5d1a87-af2a-80fa-9494-63787246d96f");
  EXPECT_EQ(id, "1d3a0b76-e436-8cef-8670-6753cadf86ff");
}

TEST(DocumentDate, IsTheEarliestPlausible) {
  EXPECT_EQ(DocumentDate("2023-04-01T09:00:00Z", "Sat, 01 Apr 2023 08:59:58 GMT", ""), "2023-04-01T08:59:58");
  EXPECT_EQ(DocumentDate("2023-04-01T09:00:00Z", "", "Tue, 05 Feb 2019 01:02:03 GMT"), "2019-02-05T01:02:03");
  EXPECT_EQ(DocumentDate("2023-04-01T09:00:00Z", "", "Thu, 31 Dec 1998 23:59:59 GMT"), "2023-04-01T09:00:00");
  EXPECT_EQ(DocumentDate("", "", ""), "");
}

TEST(DocumentDate, ReadsAllForms) {
  const std::vector<std::pair<const char*, const char*>> iso = {{"2016-10-15T09:25:45Z", "2016-10-15T09:25:45"},
                                                                {"2016-10-15T09:25:45.123456Z", "2016-10-15T09:25:45"},
                                                                {"2016-10-15T09:25:45+09:00", "2016-10-15T00:25:45"},
                                                                {"2016-10-15T09:25Z", "2016-10-15T09:25:00"},
                                                                {"2016-10-15", "2016-10-15T00:00:00"},
                                                                {"2016-02-30T00:00:00Z", ""},
                                                                {"2016-10-15T25:00:00Z", ""},
                                                                {"yesterday", ""}};
  for (const auto& [text, expected] : iso) EXPECT_EQ(DocumentDate(text, "", ""), expected) << text;
  const std::vector<std::pair<const char*, const char*>> http = {
      {"Sun, 06 Nov 2005 08:49:37 GMT", "2005-11-06T08:49:37"},
      {"Sunday, 06-Nov-05 08:49:37 GMT", "2005-11-06T08:49:37"},
      {"Sun Nov  6 08:49:37 2005", "2005-11-06T08:49:37"},
      {"Sun, 06 Nov 2005 08:49:37 +0900", "2005-11-05T23:49:37"},
      {"Sun, 06 Nov 2005", ""},
      {"0", ""},
      {"-1", ""},
      {"Sun, 99 Nov 2005 08:49:37 GMT", ""}};
  for (const auto& [text, expected] : http) EXPECT_EQ(DocumentDate("", text, ""), expected) << text;
}

TEST(DocumentId, KeepsTheWritingOfUuids) {
  EXPECT_EQ(DocumentId("<urn:uuid:C5E9743B-2509-476E-B80F-6CE52D62E4B0>", "u", "d", 0),
            "C5E9743B-2509-476E-B80F-6CE52D62E4B0");
  const std::string derived = DocumentId("", "u", "d", 0);
  for (const char* id : {"<urn:uuid:>", "<>", "<", ">", "urn:uuid:c5e9743b02509-476e-b80f-6ce52d62e4b0",
                         "<urn:uuid:{c5e9743b-2509-476e-b80f-6ce52d62e4b0}>",
                         "<urn:uuid:c5e9743b-2509-476e-b80f-6ce52d62e4b0", "c5e9743b-2509-476e-b80f-6ce52d62e4b0"}) {
    const std::string kept = DocumentId(id, "u", "d", 0);
    EXPECT_TRUE(kept == derived || kept == "c5e9743b-2509-476e-b80f-6ce52d62e4b0") << id;
  }
  // Every place of a UUID takes the characters that it should and no others.
  const std::string uuid = "c5e9743b-2509-476e-b80f-6ce52d62e4b0";
  for (size_t i = 0; i < uuid.size(); ++i) {
    const bool hyphen = uuid[i] == '-';
    for (const char c : std::string("09afAF-/:`g@G")) {
      std::string changed = uuid;
      changed[i] = c;
      const bool valid = hyphen ? c == '-' : std::string("09afAF").find(c) != std::string::npos;
      EXPECT_EQ(DocumentId("<urn:uuid:" + changed + ">", "u", "d", 0), valid ? changed : derived) << changed;
    }
  }
}

TEST(DocumentId, DerivedIdsAreUuidsAndDiffer) {
  EXPECT_TRUE(rc::check([](const std::string& record_id, const std::string& url, const std::string& date) {
    const auto offset = *rc::gen::arbitrary<int64_t>();
    const std::string id = DocumentId(record_id, url, date, offset);
    RC_ASSERT(id.size() == 36U);
    for (size_t i = 0; i < id.size(); ++i) {
      const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
      RC_ASSERT(std::string(hyphen ? "-" : "0123456789abcdef").find(id[i]) != std::string::npos);
    }
    RC_ASSERT(id[14] == '8');
    RC_ASSERT(id == DocumentId(record_id, url, date, offset));
    RC_ASSERT(id != DocumentId(record_id, url + "x", date, offset));
    RC_ASSERT(id != DocumentId(record_id, url, date + "x", offset));
    RC_ASSERT(id != DocumentId(record_id, url, date, offset ^ 1));
  }));
}

TEST(DocumentDate, Boundaries) {
  const std::vector<std::pair<const char*, const char*>> iso = {{"1999-01-01T00:00:00Z", "1999-01-01T00:00:00"},
                                                                {"1998-12-31T23:59:59Z", ""},
                                                                {"1998-12-31T23:59:59-01:00", "1999-01-01T00:59:59"},
                                                                {"2016-02-29T00:00:00Z", "2016-02-29T00:00:00"},
                                                                {"2015-02-29T00:00:00Z", ""},
                                                                {"2016-12-31T23:59:60Z", "2017-01-01T00:00:00"},
                                                                {"2016-10-15 09:25:45Z", "2016-10-15T09:25:45"},
                                                                {"2016-10-15T09:25:45-0330", "2016-10-15T12:55:45"},
                                                                {"2016-10-15T09:25:45+09", "2016-10-15T00:25:45"},
                                                                {"2016-10-15T09:25:45.Z", ""},
                                                                {"2016-10-15T", ""},
                                                                {"2016-13-01T00:00:00Z", ""},
                                                                {"2016-00-01T00:00:00Z", ""},
                                                                {"16-10-15T09:25:45Z", ""},
                                                                {"20161015092545", ""}};
  for (const auto& [text, expected] : iso) EXPECT_EQ(DocumentDate(text, "", ""), expected) << text;
  const std::vector<std::pair<const char*, const char*>> http = {
      {"Friday, 01-Jan-99 00:00:00 GMT", "1999-01-01T00:00:00"},
      {"Saturday, 31-Dec-94 00:00:00 GMT", ""},
      {"Sun, 6 Nov 2005 8:49:37 GMT", "2005-11-06T08:49:37"},
      {"sun, 06 nov 2005 08:49:37 gmt", "2005-11-06T08:49:37"},
      {"Sun, 06 November 2005 08:49:37 GMT", "2005-11-06T08:49:37"},
      {"Sun, 06 Nov 2005 08:49:37", "2005-11-06T08:49:37"},
      {"Sun, 06 Nov 2005 08:49:37 -0800", "2005-11-06T16:49:37"},
      {"Sun, 06 Nov 2005 24:00:00 GMT", ""},
      {"Sun, 06 Nov 105 08:49:37 GMT", ""},
      {"Sun, 31 Apr 2005 08:49:37 GMT", ""},
      {"Sun, 06 Anf 2005 08:49:37 GMT", ""},
      {"日, 06 11 2005 08:49:37 GMT", ""},
      {",", ""},
      {"Sun,", ""}};
  for (const auto& [text, expected] : http) EXPECT_EQ(DocumentDate("", text, ""), expected) << text;
}

// One below, at and above the ends of every field.
TEST(DocumentDate, FieldsAtTheirEnds) {
  const std::vector<std::pair<const char*, const char*>> iso = {
      {"2016-01-01T00:00:00Z", "2016-01-01T00:00:00"},
      {"2016-12-31T23:59:59Z", "2016-12-31T23:59:59"},
      {"2016-10-15T24:00:00Z", ""},
      {"2016-10-15T09:60:00Z", ""},
      {"2016-10-15T09:25:61Z", ""},
      {"2016-10-00T00:00:00Z", ""},
      {"2016-10-32T00:00:00Z", ""},
      {"2016-1-15T00:00:00Z", ""},
      {"2016-10-5T00:00:00Z", ""},
      {"20160-10-15T00:00:00Z", ""},
      {"2016-010-15T00:00:00Z", ""},
      {"2016-10-015T00:00:00Z", ""},
      {"2016-10-15T9:25:45Z", ""},
      {"2016-10-15T009:25:45Z", ""},
      {"2016-10-15T09:5:45Z", ""},
      {"2016-10-15T09:025:45Z", ""},
      {"2016-10-15T09:25:4Z", ""},
      {"2016-10-15T09:25:045Z", ""},
      {"2016-10-15T09:25:45.1Z", "2016-10-15T09:25:45"},
      {"2016-10-15T09:25:45.123456789Z", "2016-10-15T09:25:45"},
      {"2016-10-15T09:25:45.1234567890Z", ""},
      {"2016-10-15T09:25:45+9:00", ""},
      {"2016-10-15T09:25:45+009:00", ""},
      {"2016-10-15T09:25:45+09:0", ""},
      {"2016-10-15T09:25:45+09:030", ""},
      {"2016-10-15T09:25:45+01:01", "2016-10-15T08:24:45"},
      {"2016-10-15T09:25:45-01:01", "2016-10-15T10:26:45"},
      {"2016-10-15T09:25:45UTC", "2016-10-15T09:25:45"},
      {"2016-10-15T09:25:45aAzZ", "2016-10-15T09:25:45"},
      {"2016-10-15T09:25:45{", ""},
      {"2016-10-15T09:25:45@", ""},
      {"2016/10-15T09:25:45Z", ""},
      {"2016-10/15T09:25:45Z", ""},
      {"2016-10-15T09-25:45Z", ""},
      {"2016-:0-15T09:25:45Z", ""},
      {"2016-/0-15T09:25:45Z", ""},
      {" 2016-10-15T09:25:45Z", ""},
      {"2016-10-15T09:25:45Z ", ""}};
  for (const auto& [text, expected] : iso) EXPECT_EQ(DocumentDate(text, "", ""), expected) << text;
  const std::vector<std::pair<const char*, const char*>> http = {
      {"Sun, 01 Jan 00 00:00:00 GMT", "2000-01-01T00:00:00"},
      {"Sun, 01 Jan 69 00:00:00 GMT", "2069-01-01T00:00:00"},
      {"Sun, 01 Jan 70 00:00:00 GMT", ""},
      {"Sun, 01 Jan 98 00:00:00 GMT", ""},
      {"Sun, 01 Jan 99 00:00:00 GMT", "1999-01-01T00:00:00"},
      {"Sun, 01 Jan 100 00:00:00 GMT", ""},
      {"Sun, 01 Jan 101 00:00:00 GMT", ""},
      {"Sun, 01 Jan 5 00:00:00 GMT", ""},
      {"Sun, 01 Jan 20050 00:00:00 GMT", ""},
      {"Sun, 001 Jan 2005 00:00:00 GMT", ""},
      {"Sun, 00 Jan 2005 00:00:00 GMT", ""},
      {"Sun, 01 Ja", ""},
      {"Sun, 01 Jan", ""},
      {"Sun, 01 Jan 2005 0:00:00 GMT", "2005-01-01T00:00:00"},
      {"Sun, 01 Jan 2005 000:00:00 GMT", ""},
      {"Sun, 01 Jan 2005 :00:00 GMT", ""},
      {"Sun, 01 Jan 2005 00:0:00 GMT", ""},
      {"Sun, 01 Jan 2005 00:00:0 GMT", ""},
      {"Sun, 01 Jan 2005 00:00:00 +0001", "2004-12-31T23:59:00"},
      {" Sun, 01 Jan 2005 00:00:00 GMT", "2005-01-01T00:00:00"},
      {"Sun,01-Jan-2005  00:00:00  GMT", "2005-01-01T00:00:00"},
      {" Sun Jan 01 00:00:00 2005", "2005-01-01T00:00:00"},
      {"Sun Jan 1 0:00:00 2005", "2005-01-01T00:00:00"},
      {"Sun Jan 001 00:00:00 2005", ""},
      {"Sun Jan 01 00:00:00 205", ""},
      {"Sun Jan 01 00:00:00 20050", "2005-01-01T00:00:00"},
      {"Sun January 01 00:00:00 2005", "2005-01-01T00:00:00"}};
  for (const auto& [text, expected] : http) EXPECT_EQ(DocumentDate("", text, ""), expected) << text;
  const std::vector<std::string> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (size_t i = 0; i < months.size(); ++i) {
    const std::string number = (i < 9 ? "0" : "") + std::to_string(i + 1);
    const std::string expected = "2005-" + number + "-06T08:49:37";
    EXPECT_EQ(DocumentDate("", "Sun, 06 " + months[i] + " 2005 08:49:37 GMT", ""), expected);
    EXPECT_EQ(DocumentDate("", "", "Sun " + months[i] + "  6 08:49:37 2005"), expected);
  }
}

// What lies behind a text that ends early is not looked at.
TEST(DocumentDate, EndsWithItsText) {
  for (const std::string_view whole : {"2016-10-15T09:25:45.123+09:30", "Sun, 06 Nov 2005 08:49:37 +0900",
                                       "Sunday, 06-Nov-05 08:49:37 GMT", "Sun Nov 16 08:49:37 2005"}) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      const std::string_view part = whole.substr(0, size);
      const std::string copy(part);
      EXPECT_EQ(DocumentDate(part, "", ""), DocumentDate(copy, "", "")) << part;
      EXPECT_EQ(DocumentDate("", part, ""), DocumentDate("", copy, "")) << part;
    }
  }
}

TEST(DocumentDate, IsADateOrEmptyForAnyText) {
  EXPECT_TRUE(rc::check([] {
    const auto text = rc::gen::map(
        rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
            "2016", "10", "9", "-", "+", ":", "T", " ", ",", "Sun", "Nov", "Z", "GMT", ".", "0", "99", "\xff"})),
        [](const std::vector<std::string>& parts) {
          std::string joined;
          for (const std::string& part : parts) joined += part;
          return joined;
        });
    const std::string date = DocumentDate(*text, *text, *text);
    if (date.empty()) return;
    RC_ASSERT(date.size() == 19U);
    RC_ASSERT(date >= "1999-01-01T00:00:00");
    RC_ASSERT(DocumentDate(date, "", "") == date);
  }));
}

TEST(SecondsOfDate, DatesWithAndWithoutTimes) {
  EXPECT_EQ(SecondsOfDate("1970-01-02"), 86400);
  EXPECT_EQ(SecondsOfDate("1970-01-01T00:00:10"), 10);
  EXPECT_EQ(SecondsOfDate("1970-01-01 01:00:00.5+01:00"), 0);
  EXPECT_EQ(SecondsOfDate("2023-04-01T12:00:00Z"), 1680350400);
  for (const char* text : {"", "2023", "2023-13-01", "2023-02-30", "yesterday", "2023-01-01T"}) {
    EXPECT_EQ(SecondsOfDate(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace uzushio
