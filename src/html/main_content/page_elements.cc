#include "html/main_content/page_elements.h"

#include <xxhash.h>

#include <algorithm>

#include "html/attributes.h"
#include "html/main_content/element_kind.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

uint32_t Mix(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(((uint64_t{a} << 32 | b) * 0x9E3779B97F4A7C15U) >> 32);
}

// By its name where lexbor has no number for it: what stands for one then is an address.
uint32_t HashTag(const lxb_dom_node_t* element) {
  if (element->local_name < LXB_TAG__LAST_ENTRY) {
    return HashByte(kHashSeed, static_cast<unsigned char>(element->local_name));
  }
  size_t length = 0;
  auto* typed = reinterpret_cast<lxb_dom_element_t*>(const_cast<lxb_dom_node_t*>(element));
  const lxb_char_t* name = lxb_dom_element_local_name(typed, &length);
  return HashText(std::string_view(reinterpret_cast<const char*>(name), length).substr(0, kMostAttributeBytes));
}

const lxb_dom_attr_t* ClassAttributeOf(const lxb_dom_node_t* element) {
  return reinterpret_cast<const lxb_dom_element_t*>(element)->attr_class;
}

}  // namespace

// Elements of a page have the same few classes again and again, whose tokens need not be hashed each time.
void PageElements::VisitClass(std::string_view value, uint32_t hash, const TokenScores& tokens, TokenRange* scores) {
  ClassScores& known = classes_[hash % kKnownClasses];
  if (known.value != value) {
    TokenRange own(tokens);
    VisitNames(value, kHashSeed, &own);
    known = {value, own.least, own.most};
  }
  scores->least = std::min(scores->least, known.least);
  scores->most = std::max(scores->most, known.most);
}

void PageElements::Measure(const PageOutline& outline, const ParagraphSums& sums, const TokenScores& tokens) {
  facts_.assign(outline.elements.size(), {});
  classes_.fill({});
  for (uint32_t i = 0; i < facts_.size(); ++i) MeasureOne(outline, i, tokens);  // an element stands before those in it
  FindRuns(outline, sums);
  FindCore(outline, sums);
}

void PageElements::MeasureOne(const PageOutline& outline, uint32_t i, const TokenScores& tokens) {
  const PageOutline::Element& element = outline.elements[i];
  ElementFacts& facts = facts_[i];
  if (element.parent != PageOutline::kNone) {
    const PageOutline::Element& parent = outline.elements[element.parent];
    facts = facts_[element.parent];
    const bool as_many =
        parent.first_paragraph == element.first_paragraph && parent.end_paragraph == element.end_paragraph;
    if (!as_many) facts.up = element.parent;
  }
  facts.flags |= TagFlags(element.node) | AttributeFlags(element.node);
  facts.level = static_cast<int8_t>(LevelOfHeading(element.node));
  facts.sort = static_cast<int8_t>(SortOfElement(element.node));
  const std::string_view own_class = ValueOf(ClassAttributeOf(element.node)).substr(0, kMostAttributeBytes);
  facts.own_shape =
      static_cast<uint32_t>(XXH3_64bits_withSeed(own_class.data(), own_class.size(), HashTag(element.node)));
  facts.shape = Mix(facts.shape, facts.own_shape);
  TokenRange scores(tokens);
  for (lxb_dom_attr_t* attribute = FirstAttribute(element.node); attribute != nullptr; attribute = attribute->next) {
    if (attribute == ClassAttributeOf(element.node)) {
      VisitClass(own_class, facts.own_shape, tokens, &scores);
    } else {
      VisitAttribute(attribute, &scores);
    }
  }
  facts.own_least = facts.own_most = 0;
  if (!scores.any()) return;
  facts.own_least = scores.least;
  facts.own_most = scores.most;
  facts.nearest = scores.least + scores.most;
  facts.least = std::min(facts.least, scores.least);
  facts.most = std::max(facts.most, scores.most);
  facts.sum += facts.nearest;
}

void PageElements::FindRuns(const PageOutline& outline, const ParagraphSums& sums) {
  constexpr int64_t kMostLinks = 2;
  last_child_.assign(facts_.size(), PageOutline::kNone);
  runs_.clear();
  for (uint32_t i = 0; i < facts_.size(); ++i) {  // `run` is a number of a run so far
    const PageOutline::Element& element = outline.elements[i];
    const uint32_t parent = element.parent;
    const uint32_t before = parent == PageOutline::kNone ? parent : last_child_[parent];
    if (before != PageOutline::kNone && facts_[before].own_shape == facts_[i].own_shape) {
      facts_[i].run = facts_[before].run;
    } else {
      facts_[i].run = static_cast<uint32_t>(runs_.size());
      runs_.push_back({0, 0, element.first_paragraph, element.end_paragraph});
    }
    ElementRun& run = runs_[facts_[i].run];
    const int64_t links = sums.Between(element.first_paragraph, element.end_paragraph).links;
    ++run.siblings;
    run.linked += links > 0 && links <= kMostLinks ? 1 : 0;
    run.end_paragraph = element.end_paragraph;
    if (parent != PageOutline::kNone) last_child_[parent] = i;
  }
  for (uint32_t i = 0; i < facts_.size(); ++i) {
    ElementFacts& facts = facts_[i];
    const uint32_t parent = outline.elements[i].parent;
    facts.best_run_number = facts.run;
    facts.best_run = facts.run = runs_[facts.run].siblings;
    if (parent == PageOutline::kNone || facts_[parent].best_run <= facts.run) continue;
    facts.best_run = facts_[parent].best_run;
    facts.best_run_number = facts_[parent].best_run_number;
  }
}

// Of width where there is no prose.
void PageElements::FindCore(const PageOutline& outline, const ParagraphSums& sums) {
  const auto& elements = outline.elements;
  const bool by_prose = sums.All().prose > 0;
  const int64_t all = by_prose ? sums.All().prose : sums.All().width;
  core_ = wide_core_ = 0;
  for (uint32_t i = 1; i < elements.size(); ++i) {
    if (elements[i].parent != core_ && elements[i].parent != wide_core_) continue;
    const TextSums inside = sums.Between(elements[i].first_paragraph, elements[i].end_paragraph);
    const int64_t amount = by_prose ? inside.prose : inside.width;
    if (elements[i].parent == wide_core_ && 5 * amount >= 4 * all) wide_core_ = i;
    if (elements[i].parent == core_ && 2 * amount >= all) core_ = i;
  }
  constexpr int32_t kUnknown = -1;
  for (ElementFacts& facts : facts_) facts.core_depth = kUnknown;
  for (uint32_t i = core_; i != PageOutline::kNone; i = elements[i].parent) {
    facts_[i].core_depth = static_cast<int32_t>(elements[i].depth);
  }
  for (uint32_t i = 1; i < elements.size(); ++i) {
    if (facts_[i].core_depth == kUnknown) facts_[i].core_depth = facts_[elements[i].parent].core_depth;
  }
}

}  // namespace uzushio
