#include "html/page_metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/test_support.h"
#include "html/html_parser.h"

namespace uzushio {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs MetadataOf(const std::string& html) {
  HtmlParser parser(PageLimits{});
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::vector<NamedValue> metadata;
  PageMetadata(parser.document(), &metadata);
  Pairs pairs;
  for (const NamedValue& field : metadata) {
    EXPECT_TRUE(field.is_text);
    pairs.emplace_back(field.name, field.value);
  }
  return pairs;
}

TEST(PageMetadata, NamesAndContents) {
  const Pairs expected = {
      {"charset", "utf-8"}, {"Author", "a&b"}, {"og:title", "題"}, {"refresh", "5"}, {"author", ""}};
  EXPECT_EQ(MetadataOf("<meta CHARSET=utf-8><meta NAME=Author content='a&amp;b'><meta property=og:title content=題>"
                       "<meta http-equiv=refresh content=5><meta content=alone><meta><meta name=author>"),
            expected);
}

TEST(PageMetadata, TheNameComesFirst) {
  EXPECT_EQ(MetadataOf("<meta charset=x http-equiv=c property=b name=a content=1>"), (Pairs{{"a", "1"}}));
  EXPECT_EQ(MetadataOf("<meta http-equiv=c property=b content=1>"), (Pairs{{"b", "1"}}));
}

TEST(PageMetadata, OfTheHeadAndTheBodyItself) {
  EXPECT_EQ(MetadataOf("<p>x</p><meta name=a content=1><div><meta name=b content=2></div>"), (Pairs{{"a", "1"}}));
  EXPECT_EQ(MetadataOf("<!-- <meta name=a> --><title><meta name=b></title>"), Pairs{});
}

TEST(PageMetadata, HasBounds) {
  EXPECT_EQ(MetadataOf(Repeat("<meta name=a content=b>", kMaxMetadata + 9)).size(), kMaxMetadata);
  const std::string value = MetadataOf("<meta name=a content=" + Repeat("あ", 2000) + ">").front().second;
  EXPECT_EQ(value, Repeat("あ", kMaxMetadataBytes / 3));
}

}  // namespace
}  // namespace uzushio
