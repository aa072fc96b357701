#include "stages/minhash/options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/test_support.h"
#include "stages/minhash/indexes.h"

namespace uzushio {
namespace {

class SettledOptionsTest : public FolderTest {
 protected:
  // A file stands for Sudachi's dictionary, of which the identity takes the checksum alone.
  SettledOptionsTest() {
    std::ofstream(root_ / "dictionary") << "a";
    std::ofstream(root_ / "other") << "b";
  }

  // A text that sets an option to another value than its default, or than `dictionary`.
  std::string OtherThanDefault(const OptionDeclaration& option) const {
    if (option.name == "sudachi") return (root_ / "other").string();
    if (option.type == OptionType::kShare) return "0.25";
    if (option.type == OptionType::kFlag) return "";
    if (option.is_number()) return "7";
    return option.choices.empty() ? "other" : option.choices.back();
  }

  MinhashOptions Completed(const OptionTexts& given) const {
    MinhashOptions options;
    EXPECT_TRUE(DeclaredMinhashOptions().Set(given, &options).ok());
    if (options.tokens != Tokens::kCharacters && options.sudachi.empty()) options.sudachi = root_ / "dictionary";
    EXPECT_TRUE(Complete(&options).ok());
    return options;
  }
  std::string Settled(const OptionTexts& given) const {
    const auto json = SettledOptions(Completed(given));
    EXPECT_TRUE(json.ok()) << json.status();
    return json.ok() ? json->dump() : "";
  }
  // What an index says of the options that it was made with.
  std::string KindText(const OptionTexts& given) const {
    const auto kind = KindOf(Completed(given));
    EXPECT_TRUE(kind.ok()) << kind.status();
    if (!kind.ok()) return "";
    return nlohmann::json({kind->options, kind->keep, kind->texts}).dump();
  }
  // An option, with what it needs to have an effect, and without it.
  std::pair<OptionTexts, OptionTexts> WithoutAndWith(const OptionDeclaration& option) const {
    OptionTexts before;
    if (option.name == "sudachi") before = {{"tokens", "sudachi-A"}};
    if (option.name == "index-texts") before = {{"skip-verify", ""}};
    if (option.name == "max-loss-least") before = {{"max-loss", "0.5"}};
    if (option.name == "url-column") before = {{"url", ""}};
    OptionTexts after = before;
    after.emplace_back(option.name, OtherThanDefault(option));
    return {before, after};
  }
};

// A run whose option was changed is another run: nothing of the old one is taken for it.
TEST_F(SettledOptionsTest, TellEachOption) {
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    const auto [before, after] = WithoutAndWith(option);
    EXPECT_NE(Settled(before), Settled(after)) << option.flag();
  }
}

// Their keys and values are in the manifests of earlier versions.
TEST_F(SettledOptionsTest, AreThoseOfEarlierVersions) {
  EXPECT_EQ(Settled({{"skip-verify", ""}}),
            R"({"buckets":40,"date_column":"date","id_column":"docId","keep":"newest","ngram":5,"text_column":"text",)"
            R"("values":20})");
  EXPECT_EQ(Settled({}), Settled({{"verify", "0.9"}}));
  EXPECT_EQ(Settled({{"edit-similarity", "0.5"}, {"max-loss", "0.25"}, {"url", ""}, {"layout", "dedup-dup"}}),
            R"({"buckets":150,"date_column":"date","edit_similarity":0.5,"id_column":"docId","index_texts":true,)"
            R"("keep":"first","layout":"dedup-dup","max_loss":0.25,"max_loss_least":1000,"ngram":5,)"
            R"("text_column":"text","url":true,"url_column":"url","values":15,"verify":0.8})");
}

// An index says each option that decides between documents, so that none is taken for one of other options.
TEST_F(SettledOptionsTest, TellTheKindOfAnIndex) {
  // By the defaults of others, or whether there are texts.
  const std::set<std::string> by_others = {"skip-verify", "edit-similarity", "skip-edit-similarity", "index-texts",
                                           "skip-index-texts"};
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    const auto [before, after] = WithoutAndWith(option);
    const bool is_in_kind = option.in_identity && option.kind_part != KindPart::kNone;
    EXPECT_EQ(KindText(before) != KindText(after), is_in_kind || by_others.contains(option.name)) << option.flag();
  }
}

