// From a stored record to a document: the part of `extract` that knows no files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/full_data.h"
#include "document/licenses.h"
#include "html/charset.h"
#include "html/html_parser.h"
#include "html/main_content/content_marker.h"
#include "stages/extract/options.h"
#include "stages/extract/revisit_notes.h"
#include "warc/http.h"
#include "warc/warc_reader.h"

namespace uzushio {

// The parts of a WARC record that extraction looks at. They view memory of the caller.
struct PageView {
  enum class Kind { kHttpResponse, kPlainText };  // a `response` or a `conversion` record
  Kind kind = Kind::kHttpResponse;
  std::string_view header;  // the record's lines; looked at for full data alone
  std::string_view content;
  std::string_view record_id;
  std::string_view url;
  std::string_view date;
  std::string_view warc;
  int64_t offset = 0;
  int64_t length = 0;
  CaptureKeys keys;  // filled in where revisits are resolved
};

// Why a record gives no page, or empty when it gives one, which `page` then is: the reasons are `page-too-large`,
// `truncated`, `segmented` and `warc-type/…`. Views in `page` live as long as the record's.
std::string_view SelectPage(const WarcRecord& record, PageView* page);

// Reasons for which a page is quarantined although its record could be read.
inline constexpr std::string_view kHttpMalformed = "http-malformed";
inline constexpr std::string_view kContentCoding = "content-coding";

// What became of a page.
struct PageOutcome {
  enum class Kind { kDocument, kRejected, kQuarantined };
  Kind kind;
  std::string_view reason;      // of the latter two; one of a bounded number
  bool body_truncated = false;  // the document is of what arrived
  bool false_checksum = false;  // of a compressed body that is whole
  int64_t replaced = 0;         // U+FFFD that stand in its page for what did not decode
};

// Extracts pages, one after another; keeps its memory. One for each thread.
class PageExtractor {
 public:
  explicit PageExtractor(const ExtractOptions& options);

  // On kDocument `document` is filled in; its strings' memory is used again. So is `full`, unless it is null.
  PageOutcome Extract(const PageView& page, Document* document, FullData* full = nullptr);

 private:
  PageOutcome ExtractContent(const PageView& page, Document* document, FullData* full);
  PageOutcome ExtractBody(const PageView& page, std::string_view body, std::string_view charset, MediaType media,
                          Document* document);
  void FillIn(const PageView& page, std::string_view body, MediaType media, FullData* full) const;
  std::string_view ParseAndExtract(std::string_view utf8, MediaType media, Document* document,
                                   std::string_view* declared_language);

  void FillInRights(MediaType media, Document* document);
  bool MayBeJapanese(const DecodedPage& page, MediaType media);
  bool IsInJapanese(std::string_view text, std::string_view declared_language) const;
  bool KeepContent(bool adds_title, Document* document);

  ExtractOptions options_;
  HtmlParser parser_;
  std::unique_ptr<ContentMarker> marker_;  // or null
  PageOutline outline_;                    // filled in where there is a marker
  std::vector<ContentMark> marks_;         // of the outline's paragraphs
  PageLicenses licenses_;
  std::string content_buffer_;
  std::string title_buffer_;
  HttpResponse response_;
  std::string body_buffer_;
  std::string text_buffer_;
};

}  // namespace uzushio
