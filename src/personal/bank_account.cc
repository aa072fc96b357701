// Numbers of bank accounts, which are known by the words before them: seven digits behind the kind of account; symbol
// and number of the post bank; its accounts for transfers, 00123-4-567890.
#include <algorithm>
#include <array>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kAccountLabels = std::to_array<std::string_view>(
    {"口座番号", "口座no", "口座", "普通預金", "当座預金", "普通預金口座", "当座預金口座", "普通口座", "当座口座",
     "貯蓄預金", "総合口座", "account number", "account no", "口座番号(普通)", "口座番号(当座)"});
constexpr auto kAccountKinds = std::to_array<std::string_view>({"普通", "当座", "(普", "(当", "普)", "当)", "貯蓄"});
constexpr auto kSymbolLabels = std::to_array<std::string_view>({"記号", "記号番号", "記号・番号"});
constexpr auto kNumberLabels = std::to_array<std::string_view>({"番号", "記号"});
constexpr auto kPostBank =
    std::to_array<std::string_view>({"ゆうちょ", "郵便", "郵貯", "振替", "口座", "加入者", "振込", "記号"});

// Units that make a number another one.
bool IsFollowedByUnit(std::string_view text, size_t at) {
  constexpr auto kUnits =
      std::to_array<std::string_view>({"円", "人", "名", "件", "個", "回", "%",  "％",   "万", "千",
                                       "億", "本", "枚", "台", "年", "月", "日", "ドル", "km", "kg"});
  const std::string_view rest = text.substr(at);
  return std::ranges::any_of(kUnits, [rest](std::string_view unit) { return rest.starts_with(unit); });
}

bool IsOfPostBank(const Candidate& candidate, const DigitGroups& groups) {
  constexpr size_t kNear = 60;
  // Symbol: five digits, the first of them 0 or 1; a check digit may follow.
  const char first = candidate.phrase()[0];
  if (groups.groups[0].size != 5 || first > '1') return false;
  return candidate.behind().EndsWith(kSymbolLabels) && candidate.behind().Contains(kPostBank, kNear);
}

}  // namespace

Found FindBankAccount(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t first = phrase.DigitsAt(0);
  if (first < 3 || first > 8 || !candidate.BeginsNumber()) return std::nullopt;
  const DigitGroups& groups = candidate.groups();
  const auto found = [&](size_t of) -> Found {
    const size_t end = groups.EndOf(of - 1);
    if (!IsWholeAt(phrase, end) || IsFollowedByUnit(candidate.text(), phrase.ByteAt(end))) return std::nullopt;
    return candidate.Span(PersonalKind::kBankAccount, end);
  };
  const bool is_transfer = groups.count >= 3 && first == 5 && phrase[0] == '0' && groups.groups[1].size == 1 &&
                           groups.groups[2].size <= 6 && groups.AreJoinedBy('-', 3);
  if (is_transfer && candidate.behind().Contains(kPostBank)) return found(3);
  if (first == 5 && IsOfPostBank(candidate, groups)) {
    const bool has_number = groups.count > 1 && groups.groups[1].separator == '-' && groups.groups[1].size >= 6 &&
                            groups.groups[1].size <= 8;
    const bool has_check = groups.count > 1 && groups.groups[1].separator == '-' && groups.groups[1].size == 1;
    return found(has_number || has_check ? 2 : 1);
  }
  if (first == 7 && candidate.behind().EndsWith(kAccountKinds)) return found(1);
  if (first >= 6 && candidate.behind().EndsWith(kAccountLabels)) return found(1);
  // The post bank's number, behind its symbol.
  constexpr size_t kNear = 40;
  if (first >= 6 && candidate.behind().EndsWith(kNumberLabels) &&
      candidate.behind().Contains(std::span(kSymbolLabels).first(1), kNear)) {
    return found(1);
  }
  if (groups.count >= 2 && first <= 4 && groups.groups[1].size == 7 && groups.groups[1].separator == '-' &&
      candidate.behind().EndsWith(kAccountLabels)) {
    return found(2);
  }
  return std::nullopt;
}

}  // namespace uzushio
