#include <algorithm>
#include <memory>

#include "document/structure.h"
#include "filters/list.h"
#include "personal/find.h"
#include "personal/pseudonym.h"

namespace uzushio {
namespace {

struct PersonalFlags {
  bool email = true;
  bool telephone = true;
  bool postal_code = true;
  bool my_number = true;
  bool corporate_number = true;
  bool card = true;
  bool bank_account = true;
  bool ip_address = true;
  bool license_plate = true;
  bool coordinates = true;
};

constexpr std::array<bool PersonalFlags::*, kPersonalKinds> kPersonalFlags = {
    &PersonalFlags::email,        &PersonalFlags::telephone,        &PersonalFlags::postal_code,
    &PersonalFlags::my_number,    &PersonalFlags::corporate_number, &PersonalFlags::card,
    &PersonalFlags::bank_account, &PersonalFlags::ip_address,       &PersonalFlags::license_plate,
    &PersonalFlags::coordinates};

constexpr std::string_view kByToken = "token";
constexpr std::string_view kByPseudonym = "pseudonym";

bool IsCode(std::string_view structure) {
  if (structure.find("code") == std::string_view::npos) return false;
  const std::vector<StructureBlock> blocks = BlocksOf(structure);
  return !blocks.empty() && blocks.back().kind == StructureBlock::Kind::kCode;
}

class MaskPersonalData final : public Filter, public PersonalFlags {
 public:
  arrow::Status Prepare() {
    for (size_t i = 0; i < kPersonalKinds; ++i) kinds_[i] = this->*kPersonalFlags[i];
    if (replacement == kByToken) {
      if (key.empty()) return arrow::Status::OK();
      return arrow::Status::Invalid("key: is for pseudonyms; set `replacement` to pseudonym, or leave it out");
    }
    if (key.empty()) {
      return arrow::Status::Invalid("replacement: pseudonyms need `key`, a file with a secret, as ",
                                    "`head -c 32 /dev/urandom | base64` makes one");
    }
    ARROW_ASSIGN_OR_RAISE(pseudonyms_, Pseudonyms::Read(key));
    return arrow::Status::OK();
  }

  void MeasureAll(const FilterDocument& document, FilterScratch* /*scratch*/,
                  std::span<double> metrics) const override {
    std::ranges::fill(metrics, 0);
    std::vector<PersonalSpan> spans;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      spans.clear();
      Find(paragraph, &spans);
      for (const PersonalSpan& span : spans) ++metrics[static_cast<size_t>(span.kind)];
    });
  }
  // What is found does not depend on what it is replaced by.
  std::string MetricKey() const override {
    std::string off;
    for (size_t i = 0; i < kPersonalKinds; ++i) {
      if (!kinds_[i]) off += (off.empty() ? "without " : ",") + std::string(kPersonalKindNames[i].name);
    }
    if (!code) off += off.empty() ? "without code" : ",code";
    return off;
  }
  std::string Contents() const override { return pseudonyms_ ? pseudonyms_->Fingerprint() : std::string(); }

