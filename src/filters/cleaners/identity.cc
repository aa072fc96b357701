#include "filters/list.h"

namespace uzushio {
namespace {

class Identity final : public MetricFilter {
 public:
  double Measure(const FilterDocument& /*document*/, FilterScratch* /*scratch*/) const override { return 0; }
};

}  // namespace

FilterDeclaration DeclareIdentity() {
  return Declare<Identity>("Identity", "documents", "Does nothing.").Metric("Identity", "always 0").Done();
}

}  // namespace uzushio
