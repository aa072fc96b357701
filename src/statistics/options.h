// The options that statistics depend on, as every frontend takes them.
#pragma once

#include "base/options.h"
#include "statistics/counting.h"
#include "statistics/search.h"

namespace uzushio {

const Options<NearDuplicateOptions>& DeclaredNearDuplicateOptions();
const Options<DocumentLimits>& DeclaredDocumentLimits();

}  // namespace uzushio
