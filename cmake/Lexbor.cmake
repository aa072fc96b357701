# lexbor, from its pinned source. Its own optimisation flags stay as they are.
set(UZUSHIO_LEXBOR ${PROJECT_SOURCE_DIR}/build/sources/lexbor)
set(LEXBOR_BUILD_SHARED OFF CACHE BOOL "" FORCE)
set(LEXBOR_BUILD_STATIC ON CACHE BOOL "" FORCE)
set(LEXBOR_INSTALL_HEADERS OFF CACHE BOOL "" FORCE)

add_subdirectory(${UZUSHIO_LEXBOR} ${CMAKE_BINARY_DIR}/lexbor EXCLUDE_FROM_ALL SYSTEM)
target_include_directories(lexbor_static SYSTEM INTERFACE $<BUILD_INTERFACE:${UZUSHIO_LEXBOR}/source>)
target_compile_definitions(lexbor_static INTERFACE LEXBOR_STATIC)
