#include "filters/filter_document.h"

#include <bit>
#include <cmath>

#include "document/paragraph_writer.h"

namespace uzushio {
namespace {

// Room that is kept for the next text: most have less.
constexpr size_t kKeptParagraphs = 256;
constexpr size_t kKeptBuffer = 4096;

}  // namespace

void FilterDocument::Begin(std::string_view doc_id) {
  doc_id_ = doc_id;
  values_ = {};
  random_ = DocumentRandom(doc_id);
  kept_.clear();
  // A kernel has a document for each row of a batch: room that each keeps of its longest text would add up.
  if (paragraphs_.capacity() > kKeptParagraphs) paragraphs_ = std::vector<FilterParagraph>();  // {} would keep it
  if (buffer_.capacity() > kKeptBuffer) buffer_ = std::string();
  paragraphs_.clear();
}

void FilterDocument::Take(std::string_view doc_id, std::string_view text) {
  Begin(doc_id);
  if (!text.empty()) paragraphs_.push_back({.path = {}, .marked = text, .plain = text});
}

void FilterDocument::Parse(std::string_view doc_id, std::string_view text) {
  Begin(doc_id);
  ParagraphReader reader(text);
  while (const auto paragraph = reader.Next()) {
    std::string_view plain = PlainParagraph(*paragraph, &buffer_);
    if (plain.empty()) continue;
    if (plain.data() == buffer_.data()) plain = Keep(std::string(plain));
    paragraphs_.push_back({.path = paragraph->path,
                           .marked = paragraph->text,
                           .plain = plain,
                           .structure = paragraph->structure,
                           .shown = paragraph->shown,
                           .score = paragraph->score});
  }
}

void FilterDocument::JoinAlive(std::string* text) const {
  text->clear();
  bool is_first = true;
  ForEachAlive([&](const FilterParagraph& paragraph) {
    if (!is_first) *text += '\n';
    *text += paragraph.plain;
    is_first = false;
  });
}

int64_t FilterDocument::AliveLength() const {
  int64_t length = 0;
  ForEachAlive([&length](const FilterParagraph& paragraph) { length += CodePoints(paragraph.plain); });
  return length;
}

uint64_t DocumentSeed(std::string_view doc_id) {
  uint64_t state = 0xdeadbeeffeed133;
  const auto add = [&state](uint64_t value) {
    state = std::rotr(((value + 1442695040888963407) ^ state) * 6364136223846793005, 23);
  };
  std::u32string points;
  DecodeUtf8(doc_id, &points);
  uint64_t units = 0;
  for (const char32_t point : points) {
    if (point >= 0x10000) {
      add(0xD800 + ((point - 0x10000) >> 10));
      add(0xDC00 + ((point - 0x10000) & 0x3FF));
      units += 2;
    } else {
      add(point);
      ++units;
    }
  }
  add(units);
  return state;
}

double DocumentRandom(std::string_view doc_id) {
  return static_cast<double>(DocumentSeed(doc_id) & ((uint64_t{1} << 54) - 1)) * 0x1p-54;
}

// The first `nextGaussian` of a java.util.Random with this seed (its documentation gives the generator and the polar
// method of Knuth, The Art of Computer Programming, volume 2, 3.4.1).
double DocumentGaussian(std::string_view doc_id) {
  constexpr uint64_t kMask = (uint64_t{1} << 48) - 1;
  uint64_t state = (DocumentSeed(doc_id) ^ 0x5DEECE66D) & kMask;
  const auto next = [&state](int bits) {
    state = (state * 0x5DEECE66D + 0xB) & kMask;
    return state >> (48 - bits);
  };
  const auto uniform = [&next] {
    const uint64_t high = next(26);
    return static_cast<double>((high << 27) + next(27)) * 0x1p-53;
  };
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square < 1 && square != 0) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

}  // namespace uzushio
