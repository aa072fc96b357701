#include "cli/documents_options.h"

namespace uzushio {

const Options<FilterKernelOptions>& ColumnOptions() {
  static const Options<FilterKernelOptions> options =
      Options<FilterKernelOptions>()
          .Text(
              "text-column", [](auto& kernel) -> auto& { return kernel.text_column; }, "NAME",
              "Column or key of the texts")
          .Text(
              "id-column", [](auto& kernel) -> auto& { return kernel.id_column; }, "NAME",
              "Column or key of the document ids");
  return options;
}

const Options<IndexArguments>& IndexOptions() {
  static const Options<IndexArguments> options =
      Options<IndexArguments>()
          .Choice(
              "index", [](auto& arguments) -> auto& { return arguments.index; }, {"file", "shared", "join"},
              "How executors read the index of --stats: Spark copies the file; they share its path; or a join instead, "
              "if they cannot hold it")
          .Frontends(kOnSpark);
  return options;
}

}  // namespace uzushio
