#include "html/main_content/features.h"

#include <algorithm>
#include <array>
#include <bit>

#include "html/main_content/element_kind.h"

namespace uzushio {
namespace {

// The order is that of the functions Add… below.
constexpr std::array kNames = std::to_array<std::string_view>({
    // text
    "width",
    "words",
    "link_share",
    "links",
    "lines",
    "width_per_line",
    "sentences",
    "commas_per_word",
    "digit_share",
    "capital_share",
    "separators",
    "currency",
    "ends_sentence",
    "ends_colon",
    "starts_digit",
    "copyright",
    "copies",
    "word_length",
    "sentence_length",
    // words of short texts
    "word_least",
    "word_most",
    "word_sum",
    "previous_word_least",
    "next_word_least",
    "section_least",
    "section_most",
    "since_low_word",
    // place
    "index",
    "index_share",
    "width_before",
    "prose_before",
    "since_prose",
    "until_prose",
    "since_heading",
    "heading_level",
    "since_h1",
    "own_heading",
    "element_sort",
    "depth",
    "first_in_element",
    "left_of_end",
    // elements
    "in_nav",
    "in_header",
    "in_footer",
    "in_aside",
    "in_main",
    "in_article",
    "in_section",
    "in_form",
    "in_table",
    "in_list",
    "in_figure",
    "in_quote",
    "in_code",
    "in_link",
    "in_button",
    "in_hidden",
    "in_dialog",
    "in_definition",
    "in_custom",
    "in_details",
    "in_noscript",
    "token_own_least",
    "token_own_most",
    "token_nearest",
    "token_least",
    "token_most",
    "token_sum",
    "token_sum_up1",
    "token_sum_up2",
    "run",
    "best_run",
    "run_width",
    "run_link_share",
    "run_prose_share",
    "run_linked",
    "run_images",
    "run_of_page",
    "up0_n",
    "up0_width",
    "up0_link_share",
    "up0_prose_share",
    "up0_of_page",
    "up0_prose_of_page",
    "up1_n",
    "up1_width",
    "up1_link_share",
    "up1_prose_share",
    "up1_of_page",
    "up1_prose_of_page",
    "up2_n",
    "up2_width",
    "up2_link_share",
    "up2_prose_share",
    "up2_of_page",
    "up2_prose_of_page",
    "up3_n",
    "up3_width",
    "up3_link_share",
    "up3_prose_share",
    "up3_of_page",
    "up3_prose_of_page",
    "core_distance",
    "core_share",
    "in_wide_core",
    "core_index",
    "shape_n",
    "shape_width_each",
    "shape_link_share",
    "shape_prose_share",
    "shape_of_page",
    // neighbours
    "previous_width",
    "previous_link_share",
    "previous_sort",
    "previous_sentence",
    "previous_same",
    "previous2_width",
    "previous2_link_share",
    "next_width",
    "next_link_share",
    "next_sort",
    "next_sentence",
    "next_same",
    "next2_width",
    "next2_link_share",
    // page
    "page_n",
    "page_width",
    "page_link_share",
    "page_prose_share",
    "page_prose",
    "page_wide_share",
    "page_core_share",
    "page_core_n",
    "page_main_share",
    "page_article_share",
    "page_currency",
    "page_shapes",
    "page_h1",
    "page_best_run",
    "page_list_share",
    "page_og",
    "page_ld_article",
    "page_ld_product",
    "page_ld_forum",
    "page_ld_list",
    "page_ld_faq",
    "url_depth",
    "url_digits",
    "url_dashes",
    "url_query",
    "url_slash",
    // hints
    "in_title",
    "since_title",
    "in_description",
    "images_before",
    "images_after",
    "up0_images",
    "up1_images",
    "up2_images",
    "fields_before",
    "up1_fields",
    "page_images",
    "page_fields",
    "page_title_index",
    "ld_text",
    "ld_review",
    "ld_name",
    // structure
    "is_code",
    "is_table",
    "list_depth",
    "in_later",
    // links
    "token_link_least",
    "token_link_most",
    "token_link",
    "token_link_previous",
    "token_link_next",
    "token_link_up0",
    "token_link_up1",
    "token_link_up2",
    "token_link_run",
    "inner_links",
    "inner_share",
    "up1_inner_share",
    "page_inner_links",
    "outer_share",
    "up1_outer_share",
});

constexpr std::array kContextNames = std::to_array<std::string_view>({
    "p",        "p_previous",    "p_next",       "p_previous2",   "p_next2",       "p_previous3", "p_next3",
    "p_window", "p_up0",         "p_up1",        "p_up2",         "p_up3",         "p_shape",     "p_page",
    "p_before", "p_most_before", "p_most_after", "since_content", "until_content", "p_core",      "p_weight",
    "p_run",    "p_section",
});

// Features that are the same for all of a page's paragraphs.
constexpr size_t kFirstOfPage = static_cast<size_t>(std::ranges::find(kNames, "page_n") - kNames.begin());
constexpr size_t kPageFeatures =
    static_cast<size_t>(std::ranges::find(kNames, "url_slash") - kNames.begin()) + 1 - kFirstOfPage;

// Features that say what a paragraph is in.
constexpr size_t kFirstFlag = static_cast<size_t>(std::ranges::find(kNames, "in_nav") - kNames.begin());
constexpr auto kFlags = std::to_array<uint32_t>({kNav,    kHeader, kFooter, kAside,      kMain,   kArticle, kSection,
                                                 kForm,   kTable,  kList,   kFigure,     kQuote,  kCode,    kLinkAround,
                                                 kButton, kHidden, kDialog, kDefinition, kCustom, kDetails, kNoscript});
static_assert(kNames[kFirstFlag + kFlags.size() - 1] == "in_noscript");

constexpr float kFar = 1e6F;
constexpr int32_t kLowWord = -32;  // a quarter of the odds
float Ratio(double part, double whole) { return whole > 0 ? static_cast<float>(part / whole) : 0.0F; }

bool HasOne(const PageOutline::Element& element) { return element.end_paragraph - element.first_paragraph == 1; }

}  // namespace

struct PageFeatures::Row {
  float* at;

