// A document: what extraction makes of a page.
#pragma once

#include <cstdint>
#include <string>

namespace uzushio {

// A row of the documents dataset. The strings up to `date` are as the original Uzushio writes them.
struct Document {
  std::string doc_id;  // UUID
  std::string url;
  std::string charset;   // of the page, by its WHATWG name
  std::string language;  // ISO 639-1 where there is a code, `und` where the language is not known; the partition
  std::string text;      // in the markup of document/markup.h
  std::string date;      // yyyy-mm-ddThh:mm:ss in UTC, or empty
  std::string warc;      // the input, as it was named
  int64_t offset = 0;    // where the record lies in it; see WarcRecord
  int64_t length = 0;
  std::string title;    // of the page, or empty
  std::string robots;   // the rules for robots, a line each (document/robots_rules.h), or empty
  std::string license;  // the licences that the page names, a line each (document/licenses.h), or empty

  int64_t paragraphs = 0;  // in `text`; no column

  size_t bytes() const {
    return doc_id.size() + url.size() + charset.size() + text.size() + date.size() + warc.size() + title.size() +
           robots.size() + license.size() + 16;
  }
};

}  // namespace uzushio
