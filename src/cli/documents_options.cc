#include "cli/documents_options.h"

#include "filters/preset.h"

namespace uzushio {

const Options<FilterKernelOptions>& ColumnOptions() {
  static const Options<FilterKernelOptions> options =
      Options<FilterKernelOptions>()
          .Text("text-column", &FilterKernelOptions::text_column, "NAME", "Column or key of the texts")
          .Text("id-column", &FilterKernelOptions::id_column, "NAME", "Column or key of the document ids");
  return options;
}

const Options<IndexArguments>& IndexOptions() {
  static const Options<IndexArguments> options =
      Options<IndexArguments>()
          .Choice(
              "index", &IndexArguments::index, {"file", "shared", "join"},
              "How executors read the index of --stats: Spark copies the file; they share its path; or a join instead, "
              "if they cannot hold it")
          .Frontends(kOnSpark);
  return options;
}

arrow::Result<std::unique_ptr<FilterChain>> ReadChain(const std::string& file,
                                                      const std::vector<std::string>& properties, int64_t memory) {
  ARROW_ASSIGN_OR_RAISE(const auto values, ParseProperties(properties));
  return file.empty() ? FilterChain::Make(nlohmann::json::array()) : FilterChain::Read(file, values, memory);
}

Places::Place PlaceOfChain(const std::string& file) {
  return {"--config", file.empty() ? "" : FindChainFile(file).string()};
}

}  // namespace uzushio
