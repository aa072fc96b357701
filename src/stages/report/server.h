// A page on this machine alone, with answers to its questions, for `uzushio report --serve`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>

namespace uzushio {

struct ServerConfig {
  std::string page;   // HTML
  std::string token;  // has to be in every URL
  // The answer to what was posted to /kept, as JSON. Invalid: what was posted is at fault; it is told whose asks.
  std::function<arrow::Result<std::string>(const std::string& body)> kept;
  // Called once, when the page can be had: at http://127.0.0.1:PORT/?token=TOKEN.
  std::function<void(const std::string& url)> on_ready;
};

// What nobody guesses: 256 random bits of the system's, in hexadecimal digits.
arrow::Result<std::string> MakeToken();

// Serves at 127.0.0.1 and a port that the system chooses, until the process gets SIGINT or SIGTERM, or its work is
// asked to stop (base/stop.h); connections are closed then. Answers `GET /` with the page and `POST /kept`; no file can
// be had. Refused are (403) requests whose Host, or Origin if there is one, is another, as pages of other sites send
// that reach this machine by a name of theirs, and those without the token; (413, 431) long ones. Connections that say
// nothing are closed; of more than some dozen at once, the oldest that has not sent the token.
// Errors: no port can be had.
arrow::Status Serve(const ServerConfig& config);

}  // namespace uzushio
