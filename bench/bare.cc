// Physical limits to measure `extract` against: `bench_bare libdeflate|lexbor FILE.warc.gz`.
//
// libdeflate inflates the file's members into one buffer and does nothing else. lexbor parses the file's HTML pages,
// already decoded to UTF-8 in memory, with one document that is used again. Prints bytes and seconds of a pass, after
// one to warm up, as JSON.
#include <lexbor/html/html.h>
#include <libdeflate.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "pages.h"

namespace {

// One pass to warm up, one to count.
void Measure(const int64_t* bytes, const std::function<void()>& pass) {
  pass();
  const auto start = std::chrono::steady_clock::now();
  pass();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("{\"bytes\": %lld, \"seconds\": %.6f}\n", static_cast<long long>(*bytes), seconds);
}

int Libdeflate(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  libdeflate_decompressor* inflater = libdeflate_alloc_decompressor();
  std::string out(size_t{16} << 20, '\0');
  int64_t bytes = 0;
  const auto pass = [&] {
    bytes = 0;
    for (size_t at = 0; at < data.size();) {
      size_t consumed = 0;
      size_t produced = 0;
      if (libdeflate_gzip_decompress_ex(inflater, data.data() + at, data.size() - at, out.data(), out.size(), &consumed,
                                        &produced) != LIBDEFLATE_SUCCESS) {
        std::fprintf(stderr, "bench_bare: damaged input\n");
        std::exit(1);
      }
      at += consumed;
      bytes += static_cast<int64_t>(produced);
    }
  };
  Measure(&bytes, pass);
  libdeflate_free_decompressor(inflater);
  return 0;
}

int Lexbor(const char* path) {
  const auto pages = uzushio_bench::LoadPages(path);
  if (!pages.ok()) {
    std::fprintf(stderr, "bench_bare: %s\n", pages.status().ToString().c_str());
    return 1;
  }
  int64_t bytes = 0;
  for (const std::string& page : *pages) bytes += static_cast<int64_t>(page.size());
  lxb_html_document_t* document = lxb_html_document_create();
  Measure(&bytes, [&] {
    for (const std::string& page : *pages) {
      lxb_html_document_parse(document, reinterpret_cast<const lxb_char_t*>(page.data()), page.size());
    }
  });
  lxb_html_document_destroy(document);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "libdeflate") return Libdeflate(argv[2]);
  if (mode == "lexbor") return Lexbor(argv[2]);
  std::fprintf(stderr, "usage: bench_bare libdeflate|lexbor FILE.warc.gz\n");
  return 2;
}
