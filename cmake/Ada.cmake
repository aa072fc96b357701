# Ada, the parser of URLs, from its pinned source: one file.
set(UZUSHIO_ADA ${PROJECT_SOURCE_DIR}/build/sources/ada/ada_url)
add_library(uzushio_ada STATIC ${UZUSHIO_ADA}/ada.cpp)
target_include_directories(uzushio_ada SYSTEM PUBLIC ${UZUSHIO_ADA})
# At -O1, GCC cannot inline a function that its headers want inlined always, with -fsanitize=thread.
target_compile_options(uzushio_ada PRIVATE -w $<$<CONFIG:Debug>:-O2>)
