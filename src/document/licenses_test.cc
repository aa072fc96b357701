#include "document/licenses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace uzushio {
namespace {

TEST(Licenses, FamiliesOfCreativeCommons) {
  const std::pair<const char*, LicenseFamily> urls[] = {
      {"https://creativecommons.org/licenses/by/4.0/", LicenseFamily::kBy},
      {"http://creativecommons.org/licenses/by-sa/3.0/deed.ja", LicenseFamily::kBySa},
      {"//www.creativecommons.org/licenses/by-nd/2.1/jp/", LicenseFamily::kByNd},
      {"HTTPS://CreativeCommons.ORG/Licenses/BY-NC/4.0", LicenseFamily::kByNc},
      {"creativecommons.org/licenses/by-nc-sa/4.0/?ref=chooser-v1", LicenseFamily::kByNcSa},
      {"https://creativecommons.org/licenses/by-nc-nd/4.0/", LicenseFamily::kByNcNd},
      {"http://creativecommons.org/licenses/by-nd-nc/1.0", LicenseFamily::kByNcNd},
      {"https://creativecommons.org/licenses/by", LicenseFamily::kBy},
      {"https://creativecommons.org/publicdomain/zero/1.0/", LicenseFamily::kCc0},
      {"https://creativecommons.org/publicdomain/mark/1.0/", LicenseFamily::kPublicDomain},
      {"http://creativecommons.org/licenses/publicdomain/", LicenseFamily::kPublicDomain},
      {"http://creativecommons.org/licenses/sampling+/1.0/", LicenseFamily::kOther},
      {"https://creativecommons.org/licenses/", LicenseFamily::kNone},
      {"https://creativecommons.org/licenses/byline/", LicenseFamily::kNone},
      {"https://creativecommons.org/about/cclicenses/", LicenseFamily::kNone},
      {"https://creativecommons.org.example.com/licenses/by/4.0/", LicenseFamily::kNone},
      {"https://example.com/creativecommons.org/licenses/by/4.0/", LicenseFamily::kNone},
  };
  for (const auto& [url, family] : urls) EXPECT_EQ(FamilyOfUrl(url), family) << url;
}

TEST(Licenses, OthersThatAreKnown) {
  for (const char* url : {"https://www.gnu.org/licenses/fdl-1.3.html", "http://www.apache.org/licenses/LICENSE-2.0",
                          "https://opensource.org/licenses/MIT", "https://opendatacommons.org/licenses/odbl/1-0/",
                          "https://www.digital.go.jp/resources/open_data/public_data_license_v1.0"}) {
    EXPECT_EQ(FamilyOfUrl(url), LicenseFamily::kOther) << url;
  }
  for (const char* url : {"", "https:", "/", "https://www.gnu.org/", "https://www.apache.org/", "c", "\xff"}) {
    EXPECT_EQ(FamilyOfUrl(url), LicenseFamily::kNone) << url;
  }
}

TEST(Licenses, TheSurestPlaceComesFirst) {
  PageLicenses licenses;
  licenses.Add(LicensePlace::kLink, "https://a.example/1");
  licenses.Add(LicensePlace::kRel, " https://a.example/2\n");
  licenses.Add(LicensePlace::kRel, "https://a.example/2");
  licenses.Add(LicensePlace::kMeta, "https://a.example/3");
  licenses.Add(LicensePlace::kRel, "https://a.example/4");
  for (const char* url : {"", " ", "a b", "a\nb"}) licenses.Add(LicensePlace::kMeta, url);
  licenses.Add(LicensePlace::kMeta, "https://a.example/" + std::string(2000, 'a'));
  std::string text;
  TextLines lines(&text);
  licenses.Write(&lines);
  EXPECT_EQ(text,
            "meta https://a.example/3\nrel https://a.example/2\nrel https://a.example/4\nlink https://a.example/1");
  licenses.Clear();
  std::string none;
  TextLines no_lines(&none);
  licenses.Write(&no_lines);
  EXPECT_EQ(none, "");
}

TEST(Licenses, AreBounded) {
  PageLicenses licenses;
  for (int i = 0; i < 100'000; ++i) {
    licenses.Add(static_cast<LicensePlace>(i % 5), "https://a.example/" + std::to_string(i));
  }
  std::string text;
  TextLines lines(&text);
  licenses.Write(&lines);
  EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(TextLines::kMaxLines) - 1);
}

TEST(Licenses, LinesAreReadAsTheyWereWritten) {
  EXPECT_EQ(ParseLicenseLine("json-ld https://a.example/"), (LicenseLine{LicensePlace::kJsonLd, "https://a.example/"}));
  EXPECT_EQ(ParseLicenseLine("https://a.example/"), (LicenseLine{std::nullopt, "https://a.example/"}));
  EXPECT_EQ(ParseLicenseLine("some words"), (LicenseLine{std::nullopt, "some words"}));
  EXPECT_EQ(ParseLicenseLine(""), (LicenseLine{std::nullopt, ""}));
}

}  // namespace
}  // namespace uzushio
