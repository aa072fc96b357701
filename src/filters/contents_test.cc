#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "base/test_support.h"
#include "filters/chain.h"
#include "filters/list.h"
#include "lm/fasttext_test_support.h"
#include "lm/safetensors_test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Those of Sudachi's dictionary are tried with one in tests/python/test_chains.py, and those of ONNX Runtime in
// tests/program/test_onnx.py.
bool NeedsMore(const FilterDeclaration& declaration) {
  return declaration.name == "Onnx" ||
         std::ranges::any_of(declaration.parameters, [](const auto& one) { return one.name == "sudachi"; });
}

class ContentsOfFilters : public FolderTest {
 protected:
  // Writes the file or folder that a parameter names, in one of two states.
  std::string Write(const std::string& parameter, bool is_second) const {
    const fs::path path = root_ / parameter;
    std::string bytes;
    if (parameter == "list" || parameter == "path" || parameter == "keywords") {
      bytes = is_second ? "悪い言葉\n酷い言葉\n" : "悪い言葉\n";
    } else if (parameter == "lists") {
      bytes = is_second ? "b.example\n" : "a.example\n";
    } else if (parameter == "model") {
      bytes = SmallFastText{.loss = is_second ? 4 : 3}.Bytes();
    } else if (parameter == "tokenizer") {
      bytes = is_second ? R"({"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}})"
                        : R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})";
    } else if (parameter == "vectors") {
      bytes = SafetensorsBytes({{"embeddings", {{2, 1}, {1, is_second ? 3.0F : 2.0F}}}});
    } else if (parameter == "head") {
      bytes = SafetensorsBytes({{"weight", {{1, 1}, {is_second ? 3.0F : 2.0F}}}});
    } else if (parameter == "against") {
      bytes = is_second ? R"({"question": "日本で一番長い川の名前は何ですか", "answer": "信濃川"})"
                        : R"({"question": "日本で一番高い山の名前は何ですか", "answer": "富士山"})";
      std::ofstream(path.string() + ".jsonl") << bytes;
      return path.string() + ".jsonl";
    } else if (parameter == "key") {
      bytes = is_second ? "fedcba9876543210fedcba9876543210\n" : "0123456789abcdef0123456789abcdef\n";
    } else if (parameter == "statistics") {
      return WriteHosts(path, is_second ? "b.example" : "a.example");
    } else if (parameter == "robots_txt") {
      return WriteRobots(path, is_second ? "/b" : "/a");
    } else {
      ADD_FAILURE() << "what does a file of `" << parameter << "` hold?";
    }
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  static std::string WriteHosts(const fs::path& folder, const std::string& host) {
    fs::create_directories(folder);
    arrow::StringBuilder hosts;
    arrow::Int64Builder documents;
    arrow::DoubleBuilder shares;
    EXPECT_TRUE(hosts.Append(host).ok() && documents.Append(9).ok() && shares.Append(0.9).ok());
    const auto share = shares.Finish().ValueOrDie();
    const auto table = arrow::Table::Make(
        arrow::schema({arrow::field("host", arrow::utf8()), arrow::field("documents", arrow::int64()),
                       arrow::field("removed", arrow::float64()), arrow::field("mean_NgWordRatio", arrow::float64())}),
        {hosts.Finish().ValueOrDie(), documents.Finish().ValueOrDie(), share, share});
    const auto out = arrow::io::FileOutputStream::Open(folder / "hosts.parquet").ValueOrDie();
    EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out).ok());
    EXPECT_TRUE(out->Close().ok());
    return folder.string();
  }
  static std::string WriteRobots(const fs::path& folder, const std::string& disallowed) {
    fs::create_directories(folder);
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"origin", "https://a.example"},
                                                          {"access", "rules"},
                                                          {"redirect", ""},
                                                          {"agents", "*"},
                                                          {"rules", "user-agent: *\ndisallow: " + disallowed + "\n"}}) {
      arrow::StringBuilder values;
      EXPECT_TRUE(values.Append(value).ok());
      fields.push_back(arrow::field(name, arrow::utf8()));
      columns.push_back(values.Finish().ValueOrDie());
    }
    const auto out = arrow::io::FileOutputStream::Open(folder / "robots.parquet").ValueOrDie();
    const auto table = arrow::Table::Make(arrow::schema(fields), columns);
    EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out).ok());
    EXPECT_TRUE(out->Close().ok());
    return folder.string();
  }
  nlohmann::json FilterOf(const FilterDeclaration& declaration) const {
    nlohmann::json filter = {{"class", declaration.name}};
    for (const FilterParameter& parameter : declaration.parameters) {
      if (parameter.is_file) filter[parameter.name] = Write(parameter.name, false);
    }
    if (declaration.name == "FastText") filter["label"] = "1";
    if (declaration.name == "MaskPersonalData") filter["replacement"] = "pseudonym";
    return filter;
  }
};

TEST_F(ContentsOfFilters, ChangeWithEveryFile) {
  size_t tried = 0;
  for (const FilterDeclaration& declaration : FilterDeclarations()) {
    if (NeedsMore(declaration)) continue;
    for (const FilterParameter& parameter : declaration.parameters) {
      if (!parameter.is_file) continue;
      SCOPED_TRACE(declaration.name + "." + parameter.name);
      const auto chain = nlohmann::json::array({FilterOf(declaration), {{"class", "DocLength"}}});
      const auto before = FilterChain::Make(chain);
      ASSERT_TRUE(before.ok()) << before.status();
      EXPECT_EQ((*before)->Contents(), FilterChain::Make(chain).ValueOrDie()->Contents());
      Write(parameter.name, true);
      const auto after = FilterChain::Make(chain);
      ASSERT_TRUE(after.ok()) << after.status();
      EXPECT_NE((*before)->Contents(), (*after)->Contents());
      // So does what a metric is known by that is measured behind it, if it changes texts.
      const bool changes = (*after)->steps().front().changes_paragraphs();
      const size_t last = (*after)->columns().size() - 1;
      EXPECT_EQ((*before)->column_identity(last) != (*after)->column_identity(last), changes);
      ++tried;
    }
  }
  EXPECT_GE(tried, 10U);
}

// A parameter that names a file and is not declared as one would be forgotten.
TEST_F(ContentsOfFilters, AreOfParametersWhoseHelpSpeaksOfFiles) {
  const std::regex of_files(
      "^(files?|folders?|output folder)\\b|dictionary|language model|\\.json|\\.bin|, a file with");
  for (const FilterDeclaration& declaration : FilterDeclarations()) {
    for (const FilterParameter& parameter : declaration.parameters) {
      const bool is_text = parameter.type == FilterParameter::Type::kText || !parameter.choices.empty();
      if (!is_text && parameter.type != FilterParameter::Type::kTexts) continue;
      EXPECT_EQ(std::regex_search(parameter.help, of_files), parameter.is_file)
          << declaration.name << "." << parameter.name << ": " << parameter.help;
    }
  }
}

}  // namespace
}  // namespace uzushio
