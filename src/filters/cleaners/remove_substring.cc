#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_map>

#include "base/trim.h"
#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"
#include "filters/preset.h"
#include "filters/quoted.h"
#include "filters/word_list.h"

namespace uzushio {
namespace {

using Lines = std::vector<std::string_view>;

// The lines of a text, empty ones too.
void AppendLines(std::string_view text, Lines* lines) {
  while (true) {
    const size_t end = text.find('\n');
    lines->push_back(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// As Java's String.trim: what is no higher than a space.
std::string_view WithoutSpace(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  return Trimmed(text, is_space);
}

// \r\n is a line end, too.
std::string WithLineFeeds(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') result += text[i];
  }
  return result;
}

arrow::Result<std::set<std::string>> ReadTemplates(const std::string& name, const std::string& delimiter) {
  const std::filesystem::path path = FindPresetFile(name);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    return arrow::Status::Invalid("path: there is no file '", name, "'");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  text = WithLineFeeds(text);
  if (!IsValidUtf8(text)) return arrow::Status::Invalid("path: '", name, "' is not UTF-8");
  std::set<std::string> templates;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(delimiter), rest.size());
    if (const auto one = WithoutSpace(rest.substr(0, end)); !one.empty()) templates.emplace(one);
    rest.remove_prefix(std::min(end + delimiter.size(), rest.size()));
  }
  if (templates.empty()) return arrow::Status::Invalid("path: '", name, "' has no texts");
  return templates;
}

// What lies in which element: the joined text of a document's elements, and where each begins in it.
struct Joined {
  std::string text;
  std::vector<std::pair<FilterParagraph*, size_t>> elements;
};

class RemoveSubstring final : public RewritingFilter {
 public:
  arrow::Status Prepare() {
    if (delim.empty()) return arrow::Status::Invalid("delim: is empty");
    ARROW_ASSIGN_OR_RAISE(templates_, ReadTemplates(path, delim));
    ARROW_ASSIGN_OR_RAISE(anywhere_, WordList::Of(templates_, path));
    if (!whole_lines) return arrow::Status::OK();
    for (const std::string& one : templates_) {
      Lines lines;
      AppendLines(one, &lines);
      by_first_line_[lines[0]].push_back(std::move(lines));
    }
    for (auto& [first, all] : by_first_line_) {
      std::ranges::stable_sort(all, std::ranges::greater(), [](const Lines& lines) { return lines.size(); });
    }
    return arrow::Status::OK();
  }

  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    FilterDocument trial;
    trial.Replace({document.paragraphs().begin(), document.paragraphs().end()});
    Change(&trial, kTrial, scratch);
    const auto before = static_cast<double>(document.AliveLength());
    return Ratio(before - static_cast<double>(trial.AliveLength()), before);
  }

  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    if (whole_lines) {
      RemoveLines(document, place);
    } else {
      RemoveAnywhere(document, place);
    }
  }
  std::string MetricKey() const override {
    return path + (delim == "\n\n" ? "" : "," + Quoted(delim)) + (whole_lines ? ",lines" : "");
  }
  std::string Contents() const override { return anywhere_->Contents(); }
  std::vector<std::string> Reasons() const override {
    return {fmt::format("RemoveSubstring({})", std::filesystem::path(path).filename().string())};
  }

  std::string path = "template_sentences.txt";
  std::string delim = "\n\n";
  bool whole_lines = false;

 private:
  static constexpr int kTrial = std::numeric_limits<int>::max();

  // The number of lines, from the first of these on, that are a template.
  size_t LinesOfTemplate(std::span<const std::string_view> lines) const {
    const auto known = by_first_line_.find(lines[0]);
    if (known == by_first_line_.end()) return 0;
    for (const Lines& one : known->second) {
      if (one.size() <= lines.size() && std::ranges::equal(one, lines.first(one.size()))) return one.size();
    }
    return 0;
  }

  void RemoveLines(FilterDocument* document, int place) const {
    Lines lines;
    std::vector<size_t> ends;  // of each element that is alive, in lines
    document->ForEachAlive([&](const FilterParagraph& element) {
      AppendLines(element.plain, &lines);
      ends.push_back(lines.size());
    });
    std::vector<bool> removed(lines.size());
    bool any = false;
    for (size_t at = 0; at < lines.size();) {
      const size_t count = LinesOfTemplate(std::span(lines).subspan(at));
      std::fill_n(removed.begin() + static_cast<std::ptrdiff_t>(at), count, true);
      any = any || count > 0;
      at += std::max<size_t>(count, 1);
    }
    if (!any) return;
    size_t at = 0;
    auto end = ends.begin();
    for (FilterParagraph& element : document->paragraphs()) {
      if (!element.alive()) continue;
      KeepLines(document, place, lines, removed, at, *end, &element);
      at = *end++;
    }
  }

  static void KeepLines(FilterDocument* document, int place, const Lines& lines, const std::vector<bool>& removed,
                        size_t begin, size_t end, FilterParagraph* element) {
    std::string text;
    bool changed = false;
    for (size_t i = begin; i < end; ++i) {
      changed = changed || removed[i];
      if (removed[i] || lines[i].empty()) continue;
      if (!text.empty()) text += '\n';
      text += lines[i];
    }
    if (changed) ReplaceText(document, place, std::move(text), element);
  }

  void RemoveAnywhere(FilterDocument* document, int place) const {
    Joined joined;
    for (FilterParagraph& element : document->paragraphs()) {
      if (!element.alive()) continue;
      if (!joined.elements.empty()) joined.text += '\n';
      joined.elements.emplace_back(&element, joined.text.size());
      joined.text += element.plain;
    }
    std::vector<TextSpan> found;
    anywhere_->FindSpans(joined.text, &found);
    auto next = found.begin();
    for (const auto& [element, begin] : joined.elements) {
      const size_t end = begin + element->plain.size();
      while (next != found.end() && next->end <= begin) ++next;
      if (next == found.end() || next->begin >= end) continue;
      std::string text;
      size_t kept = begin;
      for (auto span = next; span != found.end() && span->begin < end; ++span) {
        if (span->begin > kept) text.append(joined.text, kept, span->begin - kept);
        kept = std::min(std::max(kept, span->end), end);
      }
      text.append(joined.text, kept, end - kept);
      ReplaceText(document, place, WithoutEmptyLines(text), element);
    }
  }

  static std::string WithoutEmptyLines(std::string_view text) {
    Lines lines;
    AppendLines(text, &lines);
    std::string kept;
    for (const std::string_view line : lines) {
      if (line.empty()) continue;
      if (!kept.empty()) kept += '\n';
      kept += line;
    }
    return kept;
  }

  std::set<std::string> templates_;
  std::shared_ptr<const WordList> anywhere_;
  std::unordered_map<std::string_view, std::vector<Lines>> by_first_line_;  // the longest first
};

}  // namespace

FilterDeclaration DeclareRemoveSubstring() {
  return Declare<RemoveSubstring>("RemoveSubstring", "rewrites", "Removes given texts, such as blog templates.")
      .Metric("RemoveSubstring", "removed share of the text")
      .File("path", &RemoveSubstring::path,
            "file of texts; if template_sentences.txt does not exist, the installed file is used")
      .Text("delim", &RemoveSubstring::delim, "separator between the texts in the file")
      .Flag("matchSentence", &RemoveSubstring::whole_lines, "remove only whole lines")
      .Done();
}

}  // namespace uzushio
