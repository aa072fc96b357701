// Real pages for benchmarks.
#pragma once

#include <arrow/filesystem/localfs.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/charset.h"
#include "stages/extract/page_extractor.h"
#include "warc/warc_reader.h"

namespace uzushio_bench {

// Calls `use(response, body)` with each response of an archive whose body is whole, without its codings.
template <typename Use>
arrow::Status ForEachResponse(const char* path, Use use) {
  arrow::fs::LocalFileSystem filesystem;
  ARROW_ASSIGN_OR_RAISE(auto file, filesystem.OpenInputFile(path));
  ARROW_ASSIGN_OR_RAISE(auto window, uzushio::InputWindow::Open(file));
  ARROW_ASSIGN_OR_RAISE(auto reader, uzushio::WarcReader::Open(std::move(window), path, size_t{8} << 20, 1000));
  uzushio::WarcRecord record;
  std::string buffer;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&record));
    if (!more) return arrow::Status::OK();
    uzushio::PageView page;
    uzushio::HttpResponse response;
    std::string_view body;
    if (!uzushio::SelectPage(record, &page).empty() || !uzushio::ParseHttpResponse(page.content, &response)) continue;
    if (uzushio::DecodeBody(response, {size_t{8} << 20, 1000}, &buffer, &body) != uzushio::BodyOutcome::kOk) continue;
    use(response, body);
  }
}

// The HTML pages of an archive, decoded.
inline arrow::Result<std::vector<std::string>> LoadPages(const char* path) {
  std::vector<std::string> pages;
  std::string utf8;
  ARROW_RETURN_NOT_OK(ForEachResponse(path, [&](const uzushio::HttpResponse& response, std::string_view body) {
    const uzushio::ContentType type = uzushio::ContentTypeOf(response.headers);
    if (uzushio::ClassifyMedia(type.essence, body) != uzushio::MediaType::kHtml) return;
    const auto page_text = uzushio::DecodePage(body, type.charset, true, uzushio::CharsetRule::kTolerant, false, &utf8);
    if (page_text) pages.emplace_back(page_text->utf8);
  }));
  return pages;
}

}  // namespace uzushio_bench
