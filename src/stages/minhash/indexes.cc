#include "stages/minhash/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace uzushio {
namespace {

std::string KindText(const DocumentIndexKind& kind) {
  return fmt::format("--tokens {} --ngram {} --buckets {} --values {} --keep {}", kind.tokens, kind.signature.ngram,
                     kind.signature.buckets, kind.signature.values, kind.keep);
}

}  // namespace

DocumentIndexKind KindOf(const MinhashOptions& options) {
  std::string keep = fmt::format("{} --id-column {}", NameOf(options.keep), options.id_column);
  if (options.keep == KeepRule::kNewest) keep += " --date-column " + options.date_column;
  return {options.signature, keep, NameOf(options.tokens)};
}

arrow::Result<Indexes> OpenIndexes(const std::string& option, const std::vector<std::string>& names,
                                   const DocumentIndexKind& kind, bool keep_matters) {
  Indexes indexes;
  for (const std::string& name : names) {
    arrow::Result<std::unique_ptr<DocumentIndex>> index = DocumentIndex::Open(name);
    if (!index.ok()) return index.status().WithMessage(option, " ", index.status().message());
    const DocumentIndexKind& other = (*index)->kind();
    if (other.tokens != kCharacterTokens) {
      return arrow::Status::Invalid(option, " ", name, ": was made of Sudachi's tokens, by which texts are compared, ",
                                    "and an index has no texts; leave it out");
    }
    if (other.signature != kind.signature || other.tokens != kind.tokens || (keep_matters && other.keep != kind.keep)) {
      return arrow::Status::Invalid(option, " ", name, ": this index was made with ", KindText(other),
                                    ", and this run is ", "with ", KindText(kind), "; give the same");
    }
    indexes.push_back(std::move(*index));
  }
  return indexes;
}

arrow::Result<DocumentSets> OrderSets(const Indexes& against, const Indexes& beside, const std::string& identity,
                                      const DocumentTable* table, KeepRule keep) {
  DocumentSets sets;
  sets.by_ids = keep != KeepRule::kFirst;
  for (const auto& index : against) sets.sets.push_back({index.get(), index->identity(), &index->documents()});
  sets.decided = sets.sets.size();
  sets.sets.push_back({nullptr, identity, table});
  for (const auto& index : beside) sets.sets.push_back({index.get(), index->identity(), &index->documents()});
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
