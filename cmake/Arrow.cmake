# Apache Arrow C++ as the pyarrow wheel carries it: headers and shared libraries, no CMake configuration of its own.
set(UZUSHIO_PYTHON ${PROJECT_SOURCE_DIR}/build/venv/bin/python CACHE FILEPATH "Python with the pinned pyarrow")
execute_process(
  COMMAND ${UZUSHIO_PYTHON} -c "import pyarrow as p; print(p.get_include(), p.get_library_dirs()[0], p.__version__.split('.')[0] + '00', sep=';')"
  OUTPUT_VARIABLE UZUSHIO_ARROW_DIRS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(GET UZUSHIO_ARROW_DIRS 0 UZUSHIO_ARROW_INCLUDE)
list(GET UZUSHIO_ARROW_DIRS 1 UZUSHIO_ARROW_LIB)
list(GET UZUSHIO_ARROW_DIRS 2 UZUSHIO_ARROW_SO)

add_library(uzushio_arrow INTERFACE)
target_include_directories(uzushio_arrow SYSTEM INTERFACE ${UZUSHIO_ARROW_INCLUDE})
target_link_libraries(uzushio_arrow INTERFACE
  ${UZUSHIO_ARROW_LIB}/libparquet.so.${UZUSHIO_ARROW_SO} ${UZUSHIO_ARROW_LIB}/libarrow_compute.so.${UZUSHIO_ARROW_SO}
  ${UZUSHIO_ARROW_LIB}/libarrow.so.${UZUSHIO_ARROW_SO})
