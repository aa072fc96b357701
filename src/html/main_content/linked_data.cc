#include "html/main_content/linked_data.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/buffer.h"
#include "document/markup.h"

namespace uzushio {
namespace {

// Bytes at the beginning that have to be the same.
constexpr size_t kHashedBytes = 24;

constexpr std::array<std::pair<std::string_view, uint32_t>, 16> kTypes = {{
    {"Article", LinkedData::kArticle},
    {"NewsArticle", LinkedData::kArticle},
    {"BlogPosting", LinkedData::kArticle},
    {"TechArticle", LinkedData::kArticle},
    {"ReportageNewsArticle", LinkedData::kArticle},
    {"ScholarlyArticle", LinkedData::kArticle},
    {"Product", LinkedData::kProduct},
    {"ProductGroup", LinkedData::kProduct},
    {"DiscussionForumPosting", LinkedData::kForum},
    {"QAPage", LinkedData::kForum},
    {"ItemList", LinkedData::kList},
    {"CollectionPage", LinkedData::kList},
    {"OfferCatalog", LinkedData::kList},
    {"SearchResultsPage", LinkedData::kList},
    {"FAQPage", LinkedData::kFaq},
    {"HowTo", LinkedData::kFaq},
}};

constexpr std::array<std::pair<std::string_view, uint32_t>, 6> kRoles = {{
    {"description", LinkedData::kText},
    {"articleBody", LinkedData::kText},
    {"text", LinkedData::kText},
    {"reviewBody", LinkedData::kReview},
    {"name", LinkedData::kName},
    {"headline", LinkedData::kName},
}};

template <typename Table>
uint32_t Look(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const auto& entry) { return entry.first; });
  return found == table.end() ? 0 : found->second;
}

// Whether an odd number of backslashes stands before a place.
bool IsEscaped(std::string_view text, size_t at) {
  const size_t before = text.substr(0, at).find_last_not_of('\\');
  return (at - (before == std::string_view::npos ? 0 : before + 1)) % 2 == 1;
}

// Takes the next string off, with its escapes; false at the end.
bool TakeString(std::string_view* json, std::string_view* string) {
  const size_t begin = json->find('"');
  if (begin == std::string_view::npos) return false;
  json->remove_prefix(begin + 1);
  size_t end = json->find('"');
  while (end != std::string_view::npos && IsEscaped(*json, end)) end = json->find('"', end + 1);
  if (end == std::string_view::npos) return false;
  *string = json->substr(0, end);
  json->remove_prefix(end + 1);
  return true;
}

std::string_view SkipBlanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with("\\n")) text.remove_prefix(text[0] == ' ' ? 1 : 2);
  return text;
}

uint32_t HashOpening(std::string_view text) { return static_cast<uint32_t>(XXH3_64bits(text.data(), kHashedBytes)); }

}  // namespace

void LinkedData::Clear() {
  kinds_ = 0;
  bytes_left_ = kMostBytes;
  TrimBuffer(&openings_);
  openings_.clear();
}

void LinkedData::Read(std::string_view json) {
  json = json.substr(0, bytes_left_);
  bytes_left_ -= json.size();
  std::string_view string;
  std::string_view key;  // of the value that may follow
  while (TakeString(&json, &string)) {
    const size_t next = json.find_first_not_of(" \t\r\n");
    if (next != std::string_view::npos && json[next] == ':') {
      key = string;
    } else if (key == "@type") {  // the key stays, for lists of values
      kinds_ |= Look(kTypes, string);
    } else if (const uint32_t role = Look(kRoles, key)) {
      AddText(string, role);
    }
  }
}

void LinkedData::Finish() {
  std::ranges::sort(openings_, {}, &Opening::hash);
  size_t kept = 0;
  for (const Opening& opening : openings_) {
    if (kept > 0 && openings_[kept - 1].hash == opening.hash) {
      openings_[kept - 1].roles |= opening.roles;
    } else {
      openings_[kept++] = opening;
    }
  }
  openings_.resize(kept);
}

// Lines and sentences of the text, too: a page shows them as paragraphs of their own.
void LinkedData::AddText(std::string_view text, uint32_t role) {
  AddOpening(SkipBlanks(text), role);
  for (const std::string_view border : {"\\n", ". ", "。", ">"}) {
    for (size_t at = text.find(border); at != std::string_view::npos;) {
      const std::string_view opening = SkipBlanks(text.substr(at + border.size()));
      AddOpening(opening, role);
      at = text.find(border, text.size() - opening.size());  // borders in between have the same behind them
    }
  }
}

void LinkedData::AddOpening(std::string_view text, uint32_t role) {
  if (text.size() >= kHashedBytes) openings_.push_back({HashOpening(text), role});
}

uint32_t LinkedData::RolesOf(std::string_view paragraph) const {
  if (paragraph.starts_with(kLinkStart)) paragraph.remove_prefix(1);
  if (openings_.empty() || paragraph.size() < kHashedBytes) return 0;
  const uint32_t hash = HashOpening(paragraph);
  const auto found = std::ranges::lower_bound(openings_, hash, {}, &Opening::hash);
  return found != openings_.end() && found->hash == hash ? found->roles : 0;
}

}  // namespace uzushio