  template <typename Number>
  void Add(Number value) {
    *at = static_cast<float>(value);
    at += kStride;
  }
  template <size_t kCount>
  void AddAll(const std::array<float, kCount>& values) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; ++i) at[i * kStride] = values[i];
    at += kCount * kStride;
  }
  template <typename Part, typename Whole>
  void AddRatio(Part part, Whole whole) {
    Add(Ratio(static_cast<double>(part), static_cast<double>(whole)));
  }
};

double Probability(double log_odds) {  // e^x is (1 + x / 2^10)^(2^10)
  double power = 1 + std::clamp(-log_odds, -30.0, 30.0) / 1024;
  for (int i = 0; i < 10; ++i) power *= power;
  return 1 / (1 + power);
}

std::span<const std::string_view> PageFeatures::Names() { return kNames; }
std::span<const std::string_view> PageFeatures::ContextNames() { return kContextNames; }
std::pair<size_t, size_t> PageFeatures::OfPage() { return {kFirstOfPage, kPageFeatures}; }

TextSums PageFeatures::Inside(uint32_t element) const {
  return sums_.Between(outline_->elements[element].first_paragraph, outline_->elements[element].end_paragraph);
}

// The element from where levels up are counted: a paragraph's own, unless that holds nothing else.
uint32_t PageFeatures::Nearby(size_t i) const {
  const uint32_t own = outline_->paragraphs[i].element;
  const uint32_t up = elements_[own].up;
  return HasOne(outline_->elements[own]) && up != PageOutline::kNone ? up : own;
}

