#include "document/sentences.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr size_t kMaxPartPoints = size_t{16} << 10;

constexpr std::u32string_view kOpeners = U"「『（(［[〈《【〔｛{“‘｢";
constexpr std::u32string_view kClosers = U"」』）)］]〉》】〕｝}”’｣";
static_assert(kOpeners.size() == kClosers.size());

bool IsEnd(char32_t c) { return EndsSentence(c) || c == U'｡'; }

// Where a part of the text ends that Sudachi can take: after the first character for which `separates` holds, if any.
template <typename Separates>
size_t PartEnd(std::string_view text, size_t begin, Separates separates) {
  size_t points = 0;
  size_t at = begin;
  while (at < text.size()) {
    const size_t bytes = Utf8Length(text[at]);
    if (at + bytes - begin > kMaxTokenizerBytes) return at;
    const std::string_view point = text.substr(at, bytes);
    at = std::min(at + bytes, text.size());
    ++points;
    if (separates(point) || points == kMaxPartPoints) return at;
  }
  return at;
}

}  // namespace

size_t TokenizerPartEnd(std::string_view text, size_t begin) {
  return PartEnd(text, begin, [](std::string_view point) {
    return point == "\n" || point == "!" || point == "?" || point == "。" || point == "、" || point == "！" ||
           point == "？";
  });
}

size_t TokenizerLineEnd(std::string_view text, size_t begin) {
  const size_t end = PartEnd(text, begin, [](std::string_view point) { return point == "\n"; });
  return end > begin && text[end - 1] == '\n' ? end - 1 : end;
}

const std::vector<std::string_view>& SentenceCutter::Cut(std::string_view text, size_t most) {
  sentences_.clear();
  while (!text.empty() && sentences_.size() <= most) {
    const size_t end = std::min(text.find('\n'), text.size());
    CutLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sentences_;
}

void SentenceCutter::Decode(std::string_view line) {
  points_.clear();
  for (size_t at = 0; at < line.size();) {
    const size_t bytes = std::min(Utf8Length(line[at]), line.size() - at);
    const char32_t point = PointAt(line.substr(at), bytes);
    at += bytes;
    points_.push_back({point, static_cast<uint32_t>(at)});
  }
}

// A closing bracket matches the last opening one, if that is its own; what was opened after it and is still open
// matches nothing.
void SentenceCutter::MatchBrackets() {
  steps_.assign(points_.size(), 0);
  open_.clear();
  std::array<size_t, kOpeners.size()> waiting{};  // of each kind
  for (size_t i = 0; i < points_.size(); ++i) {
    const char32_t point = points_[i].point;
    if (const size_t kind = kOpeners.find(point); kind != std::u32string_view::npos) {
      open_.push_back(static_cast<uint32_t>(i));
      ++waiting[kind];
      continue;
    }
    const size_t kind = kClosers.find(point);
    if (kind == std::u32string_view::npos || waiting[kind] == 0) continue;
    while (true) {
      const size_t begin = open_.back();
      open_.pop_back();
      const size_t of = kOpeners.find(points_[begin].point);
      --waiting[of];
      if (of != kind) continue;
      steps_[begin] = 1;
      steps_[i] = -1;
      break;
    }
  }
}

void SentenceCutter::CutLine(std::string_view line) {
  Decode(line);
  MatchBrackets();
  size_t begin = 0;
  int depth = 0;
  bool ended = false;  // all but closing brackets
  for (size_t i = 0; i < points_.size(); ++i) {
    const char32_t point = points_[i].point;
    const size_t start = i == 0 ? 0 : points_[i - 1].end;
    const bool goes_on = IsEnd(point) || kClosers.find(point) != std::u32string_view::npos;
    if (ended && !goes_on) {
      sentences_.push_back(line.substr(begin, start - begin));
      begin = start;
      ended = false;
    }
    depth += steps_[i];
    ended = depth == 0 && (ended || IsEnd(point));
  }
  if (begin < line.size()) sentences_.push_back(line.substr(begin));
}

}  // namespace uzushio