  bool changes_paragraphs() const override { return true; }
  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    std::vector<PersonalSpan> spans;
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive()) continue;
      spans.clear();
      Find(paragraph, &spans);
      if (spans.empty()) continue;
      // A text that had to be cleaned has lost its marks.
      const bool has_marks = paragraph.marked.size() != paragraph.plain.size();
      const bool keeps_marks = has_marks && StripMarks(paragraph.marked) == paragraph.plain;
      std::string plain = Masked(paragraph.plain, paragraph.plain, spans);
      paragraph.marked =
          keeps_marks ? document->Keep(Masked(paragraph.marked, paragraph.plain, spans)) : std::string_view();
      paragraph.plain = document->Keep(std::move(plain));
      if (!keeps_marks) paragraph.marked = paragraph.plain;
    }
  }

  bool code = true;
  std::string replacement{kByToken};
  std::string key;

 private:
  void Find(const FilterParagraph& paragraph, std::vector<PersonalSpan>* spans) const {
    if (!code && paragraph.shown && IsCode(paragraph.structure)) return;
    FindPersonalData(paragraph.plain, kinds_, spans);
  }

  // The text with replacements; `marked` is `plain` with marks, or without. Marks inside a span stay, behind what
  // replaces it.
  std::string Masked(std::string_view marked, std::string_view plain, const std::vector<PersonalSpan>& spans) const {
    std::string text;
    text.reserve(marked.size());
    size_t at = 0;     // of the plain text
    size_t begin = 0;  // of what is not copied yet, in the marked text
    size_t i = 0;      // in the marked text
    const auto go_to = [&](size_t place) {
      if (marked.size() == plain.size()) {
        i += place - at;
        at = place;
        return;
      }
      for (; at < place || (i < marked.size() && IsMark(marked[i])); ++i) at += IsMark(marked[i]) ? 0 : 1;
    };
    for (const PersonalSpan& span : spans) {
      go_to(span.begin);
      text.append(marked, begin, i - begin);
      Append(span.kind, plain.substr(span.begin, span.end - span.begin), &text);
      for (; at < span.end; ++i) {
        if (marked.size() != plain.size() && IsMark(marked[i])) {
          text += marked[i];
        } else {
          ++at;
        }
      }
      begin = i;
    }
    text.append(marked, begin);
    return text;
  }

  void Append(PersonalKind kind, std::string_view value, std::string* text) const {
    if (pseudonyms_) {
      pseudonyms_->Append(kind, value, text);
    } else {
      *text += '<';
      *text += NameOf(kind).token;
      *text += '>';
    }
  }

  PersonalKindSet kinds_;
  std::shared_ptr<const Pseudonyms> pseudonyms_;
};

}  // namespace

FilterDeclaration DeclareMaskPersonalData() {
  return Declare<MaskPersonalData>("MaskPersonalData", "rewrites",
                                   "Masks personal data: each piece becomes a token, such as <EMAIL>, or a pseudonym "
                                   "that is the same for the "
                                   "same value.")
      .Metric("MaskPersonalData", "a column each for the pieces of a kind")
      .Metrics({{"email", "e-mail addresses"},
                {"telephone", "telephone and fax numbers"},
                {"postal_code", "postal codes"},
                {"my_number", "My Numbers"},
                {"corporate_number", "corporate numbers"},
                {"card", "numbers of credit cards"},
                {"bank_account", "numbers of bank accounts"},
                {"ip_address", "public IP addresses"},
                {"license_plate", "licence plates"},
                {"coordinates", "coordinates"}})
      .Flag("email", &MaskPersonalData::email, "e-mail addresses: <EMAIL>")
      .Flag("telephone", &MaskPersonalData::telephone, "telephone and fax numbers: <PHONE>")
      .Flag("postal_code", &MaskPersonalData::postal_code, "postal codes: <POSTAL_CODE>")
      .Flag("my_number", &MaskPersonalData::my_number, "My Numbers of persons: <MY_NUMBER>")
      .Flag("corporate_number", &MaskPersonalData::corporate_number,
            "corporate numbers, and those of issuers of invoices: <CORPORATE_NUMBER>")
      .Flag("card", &MaskPersonalData::card, "numbers of credit cards: <CARD>")
      .Flag("bank_account", &MaskPersonalData::bank_account, "numbers of bank accounts: <BANK_ACCOUNT>")
      .Flag("ip_address", &MaskPersonalData::ip_address, "public IP addresses: <IP_ADDRESS>")
      .Flag("license_plate", &MaskPersonalData::license_plate, "licence plates: <LICENSE_PLATE>")
      .Flag("coordinates", &MaskPersonalData::coordinates, "coordinates: <COORDINATES>")
      .Flag("code", &MaskPersonalData::code, "in blocks of code, too (shown text says which they are)")
      .Text("replacement", &MaskPersonalData::replacement, "by tokens, or by pseudonyms: <EMAIL:0123456789abcdef>",
            {std::string(kByToken), std::string(kByPseudonym)})
      .OptionalFile("key", &MaskPersonalData::key,
                    "file with the secret that pseudonyms are made with, 16 bytes or more")
      .Done();
}

}  // namespace uzushio