void PageFeatures::Measure(const PageForContent& page, const TokenScores& tokens) {
  page_ = page;
  outline_ = page.outline;
  n_ = outline_->paragraphs.size();
  MeasureTexts(tokens);
  menus_.assign(n_, false);
  if (n_ == 0) return;
  elements_.Measure(*outline_, sums_, tokens);
  links_.Measure(*outline_, page.url, tokens);
  link_scores_.resize(n_);
  for (size_t i = 0; i < n_; ++i) {
    levels_[i] = HeadingAround(i);
    const LinkSums links = links_.Between(i, i + 1);
    link_scores_[i] = Ratio(static_cast<double>(links.score), static_cast<double>(links.links));
  }
  ForgetAround();
  MeasureShapes();
  ReadKind(page, &kind_);
  MeasurePage();
  FindMenus();
  columns_.resize((kNames.size() + kContextNames.size()) * kStride);  // what is there of another page is written over
}

void PageFeatures::ForgetAround() {
  for (ElementSums& sums : around_) sums.element = PageOutline::kNone;
  run_.run = nullptr;
}

void PageFeatures::Trim() {
  constexpr size_t kOrdinarySize = 8192;  // some hundred bytes each
  if (outline_->paragraphs.size() + outline_->elements.size() > kOrdinarySize) *this = PageFeatures();
}

void PageFeatures::MeasureTexts(const TokenScores& tokens) {
  texts_.resize(n_);
  words_.resize(n_);
  link_shares_.resize(n_);
  word_scores_.resize(n_);
  levels_.resize(n_);
  sums_.Begin(n_);
  std::array<WordLookup, 2> lookups;  // while a text is measured, memory for its words and those before it arrives
  for (size_t i = 0; i < n_; ++i) {
    WordLookup& lookup = lookups[i % 2];
    lookup.Collect(page_.TextOf(i), tokens);
    texts_[i] = MeasureText(page_.TextOf(i));
    lookup.Sift(tokens);
    words_[i] = texts_[i].words;
    link_shares_[i] = Ratio(texts_[i].link_width, texts_[i].width);
    sums_.Add(texts_[i]);
    if (i > 0) word_scores_[i - 1] = lookups[(i - 1) % 2].Sum(tokens);
  }
  if (n_ > 0) word_scores_[n_ - 1] = lookups[(n_ - 1) % 2].Sum(tokens);
  prose_after_.resize(n_);
  float distance = kFar;
  for (size_t i = n_; i-- > 0;) {
    prose_after_[i] = distance;
    distance = IsProse(texts_[i]) ? 1 : distance + 1;
  }
}

// Sorted, not looked up in a table: who chooses classes chooses hashes, and may make them collide.
void PageFeatures::FindShapes() {
  by_shape_.resize(n_);
  for (size_t i = 0; i < n_; ++i) {
    by_shape_[i] = uint64_t{elements_[outline_->paragraphs[i].element].shape} << 32 | i;
  }
  std::ranges::sort(by_shape_);
  shapes_.clear();
  shape_of_.resize(n_);
  for (size_t i = 0; i < n_; ++i) {
    if (i == 0 || by_shape_[i] >> 32 != by_shape_[i - 1] >> 32) shapes_.emplace_back();
    shape_of_[static_cast<uint32_t>(by_shape_[i])] = static_cast<uint32_t>(shapes_.size() - 1);
  }
}

// Paragraphs whose elements have the same tags and classes up to the root, and copies of texts.
void PageFeatures::MeasureShapes() {
  FindShapes();
  copies_.assign(std::bit_ceil(2 * n_ + 2), 0);
  for (size_t i = 0; i < n_; ++i) {
    shapes_[shape_of_[i]].sums.Add(texts_[i]);
    ++copies_[texts_[i].hash & (copies_.size() - 1)];  // another text may have the same place: there are two for each
  }
  const auto all_width = static_cast<double>(sums_.All().width);
  for (Shape& shape : shapes_) {
    const auto width = static_cast<double>(shape.sums.width);
    shape.shares = {Ratio(width, static_cast<double>(shape.sums.paragraphs)),
                    Ratio(static_cast<double>(shape.sums.link_width), width),
                    Ratio(static_cast<double>(shape.sums.prose), width), Ratio(width, all_width)};
  }
}

