# What is built on Debian 12 also runs on systems of the generation before: RHEL 9 and its kin, Amazon Linux 2023 (glibc
# 2.34, libstdc++ of GCC 11). Of the newer libstdc++ one function is used, std::condition_variable::wait, which GCC 12 only
# gave a new version; it comes from the compiler's static library.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT UZUSHIO_SANITIZE)
  set(UZUSHIO_PORTABLE_OBJECT ${CMAKE_BINARY_DIR}/libstdc++/condition_variable.o)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
                  OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE ${libstdcxx} AND NOT EXISTS ${UZUSHIO_PORTABLE_OBJECT})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/libstdc++)
    execute_process(COMMAND ${CMAKE_AR} x ${libstdcxx} condition_variable.o
                    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/libstdc++)
  endif()
endif()
add_library(uzushio_portable INTERFACE)
if(EXISTS "${UZUSHIO_PORTABLE_OBJECT}")
  target_link_libraries(uzushio_portable INTERFACE ${UZUSHIO_PORTABLE_OBJECT})
endif()
