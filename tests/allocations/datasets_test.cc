// Lines of JSON. Tables are left out: constructors of Arrow's that are `noexcept` end the process.
#include <gtest/gtest.h>

#include <string>

#include "allocations/failing_allocations.h"
#include "datasets/json_object.h"

namespace uzushio {
namespace {

TEST(Allocations, LinesOfJson) {
  std::string line = R"({"text": "日本語\n\u6587", "list": [1, [2, {"a": null}]], "number": -1.5e3)";
  for (int i = 0; i < 100; ++i) line += ", \"key" + std::to_string(i) + "\": " + std::to_string(i);
  line += "}";
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    JsonObject object;
    std::string made = std::to_string(static_cast<int>(object.Parse(line)));
    for (const JsonField& field : object.fields()) made.append(field.key).append(field.text);
    return made;
  });
  EXPECT_GT(failures.told, 3);
}

}  // namespace
}  // namespace uzushio