void PageFeatures::MeasurePage() {
  facts_ = {};
  for (size_t i = 0; i < n_; ++i) {
    const ElementFacts& facts = elements_[outline_->paragraphs[i].element];
    if (facts.flags & kMain) facts_.main_width += texts_[i].width;
    if (facts.flags & kArticle) facts_.article_width += texts_[i].width;
    if (facts.flags & kList) facts_.list_width += texts_[i].width;
    facts_.best_run = std::max<int64_t>(facts_.best_run, facts.best_run);
  }
  for (uint32_t i = 0; i < outline_->elements.size(); ++i) facts_.h1 += elements_[i].level == 1;
}

void PageFeatures::FindMenus() {
  const auto is_nav = [this](uint32_t i) { return i != PageOutline::kNone && (elements_[i].flags & kNav) != 0; };
  int64_t other_text = 0;  // of menus: without links
  for (uint32_t i = 0; i < outline_->elements.size(); ++i) {
    const PageOutline::Element& element = outline_->elements[i];
    if (!is_nav(i) || is_nav(element.parent)) continue;
    const TextSums inside = Inside(i);
    if (2 * inside.link_width < inside.width) continue;
    other_text += inside.width - inside.link_width;
    std::fill(menus_.begin() + element.first_paragraph, menus_.begin() + element.end_paragraph, true);
  }
  const TextSums& all = sums_.All();
  if (2 * other_text > all.width - all.link_width) menus_.assign(n_, false);
}

void PageFeatures::Compute(size_t first, size_t count) {
  if (first == 0) {
    running_ = {kFar, kFar, kFar, kFar, 0, -1, kFar, {}};
    AddPage(std::min(n_, kMostRows), Row{columns_.data() + kFirstOfPage * kStride});
  }
  for (size_t i = first; i < first + count; ++i) {
    Row row{columns_.data() + (i - first)};
    flags_[i - first] = elements_[outline_->paragraphs[i].element].flags;
    const int level = levels_[i];
    const bool in_title = InTitle(page_.TextOf(i), kind_);
    if (in_title) {
      running_.title = 0;
      if (running_.title_index < 0) running_.title_index = static_cast<double>(i);
    }
    AddText(i, &row);
    AddWords(i, &row);
    AddPlace(i, level, &row);
    AddElements(i, &row);
    AddNeighbours(i, &row);
    row.at += kPageFeatures * kStride;
    AddHints(i, in_title, &row);
    AddStructure(i, &row);
    AddLinks(i, &row);
    Advance(i, level);
  }
  AddFlags(count, Row{columns_.data() + kFirstFlag * kStride});
}

// The level of the heading that a paragraph is in, or 0.
int PageFeatures::HeadingAround(size_t i) const {
  constexpr int kMostAround = 3;
  uint32_t at = outline_->paragraphs[i].element;
  for (int up = 0; up < kMostAround && at != PageOutline::kNone; ++up, at = outline_->elements[at].parent) {
    if (elements_[at].level > 0) return elements_[at].level;
  }
  return 0;
}

void PageFeatures::Advance(size_t i, int level) {
  running_.prose = IsProse(texts_[i]) ? 1 : running_.prose + 1;
  ++running_.heading;
  ++running_.h1;
  ++running_.title;
  running_.low_word = word_scores_[i].least <= kLowWord ? 1 : running_.low_word + 1;
  if (level == 0) return;
  running_.heading = 1;
  running_.heading_level = level;
  running_.section = word_scores_[i];
  if (level == 1) running_.h1 = 1;
}

