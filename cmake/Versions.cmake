# Versions of libraries that do not tell them themselves: of the pinned sources, and of the crates in Cargo.lock.
file(STRINGS ${PROJECT_SOURCE_DIR}/requirements/sources.txt UZUSHIO_PINNED REGEX "^(kenlm|liblinear-official|ada-url|fasttext)==")
file(READ ${PROJECT_SOURCE_DIR}/native/Cargo.lock lock)
foreach(name daachorse encoding_rs hocon-parser simdutf8 sudachi tokenizers)
  string(REGEX MATCHALL "name = \"${name}\"\nversion = \"[^\"]+\"" found "${lock}")
  list(GET found -1 found)  # the newest is ours; an older one is of another crate
  string(REGEX REPLACE ".*version = \"([^\"]+)\"" "${name}==\\1 " found "${found}")
  list(APPEND UZUSHIO_PINNED "${found}")
endforeach()
list(TRANSFORM UZUSHIO_PINNED REPLACE "^([^=]+)==([^ ]+) .*" "\\1 \\2")
list(JOIN UZUSHIO_PINNED ", " UZUSHIO_PINNED)
set_source_files_properties(src/cli/versions.cc PROPERTIES COMPILE_DEFINITIONS "UZUSHIO_PINNED=\"${UZUSHIO_PINNED}\"")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/native/Cargo.lock)
