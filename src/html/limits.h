// What a page may cost.
#pragma once

#include <cstddef>

namespace uzushio {

// Caps on one page. A page that passes one is rejected whole, at bounded cost. No cap is in time, so that the result
// does not depend on the machine.
struct PageLimits {
  size_t max_bytes = size_t{8} << 20;        // of the body, content codings undone
  size_t max_text_bytes = size_t{8} << 20;   // of the extracted text with paths
  size_t max_inflation = 1000;               // body bytes for a byte of a content-coded body, above 1 MiB
  size_t max_depth = 1024;                   // open elements at once
  size_t max_attributes = 1024;              // of one tag
  size_t max_tree_bytes = size_t{48} << 20;  // of the page's tree, with the attributes of all tags
};

}  // namespace uzushio
