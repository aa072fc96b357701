#include "stages/report/diff_lines.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/utf8.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "stages/report/paragraph_diff.h"

namespace uzushio {
namespace {

using In = DiffedParagraph::In;

constexpr size_t kContext = 1;              // common paragraphs that are shown around what differs
constexpr size_t kLongestParagraph = 2000;  // bytes
constexpr size_t kBeforeDifference = 100;   // bytes of a long paragraph that are shown before the first difference
constexpr std::string_view kMoreText = "…";

// Bytes of the common beginning of two paragraphs that are left out where they are long.
size_t LeftOut(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) <= kLongestParagraph) return 0;
  const auto common = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  if (common <= 2 * kBeforeDifference) return 0;
  return Utf8Prefix(a, common - kBeforeDifference).size();
}

class ShownLines {
 public:
  explicit ShownLines(size_t most) : left_(most) {}

  void Add(const char* kind, std::string_view text, size_t left_out = 0) {
    if (left_ == 0) {
      cut_ = true;
      return;
    }
    text.remove_prefix(left_out);
    const size_t most = std::min(left_, kLongestParagraph);
    const std::string_view shown = Utf8Prefix(text, most);
    left_ -= text.size() > left_ ? left_ : shown.size();
    std::string line(left_out > 0 ? kMoreText : "");
    line += shown;
    if (shown.size() < text.size()) line += kMoreText;
    lines_.push_back({{"kind", kind}, {"text", std::move(line)}});
  }
  void Skip(size_t paragraphs) {
    if (left_ > 0 && paragraphs > 0) lines_.push_back({{"skipped", paragraphs}});
  }
  nlohmann::json Take(bool cut) { return {{"lines", std::move(lines_)}, {"cut", cut || cut_}}; }

 private:
  size_t left_;
  bool cut_ = false;
  nlohmann::json lines_ = nlohmann::json::array();
};

// Common paragraphs, of which those beside what differs are shown.
void AddCommon(const DiffText& b, std::span<const DiffedParagraph> common, bool is_first, bool is_last,
               ShownLines* lines) {
  const size_t before = is_first ? 0 : kContext;  // that follow what differs
  const size_t after = is_last ? 0 : kContext;
  const bool skips = common.size() > before + after + 1;  // one paragraph takes no more room than its number
  for (size_t i = 0; i < common.size(); ++i) {
    if (skips && i == before) lines->Skip(common.size() - before - after);
    if (!skips || i < before || i >= common.size() - after) lines->Add("both", b.paragraphs[common[i].place]);
  }
}

// What is between common paragraphs: first what is in `b`, then what is in `a`. As many as these are taken for each
// other.
void AddDifferent(const DiffText& a, const DiffText& b, std::span<const DiffedParagraph> different, ShownLines* lines) {
  const auto of_b =
      static_cast<size_t>(std::ranges::find(different, In::kSecond, &DiffedParagraph::in) - different.begin());
  const bool are_pairs = 2 * of_b == different.size();
  for (size_t i = 0; i < different.size(); ++i) {
    const bool is_b = i < of_b;
    const std::string& text = (is_b ? b : a).paragraphs[different[i].place];
    size_t left_out = 0;
    if (are_pairs) {
      const DiffedParagraph& other = different[is_b ? i + of_b : i - of_b];
      left_out = LeftOut(text, (is_b ? a : b).paragraphs[other.place]);
    }
    lines->Add(is_b ? "b" : "a", text, left_out);
  }
}

}  // namespace

DiffText DiffTextOf(std::string_view document) {
  DiffText text;
  size_t bytes = 0;
  std::string buffer;
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    const std::string_view plain = PlainParagraph(*paragraph, &buffer);
    if (plain.empty()) continue;
    bytes += plain.size();
    if (text.paragraphs.size() == kMostDiffedParagraphs || (bytes > kMostDiffedBytes && !text.paragraphs.empty())) {
      text.cut = true;
      return text;
    }
    text.cut = plain.size() > kMostDiffedBytes;
    text.paragraphs.emplace_back(Utf8Prefix(plain, kMostDiffedBytes));
  }
  return text;
}

nlohmann::json DiffLinesJson(const DiffText* a, const DiffText* b, size_t most) {
  ShownLines lines(most);
  if (a == nullptr || b == nullptr) {
    const DiffText& only = a != nullptr ? *a : *b;
    for (const std::string& text : only.paragraphs) lines.Add(a != nullptr ? "a" : "b", text);
    return lines.Take(only.cut);
  }
  std::vector<DiffedParagraph> diff = DiffParagraphs(b->paragraphs, a->paragraphs);
  if (a->cut || b->cut) {  // what is at the end of one may be behind the end of the other
    while (!diff.empty() && diff.back().in != In::kBoth) diff.pop_back();
  }
  for (size_t begin = 0; begin < diff.size();) {
    const bool is_common = diff[begin].in == In::kBoth;
    size_t end = begin;
    while (end < diff.size() && (diff[end].in == In::kBoth) == is_common) ++end;
    const auto run = std::span(diff).subspan(begin, end - begin);
    if (is_common) {
      AddCommon(*b, run, begin == 0, end == diff.size(), &lines);
    } else {
      AddDifferent(*a, *b, run, &lines);
    }
    begin = end;
  }
  return lines.Take(a->cut || b->cut);
}

}  // namespace uzushio
