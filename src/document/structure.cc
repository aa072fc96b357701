#include "document/structure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace uzushio {
namespace {

using BlockKind = StructureBlock::Kind;

// By kind. A heading's level is behind its name.
constexpr auto kBlockNames = std::to_array<std::string_view>(
    {"quote", "ul", "ol", "dt", "dd", "h", "code", "pre", "table", "formula", kMarkdownStructure});
static_assert(kBlockNames[static_cast<size_t>(BlockKind::kMarkdown)] == kMarkdownStructure);

constexpr std::string_view kNumerals = "aAiI";

bool IsOfLanguage(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || std::string_view("+#._-").find(c) != std::string_view::npos;
}

// Takes what is before the next `.` off the text, and the `.`.
std::string_view TakePart(std::string_view* text) {
  const size_t end = text->find('.');
  const std::string_view part = text->substr(0, end);
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
  return part;
}

std::optional<StructureBlock> Parse(std::string_view text) {
  StructureBlock block;
  if (text.size() == 2 && text[0] == 'h' && text[1] >= '1' && text[1] <= '6') {
    block.kind = BlockKind::kHeading;
    block.number = text[1] - '0';
    return block;
  }
  const bool is_code = text.starts_with("code.");
  block.later = !is_code && text.ends_with('+');
  if (block.later) text.remove_suffix(1);
  const std::string_view name = TakePart(&text);
  const auto known = std::ranges::find(kBlockNames, name);
  if (known == kBlockNames.end()) return std::nullopt;
  block.kind = static_cast<BlockKind>(known - kBlockNames.begin());
  if (block.kind == BlockKind::kHeading) return std::nullopt;  // without its level
  if (is_code) block.language = text;
  if (block.kind == BlockKind::kUnorderedItem || block.kind == BlockKind::kOrderedItem) {
    const std::string_view number = TakePart(&text);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), block.number);
    if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
    if (text.size() == 1 && kNumerals.find(text[0]) != std::string_view::npos) block.numerals = text[0];
  }
  return block;
}

}  // namespace

void AppendBlock(const StructureBlock& block, std::string* structure) {
  // A name, a number, a language, and a few characters between.
  std::array<char, 16 + std::numeric_limits<int64_t>::digits10 + kMaxLanguageBytes> text;
  char* at = text.data();
  const auto put = [&at](char c) { *at++ = c; };
  if (!structure->empty()) put('>');
  at = std::ranges::copy(kBlockNames[static_cast<size_t>(block.kind)], at).out;
  if (block.kind == BlockKind::kHeading) put(static_cast<char>('0' + std::clamp<int64_t>(block.number, 1, 6)));
  if (block.kind == BlockKind::kUnorderedItem || block.kind == BlockKind::kOrderedItem) {
    put('.');
    at = std::to_chars(at, text.end(), block.number).ptr;
    if (kNumerals.find(block.numerals) != std::string_view::npos) {
      put('.');
      put(block.numerals);
    }
  }
  if (block.kind == BlockKind::kCode && !block.language.empty()) {
    char* const point = at;
    put('.');
    at = std::ranges::copy_if(block.language.substr(0, kMaxLanguageBytes), at, IsOfLanguage).out;
    if (at == point + 1) at = point;
  }
  if (block.later && block.kind != BlockKind::kHeading) put('+');
  structure->append(text.data(), at);
}

std::vector<StructureBlock> BlocksOf(std::string_view structure) {
  std::vector<StructureBlock> blocks;
  while (!structure.empty()) {
    const size_t end = std::min(structure.find('>'), structure.size());
    if (const auto block = Parse(structure.substr(0, end))) blocks.push_back(*block);
    structure.remove_prefix(std::min(end + 1, structure.size()));
  }
  return blocks;
}

}  // namespace uzushio
