# The one Rust static library.
find_program(UZUSHIO_CARGO cargo REQUIRED)
set(UZUSHIO_NATIVE_DIR ${PROJECT_SOURCE_DIR}/native)
set(UZUSHIO_NATIVE_TARGET ${PROJECT_SOURCE_DIR}/build/native)
set(UZUSHIO_CARGO_OPTIONS)
# Sudachi, tokenizers, and optimizing over the borders of libraries are most of what there is to compile.
if(UZUSHIO_FIRST_LOOK)
  set(UZUSHIO_NATIVE_TARGET ${PROJECT_SOURCE_DIR}/build/native-first)
  set(UZUSHIO_CARGO_OPTIONS --no-default-features --config profile.release.lto="off")
endif()
set(UZUSHIO_NATIVE_LIB ${UZUSHIO_NATIVE_TARGET}/release/libuzushio_native.a)

file(GLOB UZUSHIO_NATIVE_SOURCES CONFIGURE_DEPENDS ${UZUSHIO_NATIVE_DIR}/src/*.rs)
add_custom_command(
  OUTPUT ${UZUSHIO_NATIVE_LIB}
  COMMAND ${UZUSHIO_CARGO} build --quiet --release --locked --manifest-path ${UZUSHIO_NATIVE_DIR}/Cargo.toml
          --target-dir ${UZUSHIO_NATIVE_TARGET} ${UZUSHIO_CARGO_OPTIONS}
  COMMAND ${CMAKE_COMMAND} -E touch ${UZUSHIO_NATIVE_LIB}
  DEPENDS ${UZUSHIO_NATIVE_SOURCES} ${UZUSHIO_NATIVE_DIR}/Cargo.toml ${UZUSHIO_NATIVE_DIR}/Cargo.lock
          ${PROJECT_SOURCE_DIR}/requirements/sources.txt
  COMMENT "Building the Rust library" VERBATIM)
add_custom_target(uzushio_native_build DEPENDS ${UZUSHIO_NATIVE_LIB})
add_library(uzushio_native INTERFACE)
# Ninja knows that links need the file, and compiles meanwhile; others are told, and wait with all.
if(NOT CMAKE_GENERATOR MATCHES "Ninja")
  add_dependencies(uzushio_native uzushio_native_build)
endif()
target_link_libraries(uzushio_native INTERFACE ${UZUSHIO_NATIVE_LIB} dl pthread m)
