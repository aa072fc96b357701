#include "stages/filter/options.h"

#include <utility>

namespace uzushio {

Options<FilterKernelOptions> DeclaredColumns() {
  return Options<FilterKernelOptions>()
      .Text("text-column", &FilterKernelOptions::text_column, "NAME", "Column or key of the texts")
      .Text("id-column", &FilterKernelOptions::id_column, "NAME", "Column or key of the document ids");
}

Options<SparkIndex> DeclaredSparkIndex() {
  return Options<SparkIndex>()
      .Choice("index", &SparkIndex::index, {"file", "shared", "join"},
              "How executors read the index of --stats: Spark copies the file; they share its path; or a join instead, "
              "if they cannot hold it")
      .Frontends(kOnSpark)
      .NotInIdentity();
}

nlohmann::json ChainIdentity(const FilterChain& chain) {
  nlohmann::json identity = {{"filters", chain.ToJson()}};
  if (nlohmann::json contents = chain.Contents(); !contents.is_null()) identity["contents"] = std::move(contents);
  return identity;
}

}  // namespace uzushio
