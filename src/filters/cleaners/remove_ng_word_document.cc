#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "filters/list.h"
#include "filters/word_list.h"
#include "lm/tokenizer.h"

namespace uzushio {
namespace {

std::string Stripped(const std::string& text) {
  constexpr const char* kSpace = " \t\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Most elements have no word of the list at all; the others are cut into tokens.
class RemoveNGWordDocument final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(const std::set<std::string> read, WordList::Read(path));
    for (const std::string& word : read) {
      std::string stripped = Stripped(word);
      if (stripped.empty()) continue;
      lengths_.insert(stripped.size());
      words_.insert(std::move(stripped));
    }
    if (words_.empty()) return arrow::Status::Invalid("word list '", path, "': has no words");
    ARROW_ASSIGN_OR_RAISE(any_, WordList::Of({words_.begin(), words_.end()}, path));
    const arrow::Result<std::string> found = SudachiDictionary::Find(sudachi);
    if (!found.ok()) return found.status().WithMessage(found.status().message(), " by -P sudachi=FILE");
    const std::string& file = *found;
    ARROW_ASSIGN_OR_RAISE(dictionary_, SudachiDictionary::Open(file));
    ARROW_ASSIGN_OR_RAISE(contents_, SudachiDictionary::Checksum(file));
    contents_ += " " + any_->Contents();
    return arrow::Status::OK();
  }

  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    int64_t with = 0;
    document.ForEachAlive([&](const FilterParagraph& element) {
      with += any_->Occurs(element.plain) && HasWord(element.plain, scratch) ? 1 : 0;
    });
    return static_cast<double>(with);
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric == 0) return std::nullopt;
    return 0;
  }
  std::string MetricKey() const override { return sudachi.empty() ? path : path + "," + sudachi; }
  std::string Contents() const override { return contents_; }
  std::vector<std::string> Reasons() const override {
    return {"RemoveNGWordDocument(" + std::filesystem::path(path).filename().string() + ")"};
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "", .removes = Removes::kAbove, .value = int64_t{0}}};
    return rule;
  }

  std::string path = "ng_words.txt";
  std::string sudachi;

 private:
  // Whether a word begins and ends at borders of tokens.
  bool HasWord(std::string_view text, FilterScratch* scratch) const {
    std::vector<uint32_t>& borders = scratch->counts;
    borders.clear();
    scratch->tokenizers.Of(dictionary_).ForEachBorder(text, [&borders](size_t border) {
      borders.push_back(static_cast<uint32_t>(border));
    });
    for (const uint32_t begin : borders) {
      for (const size_t length : lengths_) {
        if (begin + length > text.size()) break;
        if (std::ranges::binary_search(borders, static_cast<uint32_t>(begin + length)) &&
            words_.contains(text.substr(begin, length))) {
          return true;
        }
      }
    }
    return false;
  }

  std::set<std::string, std::less<>> words_;
  std::set<size_t> lengths_;  // of them, in bytes
  std::string contents_;
  std::shared_ptr<const WordList> any_;
  std::shared_ptr<const SudachiDictionary> dictionary_;
};

}  // namespace

FilterDeclaration DeclareRemoveNGWordDocument() {
  return Declare<RemoveNGWordDocument>("RemoveNGWordDocument", "documents",
                                       "Removes documents that contain a word of a list as a separate word: both its "
                                       "ends are borders of Sudachi tokens (mode C).")
      .Metric("RemoveNGWordDocument", "elements that contain such a word")
      .File("path", &RemoveNGWordDocument::path, "file with one word per line, or hojichar/FILE")
      .OptionalFile("sudachi", &RemoveNGWordDocument::sudachi,
                    "Sudachi's system dictionary (none: an installed sudachidict_core, _full or _small)")
      .Done();
}

}  // namespace uzushio
