// Every filter: a line each. FILTER(Name) is declared in the file of that filter.
#pragma once

#include "filters/declaration.h"

#define UZUSHIO_FILTERS(FILTER)            \
  FILTER(AdjacentDuplicateParagraphs)      \
  FILTER(Classifier)                       \
  FILTER(CompressionRate)                  \
  FILTER(ConcatShortSentence)              \
  FILTER(Contamination)                    \
  FILTER(DeduplicateDocuments)             \
  FILTER(DeduplicateDocumentsPercentile)   \
  FILTER(DeduplicateElement)               \
  FILTER(DeduplicateRepeatingSentence)     \
  FILTER(DocLength)                        \
  FILTER(DuplicateDocumentsLengthWeighted) \
  FILTER(DuplicateParagraphs)              \
  FILTER(Ensemble)                         \
  FILTER(FastText)                         \
  FILTER(FilterBySentenceLength)           \
  FILTER(FilterJapaneseBasedOnCharacter)   \
  FILTER(FineWebQuality)                   \
  FILTER(HiraganaRatio)                    \
  FILTER(HostFilter)                       \
  FILTER(Identity)                         \
  FILTER(KenLMDocAvgPerplexity)            \
  FILTER(KenLMParagraphPerplexity)         \
  FILTER(LargeFreqParagraphs)              \
  FILTER(License)                          \
  FILTER(LinkCharRatio)                    \
  FILTER(MainContent)                      \
  FILTER(MainContentRatio)                 \
  FILTER(Markdown)                         \
  FILTER(MarkdownizeHeading)               \
  FILTER(MaskPersonalData)                 \
  FILTER(MergeListTag)                     \
  FILTER(NgWordRatio)                      \
  FILTER(NoContentDOM)                     \
  FILTER(NormalizeCharacter)               \
  FILTER(NormalizePunctuation)             \
  FILTER(NormalizeWhitespace)              \
  FILTER(Onnx)                             \
  FILTER(OptOut)                           \
  FILTER(Percentile)                       \
  FILTER(RemoveEmail)                      \
  FILTER(RemoveNGWordDocument)             \
  FILTER(RemoveScriptDocument)             \
  FILTER(RemoveShortDocument)              \
  FILTER(RemoveSubstring)                  \
  FILTER(RemoveURL)                        \
  FILTER(RemoveWikipediaCitation)          \
  FILTER(SplitElement)                     \
  FILTER(SplitIntoParagraph)               \
  FILTER(SplitIntoSentence)                \
  FILTER(SwallowQuality)                   \
  FILTER(Tokens)                           \
  FILTER(TrimFooter)                       \
  FILTER(WordInstances)                    \
  FILTER(WordTypes)

namespace uzushio {

#define UZUSHIO_DECLARE(NAME) FilterDeclaration Declare##NAME();
UZUSHIO_FILTERS(UZUSHIO_DECLARE)
#undef UZUSHIO_DECLARE

// All declarations, in order of names.
const std::vector<FilterDeclaration>& FilterDeclarations();

}  // namespace uzushio
