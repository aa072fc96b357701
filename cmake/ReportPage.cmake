# The page of `uzushio report`: report/ as one HTML file, by esbuild. Node.js and the packages are fetched while the compiler runs.
file(GLOB_RECURSE UZUSHIO_PAGE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/src/*)
set(UZUSHIO_NODE ${PROJECT_SOURCE_DIR}/build/node/bin/node)
set(UZUSHIO_PAGE_PACKAGES ${CMAKE_BINARY_DIR}/report/packages.stamp)
add_custom_command(OUTPUT ${UZUSHIO_PAGE_PACKAGES}
  COMMAND ${UZUSHIO_PYTHON} ${PROJECT_SOURCE_DIR}/tools/fetch_node.py
  COMMAND ${CMAKE_COMMAND} -E touch ${UZUSHIO_PAGE_PACKAGES}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/fetch_node.py ${PROJECT_SOURCE_DIR}/tools/fetched.py
          ${PROJECT_SOURCE_DIR}/requirements/node.txt ${PROJECT_SOURCE_DIR}/report/package-lock.json
  COMMENT "Fetching what bundles the page of reports" VERBATIM)

set(UZUSHIO_PAGE ${CMAKE_BINARY_DIR}/report/page.html)
add_custom_command(OUTPUT ${UZUSHIO_PAGE}
  COMMAND ${UZUSHIO_NODE} ${PROJECT_SOURCE_DIR}/report/bundle.mjs ${UZUSHIO_PAGE}
  DEPENDS ${UZUSHIO_PAGE_PACKAGES} ${UZUSHIO_PAGE_SOURCES} ${PROJECT_SOURCE_DIR}/report/bundle.mjs
  COMMENT "Bundling the page of reports" VERBATIM)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/stages/report/page_template.cc PROPERTIES
  COMPILE_DEFINITIONS "UZUSHIO_REPORT_PAGE=\"${UZUSHIO_PAGE}\"" OBJECT_DEPENDS ${UZUSHIO_PAGE})
# A target without dependencies, so that all this waits for no library.
add_custom_target(uzushio_page DEPENDS ${UZUSHIO_PAGE})
