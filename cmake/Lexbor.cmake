# lexbor, from the pinned source that `./dev setup` unpacks. Its own optimisation flags stay as they are.
set(UZUSHIO_SOURCES_DIR ${PROJECT_SOURCE_DIR}/build/sources CACHE PATH "Pinned sources")
set(LEXBOR_BUILD_SHARED OFF CACHE BOOL "" FORCE)
set(LEXBOR_BUILD_STATIC ON CACHE BOOL "" FORCE)
set(LEXBOR_INSTALL_HEADERS OFF CACHE BOOL "" FORCE)

add_subdirectory(${UZUSHIO_SOURCES_DIR}/lexbor ${CMAKE_BINARY_DIR}/lexbor EXCLUDE_FROM_ALL SYSTEM)
target_include_directories(lexbor_static SYSTEM INTERFACE $<BUILD_INTERFACE:${UZUSHIO_SOURCES_DIR}/lexbor/source>)
target_compile_definitions(lexbor_static INTERFACE LEXBOR_STATIC)
