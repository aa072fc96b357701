# fastText from its pinned source: what of it makes and reads models and classifies.
set(UZUSHIO_FASTTEXT ${PROJECT_SOURCE_DIR}/build/sources/fasttext)
set(UZUSHIO_FASTTEXT_SOURCES args densematrix dictionary fasttext loss matrix meter model
    productquantizer quantmatrix utils vector)
list(TRANSFORM UZUSHIO_FASTTEXT_SOURCES PREPEND ${UZUSHIO_FASTTEXT}/src/)
list(TRANSFORM UZUSHIO_FASTTEXT_SOURCES APPEND .cc)
add_library(uzushio_fasttext STATIC ${UZUSHIO_FASTTEXT_SOURCES})
target_compile_options(uzushio_fasttext PRIVATE -w -O3 -ffp-contract=off)
set_target_properties(uzushio_fasttext PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
# It declares a function of the name of another source's.
set_source_files_properties(${UZUSHIO_FASTTEXT}/src/fasttext.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The sources that see its headers, which have names such as vector.h. GCC 12 makes vector code of sums of any length at -O3 only.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/lm/fasttext.cc ${PROJECT_SOURCE_DIR}/src/lm/fasttext_training.cc PROPERTIES
  COMPILE_OPTIONS "-isystem;${PROJECT_SOURCE_DIR}/build/sources;$<$<CONFIG:RelWithDebInfo,Release>:-O3>"
  SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/lm/fasttext_rows.cc PROPERTIES
  COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo,Release>:-O3>" SKIP_UNITY_BUILD_INCLUSION ON)
