# The Python module, by nanobind. In the build folder, python/ is the package as it will be installed, with links to its
# sources, so that tests need no installation.
if(NOT SKBUILD)
  set(Python_EXECUTABLE ${UZUSHIO_PYTHON})
endif()
find_package(Python COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT} REQUIRED)
uzushio_package(nanobind)
find_package(nanobind CONFIG REQUIRED PATHS ${nanobind_ROOT}/cmake NO_DEFAULT_PATH)

set(UZUSHIO_PACKAGE ${CMAKE_BINARY_DIR}/python/uzushio)
file(GLOB UZUSHIO_PYTHON_BINDINGS CONFIGURE_DEPENDS src/bindings/*.cc)
set(UZUSHIO_STABLE_ABI)
if(TARGET Python::SABIModule)  # asked for where pip builds a wheel for Python 3.12 and newer
  set(UZUSHIO_STABLE_ABI STABLE_ABI)
endif()
nanobind_add_module(uzushio_python NB_STATIC ${UZUSHIO_STABLE_ABI} ${UZUSHIO_PYTHON_BINDINGS})
target_link_libraries(uzushio_python PRIVATE uzushio_core)
uzushio_precompile(uzushio_python <nlohmann/json.hpp> <nanobind/nanobind.h> <nanobind/stl/optional.h>
                   <nanobind/stl/pair.h> <nanobind/stl/string.h> <nanobind/stl/vector.h>)
uzushio_unity(uzushio_python ${UZUSHIO_PYTHON_BINDINGS})
# Nothing but the module's entry is seen by other libraries of the process, which may be of another Arrow.
target_link_options(uzushio_python PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/module.map)
set_target_properties(uzushio_python PROPERTIES OUTPUT_NAME _core INSTALL_RPATH "$ORIGIN/lib"
                      LIBRARY_OUTPUT_DIRECTORY ${UZUSHIO_PACKAGE} LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/module.map)
set_target_properties(uzushio PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
nanobind_add_stub(uzushio_python_stub MODULE _core OUTPUT ${UZUSHIO_PACKAGE}/_core.pyi PYTHON_PATH ${UZUSHIO_PACKAGE}
                  DEPENDS uzushio_python)

add_custom_command(OUTPUT ${UZUSHIO_PACKAGE}/_stages.pyi
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/stage_stubs.py $<TARGET_FILE:uzushio> ${UZUSHIO_PACKAGE}/_stages.pyi
  DEPENDS uzushio ${PROJECT_SOURCE_DIR}/tools/stage_stubs.py VERBATIM)
add_custom_command(OUTPUT ${UZUSHIO_PACKAGE}/_constructors.pyi
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/filter_stubs.py ${UZUSHIO_PACKAGE} ${UZUSHIO_PACKAGE}/_constructors.pyi
  DEPENDS uzushio_python ${PROJECT_SOURCE_DIR}/tools/filter_stubs.py VERBATIM)
add_custom_target(uzushio_stage_stubs ALL DEPENDS ${UZUSHIO_PACKAGE}/_stages.pyi ${UZUSHIO_PACKAGE}/_constructors.pyi)

file(GLOB_RECURSE UZUSHIO_PYTHON_FILES CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python
     python/uzushio/*.py python/uzushio/*.pyi python/uzushio/py.typed python/uzushio/spark/log4j2.properties
     python/uzushio_spark_daemon.py)
foreach(file IN LISTS UZUSHIO_PYTHON_FILES)
  get_filename_component(folder ${file} DIRECTORY)
  if(NOT folder)
    set(folder .)
  endif()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${CMAKE_BINARY_DIR}/python/${file} SYMBOLIC)
  install(FILES python/${file} DESTINATION ${folder} COMPONENT python)
endforeach()
# The program, too, is where it will be installed.
set(UZUSHIO_PYTHON_BIN ${CMAKE_BINARY_DIR}/python/uzushio/bin)
file(MAKE_DIRECTORY ${UZUSHIO_PYTHON_BIN})
file(CREATE_LINK ${UZUSHIO_LMPLZ} ${UZUSHIO_PYTHON_BIN}/lmplz SYMBOLIC)
file(CREATE_LINK ${UZUSHIO_BUILD_BINARY} ${UZUSHIO_PYTHON_BIN}/build_binary SYMBOLIC)
add_custom_command(TARGET uzushio POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:uzushio> ${UZUSHIO_PYTHON_BIN}/uzushio VERBATIM)

file(CREATE_LINK ${PROJECT_SOURCE_DIR}/presets ${UZUSHIO_PACKAGE}/presets SYMBOLIC)
install(DIRECTORY presets/ DESTINATION uzushio/presets COMPONENT python)
install(TARGETS uzushio_python LIBRARY DESTINATION uzushio COMPONENT python)
install(FILES ${UZUSHIO_PACKAGE}/_core.pyi ${UZUSHIO_PACKAGE}/_stages.pyi ${UZUSHIO_PACKAGE}/_constructors.pyi
        DESTINATION uzushio COMPONENT python)
install(TARGETS uzushio RUNTIME DESTINATION uzushio/bin COMPONENT python)
install(PROGRAMS ${UZUSHIO_LMPLZ} ${UZUSHIO_BUILD_BINARY} DESTINATION uzushio/bin COMPONENT python)
# Of a wheel's data, which come into the environment's share/.
set(UZUSHIO_SHARE "\${CMAKE_INSTALL_PREFIX}/share")
if(SKBUILD)
  set(UZUSHIO_SHARE ${SKBUILD_DATA_DIR}/share)
endif()
install(CODE "execute_process(COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/shell_files.py
  $<TARGET_FILE:uzushio> ${UZUSHIO_SHARE} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
install(CODE "execute_process(COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/bundle_arrow.py
  ${pyarrow_ROOT} \${CMAKE_INSTALL_PREFIX}/uzushio COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
install(CODE "execute_process(COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/write_notices.py
  \${CMAKE_INSTALL_PREFIX}/uzushio/NOTICES.txt $<TARGET_FILE:uzushio> ${UZUSHIO_LMPLZ} ${UZUSHIO_BUILD_BINARY}
  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
