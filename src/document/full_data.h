// Full data: what a page is made of, beside what extraction makes of it.
#pragma once

#include <string>
#include <vector>

namespace uzushio {

// A field of a header, or what a page's meta element says.
struct NamedValue {
  std::string name;     // UTF-8, with U+FFFD for what is none
  std::string value;    // UTF-8, where `is_text`
  std::string bytes;    // else its own bytes, as `name: value`
  bool is_text = true;  // both name and value are UTF-8

  bool operator==(const NamedValue&) const = default;
  size_t size() const { return name.size() + value.size() + bytes.size() + sizeof(NamedValue); }
};

// What is kept of a page besides its Document.
struct FullData {
  std::vector<NamedValue> warc_headers;  // as they stand: order, repeated ones, empty ones
  std::vector<NamedValue> http_headers;  // none where the record is no HTTP message (WET)
  std::vector<NamedValue> metadata;      // of HTML: see html/page_metadata.h
  bool is_html = false;
  std::string body;  // the page's bytes: transfer and content codings undone, the charset not

  size_t size() const {
    size_t bytes = body.size() + sizeof(FullData);
    for (const auto* fields : {&warc_headers, &http_headers, &metadata}) {
      for (const NamedValue& field : *fields) bytes += field.size();
    }
    return bytes;
  }
};

}  // namespace uzushio
