# lexbor, from its pinned source. It is half of the work of `extract`, which -O3 makes 4 % faster.
set(UZUSHIO_LEXBOR ${PROJECT_SOURCE_DIR}/build/sources/lexbor)
set(LEXBOR_BUILD_SHARED OFF CACHE BOOL "" FORCE)
set(LEXBOR_BUILD_STATIC ON CACHE BOOL "" FORCE)
set(LEXBOR_INSTALL_HEADERS OFF CACHE BOOL "" FORCE)

add_subdirectory(${UZUSHIO_LEXBOR} ${CMAKE_BINARY_DIR}/lexbor EXCLUDE_FROM_ALL SYSTEM)
target_include_directories(lexbor_static SYSTEM INTERFACE $<BUILD_INTERFACE:${UZUSHIO_LEXBOR}/source>)
target_compile_definitions(lexbor_static INTERFACE LEXBOR_STATIC)
# Of its modules those that an HTML parser calls; CSS, encodings and URLs are as much again. They are compiled as one source: its
# functions are inlined over the borders of files (3.4 % fewer instructions), and thousands of headers are read once.
get_target_property(sources lexbor_static SOURCES)
list(FILTER sources INCLUDE REGEX "/source/lexbor/(core|dom|html|ns|ports|tag)/")
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT UZUSHIO_FIRST_LOOK)
  target_compile_options(lexbor_static PRIVATE -O3 -fno-plt -include ${CMAKE_CURRENT_LIST_DIR}/lexbor_inline.h)
  list(FILTER sources EXCLUDE REGEX "/core/mraw\\.c$")
endif()
target_compile_options(lexbor_static PRIVATE -fexceptions)  # where memory runs out (src/html/lexbor_memory.h)
set_target_properties(lexbor_static PROPERTIES SOURCES "${sources}" UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
