#include "filters/list.h"

namespace uzushio {

const std::vector<FilterDeclaration>& FilterDeclarations() {
#define UZUSHIO_CALL(NAME) Declare##NAME(),
  static const std::vector<FilterDeclaration> kDeclarations = {UZUSHIO_FILTERS(UZUSHIO_CALL)};
#undef UZUSHIO_CALL
  return kDeclarations;
}

}  // namespace uzushio
