#include "html/main_content/justext.h"

#include <algorithm>

#include "base/buffer.h"
#include "document/markup.h"
#include "html/path_tags.h"

namespace uzushio {
namespace {

// The share of hiragana from which on a page's language is taken for Japanese. (lang/identify.cc asks for as much.)
constexpr double kJapaneseHiragana = 0.04;

double PartOf(int64_t part, int64_t all) { return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all); }

// U+3041-3096.
bool IsHiragana(std::string_view at) {
  if (at.size() < 3 || at[0] != '\xE3') return false;
  const auto third = static_cast<unsigned char>(at[2]);
  return (at[1] == '\x81' && third >= 0x81) || (at[1] == '\x82' && third <= 0x96);
}

}  // namespace

Justext::Paragraph Justext::Measure(std::string_view path, std::string_view text) {
  Paragraph paragraph;
  paragraph.heading = HeadingLevel(path) > 0;
  ForEachTag(path, [&](std::string_view tag) { paragraph.never |= tag == "option" || tag == "optgroup"; });
  bool in_link = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == kLinkStart || c == kLinkEnd) {
      in_link = c == kLinkStart;
    } else if (IsMark(c)) {
      continue;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++paragraph.length;
      paragraph.in_links += in_link ? 1 : 0;
      paragraph.spaces += c == ' ' || c == '\n' ? 1 : 0;
      paragraph.hiragana += IsHiragana(text.substr(i)) ? 1 : 0;
      paragraph.never |= c == '\xC2' && text.substr(i + 1).starts_with('\xA9');  // ©
    }
  }
  return paragraph;
}

Justext::Class Justext::Alone(const Paragraph& paragraph) const {
  if (paragraph.never || PartOf(paragraph.in_links, paragraph.length) > parameters_.max_link_density)
    return Class::kBad;
  if (LengthOf(paragraph) < parameters_.length_low) return paragraph.in_links > 0 ? Class::kBad : Class::kShort;
  const double stop_words = PartOf(paragraph.hiragana, paragraph.length - paragraph.spaces);
  if (is_japanese_ && stop_words < parameters_.stopwords_low) return Class::kBad;
  const bool many = !is_japanese_ || stop_words >= parameters_.stopwords_high;
  return many && LengthOf(paragraph) > parameters_.length_high ? Class::kGood : Class::kNearGood;
}

// At most max_heading_distance paragraphs are looked at: each has a character.
bool Justext::HasGoodBehind(size_t heading) const {
  int64_t distance = 0;
  for (size_t i = heading + 1; i < paragraphs_.size() && distance <= parameters_.max_heading_distance; ++i) {
    if (paragraphs_[i].decided == Class::kGood) return true;
    distance += LengthOf(paragraphs_[i]);
  }
  return false;
}

void Justext::DecideHeadings(Class from, Class to) {
  for (size_t i = 0; i < paragraphs_.size(); ++i) {
    Paragraph& paragraph = paragraphs_[i];
    const bool asked =
        paragraph.heading && paragraph.decided == from && (from != Class::kBad || paragraph.alone != from);
    if (asked && HasGoodBehind(i)) paragraph.decided = to;
  }
}

// What is behind the page's ends is bad.
void Justext::FindNext() {
  Class next = Class::kBad;
  Class next_near = Class::kBad;
  for (size_t i = paragraphs_.size(); i-- > 0;) {
    Paragraph& paragraph = paragraphs_[i];
    paragraph.next = next;
    paragraph.next_near = next_near;
    if (paragraph.decided == Class::kShort) continue;
    next_near = paragraph.decided;
    if (paragraph.decided != Class::kNearGood) next = paragraph.decided;
  }
}

// Short paragraphs become what both their neighbours are; between good and bad, good when what is on the bad side is
// nearly good.
void Justext::DecideShort() {
  FindNext();
  Class before = Class::kBad;
  Class before_near = Class::kBad;
  for (Paragraph& paragraph : paragraphs_) {
    if (paragraph.decided != Class::kShort) {
      before_near = paragraph.decided;
      if (paragraph.decided != Class::kNearGood) before = paragraph.decided;
      continue;
    }
    const Class next = paragraph.next;
    const bool near = (before == Class::kBad && before_near == Class::kNearGood) ||
                      (next == Class::kBad && paragraph.next_near == Class::kNearGood);
    paragraph.decided = before == next ? next : near ? Class::kGood : Class::kBad;
  }
}

// Nearly good ones become bad between bad ones, and good elsewhere; each is a neighbour to those behind it.
void Justext::DecideNearGood() {
  FindNext();
  Class before = Class::kBad;
  for (Paragraph& paragraph : paragraphs_) {
    if (paragraph.decided == Class::kNearGood) {
      paragraph.decided = before == Class::kBad && paragraph.next == Class::kBad ? Class::kBad : Class::kGood;
    }
    before = paragraph.decided;
  }
}

void Justext::Mark(const PageForContent& page, std::vector<ContentMark>* marks) {
  paragraphs_.clear();
  int64_t hiragana = 0;
  int64_t all = 0;
  for (size_t i = 0; i < page.outline->paragraphs.size(); ++i) {
    const Paragraph& paragraph = paragraphs_.emplace_back(Measure(page.PathOf(i), page.TextOf(i)));
    hiragana += paragraph.hiragana;
    all += paragraph.length - paragraph.spaces;
  }
  is_japanese_ = PartOf(hiragana, all) >= kJapaneseHiragana;
  for (Paragraph& paragraph : paragraphs_) paragraph.decided = paragraph.alone = Alone(paragraph);
  DecideHeadings(Class::kShort, Class::kNearGood);
  DecideShort();
  DecideNearGood();
  DecideHeadings(Class::kBad, Class::kGood);
  constexpr float kContent[] = {0, 0.7F, 0.9F, 1};
  constexpr float kRest[] = {0, 0.2F, 0.4F, 0};
  marks->clear();
  for (const Paragraph& paragraph : paragraphs_) {
    const bool content = paragraph.decided == Class::kGood;
    marks->push_back({(content ? kContent : kRest)[static_cast<size_t>(paragraph.alone)], content});
  }
  TrimBuffer(&paragraphs_);
}

}  // namespace uzushio
