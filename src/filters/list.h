// Every filter: a line each. FILTER(Name) is declared in the file of that filter.
#pragma once

#include "filters/filter.h"

#define UZUSHIO_FILTERS(FILTER)            \
  FILTER(AdjacentDuplicateParagraphs)      \
  FILTER(CompressionRate)                  \
  FILTER(DeduplicateDocuments)             \
  FILTER(DeduplicateDocumentsPercentile)   \
  FILTER(DocLength)                        \
  FILTER(DuplicateDocumentsLengthWeighted) \
  FILTER(DuplicateParagraphs)              \
  FILTER(HiraganaRatio)                    \
  FILTER(HostFilter)                       \
  FILTER(KenLMDocAvgPerplexity)            \
  FILTER(KenLMParagraphPerplexity)         \
  FILTER(LargeFreqParagraphs)              \
  FILTER(LinkCharRatio)                    \
  FILTER(MainContent)                      \
  FILTER(MainContentRatio)                 \
  FILTER(MarkdownizeHeading)               \
  FILTER(MergeListTag)                     \
  FILTER(NgWordRatio)                      \
  FILTER(NoContentDOM)                     \
  FILTER(NormalizePunctuation)             \
  FILTER(SwallowQuality)                   \
  FILTER(TrimFooter)                       \
  FILTER(WordInstances)                    \
  FILTER(WordTypes)

namespace uzushio {

#define UZUSHIO_DECLARE(NAME) FilterDeclaration Declare##NAME();
UZUSHIO_FILTERS(UZUSHIO_DECLARE)
#undef UZUSHIO_DECLARE

// All declarations, in order of names.
const std::vector<FilterDeclaration>& FilterDeclarations();

// The filter that computes a metric, which is its name, its metric's or one of its metrics'; `name` itself where there
// is none.
std::string FilterOfMetric(const std::string& name);

}  // namespace uzushio
