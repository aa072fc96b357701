#include "quality/word_quality.h"

#include <utf8proc.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "base/utf8.h"
#include "quality/share.h"
#include "quality/white_space.h"

// Words are kept joined, as text without spaces, so that an n-gram is a piece of it. N-grams and lines are counted by
// their 64-bit hashes in one table with open addresses, filled anew for each n: a word costs a hash and a look-up for
// each n, nine in all. The hashes are seeded, so that no text is slow.
namespace uzushio {
namespace {

constexpr size_t kMostKeptWords = size_t{1} << 19;  // buffers of longer texts are given back
constexpr size_t kLeastTop = 2;
constexpr size_t kMostTop = 4;
constexpr size_t kLeastDuplicate = 5;
constexpr size_t kMostDuplicate = 10;
constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kDots = "...";

struct PointRange {
  char32_t first;
  char32_t last;
};

// Marks that end sentences (TERMINAL_PUNCTUATION of datatrove's utils/text.py; most have Unicode's Sentence_Terminal).
constexpr PointRange kTerminal[] = {
    {0x0021, 0x0021},   {0x002E, 0x002E},   {0x003F, 0x003F},   {0x0589, 0x0589},   {0x061D, 0x061F},
    {0x06D4, 0x06D4},   {0x0700, 0x0702},   {0x07F9, 0x07F9},   {0x0837, 0x0837},   {0x0839, 0x0839},
    {0x083D, 0x083E},   {0x0964, 0x0965},   {0x104A, 0x104B},   {0x1362, 0x1362},   {0x1367, 0x1368},
    {0x166E, 0x166E},   {0x1735, 0x1736},   {0x17D4, 0x17D6},   {0x17D9, 0x17DA},   {0x1803, 0x1803},
    {0x1809, 0x1809},   {0x1944, 0x1945},   {0x1AA8, 0x1AAB},   {0x1B5A, 0x1B5B},   {0x1B5E, 0x1B5F},
    {0x1B7D, 0x1B7E},   {0x1C3B, 0x1C3C},   {0x1C7E, 0x1C7F},   {0x203C, 0x203D},   {0x2047, 0x2049},
    {0x2E2E, 0x2E2E},   {0x2E3C, 0x2E3C},   {0x2E53, 0x2E54},   {0x3002, 0x3002},   {0xA4FF, 0xA4FF},
    {0xA60E, 0xA60F},   {0xA6F3, 0xA6F3},   {0xA6F7, 0xA6F7},   {0xA876, 0xA877},   {0xA8CE, 0xA8CF},
    {0xA92F, 0xA92F},   {0xA9C8, 0xA9C9},   {0xAA5D, 0xAA5F},   {0xAAF0, 0xAAF1},   {0xABEB, 0xABEB},
    {0xFE52, 0xFE52},   {0xFE56, 0xFE57},   {0xFF01, 0xFF01},   {0xFF0E, 0xFF0E},   {0xFF1F, 0xFF1F},
    {0xFF61, 0xFF61},   {0x10A56, 0x10A57}, {0x10F55, 0x10F59}, {0x10F86, 0x10F89}, {0x11047, 0x11048},
    {0x110BE, 0x110C1}, {0x11141, 0x11143}, {0x111C5, 0x111C6}, {0x111CD, 0x111CD}, {0x111DE, 0x111DF},
    {0x11238, 0x11239}, {0x1123B, 0x1123C}, {0x112A9, 0x112A9}, {0x1144B, 0x1144C}, {0x115C2, 0x115C3},
    {0x115C9, 0x115D7}, {0x11641, 0x11642}, {0x1173C, 0x1173E}, {0x11944, 0x11944}, {0x11946, 0x11946},
    {0x11A42, 0x11A43}, {0x11A9B, 0x11A9C}, {0x11C41, 0x11C42}, {0x11EF7, 0x11EF8}, {0x11F43, 0x11F44},
    {0x16A6E, 0x16A6F}, {0x16AF5, 0x16AF5}, {0x16B37, 0x16B38}, {0x16B44, 0x16B44}, {0x16E98, 0x16E98},
    {0x1BC9F, 0x1BC9F}, {0x1DA88, 0x1DA88}};

// Further marks of which a word may consist without being one (PUNCTUATION there).
constexpr PointRange kOtherMarks[] = {
    {0x0000, 0x0008}, {0x000B, 0x001F}, {0x0022, 0x002D}, {0x002F, 0x002F}, {0x003A, 0x003E}, {0x0040, 0x0040},
    {0x005B, 0x0060}, {0x007B, 0x009F}, {0x00AB, 0x00AB}, {0x00B4, 0x00B4}, {0x00BB, 0x00BB}, {0x2013, 0x2014},
    {0x2019, 0x2019}, {0x201C, 0x201E}, {0x2026, 0x2026}, {0x2236, 0x2236}, {0x2501, 0x2501}, {0x25BA, 0x25BA},
    {0x3001, 0x3001}, {0x3008, 0x300D}, {0x3010, 0x3011}, {0xFF05, 0xFF05}, {0xFF08, 0xFF09}, {0xFF0C, 0xFF0C},
    {0xFF11, 0xFF11}, {0xFF1A, 0xFF1B}, {0xFF5E, 0xFF5E}};

bool IsInRanges(std::span<const PointRange> ranges, char32_t c) {
  const auto behind = std::ranges::upper_bound(ranges, c, {}, &PointRange::first);
  return behind != ranges.begin() && c <= std::prev(behind)->last;
}

bool IsPunctuation(char32_t c) { return IsInRanges(kTerminal, c) || IsInRanges(kOtherMarks, c); }

// Python's str.isalpha.
bool IsAlphabetic(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return true;
    default:
      return false;
  }
}

// The first character of a text that is not empty; the text is what follows it.
char32_t TakePoint(std::string_view* text) {
  const size_t bytes = std::min(Utf8Length(text->front()), text->size());
  const char32_t point = PointAt(*text, bytes);
  text->remove_prefix(bytes);
  return point;
}

char32_t FinalPoint(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  text.remove_prefix(begin);
  return TakePoint(&text);
}

// Whether a character of the text is as `is` asks.
template <typename Is>
bool AnyPoint(std::string_view text, Is is) {
  while (!text.empty()) {
    if (is(TakePoint(&text))) return true;
  }
  return false;
}

std::string_view Strip(std::string_view text) {
  while (!text.empty()) {
    std::string_view rest = text;
    if (!IsStripped(TakePoint(&rest))) break;
    text = rest;
  }
  while (!text.empty() && IsStripped(FinalPoint(text))) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80 && text.size() > 1) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text;
}