// As in the indexes of earlier versions.
TEST_F(SettledOptionsTest, KindsAreThoseOfEarlierVersions) {
  EXPECT_EQ(KindText({}),
            R"([{"buckets":40,"ngram":5,"values":20},"newest --id-column docId --date-column date",true])");
  EXPECT_EQ(KindText({{"keep", "longest"}, {"url", ""}, {"skip-verify", ""}}),
            R"([{"buckets":40,"ngram":5,"values":20},)"
            R"("longest --id-column docId --date-column date --url --url-column url",false])");
  const auto kind = KindOf(Completed({{"tokens", "sudachi-B"}}));
  ASSERT_TRUE(kind.ok());
  EXPECT_EQ(kind->keep, "first --id-column docId");
  EXPECT_EQ(kind->options["tokens"], "sudachi-B");
  EXPECT_EQ(kind->options["dictionary"].get<std::string>().size(), 16U);
  EXPECT_EQ(kind->options.size(), 5U);
}

class IndexesTest : public FolderTest {
 protected:
  // The error of a run with the index of an earlier one, which `change` makes another.
  std::string ErrorOf(const std::string& option, const std::function<void(DocumentIndexKind*)>& change) const {
    MinhashOptions options;
    EXPECT_TRUE(Complete(&options).ok());
    DocumentIndexKind kind = *KindOf(options);
    DocumentIndexKind other = kind;
    change(&other);
    const auto place = root_ / kDocumentIndexFolder.path;
    auto writer = *DocumentIndexWriter::Create(place, other);
    EXPECT_TRUE(writer->FinishDocuments().ok());
    EXPECT_TRUE(writer->Finish().ok());
    const auto indexes = OpenIndexes(option, {root_.string()}, kind, options, "");
    std::filesystem::remove_all(place);
    return indexes.status().message();
  }
};

TEST_F(IndexesTest, ThoseOfOtherOptionsAreRefused) {
  EXPECT_EQ(ErrorOf("--against", [](DocumentIndexKind*) {}), "");
  EXPECT_EQ(ErrorOf("--beside", [](DocumentIndexKind*) {}), "");
  EXPECT_EQ(ErrorOf("--against", [](DocumentIndexKind* kind) { kind->options["ngram"] = 3; }),
            "--against " + root_.string() +
                ": this index was made with --ngram 3 --tokens characters --buckets 40 --values 20 --keep newest "
                "--id-column docId --date-column date, and this run is with --ngram 5 --tokens characters --buckets 40 "
                "--values 20 --keep newest --id-column docId --date-column date; give the same");
  // Documents that are kept anyway.
  const auto first = [](DocumentIndexKind* kind) { kind->keep = "first --id-column docId"; };
  EXPECT_EQ(ErrorOf("--against", first), "");
  EXPECT_NE(ErrorOf("--beside", first).find("--keep first --id-column docId, and"), std::string::npos);
  const auto dictionary = [](DocumentIndexKind* kind) {
    kind->options["tokens"] = "sudachi-A";
    kind->options["dictionary"] = "0123456789abcdef";
  };
  EXPECT_NE(ErrorOf("--against", dictionary).find("--tokens sudachi-A --sudachi (XXH64 0123456789abcdef) --buckets"),
            std::string::npos);
  // Of an option that a later version has.
  const auto later = [](DocumentIndexKind* kind) { kind->options["stride"] = 2; };
  EXPECT_NE(ErrorOf("--against", later).find("--values 20 stride 2 --keep"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