void PageFeatures::AddText(size_t i, Row* row) const {
  const TextMeasure& text = texts_[i];
  row->Add(text.width);
  row->Add(text.words);
  row->Add(link_shares_[i]);
  row->Add(text.links);
  row->Add(text.lines);
  row->AddRatio(text.width, text.lines);
  row->Add(text.sentences);
  row->AddRatio(text.commas, text.words);
  row->AddRatio(text.digits, text.width);
  row->AddRatio(text.capitals, text.words);
  row->Add(text.separators);
  row->Add(text.currency);
  row->Add(text.ends_sentence);
  row->Add(text.ends_colon);
  row->Add(text.starts_digit);
  row->Add(text.copyright);
  row->Add(copies_[text.hash & (copies_.size() - 1)]);
  row->AddRatio(text.width, text.words);
  row->AddRatio(text.words, text.sentences);
}

void PageFeatures::AddWords(size_t i, Row* row) const {
  row->Add(word_scores_[i].least);
  row->Add(word_scores_[i].most);
  row->Add(word_scores_[i].sum);
  row->Add(i > 0 ? word_scores_[i - 1].least : 0);
  row->Add(i + 1 < n_ ? word_scores_[i + 1].least : 0);
  row->Add(running_.section.least);
  row->Add(running_.section.most);
  row->Add(running_.low_word);
}

void PageFeatures::AddPlace(size_t i, int level, Row* row) const {
  const PageOutline::Element& element = outline_->elements[outline_->paragraphs[i].element];
  row->Add(i);
  row->AddRatio(i, n_);
  row->AddRatio(sums_.Before(i).width, sums_.All().width);
  row->AddRatio(sums_.Before(i).prose, sums_.All().prose);
  row->Add(running_.prose);
  row->Add(prose_after_[i]);
  row->Add(running_.heading);
  row->Add(running_.heading_level);
  row->Add(running_.h1);
  row->Add(level);
  row->Add(elements_[outline_->paragraphs[i].element].sort);
  row->Add(element.depth);
  row->Add(i - element.first_paragraph);
  row->Add(n_ - i);
}

// Paragraphs in a row mostly have the same elements around them.
void PageFeatures::SumAround(uint32_t element, ElementSums* sums) const {
  const TextSums& all = sums_.All();
  const TextSums inside = Inside(element);
  sums->element = element;
  sums->values = {static_cast<float>(inside.paragraphs),
                  static_cast<float>(inside.width),
                  Ratio(static_cast<double>(inside.link_width), static_cast<double>(inside.width)),
                  Ratio(static_cast<double>(inside.prose), static_cast<double>(inside.width)),
                  Ratio(static_cast<double>(inside.width), static_cast<double>(all.width)),
                  Ratio(static_cast<double>(inside.prose), static_cast<double>(all.prose))};
  const PageOutline::Element& around = outline_->elements[element];
  const LinkSums links = links_.Between(around.first_paragraph, around.end_paragraph);
  sums->link_score = Ratio(static_cast<double>(links.score), static_cast<double>(links.links));
  sums->inner_share = Ratio(static_cast<double>(links.inner), static_cast<double>(links.links));
  sums->outer_share = Ratio(static_cast<double>(links.outer), static_cast<double>(links.links));
}

void PageFeatures::SumRun(const ElementRun& run, RunShares* shares) const {
  const TextSums inside = sums_.Between(run.first_paragraph, run.end_paragraph);
  const LinkSums links = links_.Between(run.first_paragraph, run.end_paragraph);
  const auto width = static_cast<double>(inside.width);
  shares->run = &run;
  shares->values = {Ratio(width, run.siblings),
                    Ratio(static_cast<double>(inside.link_width), width),
                    Ratio(static_cast<double>(inside.prose), width),
                    Ratio(run.linked, run.siblings),
                    Ratio(ImagesBefore(run.end_paragraph) - ImagesBefore(run.first_paragraph), run.siblings),
                    Ratio(width, static_cast<double>(sums_.All().width))};
  shares->link_score = Ratio(static_cast<double>(links.score), static_cast<double>(links.links));
}

