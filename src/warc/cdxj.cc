#include "warc/cdxj.h"

#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.h"
#include "warc/headers.h"

namespace uzushio {
namespace {

// Digits alone, as many as there are.
std::optional<int64_t> DigitsOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The value of a key as a text; `-` is none.
std::string TextOf(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  if (found->is_string()) {
    auto text = found->get<std::string>();
    return text == "-" ? std::string() : text;
  }
  return found->is_number_integer() ? found->dump() : std::string();
}

}  // namespace

std::optional<int64_t> ParseCaptureTime(std::string_view text) {
  text = TrimAscii(text);
  std::string digits;
  for (size_t i = 0; i < text.size() && digits.size() < 14; ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (c == '.' || c == 'Z') {
      break;  // fractions of seconds
    } else if (c != '-' && c != ':' && c != 'T' && c != ' ') {
      return std::nullopt;
    }
  }
  if (digits.size() != 14 && digits.size() != 8) return std::nullopt;
  digits.resize(14, '0');
  const auto part = [&digits](size_t begin, size_t size) {
    return static_cast<int>(DigitsOf(std::string_view(digits).substr(begin, size)).value_or(0));
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(4, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(6, 2)))};
  if (!day.ok() || part(8, 2) > 23 || part(10, 2) > 59 || part(12, 2) > 60) return std::nullopt;
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + part(8, 2)) * 60 + part(10, 2)) * 60 + part(12, 2)) * 1000;
}

std::string_view PlainDigest(std::string_view digest) {
  constexpr std::string_view kSha1 = "sha1:";
  return EqualsIgnoreCase(digest.substr(0, kSha1.size()), kSha1) ? digest.substr(kSha1.size()) : digest;
}

bool IsCdxjHeader(std::string_view line) {
  return TrimAscii(line).empty() || line.starts_with('!') || line.starts_with(" CDX");
}

std::string_view ParseCdxj(std::string_view line, Capture* capture) {
  const size_t brace = line.find('{');
  if (brace == std::string_view::npos) return "no-json";
  if (!IsValidUtf8(line)) return "no-utf8";
  const nlohmann::json json = nlohmann::json::parse(line.substr(brace), nullptr, false);
  if (!json.is_object()) return "no-json";
  const std::string_view before = TrimAscii(line.substr(0, brace));
  *capture = {};
  if (const size_t blank = before.rfind(' '); blank != std::string_view::npos) {
    capture->time = ParseCaptureTime(before.substr(blank + 1));
  }
  if (!capture->time) capture->time = ParseCaptureTime(TextOf(json, "timestamp"));
  if (!capture->time) return "no-time";
  const std::array<std::pair<const char*, std::string*>, 7> texts = {{{"url", &capture->url},
                                                                      {"mime", &capture->mime},
                                                                      {"mime-detected", &capture->mime_detected},
                                                                      {"charset", &capture->charset},
                                                                      {"languages", &capture->languages},
                                                                      {"truncated", &capture->truncated},
                                                                      {"filename", &capture->file}}};
  for (const auto& [key, text] : texts) *text = TextOf(json, key);
  capture->digest = PlainDigest(TextOf(json, "digest"));
  if (const auto status = DigitsOf(TextOf(json, "status")); status && *status >= 0 && *status <= INT16_MAX) {
    capture->status = static_cast<int32_t>(*status);
  }
  const std::optional<int64_t> offset = DigitsOf(TextOf(json, "offset"));
  const std::optional<int64_t> length = DigitsOf(TextOf(json, "length"));
  if (capture->file.empty() || !offset || !length || *offset < 0 || *length <= 0) return "no-place";
  capture->offset = *offset;
  capture->length = *length;
  return capture->url.empty() ? "no-url" : std::string_view();
}

}  // namespace uzushio
