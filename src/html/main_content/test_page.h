// A page for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "html/html_parser.h"
#include "html/main_content/content_marker.h"
#include "html/paragraphs.h"

namespace uzushio {

struct TestPage {
  explicit TestPage(const std::string& html, std::string page_url = "http://example.jp/") : url(std::move(page_url)) {
    EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
    EXPECT_TRUE(ExtractParagraphs(parser.document(), size_t{64} << 20, &text, &outline));
  }
  TestPage(const TestPage&) = delete;
  TestPage& operator=(const TestPage&) = delete;

  PageForContent view() { return {parser.document(), url, text, &outline}; }
  std::string_view TextOf(size_t i) const {
    return std::string_view(text).substr(outline.paragraphs[i].text,
                                         outline.paragraphs[i].end - outline.paragraphs[i].text);
  }
  size_t ParagraphOf(std::string_view wanted) const {
    for (size_t i = 0; i < outline.paragraphs.size(); ++i) {
      if (TextOf(i) == wanted) return i;
    }
    ADD_FAILURE() << "no paragraph " << wanted;
    return 0;
  }
  uint32_t ElementOf(std::string_view wanted) const { return outline.paragraphs[ParagraphOf(wanted)].element; }

  HtmlParser parser{{.max_bytes = size_t{64} << 20, .max_depth = 4096, .max_tree_bytes = size_t{1} << 30}};
  std::string url;
  std::string text;
  PageOutline outline;
};

}  // namespace uzushio