// Of `count` paragraphs, one column after another.
void PageFeatures::AddFlags(size_t count, Row row) const {
  for (const uint32_t flag : kFlags) {
    std::array<float, kMostRows> values;
    for (size_t i = 0; i < kMostRows; ++i) values[i] = (flags_[i] & flag) != 0 ? 1.0F : 0.0F;
    std::copy_n(values.begin(), count, row.at);
    row.at += kStride;
  }
}

void PageFeatures::AddElements(size_t i, Row* row) {
  const uint32_t own = outline_->paragraphs[i].element;
  const ElementFacts& facts = elements_[own];
  row->at += kFlags.size() * kStride;
  row->Add(facts.own_least);
  row->Add(facts.own_most);
  row->Add(facts.nearest);
  row->Add(facts.least);
  row->Add(facts.most);
  row->Add(facts.sum);
  uint32_t up = own;
  for (int level = 0; level < 2; ++level) {
    if (up != PageOutline::kNone) up = elements_[up].up;
    row->Add(up == PageOutline::kNone ? 0 : elements_[up].sum);
  }
  row->Add(facts.run);
  row->Add(facts.best_run);
  row->AddAll(RunAround(own).values);
  uint32_t at = Nearby(i);
  for (size_t level = 0; level < kLevelsUp; ++level) {
    row->AddAll(Around(level, at).values);
    if (elements_[at].up != PageOutline::kNone) at = elements_[at].up;
  }
  const PageOutline::Element& core = outline_->elements[elements_.core()];
  const PageOutline::Element& wide = outline_->elements[elements_.wide_core()];
  row->Add(static_cast<int32_t>(core.depth) - facts.core_depth);
  row->AddRatio(facts.core_depth, core.depth);
  row->Add(i >= wide.first_paragraph && i < wide.end_paragraph);
  const auto place = static_cast<double>(i);
  row->Add(i < core.first_paragraph  ? place - core.first_paragraph
           : i >= core.end_paragraph ? place - core.end_paragraph + 1
                                     : 0);
  const Shape& shape = shapes_[shape_of_[i]];
  row->Add(shape.sums.paragraphs);
  row->AddAll(shape.shares);
}

void PageFeatures::AddNeighbours(size_t i, Row* row) const {
  for (const size_t k : {i - 1, i - 2, i + 1, i + 2}) {  // those before the first are beyond the last, too
    const bool nearest = k + 1 == i || k == i + 1;
    const bool there = k < n_;
    row->Add(there ? static_cast<float>(texts_[k].width) : -1);
    row->Add(there ? link_shares_[k] : -1);
    if (!nearest) continue;
    row->Add(there ? elements_[outline_->paragraphs[k].element].sort : -1);
    row->Add(there ? static_cast<int>(texts_[k].ends_sentence) : -1);
    row->Add(there ? static_cast<int>(shape_of_[k] == shape_of_[i]) : -1);
  }
}

// Of `count` paragraphs.
void PageFeatures::AddPage(size_t count, Row row) const {
  float* const at = row.at;
  const TextSums& all = sums_.All();
  const TextSums core = Inside(elements_.core());
  row.Add(n_);
  row.Add(all.width);
  row.AddRatio(all.link_width, all.width);
  row.AddRatio(all.prose, all.width);
  row.Add(all.prose);
  row.AddRatio(2 * all.wide, all.width);
  row.AddRatio(core.width, all.width);
  row.Add(core.paragraphs);
  row.AddRatio(facts_.main_width, all.width);
  row.AddRatio(facts_.article_width, all.width);
  row.Add(all.currency);
  row.Add(shapes_.size());
  row.Add(facts_.h1);
  row.Add(facts_.best_run);
  row.AddRatio(facts_.list_width, all.width);
  row.Add(kind_.og);
  for (const uint32_t kind :
       {LinkedData::kArticle, LinkedData::kProduct, LinkedData::kForum, LinkedData::kList, LinkedData::kFaq}) {
    row.Add((kind_.linked_data.kinds() & kind) != 0);
  }
  row.Add(kind_.url_depth);
  row.Add(kind_.url_digits);
  row.Add(kind_.url_dashes);
  row.Add(kind_.url_query);
  row.Add(kind_.url_slash);
  for (float* column = at; column != row.at; column += kStride) std::fill_n(column, count, *column);
}