bool EndsWithEllipsis(std::string_view line) { return line.ends_with(kEllipsis) || line.ends_with(kDots); }

int64_t Occurrences(std::string_view text, std::string_view of) {
  int64_t count = 0;
  for (size_t at = text.find(of); at != std::string_view::npos; at = text.find(of, at + of.size())) ++count;
  return count;
}

double& At(WordQuality::Values values, FineWebMetric metric) { return values[static_cast<size_t>(metric)]; }

}  // namespace

void WordQuality::Begin() {
  joined_.clear();
  words_.assign(1, {});
}

void WordQuality::AddWord(std::string_view word) {
  joined_ += word;
  words_.push_back(
      {static_cast<uint32_t>(joined_.size()), words_.back().letters + static_cast<uint32_t>(CodePoints(word))});
}

std::string_view WordQuality::Bytes(size_t i, size_t n) const {
  return std::string_view(joined_).substr(words_[i].begin, words_[i + n].begin - words_[i].begin);
}

uint32_t WordQuality::Letters(size_t i, size_t n) const { return words_[i + n].letters - words_[i].letters; }

void WordQuality::MakeTable(size_t keys) {
  const size_t size = std::bit_ceil(std::max<size_t>(2 * keys, 2));
  shift_ = 64 - std::countr_zero(size);
  table_.assign(size, {});
}

WordQuality::Slot& WordQuality::SlotOf(uint64_t key) {
  size_t at = key >> shift_;
  while (table_[at].count > 0 && table_[at].key != key) at = (at + 1) & (table_.size() - 1);
  table_[at].key = key;
  return table_[at];
}

// Letters of the most frequent n-gram of words, the first of several, times its occurrences. Its words count: "ab c"
// and "a bc" are two.
double WordQuality::TopNgram(size_t n) {
  if (words() < n) return 0;
  MakeTable(words() - n + 1);
  for (size_t i = 0; i + n <= words(); ++i) {
    uint64_t borders = odd_;
    for (size_t j = i + 1; j < i + n; ++j) borders = (borders + words_[j].begin - words_[i].begin) * odd_;
    const std::string_view bytes = Bytes(i, n);
    Slot& slot = SlotOf(XXH3_64bits_withSeed(bytes.data(), bytes.size(), borders));
    if (slot.count++ == 0) slot.first = static_cast<uint32_t>(i);
  }
  Slot top;
  for (const Slot& slot : table_) {
    if (slot.count > top.count || (slot.count == top.count && slot.first < top.first)) top = slot;
  }
  return static_cast<double>(Letters(top.first, n) + n - 1) * top.count;
}

