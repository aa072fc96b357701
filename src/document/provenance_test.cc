#include "document/provenance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

TEST(DocumentId, KeepsUuids) {
  const std::string uuid = "c5e9743b-2509-476e-b80f-6ce52d62e4b0";
  EXPECT_EQ(DocumentId("<urn:uuid:" + uuid + ">", "u", "d", 0), uuid);
  EXPECT_EQ(DocumentId("urn:uuid:" + uuid, "u", "d", 0), uuid);
}

TEST(DocumentId, DerivesAUuidFromThePlace) {
  const std::string id = DocumentId("<urn:x:1>", "http://a/", "2020-01-01", 7);
  EXPECT_EQ(id, DocumentId("", "http://a/", "2020-01-01", 7));
  EXPECT_EQ(id, DocumentId("<urn:uuid:c5e9743b-2509-476e-b80f-6ce52d62e4bX>", "http://a/", "2020-01-01", 7));
  EXPECT_NE(id, DocumentId("", "http://a/", "2020-01-01", 8));
  EXPECT_NE(id, DocumentId("", "http://a/2", "020-01-01", 7));
  ASSERT_EQ(id.size(), 36U);
  EXPECT_EQ(id[14], '8');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
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

}  // namespace
}  // namespace uzushio
