#include "cli/versions.h"

#include <arrow/config.h>
#include <brotli/decode.h>
#include <fmt/format.h>
#include <isa-l.h>
#include <lexbor/core/base.h>
#include <libdeflate.h>
#include <lz4.h>
#include <utf8proc.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <CLI/Version.hpp>
#include <nlohmann/json_fwd.hpp>

#include "dedup/minhash.h"

namespace uzushio {
namespace {

// A version that is one number: its parts, of `base` each.
std::string Parts(unsigned version, unsigned base) {
  return fmt::format("{}.{}.{}", version / base / base, version / base % base, version % base);
}

std::string SimdText() {
  constexpr const char* kNames[] = {"the baseline", "AVX2", "AVX-512"};
  return fmt::format("{}; Arrow uses {}", kNames[static_cast<size_t>(BestSimd())], arrow::GetRuntimeInfo().simd_level);
}

}  // namespace

std::string VersionText() {
  std::string text = "uzushio " UZUSHIO_VERSION "\nlibraries: ";
  text += fmt::format("Arrow {}, lexbor {}, libdeflate {}, ISA-L {}.{}.{}, zstd {}, brotli {}, zlib {}, LZ4 {}, ",
                      arrow::GetBuildInfo().version_string, LEXBOR_VERSION_STRING, LIBDEFLATE_VERSION_STRING,
                      ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION, ZSTD_versionString(),
                      Parts(BrotliDecoderVersion(), 1 << 12), zlibVersion(), LZ4_versionString());
  text += fmt::format("xxHash {}, utf8proc {}, fmt {}, CLI11 {}, nlohmann-json {}.{}.{}, " UZUSHIO_PINNED "\n",
                      Parts(XXH_versionNumber(), 100), utf8proc_version(), Parts(FMT_VERSION, 100), CLI11_VERSION,
                      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
  return text + "SIMD: " + SimdText() + "\n";
}

}  // namespace uzushio
