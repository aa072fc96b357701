# The filter that CONTRIBUTING.md shows, as a source: src/filters/example_test.cc tries it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md)
file(READ ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md shown)
string(REGEX REPLACE "^.*\n```cpp\n" "" shown "${shown}")
string(FIND "${shown}" "\n```\n" end)
string(SUBSTRING "${shown}" 0 ${end} shown)
set(UZUSHIO_EXAMPLE ${PROJECT_BINARY_DIR}/example/short_lines.cc)
file(CONFIGURE OUTPUT ${UZUSHIO_EXAMPLE} CONTENT "${shown}\n" @ONLY)
