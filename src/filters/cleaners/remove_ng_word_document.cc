#include <algorithm>
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
      longest_ = std::max(longest_, stripped.size());
      if (!stripped.empty()) words_.insert(std::move(stripped));
    }
    if (words_.empty()) return arrow::Status::Invalid("word list '", path, "': has no words");
    ARROW_ASSIGN_OR_RAISE(any_, WordList::Of({words_.begin(), words_.end()}, path));
    ARROW_ASSIGN_OR_RAISE(const std::string file, SudachiDictionary::Find(sudachi));
    ARROW_ASSIGN_OR_RAISE(dictionary_, SudachiDictionary::Open(file));
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
  std::vector<std::string> Reasons() const override { return {"RemoveNGWordDocument(" + path + ")"}; }
  std::string Bound(size_t /*reason*/) const override { return "> 0"; }

  std::string path = "ng_words.txt";
  std::string sudachi;

 private:
  // Whether some tokens, one after another, are a word.
  bool HasWord(std::string_view text, FilterScratch* scratch) const {
    std::vector<uint32_t>& borders = scratch->counts;
    borders.clear();
    scratch->tokenizers.Of(dictionary_).ForEachBorder(text, [&borders](size_t border) {
      borders.push_back(static_cast<uint32_t>(border));
    });
    for (size_t begin = 0; begin < borders.size(); ++begin) {
      for (size_t end = begin + 1; end < borders.size() && borders[end] - borders[begin] <= longest_; ++end) {
        if (words_.contains(std::string(text.substr(borders[begin], borders[end] - borders[begin])))) return true;
      }
    }
    return false;
  }

  std::set<std::string> words_;
  size_t longest_ = 0;  // of them, in bytes
  std::shared_ptr<const WordList> any_;
  std::shared_ptr<const SudachiDictionary> dictionary_;
};

}  // namespace

FilterDeclaration DeclareRemoveNGWordDocument() {
  return Declare<RemoveNGWordDocument>(
             "RemoveNGWordDocument", "documents",
             "Removes documents in which a word of a list stands by itself: both its ends are "
             "borders of Sudachi's tokens (mode C).")
      .Metric("RemoveNGWordDocument", "elements in which one does")
      .Text("path", &RemoveNGWordDocument::path, "file of words, one a line, or hojichar/FILE")
      .OptionalText("sudachi", &RemoveNGWordDocument::sudachi,
                    "Sudachi's system dictionary (none: that of an installed sudachidict_core, _full or _small)")
      .Done();
}

}  // namespace uzushio
