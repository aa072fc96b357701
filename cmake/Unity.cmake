# In builds that begin at nothing and are not edited in, many sources are compiled as one: their headers are read and their
# templates made once. Names in anonymous namespaces are therefore unique, among tests in a module (tools/check_modules.py).
option(UZUSHIO_UNITY "Compile many sources as one" OFF)

# Modules that are compiled as one: few, as what all of them read is half of the work of a small one, and in an order in which
# two processors come to the end at about the same time.
set(UZUSHIO_TOGETHER
  "base storage document warc html html/main_content lang dedup quality personal"
  "filters filters/cleaners lm contamination"
  "datasets statistics statistics/tasks stages/extract stages/stats"
  "stages/filter"
  "stages/report"
  "stages/decontaminate stages/minhash stages/overlap stages/train_classifier stages/train_language stages/train_lm"
  "cli pipeline")

# uzushio_unity(TARGET SOURCE...)
function(uzushio_unity target)
  if(NOT UZUSHIO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that is included for a header, which must have no members of anonymous types.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH module ${PROJECT_SOURCE_DIR}/src ${source})
    get_filename_component(module ${module} DIRECTORY)
    set(group ${module})
    foreach(modules IN LISTS UZUSHIO_TOGETHER)
      if(" ${modules} " MATCHES " ${module} " AND NOT source MATCHES "_test\\.cc$")
        set(group "${modules}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${group}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
