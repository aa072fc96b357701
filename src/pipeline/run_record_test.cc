#include "pipeline/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

const StepIdentity kOne = {{"options", "1"}, {"chain", "1"}};
const StepIdentity kTwo = {{"options", "2"}, {"chain", "1"}};

std::string RunOf(const std::string& mark) { return "run of " + mark; }

PlacedOutput PlacedWith(const std::string& mark) {
  return {.mark = mark, .run = RunOf(mark), .contents = mark, .is_whole = true};
}

RunRecord RecordIn(const std::filesystem::path& folder) {
  auto record = RunRecord::Read(folder);
  EXPECT_TRUE(record.ok()) << record.status().ToString();
  return *record;
}

class RunRecordTest : public FolderTest {};

TEST_F(RunRecordTest, KnowsWhatIsToBeDone) {
  RunRecord record = RecordIn(root_);
  EXPECT_EQ(*record.StateOf("a", kOne, {}), StepState::kNew);
  EXPECT_FALSE(record.StateOf("a", kOne, PlacedWith("x")).ok());  // another has made it
  EXPECT_FALSE(record.Replaces("a", kOne, PlacedWith("x")));
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  EXPECT_EQ(*RecordIn(root_).StateOf("a", kOne, {}), StepState::kStopped);
  EXPECT_EQ(*RecordIn(root_).StateOf("a", kTwo, {}), StepState::kChanged);
  ASSERT_TRUE(record.Finish("a", PlacedWith("x")).ok());
  record = RecordIn(root_);
  EXPECT_EQ(*record.StateOf("a", kOne, PlacedWith("x")), StepState::kDone);
  EXPECT_EQ(*record.StateOf("a", kTwo, PlacedWith("x")), StepState::kChanged);
  EXPECT_THAT(record.Changes("a", kTwo), testing::ElementsAre("options"));
  EXPECT_EQ(*record.StateOf("a", kOne, {}), StepState::kLost);
  EXPECT_EQ(*record.StateOf("a", kOne, {.mark = "x", .contents = "x"}), StepState::kLost);
  EXPECT_THAT(record.StateOf("a", kOne, PlacedWith("y")).status().message(),
              testing::HasSubstr("a: is not the output that this pipeline has made"));
  EXPECT_THAT(record.Others({"b"}), testing::ElementsAre("a"));
  EXPECT_THAT(record.Others({"a"}), testing::IsEmpty());
}

TEST_F(RunRecordTest, ReplacesOnlyWhatItKnows) {
  RunRecord record = RecordIn(root_);
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  EXPECT_FALSE(record.Replaces("a", kOne, {}));               // stopped before its commit
  EXPECT_FALSE(record.Replaces("a", kOne, PlacedWith("x")));  // and after it
  EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("x")));  // nothing says that it is ours
  ASSERT_TRUE(record.Open("a", RunOf("x"), {}).ok());
  EXPECT_FALSE(record.Replaces("a", kOne, PlacedWith("x")));
  EXPECT_TRUE(record.Replaces("a", kTwo, PlacedWith("x")));
  EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("y")));
  ASSERT_TRUE(record.Finish("a", PlacedWith("x")).ok());
  ASSERT_TRUE(record.Begin("a", kTwo, PlacedWith("x")).ok());
  ASSERT_TRUE(record.Open("a", RunOf("y"), PlacedWith("x")).ok());
  EXPECT_TRUE(record.Replaces("a", kTwo, PlacedWith("x")));   // stopped before its commit
  EXPECT_TRUE(record.Replaces("a", kTwo, {}));                // in its midst
  EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("y")));  // after it
}

TEST_F(RunRecordTest, TakesNothingOfOthersForItsOwn) {
  RunRecord record = RecordIn(root_);
  ASSERT_TRUE(record.Begin("a", kOne, PlacedWith("other")).ok());
  EXPECT_FALSE(record.Replaces("a", kOne, PlacedWith("other")));
  ASSERT_TRUE(record.Begin("b", kOne, {}).ok());
  ASSERT_TRUE(record.Fail("b").ok());
  record = RecordIn(root_);
  EXPECT_EQ(*record.StateOf("b", kOne, {}), StepState::kStopped);
  EXPECT_FALSE(record.StateOf("b", kOne, PlacedWith("other")).ok());
  EXPECT_FALSE(record.StateOf("b", kTwo, PlacedWith("other")).ok());
}

