# What a build needs of the system, looked for in one go, so that who installs without a fitting wheel reads what to install
# and not what failed first. Included twice: before project(), for the compiler, without which nothing else can be looked
# for and all is named; and behind it.
set(missing)
if(NOT PROJECT_NAME)
  find_program(UZUSHIO_ANY_COMPILER NAMES $ENV{CXX} ${CMAKE_CXX_COMPILER} c++ g++ clang++)
  if(UZUSHIO_ANY_COMPILER)
    return()
  endif()
  set(missing g++)
endif()

foreach(pair deflate:libdeflate-dev isal:libisal-dev zstd:libzstd-dev brotlidec:libbrotli-dev xxhash:libxxhash-dev
        cld2:libcld2-dev utf8proc:libutf8proc-dev z:zlib1g-dev lz4:liblz4-dev fmt:libfmt-dev
        boost_program_options:libboost-program-options-dev boost_system:libboost-system-dev
        boost_thread:libboost-thread-dev boost_unit_test_framework:libboost-test-dev
        boost_sort:libboost-dev CLI11:libcli11-dev nlohmann_json:nlohmann-json3-dev RapidJSON:rapidjson-dev)
  string(REGEX MATCH "^[^:]+" name ${pair})
  string(REGEX MATCH "[^:]+$" package ${pair})
  if(PROJECT_NAME AND name MATCHES "^(CLI11|nlohmann_json|RapidJSON)$")  # of headers only
    find_package(${name} QUIET)
  elseif(PROJECT_NAME AND name STREQUAL boost_sort)
    find_path(UZUSHIO_LIB_${name} boost/sort/pdqsort/pdqsort.hpp)
  elseif(PROJECT_NAME)
    find_library(UZUSHIO_LIB_${name} ${name})
  endif()
  if(NOT ${name}_FOUND AND NOT UZUSHIO_LIB_${name})
    list(APPEND missing ${package})
  endif()
endforeach()

if(PROJECT_NAME AND SKBUILD)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('include'))"
                  OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS ${headers}/Python.h)
    list(APPEND missing python3-dev)
  endif()
endif()
find_program(UZUSHIO_CARGO cargo)
set(version 0)
if(UZUSHIO_CARGO)
  execute_process(COMMAND ${UZUSHIO_CARGO} --version OUTPUT_VARIABLE version)
  string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
endif()
if(version VERSION_LESS 1.82)
  list(APPEND missing "cargo 1.82 or newer (Debian 12: cargo-web rustc-web)")
endif()

if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "No wheel of uzushio fits this system, and to build it these are missing:\n  ${missing}\n"
    "The names are those of Debian and Ubuntu: apt-get install them, or what they are called here. "
    "Then try again; CONTRIBUTING.md says more.")
endif()
