#include "pipeline/step_summaries.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

class StepSummariesTest : public FolderTest {};

TEST_F(StepSummariesTest, KnowsWhatWasSaid) {
  StepSummaries summaries(root_);
  EXPECT_TRUE(summaries.Of("a").is_null());
  ASSERT_TRUE(summaries.Save().ok());
  EXPECT_TRUE(std::filesystem::is_empty(root_));
  for (const char* step : {"a", "b/1", "b/1"}) ASSERT_TRUE(summaries.Set(step, {{"stage", step}}).ok());
  auto read = StepSummaries::Read(root_);  // as after a kill
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->Of("a")["stage"], "a");
  EXPECT_EQ(read->Of("b/1")["stage"], "b/1");
  ASSERT_TRUE(read->Save().ok());
  EXPECT_FALSE(std::filesystem::exists(root_ / "_summary.json.log"));
  EXPECT_EQ(StepSummaries::Read(root_)->Of("b/1")["stage"], "b/1");
}

TEST_F(StepSummariesTest, RefusesADamagedFile) {
  std::ofstream(root_ / kPipelineSummaries) << "[";
  EXPECT_FALSE(StepSummaries::Read(root_).ok());
}

}  // namespace
}  // namespace uzushio
