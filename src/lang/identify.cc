#include "lang/identify.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>  // for CLD2, which forgets it

#include <cld2/public/compact_lang_det.h>

#include "base/utf8.h"
#include "document/markup.h"
#include "lang/scripts.h"

namespace uzushio {
namespace {

// Kana and their share of the letters from which on a text is Japanese. Half-translated pages and code have few kana
// for their length; English pages that quote Japanese have more than a few, but at a smaller share.
struct Threshold {
  int64_t kana;
  double share;
};
constexpr Threshold kOfShort{10, 0.12};
constexpr Threshold kOfLong{50, 0.04};
constexpr Threshold kDeclared{30, 0.005};
// A text whose beginning has this much need not be counted to its end.
constexpr Threshold kEnough{500, 0.1};

bool Reaches(const ScriptCounts& counts, const Threshold& threshold) {
  return counts.kana >= threshold.kana && counts.kana_share() >= threshold.share;
}

constexpr size_t kSampledBytes = 4096;
constexpr size_t kSamplePieces = 8;

// Pieces from all over the text: of each stretch of the document, the first paragraphs' beginnings.
std::string Sample(std::string_view document) {
  constexpr size_t kPiece = kSampledBytes / kSamplePieces;
  const size_t stretch = std::max(document.size() / kSamplePieces, kPiece);
  std::string sample;
  ParagraphReader reader(document);
  while (auto paragraph = reader.Next()) {
    const auto position = static_cast<size_t>(paragraph->text.data() - document.data());
    const size_t budget = std::min(kSampledBytes, (position / stretch + 1) * kPiece);
    if (sample.size() >= budget) continue;
    sample += StripMarks(Utf8Prefix(paragraph->text, budget - sample.size()));
    sample += '\n';
  }
  return sample;
}

}  // namespace

bool DeclaresJapanese(std::string_view declared) {
  return declared.size() >= 2 && (declared[0] | 0x20) == 'j' && (declared[1] | 0x20) == 'a' &&
         (declared.size() == 2 || declared[2] == '-' || declared[2] == '_');
}

bool IsJapanese(std::string_view document, std::string_view declared) {
  ScriptCounts counts;
  ParagraphReader reader(document);
  while (auto paragraph = reader.Next()) {
    CountScripts(paragraph->text, &counts);
    if (Reaches(counts, kEnough)) return true;
  }
  return Reaches(counts, kOfShort) || Reaches(counts, kOfLong) ||
         (DeclaresJapanese(declared) && Reaches(counts, kDeclared));
}

std::string IdentifyForeign(std::string_view document) {
  const std::string sample = Sample(document);
  bool reliable = false;
  const CLD2::Language language = CLD2::DetectLanguage(sample.data(), static_cast<int>(sample.size()), true, &reliable);
  // What has too few kana for IsJapanese is not Japanese here either, so that `ja` means the same in every run.
  if (!reliable || language == CLD2::UNKNOWN_LANGUAGE || language == CLD2::JAPANESE) return "und";
  return CLD2::LanguageCode(language);
}

const std::set<std::string>& LanguageCodes() {
  static const auto kCodes = [] {
    std::set<std::string> codes = {"ja", "und"};
    for (int i = 0; i < CLD2::NUM_LANGUAGES; ++i) codes.insert(CLD2::LanguageCode(static_cast<CLD2::Language>(i)));
    for (const char* none : {"", "un", "xxx"}) codes.erase(none);
    return codes;
  }();
  return kCodes;
}

}  // namespace uzushio