// A run was killed, what it left was removed, and somebody has made an output there by hand.
TEST_F(RunRecordTest, TakesNothingThatCameAfterAKillForItsOwn) {
  for (const char* stored : {"", "s3://bucket/corpus"}) {
    RunRecord record = *RunRecord::Read(root_ / "none", stored);
    std::filesystem::create_directories(root_ / "none");
    ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
    ASSERT_TRUE(record.Open("a", RunOf("ours"), {}).ok());
    record = *RunRecord::Read(root_ / "none", stored);
    EXPECT_EQ(*record.StateOf("a", kOne, PlacedWith("ours")), StepState::kStopped);
    EXPECT_FALSE(record.StateOf("a", kOne, PlacedWith("other")).ok());
    EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("other")));
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(record.Begin("a", kTwo, PlacedWith("other")).ok());
      EXPECT_THAT(record.Open("a", RunOf("changed"), PlacedWith("other")).message(),
                  testing::HasSubstr("/a: is not the output that this pipeline has made"));
      ASSERT_TRUE(record.Fail("a").ok());
      EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("other")));
      EXPECT_FALSE(record.StateOf("a", kTwo, PlacedWith("other")).ok());
    }
    std::filesystem::remove_all(root_ / "none");
  }
}

TEST_F(RunRecordTest, LooksAtWhatIsReplacedBeforeItIsWritten) {
  RunRecord record = RecordIn(root_);
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  ASSERT_TRUE(record.Finish("a", PlacedWith("x")).ok());
  EXPECT_TRUE(record.Replaces("a", kTwo, PlacedWith("x")));
  ASSERT_TRUE(record.Begin("a", kTwo, PlacedWith("x")).ok());
  EXPECT_TRUE(record.Open("a", RunOf("y"), PlacedWith("x")).ok());
  EXPECT_FALSE(record.Open("a", RunOf("y"), PlacedWith("z")).ok());
  EXPECT_TRUE(record.Open("a", RunOf("y"), PlacedWith("y")).ok());  // committed by an attempt before
}

TEST_F(RunRecordTest, LeavesOutputsOnAStoreThatItDoesNotKnowToTheirSteps) {
  RunRecord record = *RunRecord::Read(root_, "s3://bucket/corpus");
  EXPECT_EQ(*record.StateOf("a", kOne, PlacedWith("x")), StepState::kNew);
  EXPECT_FALSE(record.Replaces("a", kOne, PlacedWith("x")));
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  EXPECT_FALSE(record.Replaces("a", kOne, {}));
  EXPECT_TRUE(record.Replaces("a", kTwo, {}));           // what was begun is in the way
  EXPECT_TRUE(record.Replaces("a", kOne, {}, "spark"));  // and so it is where it was begun by another program
  EXPECT_EQ(*record.StateOf("a", kTwo, PlacedWith("y")), StepState::kNew);
  ASSERT_TRUE(record.Finish("a", PlacedWith("x")).ok());
  EXPECT_EQ(*record.StateOf("a", kOne, PlacedWith("x")), StepState::kDone);
  EXPECT_TRUE(record.Replaces("a", kTwo, PlacedWith("x")));
  EXPECT_EQ(*record.StateOf("a", kTwo, PlacedWith("y")), StepState::kNew);
  EXPECT_FALSE(record.Replaces("a", kTwo, PlacedWith("y")));
}

TEST_F(RunRecordTest, KeepsTheWorkOfOthersBesideADoneStep) {
  RunRecord record = RecordIn(root_);
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  ASSERT_TRUE(record.Finish("a", PlacedWith("x")).ok());
  const auto work = root_ / ".a.partial";
  std::filesystem::create_directories(work);
  ASSERT_TRUE(record.Begin("a", kTwo, PlacedWith("x")).ok());
  EXPECT_TRUE(std::filesystem::exists(work));
}

TEST_F(RunRecordTest, RemovesTheWorkOfAnotherIdentityOnly) {
  RunRecord record = RecordIn(root_);
  const auto work = root_ / ".a.partial";
  std::filesystem::create_directories(work);
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  EXPECT_TRUE(std::filesystem::exists(work));
  ASSERT_TRUE(record.Begin("a", kTwo, {}).ok());
  EXPECT_FALSE(std::filesystem::exists(work));
}

TEST_F(RunRecordTest, RemovesTheWorkOfAnotherEngineAlsoAfterAKill) {
  const auto work = root_ / ".a.partial";
  for (const char* engine : {"spark", "", "spark"}) {
    std::filesystem::create_directories(work);
    RunRecord record = RecordIn(root_);
    ASSERT_TRUE(record.Begin("a", kOne, {}, engine).ok());
    std::filesystem::create_directories(work);
    RunRecord known = RecordIn(root_);
    ASSERT_TRUE(known.Begin("a", kOne, {}, engine).ok());
    EXPECT_TRUE(std::filesystem::exists(work)) << engine;
    RunRecord other = RecordIn(root_);
    ASSERT_TRUE(other.Begin("a", kOne, {}, *engine == '\0' ? "spark" : "").ok());
    EXPECT_FALSE(std::filesystem::exists(work)) << engine;
  }
}

