// Ids and dates of documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uzushio {

// The id of a document: the UUID in `<urn:uuid:…>` of its WARC-Record-ID. Where the id is no UUID, one (version 8) is
// derived from URL, WARC-Date and offset, so that it is the same each time.
std::string DocumentId(std::string_view record_id, std::string_view url, std::string_view date, int64_t offset);

// The earliest plausible of WARC-Date (ISO 8601), and the HTTP headers Date and Last-Modified (RFC 9110, section
// 5.6.7, the obsolete forms too), as yyyy-mm-ddThh:mm:ss in UTC. Dates before 1999-01-01 and what is no date do not
// count. Empty when none is left.
std::string DocumentDate(std::string_view warc_date, std::string_view http_date, std::string_view last_modified);

// The seconds from 1970 on of a date of ISO 8601: yyyy-mm-dd, with a time of the day or without, which is UTC where no
// zone is named. None of what is no date.
std::optional<int64_t> SecondsOfDate(std::string_view date);

}  // namespace uzushio
