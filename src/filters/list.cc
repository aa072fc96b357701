#include "filters/list.h"

namespace uzushio {

const std::vector<FilterDeclaration>& FilterDeclarations() {
#define UZUSHIO_ADD(NAME) declarations.push_back(Declare##NAME());
  static const auto kDeclarations = [] {
    std::vector<FilterDeclaration> declarations;
    UZUSHIO_FILTERS(UZUSHIO_ADD)
    return declarations;
  }();
#undef UZUSHIO_ADD
  return kDeclarations;
}

}  // namespace uzushio
