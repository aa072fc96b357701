#include "stages/report/page_template.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

size_t TimesInPage(std::string_view text) {
  size_t times = 0;
  for (size_t at = PageTemplate().find(text); at != std::string_view::npos; at = PageTemplate().find(text, at + 1))
    ++times;
  return times;
}

TEST(PageTemplate, HasThePlacesOnce) {
  EXPECT_EQ(TimesInPage(kPageData), 1);
  EXPECT_EQ(TimesInPage(kPageConnects), 1);
  EXPECT_EQ(TimesInPage("Content-Security-Policy"), 1);
  EXPECT_EQ(TimesInPage(kPageMark), 1);
}

TEST(PageTemplate, FitsBesideItsData) { EXPECT_LT(PageTemplate().size(), size_t{1} << 20); }

}  // namespace
}  // namespace uzushio
