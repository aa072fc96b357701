// A digit that personal data may begin at.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "personal/kinds.h"
#include "personal/phrase.h"

namespace uzushio {

class Candidate {
 public:
  // `text[at]` is the first digit of a run. `floor` is the end of the last span found: what comes before is taken.
  Candidate(std::string_view text, size_t at, size_t floor)
      : text_(text), at_(at), floor_(floor), before_(PlainBefore(text, at)), phrase_(text, at) {}

  std::string_view text() const { return text_; }
  size_t at() const { return at_; }
  const Phrase& phrase() const { return phrase_; }
  // The character before it; '\0' where it is another span's.
  char before() const { return at_ <= floor_ ? '\0' : before_.sign; }
  size_t before_bytes() const { return before_.bytes; }
  // The character before that one.
  char before_that() const {
    return at_ - before_.bytes <= floor_ ? '\0' : PlainBefore(text_, at_ - before_.bytes).sign;
  }
  const DigitGroups& groups() const {
    if (!groups_) groups_ = GroupsOf(phrase_);
    return *groups_;
  }
  const Behind& behind() const {
    if (!behind_) behind_.emplace(text_, at_);
    return *behind_;
  }
  // Whether a number may begin here: neither a letter, a digit nor a sign that joins it with one is before.
  bool BeginsNumber() const;
  // What precedes a label says that the number is of a product, an order or the like.
  bool IsProduct() const;

  // From the digit, or `begin`, to character `end` of the phrase.
  PersonalSpan Span(PersonalKind kind, size_t end) const { return {at_, phrase_.ByteAt(end), kind}; }

 private:
  std::string_view text_;
  size_t at_;
  size_t floor_;
  PlainCharacter before_;
  Phrase phrase_;
  mutable std::optional<DigitGroups> groups_;
  mutable std::optional<Behind> behind_;
};

using Found = std::optional<PersonalSpan>;

// What a candidate is, one kind each; nothing where it is none.
Found FindTelephone(const Candidate& candidate);
Found FindPostalCode(const Candidate& candidate);
Found FindMyNumber(const Candidate& candidate);
Found FindCorporateNumber(const Candidate& candidate);
Found FindCard(const Candidate& candidate);
Found FindBankAccount(const Candidate& candidate);
Found FindIpAddress(const Candidate& candidate);
Found FindLicensePlate(const Candidate& candidate);
Found FindCoordinates(const Candidate& candidate);

// The address whose `@`, or `(at)`, begins at `at`; it does not reach before `floor`.
Found FindEmail(std::string_view text, size_t at, size_t floor);

}  // namespace uzushio
