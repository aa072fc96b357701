# LIBLINEAR from its pinned source, with the few functions of BLAS that it brings: those of the system differ from machine to
# machine in the last bits, and models with them.
set(UZUSHIO_LIBLINEAR ${PROJECT_SOURCE_DIR}/build/sources/liblinear/cpp-source)
add_library(uzushio_liblinear STATIC
  ${UZUSHIO_LIBLINEAR}/linear.cpp ${UZUSHIO_LIBLINEAR}/newton.cpp ${UZUSHIO_LIBLINEAR}/blas/daxpy.c
  ${UZUSHIO_LIBLINEAR}/blas/ddot.c ${UZUSHIO_LIBLINEAR}/blas/dnrm2.c ${UZUSHIO_LIBLINEAR}/blas/dscal.c)
target_include_directories(uzushio_liblinear SYSTEM PUBLIC ${UZUSHIO_LIBLINEAR})
target_compile_options(uzushio_liblinear PRIVATE -w -ffp-contract=off)
