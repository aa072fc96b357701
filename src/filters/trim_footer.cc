#include <algorithm>
#include <filesystem>

#include "filters/footer_words.h"
#include "filters/list.h"
#include "filters/marked_text.h"
#include "filters/word_list.h"

namespace uzushio {
namespace {

// Where a document's footer begins: a paragraph, and a byte of its plain text. Behind the last where there is none.
struct FooterStart {
  size_t paragraph = 0;
  size_t byte = 0;
};

std::string_view LastLine(std::string_view text) {
  const size_t end = text.rfind('\n');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

class TrimFooter final : public RewritingFilter {
 public:
  arrow::Status Prepare() {
    std::set<std::string> words;
    if (keywords == kPublished) {
      words = FooterWords();
    } else {
      ARROW_ASSIGN_OR_RAISE(words, WordList::Read(keywords));
    }
    by_length_.assign(words.begin(), words.end());
    std::ranges::stable_sort(by_length_,
                             [](const std::string& a, const std::string& b) { return CodePoints(a) > CodePoints(b); });
    ARROW_ASSIGN_OR_RAISE(words_, WordList::Of(words, keywords));
    return arrow::Status::OK();
  }

  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    const auto paragraphs = document.paragraphs();
    const FooterStart start = Find(paragraphs, scratch);
    int64_t trimmed = 0;
    for (size_t i = start.paragraph; i < paragraphs.size(); ++i) {
      if (!paragraphs[i].alive()) continue;
      trimmed += CodePoints(paragraphs[i].plain.substr(i == start.paragraph ? start.byte : 0));
    }
    return Ratio(static_cast<double>(trimmed), static_cast<double>(document.AliveLength()));
  }

  // What is trimmed stays, removed; a paragraph that the footer begins in becomes two.
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const override {
    const std::span<const FilterParagraph> all = document->paragraphs();
    const FooterStart start = Find(all, scratch);
    if (start.paragraph == all.size()) return;
    std::vector<FilterParagraph> paragraphs(all.begin(), all.end());
    if (start.byte > 0) {
      FilterParagraph& kept = paragraphs[start.paragraph];
      FilterParagraph trimmed = kept;
      // The line break between is of neither.
      CutText cut = CutMarked(kept.marked, kept.plain, start.byte - 1);
      cut.after.erase(cut.after.find('\n'), 1);
      if (cut.after.starts_with("\x02\x03")) cut.after.erase(0, 2);
      trimmed.marked = document->Keep(std::move(cut.after));
      trimmed.plain = kept.plain.substr(start.byte);
      kept.marked = document->Keep(std::move(cut.before));
      kept.plain = kept.plain.substr(0, start.byte - 1);
      paragraphs.insert(paragraphs.begin() + static_cast<std::ptrdiff_t>(start.paragraph) + 1, trimmed);
    }
    for (size_t i = start.paragraph + (start.byte > 0 ? 1 : 0); i < paragraphs.size(); ++i) {
      if (!paragraphs[i].alive()) continue;
      paragraphs[i].removed_by = place;
      paragraphs[i].metric = share;
    }
    document->Replace(std::move(paragraphs));
  }

  std::string Contents() const override { return words_->Contents(); }
  std::vector<std::string> Reasons() const override {
    return {"TrimFooter(" + std::filesystem::path(keywords).filename().string() + "," + JavaNumber(share) + ")"};
  }
  std::string Bound(size_t /*reason*/) const override {
    return "from the first line of keywords > " + JavaNumber(share) + " on";
  }

  static constexpr std::string_view kPublished = "swallow";
  std::string keywords{kPublished};
  int64_t lines = 10;
  double share = 0.3;

 private:
  // Keywords are taken out one after another, the longest first, so that letters around one may make another.
  bool IsFooter(std::string_view line, FilterScratch* scratch) const {
    words_->Find(line, &scratch->numbers);
    if (scratch->numbers.empty()) return false;
    std::string& rest = scratch->text;
    std::string& left = scratch->compressed;
    rest = line;
    for (const std::string& word : by_length_) {
      left.clear();
      size_t start = 0;
      for (size_t at = 0; (at = rest.find(word, start)) != std::string::npos; start = at + word.size()) {
        left.append(rest, start, at - start);
      }
      if (start == 0) continue;
      rest.swap(left.append(rest, start));
      words_->Find(rest, &scratch->numbers);
      if (scratch->numbers.empty()) break;
    }
    const auto letters = static_cast<double>(CodePoints(line));
    return Ratio(letters - static_cast<double>(CodePoints(rest)), letters) > share;
  }

  // The first footer among the last lines.
  FooterStart Find(std::span<const FilterParagraph> paragraphs, FilterScratch* scratch) const {
    FooterStart start = {paragraphs.size(), 0};
    int64_t seen = 0;
    for (size_t i = paragraphs.size(); i-- > 0 && seen < lines;) {
      std::string_view rest = paragraphs[i].plain;
      for (bool more = paragraphs[i].alive(); more && seen < lines; ++seen) {
        const std::string_view line = LastLine(rest);
        more = line.size() < rest.size();
        if (IsFooter(line, scratch)) start = {i, rest.size() - line.size()};
        rest.remove_suffix(line.size() + (more ? 1 : 0));
      }
    }
    return start;
  }

  std::vector<std::string> by_length_;
  std::shared_ptr<const WordList> words_;
};

}  // namespace

FilterDeclaration DeclareTrimFooter() {
  return Declare<TrimFooter>(
             "TrimFooter", "rewrites",
             "Removes the end of a document, from the first of its last lines that consists mostly of footer keywords.")
      .Metric("TrimFooter", "removed share of the text")
      .File("keywords", &TrimFooter::keywords,
            "file with one keyword per line, or `swallow` for the keywords of the Swallow corpus")
      .Int("lines", &TrimFooter::lines, 1, 1'000'000, "number of lines at the end that are examined")
      .Float("share", &TrimFooter::share, 0, 1,
             "a line is a footer if keywords are more than this share of its letters")
      .Done();
}

}  // namespace uzushio
