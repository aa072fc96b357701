#include "html/page_rights.h"

#include <gtest/gtest.h>

#include <string>

#include "html/html_parser.h"

namespace uzushio {
namespace {

class PageRightsTest : public ::testing::Test {
 protected:
  std::string RobotsOf(std::string_view html) {
    EXPECT_EQ(parser_.Parse(html), ParseOutcome::kOk);
    std::string text;
    TextLines lines(&text);
    AddPageRobots(parser_.document(), &lines);
    return text;
  }
  // As extraction has them: where the parser says that there may be some.
  std::string LicensesOf(std::string_view html) {
    EXPECT_EQ(parser_.Parse(html), ParseOutcome::kOk);
    PageLicenses licenses;
    AddPageLicenses(parser_.document(), &licenses);
    std::string text;
    TextLines lines(&text);
    licenses.Write(&lines);
    EXPECT_TRUE(text.empty() || parser_.may_name_license()) << html;
    return text;
  }
  std::string LinkedOf(const std::string& json) {
    return LicensesOf("<script type=\"application/ld+json\">" + json + "</script>");
  }

  HtmlParser parser_{PageLimits()};
};

constexpr const char* kBy = "https://creativecommons.org/licenses/by/4.0/";
const std::string kByUrl = kBy;

TEST_F(PageRightsTest, RobotsOfMetaElements) {
  EXPECT_EQ(RobotsOf("<meta name=robots content='noindex, noai'><meta name=' ROBOTS ' content=NoImageAI>"),
            "noindex\nnoai\nnoimageai");
  EXPECT_EQ(RobotsOf("<meta name=GPTBot content=noindex><meta name=googlebot content='nosnippet,max-snippet:0'>"),
            "gptbot: noindex\ngooglebot: nosnippet\ngooglebot: max-snippet:0");
  EXPECT_EQ(RobotsOf("<meta name=tdm-reservation content=1><meta name=tdm-policy content=https://a.example/p>"),
            "tdm-reservation:1\ntdm-policy:https://a.example/p");
  EXPECT_EQ(RobotsOf("<title>x</title><p>text<meta name=description content=noai>"), "");
  EXPECT_EQ(RobotsOf("<body>text<meta name=robots content=noai><div><meta name=robots content=noindex></div>"), "noai");
}

TEST_F(PageRightsTest, LicensesOfMetaElements) {
  EXPECT_EQ(LicensesOf("<meta name=license content='" + kByUrl + "'>"), "meta " + kByUrl);
  EXPECT_EQ(LicensesOf("<meta property=og:license content='" + kByUrl + "'>"), "meta " + kByUrl);
  EXPECT_EQ(LicensesOf("<meta name=DCTERMS.license content='https://a.example/terms'>"),
            "meta https://a.example/terms");
  EXPECT_EQ(LicensesOf("<meta name=copyright content='CC BY (" + kByUrl + ")'>"), "meta " + kByUrl);
  EXPECT_EQ(LicensesOf("<meta name=copyright content='https://a.example/'>"), "");
  EXPECT_EQ(LicensesOf("<meta name=license content='MIT'><meta name=rights content='All rights reserved'>"), "");
}

TEST_F(PageRightsTest, LicensesOfLinks) {
  EXPECT_EQ(LicensesOf("<link rel=license href='/terms'>"), "rel /terms");
  EXPECT_EQ(LicensesOf("<link rel=copyright href='" + kByUrl + "'>"), "rel " + kByUrl);
  EXPECT_EQ(LicensesOf("<p><a rel='nofollow License' href='" + kByUrl + "'>x</a>"), "rel " + kByUrl);
  EXPECT_EQ(LicensesOf("<map><area rel=license href='" + kByUrl + "'></map>"), "rel " + kByUrl);
  EXPECT_EQ(LicensesOf("<p><a href=' " + kByUrl + " '>x</a>"), "link " + kByUrl);
  EXPECT_EQ(LicensesOf("<p><a href='https://www.apache.org/licenses/LICENSE-2.0'>x</a>"), "");
  EXPECT_EQ(LicensesOf("<p><a rel=licensed href='/x'>x</a><a rel=license href='#l'>x</a><a rel=license>x</a>"), "");
}

TEST_F(PageRightsTest, LicensesOfFooters) {
  const std::string apache = "https://www.apache.org/licenses/LICENSE-2.0";
  EXPECT_EQ(LicensesOf("<footer><p><a href='" + apache + "'>x</a></footer>"), "footer " + apache);
  EXPECT_EQ(LicensesOf("<div class='site-Footer wide'><p><a href='" + kByUrl + "'>x</a></div>"), "footer " + kByUrl);
  EXPECT_EQ(LicensesOf("<div id=footer></div><p><a href='" + kByUrl + "'>x</a>"), "link " + kByUrl);
  EXPECT_EQ(LicensesOf("<footer><div class=footer></div><a href='" + apache + "'>x</a></footer>"), "footer " + apache);
  EXPECT_EQ(LicensesOf("<body class=has-footer><a href='" + kByUrl + "'>x</a>"), "link " + kByUrl);
}

TEST_F(PageRightsTest, SurePlacesComeFirst) {
  EXPECT_EQ(LicensesOf("<p><a href='https://creativecommons.org/licenses/by-nc/4.0/'>x</a>"
                       "<script type=application/ld+json>{\"license\": \"https://a.example/l\"}</script>"
                       "<footer><a href='" +
                       kByUrl + "'>x</a></footer>"),
            "json-ld https://a.example/l\nfooter " + kByUrl + "\nlink https://creativecommons.org/licenses/by-nc/4.0/");
}

TEST_F(PageRightsTest, LicensesOfLinkedData) {
  const std::string found = "json-ld u";
  EXPECT_EQ(LinkedOf(R"({"@type": "Article", "license": "u"})"), found);
  EXPECT_EQ(LinkedOf(R"({"License": {"@id": "u", "name": "n"}})"), found);
  EXPECT_EQ(LinkedOf(R"({"license": {"@type": "CreativeWork", "url": "u"}})"), found);
  EXPECT_EQ(LinkedOf(R"({"license": ["u", {"url": "v"}]})"), "json-ld u\njson-ld v");
  EXPECT_EQ(LinkedOf(R"([{"name": "n"}, {"license": "u"}])"), found);
  EXPECT_EQ(LinkedOf(R"({"@context": {"license": "c"}, "@graph": [{"license": "u"}, {"a": [1, {"license": "x"}]}]})"),
            found);
  EXPECT_EQ(LinkedOf(R"({"@graph": {"license": "u"}})"), found);
  EXPECT_EQ(LinkedOf(R"({"image": {"@type": "ImageObject", "license": "i"}, "license": "u"})"), found);
  EXPECT_EQ(LinkedOf(R"({"license": "i", "@type": "ImageObject"})"), "");
  EXPECT_EQ(LinkedOf(R"({"license": "i", "@type": ["Thing", "ImageObject"]})"), "");
  EXPECT_EQ(LinkedOf(R"({"license": {"author": {"url": "x"}, "url": "u"}})"), found);
  EXPECT_EQ(LinkedOf(R"({"license": "u"} trailing)"), found);
  EXPECT_EQ(LinkedOf(R"([{"license": "u"}, {"license": "v", )"), found);
  for (const char* json : {R"("license")", R"(["license", "u"])", R"({license: "u"})", R"({"license": 1})", "", "[[[",
                           R"({"license": null})", R"({"license": "a b"})", R"([[{"license": "u"}]])"}) {
    EXPECT_EQ(LinkedOf(json), "") << json;
  }
}

// Each of these takes linear time, and no more of the stack.
TEST_F(PageRightsTest, HostilePages) {
  std::string metas;
  for (int i = 0; i < 20'000; ++i) metas += "<meta name=robots content='d" + std::to_string(i) + "'>";
  EXPECT_EQ(RobotsOf(metas).substr(0, 6), "d0\nd1\n");
  std::string links = "<footer>";
  for (int i = 0; i < 20'000; ++i) links += "<a href='" + kByUrl + std::to_string(i) + "'>x</a>";
  EXPECT_EQ(LicensesOf(links).substr(0, 10), "footer htt");
  const std::string deep(100'000, '[');
  EXPECT_EQ(LinkedOf("{\"license\": " + deep), "");
  EXPECT_EQ(LinkedOf(deep + "\"license\""), "");
  std::string objects = "{\"@graph\": [{\"license\": \"u\"}], \"a\": ";
  for (int i = 0; i < 30'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(LinkedOf(objects), "json-ld u");
  EXPECT_EQ(LinkedOf("{\"license\": \"u\", \"a\": \"" + std::string(kMaxLinkedData, 'a') + "\"}"), "");
}

TEST_F(PageRightsTest, OtherPagesAreNotReadForLicenses) {
  for (const char* html : {"<p><a href='https://a.example/'>license</a>", "<meta name=robots content=noai>",
                           "<script>var license = 'license';</script>", "<p>license",
                           "<script type=application/ld+json>{\"name\": \"x\"}</script><p>license"}) {
    EXPECT_EQ(parser_.Parse(html), ParseOutcome::kOk);
    EXPECT_FALSE(parser_.may_name_license()) << html;
  }
}

}  // namespace
}  // namespace uzushio
