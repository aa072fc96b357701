#include "stages/minhash/options.h"

#include "lm/tokenizer.h"

namespace uzushio {
namespace {

const Choices<KeepRule>& KeepRules() {
  static const Choices<KeepRule> rules = {
      {"newest", KeepRule::kNewest}, {"first", KeepRule::kFirst}, {"longest", KeepRule::kLongest}};
  return rules;
}

// The last are the older tool's.
const Choices<Tokens>& TokenNames() {
  static const Choices<Tokens> names = {{"characters", Tokens::kCharacters},
                                        {"sudachi-A", Tokens::kSudachiA},
                                        {"sudachi-B", Tokens::kSudachiB},
                                        {"sudachi-C", Tokens::kSudachiC},
                                        {"A", Tokens::kSudachiA},
                                        {"B", Tokens::kSudachiB},
                                        {"C", Tokens::kSudachiC}};
  return names;
}

const Choices<OutputLayout>& Layouts() {
  static const Choices<OutputLayout> layouts = {{"duplicates", OutputLayout::kDuplicatesBeside},
                                                {"dedup-dup", OutputLayout::kDedupAndDup}};
  return layouts;
}

template <typename Value>
const char* NameAmong(const Choices<Value>& choices, Value value) {
  for (const auto& [name, of] : choices) {
    if (of == value) return name.c_str();
  }
  return "";
}

// What a run's identity says of options whose defaults depend on others: what was settled.
template <typename Value>
auto Settled(Value MinhashOptions::* member) {
  return [member](const MinhashOptions& all) {
    const Value& value = all.*member;
    if constexpr (std::is_same_v<Value, std::optional<double>>) {
      return value ? nlohmann::json(*value) : LeftOut();
    } else {
      return value ? nlohmann::json(value) : LeftOut();
    }
  };
}

}  // namespace

const char* NameOf(KeepRule keep) { return NameAmong(KeepRules(), keep); }

arrow::Status Complete(MinhashOptions* options) {
  constexpr double kThreshold = 0.9;  // what 40 buckets of 20 values are designed for
  constexpr int kLeeBuckets = 150;    // and the thresholds: the original's defaults
  constexpr int kLeeValues = 15;
  constexpr double kLeeThreshold = 0.8;
  const GivenOptions& given = options->given;
  const bool is_lees = IsHeavy(*options) || given.edit_similarity || given.skip_edit_similarity;
  if (given.edit_similarity && given.skip_edit_similarity) {
    return arrow::Status::Invalid("--skip-edit-similarity and --edit-similarity exclude each other; leave out one");
  }
  if (given.skip_verify && (given.jaccard || given.edit_similarity)) {
    return arrow::Status::Invalid("--skip-verify compares no texts; leave it out, or ",
                                  given.jaccard ? "--verify" : "--edit-similarity");
  }
  if (options->tokens == Tokens::kCharacters && !options->sudachi.empty()) {
    return arrow::Status::Invalid("--sudachi is for Sudachi's tokens; give --tokens sudachi-C too, or leave it out");
  }
  options->signature.form = options->tokens == Tokens::kCharacters ? TokenForm::kCharacters : TokenForm::kHashes;
  if (given.index_texts && given.skip_index_texts) {
    return arrow::Status::Invalid("--index-texts and --skip-index-texts exclude each other; leave out one");
  }
  const SignatureOptions swallow;
  options->signature.buckets = given.buckets.value_or(is_lees ? kLeeBuckets : swallow.buckets);
  options->signature.values = given.values.value_or(is_lees ? kLeeValues : swallow.values);
  options->keep = given.keep.value_or(is_lees ? KeepRule::kFirst : KeepRule::kNewest);
  options->verify.reset();
  options->edit_similarity.reset();
  if (!given.skip_verify) {
    options->verify = given.jaccard.value_or(is_lees ? kLeeThreshold : kThreshold);
    const bool has_edits = is_lees && !given.skip_edit_similarity;
    if (has_edits) options->edit_similarity = given.edit_similarity.value_or(kLeeThreshold);
  }
  // Who compares texts of one part will compare those of the next.
  options->index_texts = given.index_texts || (options->verify && !given.skip_index_texts);
  return arrow::Status::OK();
}

const char* ComparingOption(const MinhashOptions& options) {
  if (options.tokens != Tokens::kCharacters) return "--tokens";
  if (options.given.edit_similarity) return "--edit-similarity";
  return options.given.skip_edit_similarity ? "--skip-edit-similarity" : "--verify";
}

arrow::Status FindDictionary(MinhashOptions* options) {
  if (options->tokens == Tokens::kCharacters) return arrow::Status::OK();
  if (!options->sudachi.empty()) return SudachiDictionary::CheckIsThere(options->sudachi);
  arrow::Result<std::string> found = SudachiDictionary::Find("");
  if (!found.ok()) return found.status().WithMessage(found.status().message(), " by --sudachi FILE");
  options->sudachi = *found;
  return arrow::Status::OK();
}

arrow::Result<nlohmann::json> SettledOptions(const MinhashOptions& options) {
  return DeclaredMinhashOptions().IdentityOf(options);
}

arrow::Status CheckSignature(const SignatureOptions& options) {
  if (options.functions() <= kMaxHashFunctions) return arrow::Status::OK();
  return arrow::Status::Invalid("--buckets ", options.buckets, " --values ", options.values, ": ", options.functions(),
                                " values in all; give ", kMaxHashFunctions, " at most");
}

const Options<MinhashOptions>& DeclaredMinhashOptions() {
  constexpr auto kMost = static_cast<int64_t>(kMaxHashFunctions);
  static const Options<MinhashOptions> options =
      Options<MinhashOptions>()
          .Integer("ngram", Within(&MinhashOptions::signature, &SignatureOptions::ngram), 1, 1000,
                   "Number of tokens of an n-gram")
          .Choice("tokens", &MinhashOptions::tokens, TokenNames(),
                  "Tokens of texts: characters, or Sudachi surfaces, line by line. With Sudachi, and with "
                  "--edit-similarity, the other defaults are those of Lee et al. (2022): --buckets 150 --values 15 "
                  "--verify 0.8 --edit-similarity 0.8 --keep first")
          .Alias("mode")
          .IdentityUnlessDefault()
          .Path("sudachi", &MinhashOptions::sudachi, "FILE",
                "Sudachi's system dictionary, for --tokens sudachi-… (default: an installed sudachidict_core, _full or "
                "_small)")
          .Identity("sudachi",
                    [](const MinhashOptions& all) -> arrow::Result<nlohmann::json> {
                      if (all.tokens == Tokens::kCharacters) return LeftOut();
                      return SudachiDictionary::Checksum(all.sudachi);
                    })
          .KindKey("dictionary")
          .Integer("buckets", Within(&MinhashOptions::given, &GivenOptions::buckets), 1, kMost,
                   "Number of buckets of a document, r in the paper (default: 40; see --tokens)")
          .Alias("r")
          .Alias("minhash-r")
          .Identity("buckets", [](const MinhashOptions& all) { return all.signature.buckets; })
          .Integer("values", Within(&MinhashOptions::given, &GivenOptions::values), 1, kMost,
                   "Number of MinHash values of a bucket, b in the paper (default: 20; see --tokens)")
          .Alias("b")
          .Alias("minhash-b")
          .Identity("values", [](const MinhashOptions& all) { return all.signature.values; })
          .Share("verify", Within(&MinhashOptions::given, &GivenOptions::jaccard),
                 "Jaccard index that duplicates must have, or more; texts are compared (default: 0.9; see --tokens)")
          .InShortHelp()
          .Alias("jaccard")
          .Alias("jaccard-thr")
          .Identity("verify", Settled(&MinhashOptions::verify))
          .InKind(KindPart::kNone)
          .Flag(
              "skip-verify", Within(&MinhashOptions::given, &GivenOptions::skip_verify),
              "Compare no texts: sharing a bucket is enough, as for the Swallow corpus. Faster, and also removes less "
              "similar documents")
          .NotInIdentity()
          .Share("edit-similarity", Within(&MinhashOptions::given, &GivenOptions::edit_similarity),
                 "Duplicates must also have this edit similarity or more: 1 - token edits / tokens of the longer text "
                 "(default: not computed; see --tokens)")
          .Alias("editsim-thr")
          .Identity("edit_similarity", Settled(&MinhashOptions::edit_similarity))
          .InKind(KindPart::kNone)
          .Flag("skip-edit-similarity", Within(&MinhashOptions::given, &GivenOptions::skip_edit_similarity),
                "Defaults as with --edit-similarity, without comparing edits")
          .Alias("skip-editsim")
          .NotInIdentity()
          .Share(
              "contained", &MinhashOptions::contained,
              "Also remove documents of whose n-grams this share or more occurs in one other, longer document; texts "
              "are compared")
          .Frontends(kOnCommandLine | kInPython)
          .IdentityUnlessDefault()
          .InKind(KindPart::kNone)
          .Flag("index-texts", Within(&MinhashOptions::given, &GivenOptions::index_texts),
                "Keep texts in the index too, compressed, so that later runs can compare them (default without "
                "--skip-verify)")
          .Identity("index_texts", Settled(&MinhashOptions::index_texts))
          .InKind(KindPart::kNone)  // DocumentIndexKind::texts
          .Flag("skip-index-texts", Within(&MinhashOptions::given, &GivenOptions::skip_index_texts),
                "Keep no texts in the index, which saves disk space; only later runs with --skip-verify can use it")
          .NotInIdentity()
          .Choice("keep", Within(&MinhashOptions::given, &GivenOptions::keep), KeepRules(),
                  "Which of several duplicates is kept; ties go to the smallest id (default: newest; see --tokens)")
          .InShortHelp()
          .Identity("keep", [](const MinhashOptions& all) { return NameOf(all.keep); })
          .InKind(KindPart::kChoice)
          .Choice("layout", &MinhashOptions::layout, Layouts(),
                  "Output folders: DIR for kept and DIR/.uzushio/duplicates for removed documents, or DIR/dedup and "
                  "DIR/dup as in the original")
          .IdentityUnlessDefault()
          .InKind(KindPart::kNone)
          .Text("text-column", &MinhashOptions::text_column, "NAME", "Column or key of the texts")
          .InKind(KindPart::kNone)
          .Text("id-column", &MinhashOptions::id_column, "NAME", "Column or key of the document ids")
          .InKind(KindPart::kChoice)
          .Text("date-column", &MinhashOptions::date_column, "NAME",
                "Column or key of the dates for --keep newest and --url")
          .InKind(KindPart::kChoice)
          .Kind([](const MinhashOptions& all) {
            const bool decides = all.keep == KeepRule::kNewest || all.url;
            return decides ? nlohmann::json(all.date_column) : LeftOut();
          })
          .Flag("url", &MinhashOptions::url,
                "First keep only the newest capture of each URL, in its normal form; the others are duplicates too")
          .Frontends(kOnCommandLine | kInPython)
          .IdentityUnlessDefault()
          .InKind(KindPart::kChoice)
          .Text("url-column", &MinhashOptions::url_column, "NAME",
                "Column or key of the URLs for --url and the hosts of --max-loss")
          .OnlyWith({"url", "max-loss"})
          .Frontends(kOnCommandLine | kInPython)
          .Identity("url_column",
                    [](const MinhashOptions& all) {
                      return all.url || all.max_loss ? nlohmann::json(all.url_column) : LeftOut();
                    })
          .InKind(KindPart::kChoice)
          .Kind([](const MinhashOptions& all) { return all.url ? nlohmann::json(all.url_column) : LeftOut(); })
          .Share("max-loss", &MinhashOptions::max_loss,
                 "End with an error, and write nothing, if more than this share of all documents are duplicates of one "
                 "document, or of the documents of one host or input file are duplicates (default: no limit)")
          .Frontends(kOnCommandLine | kInPython)
          .InKind(KindPart::kNone)
          .Integer("max-loss-least", &MinhashOptions::max_loss_least, 1, kAny,
                   "Hosts, input files and runs with fewer documents are not checked by --max-loss")
          .OnlyWith({"max-loss"})
          .Frontends(kOnCommandLine | kInPython)
          .Identity(
              "max_loss_least",
              [](const MinhashOptions& all) { return all.max_loss ? nlohmann::json(all.max_loss_least) : LeftOut(); })
          .InKind(KindPart::kNone);
  return options;
}

}  // namespace uzushio
