#include "lang/identify.h"

#include <cstdio>

#include <cld2/public/compact_lang_det.h>

#include "base/utf8.h"
#include "document/markup.h"
#include "lang/kana.h"

namespace uzushio {
namespace {

constexpr size_t kSampleBytes = 4096;
constexpr size_t kPieces = 8;

// Pieces from all over the text, without paths, marks and what follows no character border.
std::string Sample(std::string_view document) {
  std::string sample;
  const size_t piece = kSampleBytes / kPieces;
  const size_t stride = std::max(document.size() / kPieces, piece);
  size_t taken_up_to = 0;
  ParagraphReader reader(document);
  while (auto paragraph = reader.Next()) {
    const size_t position = static_cast<size_t>(paragraph->text.data() - document.data());
    const size_t budget_end = (position / stride + 1) * piece;
    if (taken_up_to >= budget_end || sample.size() >= kSampleBytes) continue;
    const std::string_view text = Utf8Prefix(paragraph->text, budget_end - taken_up_to);
    sample += StripLinkMarks(text);
    sample += '\n';
    taken_up_to += text.size() + 1;
  }
  return sample;
}

}  // namespace

std::string IdentifyLanguage(std::string_view document) {
  const std::string sample = Sample(document);
  bool reliable = false;
  const CLD2::Language language =
      CLD2::DetectLanguage(sample.data(), static_cast<int>(sample.size()), true, &reliable);
  if (language == CLD2::UNKNOWN_LANGUAGE) return "und";
  return CLD2::LanguageCode(language);
}

}  // namespace uzushio