void PageFeatures::AddHints(size_t i, bool in_title, Row* row) const {
  const auto images = [this](size_t k) { return ImagesBefore(k); };
  const auto fields = [this](size_t k) { return k < n_ ? outline_->paragraphs[k].fields : outline_->fields; };
  row->Add(in_title);
  row->Add(running_.title);
  row->Add(InDescription(page_.TextOf(i), kind_));
  row->Add(images(i) - (i > 0 ? images(i - 1) : 0));
  row->Add(images(i + 1) - images(i));
  const uint32_t own = outline_->paragraphs[i].element;
  uint32_t at = own;
  for (int level = 0; level < 3; ++level) {
    const PageOutline::Element& element = outline_->elements[at];
    row->Add(images(element.end_paragraph) - images(element.first_paragraph));
    if (elements_[at].up != PageOutline::kNone) at = elements_[at].up;
  }
  row->Add(fields(i) - (i > 0 ? fields(i - 1) : 0));
  const uint32_t up = elements_[own].up;
  const PageOutline::Element& around = outline_->elements[up == PageOutline::kNone ? own : up];
  row->Add(fields(around.end_paragraph) - fields(around.first_paragraph));
  row->Add(outline_->images);
  row->Add(outline_->fields);
  row->Add(running_.title_index);
  const uint32_t roles = kind_.linked_data.RolesOf(page_.TextOf(i));
  for (const uint32_t role : {LinkedData::kText, LinkedData::kReview, LinkedData::kName}) row->Add((roles & role) != 0);
}

// What the paragraph is to its reader; nothing in the original form, which has no structures.
void PageFeatures::AddStructure(size_t i, Row* row) const {
  const std::string_view structure = page_.StructureOf(i);
  size_t last_begin = 0;
  int depth = 0;
  bool later = false;
  for (size_t at = 0; at < structure.size(); ++at) {
    const char c = structure[at];
    if (c == '>') last_begin = at + 1;
    later |= c == '+';
    if (c != '.' || at < 2 || structure[at - 1] != 'l') continue;
    depth += structure[at - 2] == 'u' || structure[at - 2] == 'o' ? 1 : 0;
  }
  const std::string_view last = structure.substr(last_begin);
  row->Add(last.starts_with("code") || last == "pre");
  row->Add(last == "table");
  row->Add(depth);
  row->Add(later);
}

// Behind AddElements, of the same paragraph.
void PageFeatures::AddLinks(size_t i, Row* row) {
  const LinkSums own = links_.Between(i, i + 1);
  row->Add(links_.Least(i));
  row->Add(links_.Most(i));
  row->Add(link_scores_[i]);
  row->Add(i > 0 ? link_scores_[i - 1] : 0);
  row->Add(i + 1 < n_ ? link_scores_[i + 1] : 0);
  for (size_t level = 0; level < 3; ++level) row->Add(around_[level].link_score);
  row->Add(run_.link_score);
  row->Add(own.inner);
  row->AddRatio(own.inner, own.links);
  row->Add(around_[1].inner_share);
  row->Add(links_.Between(0, n_).inner);
  row->AddRatio(own.outer, own.links);
  row->Add(around_[1].outer_share);
}

