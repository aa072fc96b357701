#include "stages/extract/index_selection.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/ascii.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "warc/cdxj.h"

namespace uzushio {
namespace {

Options<IndexQuery> DeclaredQuery() {
  return Options<IndexQuery>()
      .Text("index-language", &IndexQuery::languages, "CODE,…",
            "Keep rows whose first language is one of these, as jpn")
      .IdentityUnlessDefault()
      .SplitAtCommas()
      .Text("index-any-language", &IndexQuery::any_languages, "CODE,…",
            "Keep rows of which any language is one of these")
      .IdentityUnlessDefault()
      .SplitAtCommas()
      .Integer("index-status", &IndexQuery::statuses, 1, 999, "Keep rows with this HTTP status; may be repeated")
      .IdentityUnlessDefault()
      .Text("index-mime", &IndexQuery::types, "TYPE,…",
            "Keep rows of these types, detected or, where that is not known, declared, as text/html")
      .IdentityUnlessDefault()
      .SplitAtCommas()
      .Text("index-host", &IndexQuery::hosts, "HOST,…", "Keep rows of these hosts and of those below them")
      .IdentityUnlessDefault()
      .SplitAtCommas()
      .Text("index-tld", &IndexQuery::tlds, "TLD,…", "Keep rows of these top-level domains, as jp")
      .IdentityUnlessDefault()
      .SplitAtCommas();
}

arrow::Result<std::optional<int64_t>> TimeOf(const char* option, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const std::optional<int64_t> time = ParseCaptureTime(*text);
  if (!time) {
    return arrow::Status::Invalid(option, ": '", *text, "' is no time; write 2023-12-01 or 2023-12-01T10:00:00Z");
  }
  return time;
}

// The tables as they were found: they may have been written anew since.
nlohmann::json TablesIdentity(const IndexSelection& options) {
  return options.is_given() ? InputContents(options.reading.tables) : LeftOut();
}

nlohmann::json BaseIdentity(const IndexSelection& options) {
  const std::string& base = options.reading.places.base;
  return base.empty() ? LeftOut() : nlohmann::json(WithoutCredentials(base));
}

}  // namespace

const Options<IndexSelection>& DeclaredIndexSelection() {
  static const auto options =
      Options<IndexSelection>()
          .Path("index", &IndexSelection::tables, "TABLE",
                "Parquet of Common Crawl's columnar index or of uzushio index: files, folders or globs; no INPUT then")
          .Several()
          .Identity("index", TablesIdentity)
          .InShortHelp()
          .Path("index-base", Within(&IndexSelection::reading, Within(&IndexedInputs::places, &IndexedPlaces::base)),
                "PREFIX", "What stands before the names of files in the index, as s3://commoncrawl/")
          .Identity("index_base", BaseIdentity)
          .With(DeclaredQuery(), Within(&IndexSelection::reading, &IndexedInputs::query))
          .Text("index-from", &IndexSelection::from, "TIME",
                "Keep rows fetched at this time or later: 2023-12-01 or 2023-12-01T10:00:00Z")
          .IdentityUnlessDefault()
          .Text("index-to", &IndexSelection::to, "TIME", "Keep rows fetched before this time")
          .IdentityUnlessDefault()
          .Size("index-gap", Within(&IndexSelection::reading, &IndexedInputs::gap), 1, kAny,
                "Read up to this many bytes between two records along, rather than send a request more")
          .NotInIdentity()
          .Text("part", &IndexSelection::part, "I/N",
                "Read the I-th of N parts of the files, of about as many bytes each")
          .IdentityUnlessDefault()
          .Flag("plan", &IndexSelection::is_plan,
                "Print what reading by the index takes, in pages, bytes, minutes and dollars, and end; nothing is "
                "written")
          .NotInIdentity()
          .Frontends(kOnCommandLine | kInPython);
  return options;
}

arrow::Status Complete(IndexSelection* options) {
  ARROW_ASSIGN_OR_RAISE(options->reading.tables, ResolveInputs(options->tables, kParquetSuffixes));
  return CompleteQuery(options);
}

arrow::Status CompleteQuery(IndexSelection* options) {
  IndexedInputs& reading = options->reading;
  ARROW_ASSIGN_OR_RAISE(reading.query.from, TimeOf("--index-from", options->from));
  ARROW_ASSIGN_OR_RAISE(reading.query.to, TimeOf("--index-to", options->to));
  if (options->part) ARROW_RETURN_NOT_OK(ParsePart(*options->part, &reading.part, &reading.parts));
  IndexQuery& query = reading.query;
  for (auto* const names : {&query.hosts, &query.tlds}) {
    for (std::string& name : *names) {
      std::ranges::transform(name, name.begin(), LowerAscii);
      while (name.starts_with('.')) name.erase(0, 1);
    }
  }
  for (const auto& [option, texts] :
       {std::pair("--index-language", &query.languages), std::pair("--index-any-language", &query.any_languages),
        std::pair("--index-mime", &query.types), std::pair("--index-host", &query.hosts),
        std::pair("--index-tld", &query.tlds)}) {
    if (std::ranges::find(*texts, "") != texts->end()) return arrow::Status::Invalid(option, ": an empty name");
  }
  return arrow::Status::OK();
}

bool AsksForTables(const IndexSelection& options) {
  const IndexQuery& query = options.reading.query;
  const bool has_query = !query.languages.empty() || !query.any_languages.empty() || !query.statuses.empty() ||
                         !query.types.empty() || !query.hosts.empty() || !query.tlds.empty();
  return has_query || options.is_plan || options.part || options.from || options.to ||
         !options.reading.places.base.empty() || options.reading.gap != kDefaultGap;
}

}  // namespace uzushio
