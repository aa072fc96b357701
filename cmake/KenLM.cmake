# KenLM from its pinned source: the query library for the program, and the tools that make models, which
# `uzushio train-lm` calls. It is C++ of another age: built with its own flags, without our sanitizers' checks. The sources of
# a target are compiled as one, in half the time.
set(UZUSHIO_KENLM ${PROJECT_SOURCE_DIR}/build/sources/kenlm)
set(UZUSHIO_KENLM_BUILD ${PROJECT_SOURCE_DIR}/build/kenlm)
set(UZUSHIO_KENLM_LIBS ${UZUSHIO_KENLM_BUILD}/lib/libkenlm.a ${UZUSHIO_KENLM_BUILD}/lib/libkenlm_util.a)
set(UZUSHIO_LMPLZ ${UZUSHIO_KENLM_BUILD}/bin/lmplz)
set(UZUSHIO_BUILD_BINARY ${UZUSHIO_KENLM_BUILD}/bin/build_binary)

add_custom_command(
  OUTPUT ${UZUSHIO_KENLM_LIBS} ${UZUSHIO_LMPLZ} ${UZUSHIO_BUILD_BINARY}
  COMMAND ${CMAKE_COMMAND} -S ${UZUSHIO_KENLM} -B ${UZUSHIO_KENLM_BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release
          -DENABLE_INTERPOLATE=OFF -DKENLM_MAX_ORDER=6 -DCMAKE_POSITION_INDEPENDENT_CODE=ON
          -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0
          -DCMAKE_PROJECT_kenlm_INCLUDE=${PROJECT_SOURCE_DIR}/cmake/KenLMUnity.cmake
          -Wno-dev > ${PROJECT_SOURCE_DIR}/build/kenlm.log 2>&1
  COMMAND ${CMAKE_COMMAND} --build ${UZUSHIO_KENLM_BUILD} --target kenlm lmplz build_binary >> ${PROJECT_SOURCE_DIR}/build/kenlm.log 2>&1
  DEPENDS ${PROJECT_SOURCE_DIR}/requirements/sources.txt ${PROJECT_SOURCE_DIR}/cmake/KenLMUnity.cmake
  COMMENT "Building KenLM" VERBATIM)
add_custom_target(uzushio_kenlm_build DEPENDS ${UZUSHIO_KENLM_LIBS} ${UZUSHIO_LMPLZ} ${UZUSHIO_BUILD_BINARY})

find_library(UZUSHIO_BZ2 bz2)
find_library(UZUSHIO_LZMA lzma)
add_library(uzushio_kenlm INTERFACE)
# Ninja knows that links need the file, and compiles meanwhile; others are told, and wait with all.
if(NOT CMAKE_GENERATOR MATCHES "Ninja")
  add_dependencies(uzushio_kenlm uzushio_kenlm_build)
endif()
target_include_directories(uzushio_kenlm SYSTEM INTERFACE ${UZUSHIO_KENLM})
target_compile_definitions(uzushio_kenlm INTERFACE KENLM_MAX_ORDER=6)
target_link_libraries(uzushio_kenlm INTERFACE ${UZUSHIO_KENLM_LIBS} ${UZUSHIO_LIB_z})
foreach(name BZ2 LZMA)
  if(UZUSHIO_${name})
    target_link_libraries(uzushio_kenlm INTERFACE ${UZUSHIO_${name}})
  endif()
endforeach()

# KenLM reads the numbers of its tries where they are in the file, at any address.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/lm/kenlm.cc ${PROJECT_SOURCE_DIR}/src/lm/kenlm_check.cc
  PROPERTIES COMPILE_OPTIONS -fno-sanitize=alignment SKIP_UNITY_BUILD_INCLUSION ON)
