#include "document/document.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

// What waits to be written is counted by it: no text is left out.
TEST(Document, HasAtLeastTheBytesOfItsTexts) {
  Document document;
  EXPECT_EQ(document.offset, 0);
  EXPECT_EQ(document.length, 0);
  EXPECT_EQ(document.paragraphs, 0);
  size_t bytes = 0;
  for (std::string* text :
       {&document.doc_id, &document.url, &document.charset, &document.text, &document.date, &document.warc}) {
    text->assign(100, 'x');
    bytes += 100;
    EXPECT_GE(document.bytes(), bytes);
  }
}

}  // namespace
}  // namespace uzushio
