# Apache Arrow C++ as the pyarrow wheel carries it: headers and shared libraries, no CMake configuration of its own. The
# package carries these libraries too, under names of its own (tools/bundle_arrow.py): users may have any pyarrow.
uzushio_package(pyarrow FILES_MATCHING REGEX "/include/" REGEX "/lib(arrow|arrow_compute|arrow_s3|parquet)\\.so\\.")
string(REGEX MATCH "^[0-9]+" arrow_major ${pyarrow_VERSION})

add_library(uzushio_arrow INTERFACE)
target_include_directories(uzushio_arrow SYSTEM INTERFACE ${pyarrow_ROOT}/include)
foreach(name parquet arrow_compute arrow)
  target_link_libraries(uzushio_arrow INTERFACE ${pyarrow_ROOT}/lib${name}.so.${arrow_major}00)
endforeach()
