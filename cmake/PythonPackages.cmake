# Python packages that the build takes headers, sources and libraries from.
set(UZUSHIO_PYTHON ${PROJECT_SOURCE_DIR}/build/venv/bin/python CACHE FILEPATH "Python with pyarrow and nanobind")

# uzushio_package(NAME): NAME_VERSION and NAME_ROOT, the folder of a package. pip builds a wheel in an environment that has
# another path each time; there NAME_ROOT is a copy in the build folder, so that a second build compiles what changed only.
function(uzushio_package name)
  execute_process(
    COMMAND ${UZUSHIO_PYTHON} -c "import ${name} as p; print(p.__version__, p.__path__[0], sep=';')"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  list(GET found 0 version)
  list(GET found 1 root)
  if(SKBUILD)
    set(copy ${CMAKE_BINARY_DIR}/packages/${name}-${version})
    if(NOT EXISTS ${copy})
      file(REMOVE_RECURSE ${copy}.part)
      file(COPY ${root}/ DESTINATION ${copy}.part ${ARGN})
      file(RENAME ${copy}.part ${copy})
    endif()
    set(root ${copy})
  endif()
  set(${name}_VERSION ${version} PARENT_SCOPE)
  set(${name}_ROOT ${root} PARENT_SCOPE)
endfunction()
