# JIS X 0213 as a table, for characters that are named by their places in it.
set(UZUSHIO_GAIJI_TABLE ${CMAKE_BINARY_DIR}/gaiji_table.inc)
add_custom_command(OUTPUT ${UZUSHIO_GAIJI_TABLE}
  COMMAND ${UZUSHIO_PYTHON} ${PROJECT_SOURCE_DIR}/tools/gaiji_table.py ${UZUSHIO_GAIJI_TABLE}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gaiji_table.py VERBATIM)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/html/gaiji.cc PROPERTIES
  COMPILE_DEFINITIONS "UZUSHIO_GAIJI_TABLE=\"${UZUSHIO_GAIJI_TABLE}\"" OBJECT_DEPENDS ${UZUSHIO_GAIJI_TABLE})