// Letters of the n-grams of words that occurred before; after one, the next begins behind it. Its words do not count.
double WordQuality::DuplicateNgrams(size_t n) {
  if (words() < n) return 0;
  MakeTable(words() - n + 1);
  double letters = 0;
  for (size_t i = 0; i + n <= words();) {
    const std::string_view bytes = Bytes(i, n);
    const bool occurred = SlotOf(XXH3_64bits_withSeed(bytes.data(), bytes.size(), odd_)).count++ > 0;
    if (occurred) letters += Letters(i, n);
    i += occurred ? n : 1;
  }
  return letters;
}

void WordQuality::MeasureLines(std::string_view text, Values values) {
  using enum FineWebMetric;
  const std::string_view kBullets[] = {"•", "-"};
  const int64_t breaks = std::ranges::count(text, '\n');
  MakeTable(static_cast<size_t>(breaks) + 1);
  int64_t all = 0;
  int64_t filled = 0;  // not empty
  int64_t shown = 0;   // with more than white space
  int64_t duplicates = 0;
  int64_t duplicate_letters = 0;
  int64_t terminated = 0;
  int64_t bullets = 0;
  int64_t ellipses = 0;
  for (std::string_view rest = text; !rest.empty(); ++all) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    const std::string_view stripped = Strip(line);
    const bool occurred = SlotOf(XXH3_64bits_withSeed(line.data(), line.size(), odd_)).count++ > 0;
    ++filled;
    duplicates += occurred ? 1 : 0;
    if (stripped.empty()) continue;
    ++shown;
    duplicate_letters += occurred ? CodePoints(line) : 0;
    terminated += IsInRanges(kTerminal, FinalPoint(line)) ? 1 : 0;
    bullets += std::ranges::any_of(kBullets, [&](std::string_view mark) { return stripped.starts_with(mark); }) ? 1 : 0;
    ellipses += EndsWithEllipsis(stripped) ? 1 : 0;
  }
  At(values, duplicate_line_fraction) = Share(duplicates, filled);
  At(values, duplicate_line_letter_fraction) = Share(duplicate_letters, CodePoints(text) - breaks);
  At(values, terminated_line_fraction) = Share(terminated, shown);
  At(values, bullet_line_fraction) = Share(bullets, all);
  At(values, ellipsis_line_fraction) = Share(ellipses, all);
  At(values, line_breaks_per_word) = Share(breaks, static_cast<int64_t>(words()));
}

void WordQuality::MeasureWords(std::string_view text, std::span<const std::string> stop_words, Values values) const {
  using enum FineWebMetric;
  const auto all = static_cast<int64_t>(words());
  int64_t with_more = 0;  // than marks
  int64_t letters = 0;
  int64_t alphabetic = 0;
  std::vector<bool> found(stop_words.size());
  for (size_t i = 0; i < words(); ++i) {
    const std::string_view word = Bytes(i, 1);
    if (AnyPoint(word, [](char32_t c) { return !IsPunctuation(c); })) {
      ++with_more;
      letters += Letters(i, 1);
    }
    alphabetic += AnyPoint(word, IsAlphabetic) ? 1 : 0;
    const auto stop_word = std::ranges::lower_bound(stop_words, word);
    if (stop_word != stop_words.end() && *stop_word == word) {
      found[static_cast<size_t>(stop_word - stop_words.begin())] = true;
    }
  }
  At(values, num_words) = static_cast<double>(with_more);
  At(values, mean_word_length) = Share(letters, with_more);
  At(values, hashes_per_word) = Share(std::ranges::count(text, '#'), all);
  At(values, ellipses_per_word) = Share(Occurrences(text, kDots) + Occurrences(text, kEllipsis), all);
  At(values, alphabetic_word_fraction) = Share(alphabetic, all);
  At(values, num_stop_words) = static_cast<double>(std::ranges::count(found, true));
}

void WordQuality::Measure(std::string_view text, std::span<const std::string> stop_words, Values values) {
  using enum FineWebMetric;
  const auto letters = static_cast<double>(CodePoints(text));
  MeasureLines(text, values);
  MeasureWords(text, stop_words, values);
  for (size_t n = kLeastTop; n <= kMostTop; ++n) {
    values[static_cast<size_t>(top_2gram_word_fraction) + n - kLeastTop] = Share(TopNgram(n), letters);
  }
  for (size_t n = kLeastDuplicate; n <= kMostDuplicate; ++n) {
    values[static_cast<size_t>(duplicate_5gram_word_fraction) + n - kLeastDuplicate] =
        Share(DuplicateNgrams(n), letters);
  }
  if (words() > kMostKeptWords) *this = WordQuality();
}

}  // namespace uzushio