// Short paragraphs weigh as if they had some more text.
void PageFeatures::MeasureContext(std::span<const float> log_odds) {
  constexpr int kLeastWeight = 4;
  probabilities_.resize(n_);
  weight_before_.assign(n_ + 1, 0);
  content_before_.assign(n_ + 1, 0);
  for (Shape& shape : shapes_) shape.content = 0;
  for (size_t i = 0; i < n_; ++i) {
    probabilities_[i] = static_cast<float>(Probability(log_odds[i]));
    const double weight = std::max(texts_[i].width, kLeastWeight);
    weight_before_[i + 1] = weight_before_[i] + weight;
    content_before_[i + 1] = content_before_[i] + probabilities_[i] * weight;
    shapes_[shape_of_[i]].content += probabilities_[i] * static_cast<float>(std::max(texts_[i].width, 1));
  }
  for (Shape& shape : shapes_) {
    shape.probability = Ratio(shape.content, static_cast<double>(std::max<int64_t>(shape.sums.width, 1)));
  }
  means_ = {};
  most_after_.assign(n_ + 1, 0);
  content_after_.assign(n_ + 1, kFar);
  for (size_t i = n_; i-- > 0;) {
    most_after_[i] = std::max(most_after_[i + 1], probabilities_[i]);
    content_after_[i] = probabilities_[i] > 0.5F ? 0 : content_after_[i + 1] + 1;
  }
  MeasureSections();
}

void PageFeatures::MeasureSections() {
  section_.resize(n_);
  for (size_t first = 0; first < n_;) {
    size_t end = first + 1;
    while (end < n_ && levels_[end] == 0) ++end;
    std::fill(section_.begin() + static_cast<ptrdiff_t>(first), section_.begin() + static_cast<ptrdiff_t>(end),
              MeanProbability(first, end));
    first = end;
  }
}

float PageFeatures::MeanProbability(size_t first, size_t end) const {
  return Ratio(content_before_[end] - content_before_[first], weight_before_[end] - weight_before_[first]);
}

// Of a part that is mostly the same as for the paragraph before.
template <typename Part>
float PageFeatures::MeanIn(const Part& part, Mean* last) const {
  if (last->of != &part) *last = {&part, MeanProbability(part.first_paragraph, part.end_paragraph)};
  return last->probability;
}

void PageFeatures::ComputeContext(size_t first, size_t count) {
  constexpr size_t kWindow = 5;
  if (first == 0) {
    most_so_far_ = 0;
    since_content_ = kFar;
  }
  const PageOutline::Element& core = outline_->elements[elements_.core()];
  const float in_core = MeanProbability(core.first_paragraph, core.end_paragraph);
  const float in_page = MeanProbability(0, n_);
  const std::vector<float>& p = probabilities_;
  for (size_t i = first; i < first + count; ++i) {
    Row row{columns_.data() + kNames.size() * kStride + (i - first)};
    row.Add(p[i]);
    for (const size_t k : {i - 1, i + 1, i - 2, i + 2, i - 3, i + 3}) row.Add(k < n_ ? p[k] : -1.0F);
    row.Add(MeanProbability(i - std::min(i, kWindow), std::min(n_, i + kWindow + 1)));
    uint32_t at = Nearby(i);
    for (size_t level = 0; level < kLevelsUp; ++level) {
      row.Add(MeanIn(outline_->elements[at], &means_[level]));
      if (elements_[at].up != PageOutline::kNone) at = elements_[at].up;
    }
    row.Add(shapes_[shape_of_[i]].probability);
    row.Add(in_page);
    row.AddRatio(content_before_[i], content_before_[n_]);
    row.Add(most_so_far_);
    row.Add(most_after_[i + 1]);
    row.Add(since_content_);
    row.Add(content_after_[i + 1]);
    row.Add(in_core);
    row.Add(content_before_[n_]);
    row.Add(MeanIn(elements_.BestRunOf(outline_->paragraphs[i].element), &means_[kLevelsUp]));
    row.Add(section_[i]);
    most_so_far_ = std::max(most_so_far_, p[i]);
    since_content_ = p[i] > 0.5F ? 0 : since_content_ + 1;
  }
}

}  // namespace uzushio
