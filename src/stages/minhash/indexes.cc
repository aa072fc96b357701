#include "stages/minhash/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "datasets/output_files.h"

namespace uzushio {
namespace {

// As on a command line; of files, the kind has checksums.
std::string OptionText(const OptionDeclaration& option, const nlohmann::json& value) {
  if (value == true) return option.flag();
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return option.flag() + (option.type == OptionType::kPath ? fmt::format(" (XXH64 {})", text) : " " + text);
}

std::string KindText(const DocumentIndexKind& kind) {
  std::string text;
  nlohmann::json rest = kind.options;
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    if (!option.in_identity || option.kind_part != KindPart::kRecords) continue;
    const auto value = rest.find(option.kind_key());
    if (value != rest.end()) {
      text += OptionText(option, *value) + " ";
      rest.erase(value);
    } else if (option.default_value) {
      text += OptionText(option, *option.default_value) + " ";
    }
  }
  for (const auto& [key, value] : rest.items()) text += fmt::format("{} {} ", key, value.dump());  // of later versions
  return text + "--keep " + kind.keep;
}

arrow::Result<std::unique_ptr<DocumentIndex>> OpenIndex(const std::string& place, const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(const OutputFiles output, OutputFiles::Find(place));
  ARROW_ASSIGN_OR_RAISE(const LocalFiles files, LocalFiles::Of(output, kDocumentIndexFolder, tmp));
  auto index = DocumentIndex::Open(files.path(), output.name());
  if (!index.ok()) return files.About(index.status());
  return index;
}

}  // namespace

arrow::Result<DocumentIndexKind> KindOf(const MinhashOptions& options) {
  DocumentIndexKind kind;
  kind.signature = options.signature;
  kind.texts = options.index_texts;
  ARROW_ASSIGN_OR_RAISE(const OptionValues records, DeclaredMinhashOptions().KindOf(options, KindPart::kRecords));
  for (const auto& [option, value] : records) kind.options[option->kind_key()] = value;
  ARROW_ASSIGN_OR_RAISE(const OptionValues choice, DeclaredMinhashOptions().KindOf(options, KindPart::kChoice));
  kind.keep = NameOf(options.keep);
  for (const auto& [option, value] : choice) {
    if (option->name != "keep") kind.keep += " " + OptionText(*option, value);
  }
  return kind;
}

arrow::Result<Indexes> OpenIndexes(const std::string& option, const std::vector<std::string>& names,
                                   const DocumentIndexKind& kind, const MinhashOptions& options,
                                   const std::string& tmp) {
  const bool keep_matters = option == "--beside";
  Indexes indexes;
  for (const std::string& place : names) {
    auto index = OpenIndex(place, tmp);
    if (!index.ok()) return index.status().WithMessage(option, " ", index.status().message());
    const std::string& name = (*index)->name();
    const DocumentIndexKind& other = (*index)->kind();
    const bool is_alike = other.options == kind.options && (!keep_matters || other.keep == kind.keep);
    if (!is_alike) {
      return arrow::Status::Invalid(option, " ", name, ": this index was made with ", KindText(other),
                                    ", and this run is ", "with ", KindText(kind), "; give the same");
    }
    if (options.verify && !other.texts) {
      return arrow::Status::Invalid(option, " ", name, ": ", ComparingOption(options),
                                    " compares texts, and this index has none, as those of earlier versions; make it "
                                    "with --index-texts, or give --skip-verify here, too");
    }
    indexes.push_back(*std::move(index));
  }
  return indexes;
}

arrow::Result<DocumentSets> OrderSets(const Indexes& against, const Indexes& beside, const DocumentSets::Set& own,
                                      KeepRule keep) {
  const auto set_of = [](const std::unique_ptr<DocumentIndex>& index) {
    return DocumentSets::Set{index.get(), index->identity(), &index->documents(), index->texts()};
  };
  DocumentSets sets;
  sets.by_ids = keep != KeepRule::kFirst;
  for (const auto& index : against) sets.sets.push_back(set_of(index));
  sets.decided = sets.sets.size();
  sets.sets.push_back(own);
  for (const auto& index : beside) sets.sets.push_back(set_of(index));
  const auto equals = std::span(sets.sets).subspan(sets.decided);
  std::ranges::sort(equals, {}, &DocumentSets::Set::identity);
  for (size_t i = 0; i < equals.size(); ++i) {
    if (equals[i].index == nullptr) sets.own = sets.decided + i;
    if (i == 0 || equals[i].identity != equals[i - 1].identity) continue;
    const DocumentIndex* same = equals[i].index != nullptr ? equals[i].index : equals[i - 1].index;
    return arrow::Status::Invalid("--beside ", same->name(), ": these are the documents of this run, or of another ",
                                  "--beside; name each other part of the corpus once");
  }
  return sets;
}

}  // namespace uzushio