TEST_F(RunRecordTest, WritesAllStepsAtTheBeginAndTheEndOnly) {
  RunRecord record = RecordIn(root_);
  const auto written = [this] {
    std::ifstream file(root_ / kPipelineMark);
    return nlohmann::json::parse(file)["steps"].size();
  };
  ASSERT_TRUE(record.Save().ok());
  EXPECT_TRUE(std::filesystem::is_empty(root_));
  record.SetOrder({"a", "b"});
  for (const char* step : {"a", "b"}) {
    ASSERT_TRUE(record.Begin(step, kOne, {}).ok());
    ASSERT_TRUE(record.Finish(step, PlacedWith(step)).ok());
    EXPECT_EQ(written(), 1);
    RunRecord known = RecordIn(root_);  // as after a kill
    EXPECT_EQ(*known.StateOf(step, kOne, PlacedWith(step)), StepState::kDone);
    EXPECT_EQ(known.order(), record.order());
  }
  ASSERT_TRUE(record.Save().ok());
  EXPECT_EQ(written(), 2);
  EXPECT_FALSE(std::filesystem::exists(root_ / "_pipeline.json.log"));
  EXPECT_TRUE(RecordIn(root_).IsDone("a"));
}

TEST_F(RunRecordTest, RefusesADamagedOne) {
  for (const char* text :
       {"{}", "[", R"({"steps": {"a": 1}})", R"({"steps": {"a": {"identity": {"x": 1}, "mark": ""}}})"}) {
    std::ofstream(root_ / kPipelineMark) << text;
    EXPECT_FALSE(RunRecord::Read(root_).ok()) << text;
  }
  std::ofstream(root_ / kPipelineMark) << R"({"steps": {}})";
  EXPECT_TRUE(RunRecord::Read(root_).ok());
  ChangeLog log(root_ / kPipelineMark);
  ASSERT_TRUE(log.WriteFile({{"steps", nlohmann::json::object()}}).ok());
  ASSERT_TRUE(log.Add({{"a", 1}}, nullptr).ok());
  EXPECT_FALSE(RunRecord::Read(root_).ok());
}

TEST_F(RunRecordTest, SeesWhetherFilesAreThere) {
  EXPECT_EQ(LookAtOutput(root_)->mark, "");
  std::filesystem::create_directories(root_ / ".uzushio");
  std::ofstream(root_ / ".uzushio/manifest.json") << R"({"files": [{"path": "p", "bytes": 3}]})";
  EXPECT_FALSE(LookAtOutput(root_)->is_whole);
  std::ofstream(root_ / "p") << "abc";
  EXPECT_TRUE(LookAtOutput(root_)->is_whole);
  EXPECT_EQ(LookAtOutput(root_)->bytes, 3);
  std::ofstream(root_ / "_INCOMPLETE") << "";
  EXPECT_FALSE(LookAtOutput(root_)->is_whole);
}

// A run of other options completes such a commit before it makes its own: what it is stopped at then is known for ours.
TEST_F(RunRecordTest, KnowsAStoppedCommitBeforeItIsCompleted) {
  std::filesystem::create_directories(root_ / ".uzushio");
  std::ofstream(root_ / ".uzushio/manifest.json") << R"({"files": [], "run": 1})";
  const std::string mark = LookAtOutput(root_)->mark;
  std::filesystem::remove(root_ / ".uzushio/manifest.json");
  std::ofstream(root_ / "_INCOMPLETE") << R"({"success": {"files": [], "run": 1}, "replaces": true})";
  const PlacedOutput placed = *LookAtOutput(root_);
  EXPECT_EQ(placed.mark, mark);
  EXPECT_TRUE(placed.is_stopped);
  EXPECT_FALSE(placed.is_whole);
  RunRecord record = RecordIn(root_);
  ASSERT_TRUE(record.Begin("a", kOne, {}).ok());
  ASSERT_TRUE(record.Open("a", placed.run, {}).ok());
  EXPECT_TRUE(record.Replaces("a", kTwo, placed));
  ASSERT_TRUE(record.Begin("a", kTwo, placed).ok());
  EXPECT_TRUE(record.Replaces("a", kTwo, PlacedWith(mark)));  // completed, and stopped: it is the other's
  EXPECT_TRUE(record.Fail("a").ok());
  EXPECT_TRUE(record.StateOf("a", kOne, PlacedWith(mark)).ok());
  PlacedOutput failed = PlacedWith("y");  // in its own commit
  EXPECT_FALSE(record.StateOf("a", kTwo, failed).ok());
  failed.is_stopped = true;
  EXPECT_TRUE(record.StateOf("a", kTwo, failed).ok());
  EXPECT_FALSE(record.StateOf("a", kOne, failed).ok());  // it may be anybody's, and would be replaced
  EXPECT_FALSE(record.Replaces("a", kTwo, failed));
}

}  // namespace
}  // namespace uzushio
