#include "stages/filter/needs_statistics.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "filters/filter.h"
#include "filters/filter_document.h"
#include "filters/filter_scratch.h"

namespace uzushio {
namespace {

// The metrics of a document whose paragraphs all occur so often.
std::vector<double> MetricsAt(const FilterChain::Step& step, int32_t frequency) {
  constexpr int kParagraphs = 64;  // filters look at several in a row
  std::string text;
  for (int i = 0; i < kParagraphs; ++i) text += "p\x1cこの段落は、ほかの文書にもあります。\n\n";
  FilterDocument document;
  document.Parse("", text);
  for (FilterParagraph& paragraph : document.paragraphs()) paragraph.near_freq = frequency;
  FilterScratch scratch;
  std::vector<double> metrics(step.metrics());
  step.filter->MeasureAll(document, &scratch, metrics);
  return metrics;
}

}  // namespace

// Found out by trial, so that no filter has to be listed.
std::string WithoutStatisticsWarning(const FilterChain& chain) {
  std::vector<std::string> names;
  for (const FilterChain::Step& step : chain.steps()) {
    if (step.filter->compares_documents() || std::ranges::find(names, step.name()) != names.end()) continue;
    if (MetricsAt(step, 1) != MetricsAt(step, INT32_MAX)) names.push_back(step.name());
  }
  if (names.empty()) return {};
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return "without --stats, every paragraph counts as occurring once: " + all +
         (names.size() == 1 ? " finds" : " find") + " no duplicates";
}

}  // namespace uzushio
