// The filter that CONTRIBUTING.md shows as an example (cmake/Example.cmake).
#include <gtest/gtest.h>

#include "filters/declaration.h"

namespace uzushio {

FilterDeclaration DeclareShortLines();

namespace {

TEST(Example, IsAFilterAsItsDeclarationSays) {
  const FilterDeclaration declaration = DeclareShortLines();
  EXPECT_EQ(declaration.name, "ShortLines");
  ASSERT_EQ(declaration.parameters.size(), 2U);
  const auto made = declaration.make({int64_t{3}, 0.5}, 0).ValueOrDie();
  const auto* filter = dynamic_cast<const MetricFilter*>(made.get());
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->Reasons(), std::vector<std::string>{"ShortLines(3,0.5)"});
  EXPECT_EQ(filter->Bound(0), "> 0.5");

  const std::string text = "ああ\nああい\nあ\n\nあああ";  // two of four lines
  FilterDocument document;
  document.Parse("", text);
  FilterScratch scratch;
  EXPECT_EQ(filter->Measure(document, &scratch), 0.5);
  EXPECT_EQ(filter->Decide(0.5, document), std::nullopt);
  EXPECT_EQ(filter->Decide(0.75, document), 0U);
  document.paragraphs()[1].removed_by = 0;
  EXPECT_EQ(filter->Measure(document, &scratch), 2.0 / 3);
}

}  // namespace
}  // namespace uzushio
