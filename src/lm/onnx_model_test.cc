#include "lm/onnx_model.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

// Scores are compared with those of Python in tests/program/test_onnx.py: here, no ONNX Runtime is needed.
class OnnxModelTest : public FolderTest {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
    return (root_ / name).string();
  }
  OnnxOptions Options() const {
    OnnxOptions options;
    options.model = Write("model.onnx", "none");
    options.tokenizer =
        Write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
    options.library = Write("libonnxruntime.so.1", "none");
    options.max_tokens = 8;
    return options;
  }
  static std::string Fault(const OnnxOptions& options) {
    const auto opened = OnnxModel::Open(options);
    return opened.ok() ? "none" : opened.status().message();
  }
};

TEST_F(OnnxModelTest, SaysWhatIsMissing) {
  OnnxOptions options = Options();
  EXPECT_THAT(Fault(options), testing::HasSubstr("' can not be loaded ("));
  options.library = (root_ / "nowhere").string();
  EXPECT_THAT(Fault(options), testing::HasSubstr("nowhere'; pip install onnxruntime"));
  options = Options();
  options.tokenizer = (root_ / "nowhere").string();
  EXPECT_THAT(Fault(options), testing::HasSubstr("there is no tokenizer"));
  options = Options();
  options.model = (root_ / "nowhere").string();
  EXPECT_THAT(Fault(options), testing::HasSubstr("there is no model"));
}

TEST_F(OnnxModelTest, TakesALibraryOfThatFunction) {
  OnnxOptions options = Options();
  options.library = "/lib/x86_64-linux-gnu/libm.so.6";
  if (!std::filesystem::exists(options.library)) GTEST_SKIP() << "no " << options.library;
  EXPECT_THAT(Fault(options), testing::HasSubstr("it has no function OrtGetApiBase"));
}

}  // namespace
}  // namespace uzushio
