# Libraries of the distribution.
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(uzushio_system INTERFACE)
foreach(name deflate isal zstd brotlidec xxhash cld2 utf8proc z lz4 fmt)
  find_library(UZUSHIO_LIB_${name} ${name} REQUIRED)
  target_link_libraries(uzushio_system INTERFACE ${UZUSHIO_LIB_${name}})
endforeach()
target_link_libraries(uzushio_system INTERFACE Threads::Threads CLI11::CLI11 nlohmann_json::nlohmann_json)
