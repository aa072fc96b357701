#include "stages/report/diff_lines.h"

#include <xxhash.h>

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
constexpr std::string_view kParagraphEnd = "\n\n";  // in plain text, as its bytes are counted
constexpr size_t kMostBeforeBegin = 1024;           // bytes of a paragraph before `begin` that are kept

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
    left_ = shown.size() < text.size() && most == left_ ? 0 : left_ - shown.size();
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

// Common paragraphs, of which those beside what differs are shown. `b.skipped` are before the first ones.
void AddCommon(const DiffText& b, std::span<const DiffedParagraph> common, bool is_first, bool is_last,
               ShownLines* lines) {
  const size_t before_all = is_first ? b.skipped : 0;
  const size_t before = is_first ? 0 : kContext;  // that follow what differs
  const size_t after = is_last ? 0 : kContext;
  // One paragraph takes no more room than its number.
  const bool skips = common.size() > before + after + (before_all > 0 ? 0 : 1);
  if (!skips) lines->Skip(before_all);
  for (size_t i = 0; i < common.size(); ++i) {
    if (skips && i == before) lines->Skip(before_all + common.size() - before - after);
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

// Removes from the end what may be behind the cut of the other text: what differs there, unless both differ in it and
// it is the first that does.
void DropUncertain(bool is_cut_a, bool is_cut_b, std::vector<DiffedParagraph>* diff) {
  const auto is_both = [](const DiffedParagraph& one) { return one.in == In::kBoth; };
  const auto tail = std::ranges::find_if(diff->rbegin(), diff->rend(), is_both).base();
  const bool is_first = std::all_of(diff->begin(), tail, is_both);
  const bool has_a = std::any_of(tail, diff->end(), [](const auto& one) { return one.in == In::kSecond; });
  const bool has_b = std::any_of(tail, diff->end(), [](const auto& one) { return one.in == In::kFirst; });
  const bool is_certain = (has_a || !is_cut_a) && (has_b || !is_cut_b);
  if (!is_first || !is_certain) diff->erase(tail, diff->end());
}

}  // namespace

DiffText DiffTextOf(std::string_view document, size_t begin) {
  DiffText text;
  size_t bytes = 0;
  size_t left_out = begin;  // bytes that are still to be left out
  std::string buffer;
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    std::string_view plain = PlainParagraph(*paragraph, &buffer);
    if (plain.empty()) continue;
    if (plain.size() + kParagraphEnd.size() <= left_out) {
      left_out -= plain.size() + kParagraphEnd.size();
      ++text.skipped;
      continue;
    }
    std::string kept;
    if (left_out > kMostBeforeBegin) {
      plain.remove_prefix(Utf8Prefix(plain, std::min(left_out, plain.size()) - kMostBeforeBegin).size());
      kept = kMoreText;
    }
    left_out = 0;
    if (text.paragraphs.size() == kMostDiffedParagraphs || bytes >= kMostDiffedBytes) {
      text.cut = true;
      return text;
    }
    const std::string_view shown = Utf8Prefix(plain, kMostDiffedBytes - bytes);
    text.cut = shown.size() < plain.size();
    if (!shown.empty()) text.paragraphs.push_back(std::move(kept.append(shown)));
    if (text.cut) return text;
    bytes += plain.size();
  }
  return text;
}

std::vector<uint64_t> DiffBlocksOf(std::string_view document) {
  std::vector<uint64_t> blocks;
  std::string block;
  const auto end_block = [&] {
    blocks.push_back(XXH3_64bits(block.data(), block.size()));
    block.clear();
  };
  std::string buffer;
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    const std::string_view plain = PlainParagraph(*paragraph, &buffer);
    if (plain.empty()) continue;
    for (std::string_view rest : {plain, kParagraphEnd}) {
      while (!rest.empty()) {
        const std::string_view part = rest.substr(0, kDiffBlock - block.size());
        block += part;
        rest.remove_prefix(part.size());
        if (block.size() == kDiffBlock) end_block();
      }
    }
  }
  if (!block.empty()) end_block();
  return blocks;
}

size_t EqualBytes(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin()) * kDiffBlock;
}

nlohmann::json DiffLinesJson(const DiffText* a, const DiffText* b, size_t most) {
  ShownLines lines(most);
  if (a == nullptr || b == nullptr) {
    const DiffText& only = a != nullptr ? *a : *b;
    for (const std::string& text : only.paragraphs) lines.Add(a != nullptr ? "a" : "b", text);
    return lines.Take(only.cut);
  }
  std::vector<DiffedParagraph> diff = DiffParagraphs(b->paragraphs, a->paragraphs);
  if (a->cut || b->cut) DropUncertain(a->cut, b->cut, &diff);
  if (diff.empty() || diff.front().in != In::kBoth) lines.Skip(b->skipped);
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
