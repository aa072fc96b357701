#include "markdown/markdown_writer.h"

#include <algorithm>

#include "document/markup.h"
#include "markdown/block_text.h"

namespace uzushio {
namespace {

using ContainerKind = StructureBlock::Kind;

constexpr int64_t kMostNumber = 999'999'999;  // of an item; CommonMark, section 5.2

bool IsNumbered(const StructureBlock& block) {
  return block.kind == ContainerKind::kOrderedItem && block.number >= 0 && block.number <= kMostNumber;
}

std::string MarkerOf(const StructureBlock& block) {
  if (block.kind == ContainerKind::kQuote) return "> ";
  return IsNumbered(block) ? std::to_string(block.number) + ". " : "- ";
}

// Appends lines behind their prefixes. Blank lines have no white space at their ends.
void AppendPrefixed(std::string_view lines, std::string_view first, std::string_view rest, std::string* out) {
  std::string_view blank = rest;
  while (blank.ends_with(' ')) blank.remove_suffix(1);
  std::string_view prefix = first;
  while (true) {
    const size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    if (line.ends_with(kBlankLine)) {
      if (prefix == rest) prefix = blank;
      *out += prefix;
      *out += line.substr(0, line.size() - (prefix.empty() ? 0 : 1));
    } else {
      *out += prefix;
      *out += line;
    }
    if (end == std::string_view::npos) return;
    *out += '\n';
    lines.remove_prefix(end + 1);
    prefix = rest;
  }
}

}  // namespace

bool MarkdownWriter::IsContainer(const StructureBlock& block) const {
  switch (block.kind) {
    case ContainerKind::kQuote:
      return form_.quotes;
    case ContainerKind::kUnorderedItem:
    case ContainerKind::kOrderedItem:
    case ContainerKind::kDescription:
      return form_.lists;
    default:
      return false;
  }
}

// Whether a container of the next paragraph is the one that is open.
bool MarkdownWriter::IsSame(const StructureBlock& open, const StructureBlock& next) const {
  if (open.kind != next.kind) return false;
  return open.kind == ContainerKind::kQuote || (next.later && open.number == next.number);
}

// Whether a new item goes behind the last paragraph without a blank line: as an item of the same list or of one in it,
// or as the description of a term.
bool MarkdownWriter::IsTight(const StructureBlock& next, size_t place) const {
  if (!is_next_ || next.kind == ContainerKind::kQuote) return false;
  if (was_term_ && place == open_.size()) return next.kind == ContainerKind::kDescription;
  if (!began_item_) return false;
  if (place == open_.size()) return was_text_ && (!IsNumbered(next) || next.number == 1);  // else it would be text
  return StepTo(next, place).has_value();
}

// Whether an item is the next of the list that is open at a place, and how it goes on: by 1 up, by -1 down. Two lists
// in a row are told apart by their numbers alone. A list goes on in the direction in which it began.
std::optional<int> MarkdownWriter::StepTo(const StructureBlock& next, size_t place) const {
  if (place >= open_.size()) return std::nullopt;
  const Container& before = open_[place];
  if (before.block.kind != next.kind || IsNumbered(before.block) != IsNumbered(next)) return std::nullopt;
  if (next.kind == ContainerKind::kDescription) return 0;
  if (next.number > before.block.number && before.step >= 0) return 1;
  if (next.kind != ContainerKind::kOrderedItem || next.number >= before.block.number || before.step > 0)
    return std::nullopt;
  return next.number == before.block.number - 1 ? std::optional(-1) : std::nullopt;
}

MarkdownWriter::Position MarkdownWriter::Place(const std::vector<StructureBlock>& containers) const {
  Position position;
  bool in_quote = false;
  while (position.shared < std::min(containers.size(), open_.size()) &&
         IsSame(open_[position.shared].block, containers[position.shared])) {
    in_quote |= containers[position.shared].kind == ContainerKind::kQuote;
    ++position.shared;
  }
  position.is_tight = position.shared < containers.size() && IsTight(containers[position.shared], position.shared);
  position.joins = is_next_ && (in_quote || position.is_tight);
  return position;
}

void MarkdownWriter::AppendPrefix(size_t containers, std::string* out) const {
  for (size_t i = 0; i < containers; ++i) {
    if (open_[i].block.kind == ContainerKind::kQuote) {
      *out += "> ";
    } else {
      out->append(open_[i].width, ' ');
    }
  }
}

// Opens the containers behind those that are shared, and appends their markers.
void MarkdownWriter::Open(const std::vector<StructureBlock>& containers, size_t shared, std::string* first) {
  const int step = shared < containers.size() ? StepTo(containers[shared], shared).value_or(0) : 0;
  open_.resize(shared);
  for (size_t i = shared; i < containers.size(); ++i) {
    const std::string marker = MarkerOf(containers[i]);
    open_.push_back({containers[i], marker.size(), i == shared ? step : 0});
    *first += marker;
  }
}

MarkdownWriter::Parts MarkdownWriter::PartsOf(std::string_view structure) const {
  Parts parts;
  size_t indentation = 0;
  for (const StructureBlock& block : BlocksOf(structure)) {
    if (!IsContainer(block)) {
      if (block.kind != ContainerKind::kQuote) parts.leaf = block;
      continue;
    }
    indentation += MarkerOf(block).size();
    if (indentation <= kMostIndentation) parts.containers.push_back(block);
  }
  return parts;
}

bool MarkdownWriter::Write(std::string_view structure, std::string_view marked, std::string* out) {
  const auto [containers, leaf] = PartsOf(structure);
  const Position position = Place(containers);
  const bool begins_item = position.shared < containers.size() && containers.back().kind != ContainerKind::kQuote;
  std::string first;
  out->clear();
  if (position.joins) {
    *out = '\n';
    if (!position.is_tight) {
      AppendPrefix(position.shared, &first);
      first.resize(first.find_last_not_of(' ') + 1);
      (*out += first) += '\n';
      first.clear();
    }
  }
  AppendPrefix(position.shared, &first);
  Open(containers, position.shared, &first);
  std::string rest;
  AppendPrefix(open_.size(), &rest);
  std::string lines;
  AppendBlockText(leaf ? &*leaf : nullptr, marked, begins_item, form_, &lines);
  AppendPrefixed(lines, first, rest, out);
  is_next_ = true;
  began_item_ = begins_item;
  was_term_ = leaf && leaf->kind == ContainerKind::kTerm && form_.lists;
  was_text_ = !leaf || leaf->kind == ContainerKind::kHeading;
  return position.joins;
}

void MarkdownWriter::Skip(std::string_view structure) {
  open_.resize(Place(PartsOf(structure).containers).shared);
  const auto quote = std::ranges::find(open_, ContainerKind::kQuote, [](const Container& c) { return c.block.kind; });
  open_.erase(quote, open_.end());
  is_next_ = began_item_ = was_term_ = false;
}

}  // namespace uzushio
