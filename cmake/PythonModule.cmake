# The Python module, by nanobind. In the build folder, python/ is the package as it will be installed, with links to its
# sources, so that tests need no installation.
find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)
execute_process(COMMAND ${UZUSHIO_PYTHON} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB UZUSHIO_PYTHON_BINDINGS CONFIGURE_DEPENDS src/python/*.cc)
nanobind_add_module(uzushio_python NB_STATIC ${UZUSHIO_PYTHON_BINDINGS})
target_link_libraries(uzushio_python PRIVATE uzushio_core)
# The module finds Arrow in the pyarrow beside it, the program too, from a folder further down.
set_target_properties(uzushio_python PROPERTIES OUTPUT_NAME _core INSTALL_RPATH "$ORIGIN/../pyarrow"
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/uzushio)
set_target_properties(uzushio PROPERTIES INSTALL_RPATH "$ORIGIN/../../pyarrow")
nanobind_add_stub(uzushio_python_stub MODULE _core OUTPUT ${CMAKE_BINARY_DIR}/python/uzushio/_core.pyi
                  PYTHON_PATH ${CMAKE_BINARY_DIR}/python/uzushio DEPENDS uzushio_python)

file(GLOB_RECURSE UZUSHIO_PYTHON_FILES CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python
     python/uzushio/*.py python/uzushio/py.typed)
foreach(file IN LISTS UZUSHIO_PYTHON_FILES)
  get_filename_component(folder ${CMAKE_BINARY_DIR}/python/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${CMAKE_BINARY_DIR}/python/${file} SYMBOLIC)
endforeach()
# The program, too, is where it will be installed.
set(UZUSHIO_PYTHON_BIN ${CMAKE_BINARY_DIR}/python/uzushio/bin)
file(MAKE_DIRECTORY ${UZUSHIO_PYTHON_BIN})
file(CREATE_LINK ${UZUSHIO_LMPLZ} ${UZUSHIO_PYTHON_BIN}/lmplz SYMBOLIC)
file(CREATE_LINK ${UZUSHIO_BUILD_BINARY} ${UZUSHIO_PYTHON_BIN}/build_binary SYMBOLIC)
add_custom_command(TARGET uzushio POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:uzushio> ${UZUSHIO_PYTHON_BIN}/uzushio VERBATIM)

install(TARGETS uzushio_python LIBRARY DESTINATION uzushio COMPONENT python)
install(FILES ${CMAKE_BINARY_DIR}/python/uzushio/_core.pyi DESTINATION uzushio COMPONENT python)
install(TARGETS uzushio RUNTIME DESTINATION uzushio/bin COMPONENT python)
install(PROGRAMS ${UZUSHIO_LMPLZ} ${UZUSHIO_BUILD_BINARY} DESTINATION uzushio/bin COMPONENT python)
