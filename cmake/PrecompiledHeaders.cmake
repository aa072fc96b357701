# Headers that most sources include, parsed once a target. A header is worth its place if loading it costs the sources that
# do not include it next to nothing: those of Arrow's arrays and of JSON instantiate templates at the end of each source.
set(UZUSHIO_PRECOMPILED
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <functional> <limits> <map> <memory>
  <mutex> <optional> <ranges> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>
  <arrow/filesystem/filesystem.h> <arrow/record_batch.h> <arrow/result.h> <fmt/format.h>)

# uzushio_precompile(TARGET [HEADER...]): these, and headers of the target's own.
function(uzushio_precompile target)
  target_precompile_headers(${target} PRIVATE ${UZUSHIO_PRECOMPILED} ${ARGN})
  # What ccache wants of GCC: https://ccache.dev/manual/latest.html#_precompiled_headers
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
