#include "filters/markdown_by_path.h"

#include <algorithm>

#include "filters/css_path.h"

namespace uzushio {
namespace {

bool IsListItem(std::string_view path) {
  return AnyName(path, [](PathName kind, std::string_view name) {
    return kind == PathName::kTag && (name == "li" || name == "option");
  });
}

}  // namespace

size_t HeadingLevelOf(std::string_view path) {
  size_t level = 0;
  AnyName(path, [&level](PathName kind, std::string_view name) {
    const bool is_heading =
        kind == PathName::kTag && name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (is_heading) level = static_cast<size_t>(name[1] - '0');
    return false;
  });
  return level;
}

void WriteHeading(size_t level, const KeepText& keep, FilterParagraph* paragraph) {
  const std::string mark = std::string(level, '#') + " ";
  paragraph->marked = keep(mark + std::string(paragraph->marked));
  paragraph->plain = keep(mark + std::string(paragraph->plain));
}

size_t ListRunEnd(std::span<const FilterParagraph> paragraphs, size_t first) {
  const FilterParagraph& of = paragraphs[first];
  size_t end = first + 1;
  if (!of.alive() || of.shown || !IsListItem(of.path)) return end;
  const auto belongs = [&of](const FilterParagraph& other) {
    return other.alive() && !other.shown && other.path == of.path;
  };
  while (end < paragraphs.size() && belongs(paragraphs[end])) ++end;
  return end;
}

FilterParagraph MergedItems(std::span<const FilterParagraph> items, const KeepText& keep) {
  FilterParagraph merged = items[0];
  std::string marked;
  std::string plain;
  for (const FilterParagraph& item : items) {
    (marked += marked.empty() ? "- " : "\n- ") += item.marked;
    (plain += plain.empty() ? "- " : "\n- ") += item.plain;
    merged.near_freq = std::min(merged.near_freq, item.near_freq);
    merged.score = std::max(merged.score, item.score);
  }
  merged.marked = keep(std::move(marked));
  merged.plain = keep(std::move(plain));
  return merged;
}

}  // namespace uzushio
