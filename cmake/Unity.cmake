# In builds that begin at nothing and are not edited in, the sources of a room are compiled as one: their headers are read and
# their templates made once. Names in anonymous namespaces are therefore unique in a room.
option(UZUSHIO_UNITY "Compile the sources of a room as one" OFF)

# uzushio_unity(TARGET SOURCE...)
function(uzushio_unity target)
  if(NOT UZUSHIO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that is included for a header, which must have no members of anonymous types.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR}/src ${source})
    get_filename_component(room ${room} DIRECTORY)
    string(REPLACE "/" "_" room ${room})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()
