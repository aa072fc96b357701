#include "warc/http.h"

#include <brotli/decode.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/library_memory.h"
#include "warc/clamp32.h"
#include "warc/codec.h"
#include "warc/decoder_memory.h"

namespace uzushio {
namespace {

constexpr size_t kBodyAllowance = size_t{1} << 20;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

// --- chunked transfer coding (RFC 9112, section 7.1) ---

// The chunk size at the start of `text` and the bytes of its line; false when there is none.
bool ParseChunkSize(std::string_view text, size_t* size, size_t* line_size) {
  const size_t end = text.substr(0, 4096).find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = TrimAscii(text.substr(0, end));
  line = TrimAscii(line.substr(0, line.find(';')));
  const auto [last, error] = std::from_chars(line.data(), line.data() + line.size(), *size, 16);
  if (line.empty() || error != std::errc() || last != line.data() + line.size()) return false;
  *line_size = end + 1;
  return true;
}

// Sets `believed` to false where the text is not chunked.
BodyOutcome DecodeChunked(std::string_view text, size_t max_bytes, std::string* out, bool* believed) {
  out->clear();
  for (bool first = true;; first = false) {
    size_t size = 0;
    size_t line_size = 0;
    if (!ParseChunkSize(text, &size, &line_size)) {
      *believed = !first;
      return first || text.find('\n') == std::string_view::npos ? BodyOutcome::kTruncated : BodyOutcome::kDamaged;
    }
    const bool crlf = line_size > 1 && text[line_size - 2] == '\r';  // a number on a line may begin a text
    text.remove_prefix(line_size);
    if (size == 0) return BodyOutcome::kOk;
    *believed = !first || crlf || size <= text.size();
    if (!*believed) return BodyOutcome::kTruncated;
    if (std::min(size, text.size()) > max_bytes - out->size()) return BodyOutcome::kTooLarge;
    out->append(text.substr(0, size));
    if (size > text.size()) return out->empty() ? BodyOutcome::kDamaged : BodyOutcome::kTruncated;
    text.remove_prefix(size);
    if (text.starts_with('\r')) text.remove_prefix(1);
    if (text.starts_with('\n')) text.remove_prefix(1);
  }
}

// --- content codings ---

enum class CodingState { kMore, kEnd, kFalseChecksum, kDamaged };
struct CodingStep {
  CodingState state;
  size_t consumed;
  size_t produced;
};
using Decoder = std::function<CodingStep(std::string_view in, char* out, size_t out_size)>;

// `wrapping` is ISAL_GZIP, ISAL_ZLIB, or ISAL_DEFLATE for none. Checksums are checked. Behind the end of a member, the
// next is decoded.
Decoder InflateDecoder(uint32_t wrapping) {
  const auto stream = std::make_shared<inflate_state>();
  stream->block_state = ISAL_BLOCK_FINISH;
  return [stream, wrapping](std::string_view in, char* out, size_t out_size) {
    if (stream->block_state == ISAL_BLOCK_FINISH) {
      isal_inflate_init(stream.get());
      stream->crc_flag = wrapping;
    }
    const uint32_t in_size = Clamp32(in.size());
    const uint32_t room = Clamp32(out_size);
    stream->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    stream->avail_in = in_size;
    stream->next_out = reinterpret_cast<uint8_t*>(out);
    stream->avail_out = room;
    const int status = isal_inflate(stream.get());
    const bool is_whole = stream->block_state == ISAL_CHECKSUM_CHECK || stream->block_state == ISAL_BLOCK_FINISH;
    const CodingState state = status == ISAL_INCORRECT_CHECKSUM && is_whole ? CodingState::kFalseChecksum
                              : status < 0 || status == ISAL_NEED_DICT      ? CodingState::kDamaged
                              : stream->block_state == ISAL_BLOCK_FINISH    ? CodingState::kEnd
                                                                            : CodingState::kMore;
    return CodingStep{state, in_size - stream->avail_in, room - stream->avail_out};
  };
}

Decoder BrotliDecoder() {
  std::shared_ptr<BrotliDecoderState> decoder(Allocated(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)),
                                              BrotliDecoderDestroyInstance);
  return [decoder](std::string_view in, char* out, size_t out_size) {
    size_t in_left = in.size();
    size_t out_left = out_size;
    const auto* next_in = reinterpret_cast<const uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<uint8_t*>(out);
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder.get(), &in_left, &next_in, &out_left, &next_out, nullptr);
    const CodingState state = result == BROTLI_DECODER_RESULT_SUCCESS ? CodingState::kEnd
                              : IsBrotliError(decoder.get(), result)  ? CodingState::kDamaged
                                                                      : CodingState::kMore;
    return CodingStep{state, in.size() - in_left, out_size - out_left};
  };
}

Decoder ZstdDecoder() {
  std::shared_ptr<ZSTD_DCtx> context(Allocated(ZSTD_createDCtx()), ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMostZstdWindowBits);
  return [context](std::string_view in, char* out, size_t out_size) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, out_size, 0};
    const size_t left = ZSTD_decompressStream(context.get(), &output, &input);
    const CodingState state = IsZstdError(left) ? CodingState::kDamaged
                              : left == 0       ? CodingState::kEnd
                                                : CodingState::kMore;
    return CodingStep{state, input.pos, output.pos};
  };
}

// What begins with `magic` behind the end goes on: member after member, frame after frame.
BodyOutcome RunDecoder(const Decoder& decoder, std::string_view in, const BodyLimits& limits, std::string* out,
                       std::string_view magic = {}) {
  const size_t stored = in.size();
  const size_t most =
      std::max(kBodyAllowance,
               stored > limits.max_bytes / limits.max_inflation ? limits.max_bytes : stored * limits.max_inflation);
  const size_t cap = std::min(most, limits.max_bytes);
  out->resize(std::min(cap + 1, std::max<size_t>(stored * 8, size_t{64} << 10)));
  size_t produced = 0;
  while (true) {
    const CodingStep step = decoder(in, out->data() + produced, out->size() - produced);
    in.remove_prefix(step.consumed);
    produced += step.produced;
    if (produced > cap) return cap == limits.max_bytes ? BodyOutcome::kTooLarge : BodyOutcome::kInflated;
    if (step.state == CodingState::kFalseChecksum) {  // members behind it are not read
      out->resize(produced);
      return BodyOutcome::kFalseChecksum;
    }
    if (step.state == CodingState::kEnd && (magic.empty() || !in.starts_with(magic))) break;
    if (step.state == CodingState::kDamaged) return BodyOutcome::kDamaged;
    if (produced == out->size()) {
      out->resize(std::min(cap + 1, out->size() * 2));
    } else if (in.empty() || (step.consumed == 0 && step.produced == 0)) {
      out->resize(produced);
      return produced == 0 ? BodyOutcome::kDamaged : BodyOutcome::kTruncated;
    }
  }
  out->resize(produced);
  return BodyOutcome::kOk;
}

// Whether the bytes can be a zlib stream (RFC 1950, section 2.2).
bool LooksLikeZlib(std::string_view body) {
  if (body.size() < 2) return false;
  const auto cmf = static_cast<unsigned char>(body[0]);
  const auto flags = static_cast<unsigned char>(body[1]);
  return (cmf & 0x0F) == 8 && (cmf >> 4) <= 7 && (cmf * 256 + flags) % 31 == 0;
}

// Whether the bytes have none that a text never has (WHATWG MIME Sniffing, section 3, "binary data byte").
bool IsText(std::string_view body) {
  return std::ranges::none_of(body.substr(0, 1445), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) || (byte >= 0x1C && byte <= 0x1F);
  });
}

bool LooksLikeMarkup(std::string_view body) {
  const std::string_view start = TrimAscii(body.substr(0, 512));
  return start.starts_with('<') || start.starts_with("\xEF\xBB\xBF");
}

// Undoes one coding into `out`, or sets `believed` to false where the body is not in that coding.
BodyOutcome UndoCoding(std::string_view coding, std::string_view in, const BodyLimits& limits, std::string* out,
                       bool* believed) {
  *believed = !in.empty();
  if (in.empty()) return BodyOutcome::kOk;
  if (EqualsIgnoreCase(coding, "chunked")) return DecodeChunked(in, limits.max_bytes, out, believed);
  if (EqualsIgnoreCase(coding, "gzip") || EqualsIgnoreCase(coding, "x-gzip")) {
    if (in.starts_with(kGzipMagic)) return RunDecoder(InflateDecoder(ISAL_GZIP), in, limits, out, kGzipMagic);
  } else if (EqualsIgnoreCase(coding, "deflate")) {
    if (LooksLikeZlib(in)) return RunDecoder(InflateDecoder(ISAL_ZLIB), in, limits, out);
    if (!LooksLikeMarkup(in)) {
      const BodyOutcome outcome = RunDecoder(InflateDecoder(ISAL_DEFLATE), in, limits, out);
      if (outcome != BodyOutcome::kDamaged && !(outcome == BodyOutcome::kTruncated && IsText(in))) return outcome;
    }
  } else if (EqualsIgnoreCase(coding, "br")) {
    if (!LooksLikeMarkup(in)) {
      const BodyOutcome outcome = RunDecoder(BrotliDecoder(), in, limits, out);
      const bool fails = outcome == BodyOutcome::kDamaged || outcome == BodyOutcome::kTruncated;
      if (!fails || !IsText(in)) return outcome;
    }
  } else if (EqualsIgnoreCase(coding, "zstd") && in.starts_with(kZstdMagic)) {
    const auto frame = ReadZstdFrameHeader(in);
    if (frame && frame->window > uint64_t{1} << kMostZstdWindowBits) return BodyOutcome::kTooWide;
    return RunDecoder(ZstdDecoder(), in, limits, out, kZstdMagic);
  }
  *believed = false;
  return BodyOutcome::kOk;
}

// Appends the codings that all headers of a name list, as many as are believed to be one upon another.
void AppendCodings(const Headers& headers, std::string_view name, std::vector<std::string_view>* codings) {
  constexpr size_t kMost = 8;
  const size_t end_size = codings->size() + kMost;
  for (const auto& [field, value] : headers.fields()) {
    if (!EqualsIgnoreCase(field, name)) continue;
    for (std::string_view list = value; !list.empty() && codings->size() < end_size;) {
      const size_t end = std::min(list.find(','), list.size());
      const std::string_view coding = TrimAscii(list.substr(0, end));
      if (!coding.empty()) codings->push_back(coding);
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
}

}  // namespace

bool ParseHttpResponse(std::string_view message, HttpResponse* response) {
  // Servers may send up to four stray bytes before the status line; browsers skip them.
  constexpr size_t kSlop = 4;
  size_t start = 0;
  while (start <= kSlop && !StartsWithIgnoreCase(message.substr(start), "http")) {
    if (++start > message.size()) return false;
  }
  if (start > kSlop) return false;
  message.remove_prefix(start);
  const size_t line_end = message.find('\n');
  if (line_end == std::string_view::npos) return false;
  const std::string_view line = TrimAscii(message.substr(0, line_end));
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view rest = TrimAscii(line.substr(space));
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), response->status);
  if (error != std::errc() || end - rest.data() != 3 || response->status < 100) return false;
  const size_t header_end = FindHeaderEnd(message, line_end);
  const size_t header_size = header_end == std::string_view::npos ? message.size() : header_end;
  response->headers.Parse(message.substr(line_end + 1, header_size - std::min(header_size, line_end + 1)));
  response->body = message.substr(header_size);
  return true;
}

BodyOutcome DecodeBody(const HttpResponse& response, const BodyLimits& limits, std::string* buffer,
                       std::string_view* body) {
  *body = response.body;
  std::vector<std::string_view> codings;  // in the order in which they were applied
  AppendCodings(response.headers, "Content-Encoding", &codings);
  AppendCodings(response.headers, "Transfer-Encoding", &codings);
  std::string decoded;
  BodyOutcome kept = BodyOutcome::kOk;
  for (auto coding = codings.rbegin(); coding != codings.rend(); ++coding) {
    bool believed = false;
    const BodyOutcome outcome = UndoCoding(*coding, *body, limits, &decoded, &believed);
    if (!believed) continue;
    const bool is_kept = outcome == BodyOutcome::kTruncated || outcome == BodyOutcome::kFalseChecksum;
    if (outcome != BodyOutcome::kOk && !is_kept) return outcome;
    if (is_kept && kept != BodyOutcome::kTruncated) kept = outcome;
    buffer->swap(decoded);
    *body = *buffer;
  }
  if (body->size() > limits.max_bytes) return BodyOutcome::kTooLarge;
  return kept;
}

namespace {

constexpr std::array<std::string_view, 16> kHtmlStarts = {
    "<!doctype html", "<html", "<head",  "<script", "<iframe", "<h1",   "<div", "<font",
    "<table",         "<a",    "<style", "<title",  "<b",      "<body", "<br",  "<p"};

std::string_view SkipBomAndSpace(std::string_view body) {
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const size_t start = body.find_first_not_of(" \t\r\n\f");
  return start == std::string_view::npos ? std::string_view() : body.substr(start);
}

bool StartsWithTag(std::string_view body, std::string_view tag) {
  return StartsWithIgnoreCase(body, tag) && body.size() > tag.size() &&
         (body[tag.size()] == '>' || std::string_view(" \t\r\n\f").find(body[tag.size()]) != std::string_view::npos);
}

// Whether an XML document has an html element close to its start.
bool IsXhtml(std::string_view body) {
  return body.starts_with("<?xml") && body.substr(0, 1024).find("<html") != std::string_view::npos;
}

bool BeginsAsHtml(std::string_view start) {
  return StartsWithTag(start, "<!doctype html") || StartsWithTag(start, "<html") || IsXhtml(start);
}

bool IsOneOf(std::string_view essence, std::span<const std::string_view> types) {
  return std::ranges::any_of(types, [essence](std::string_view type) { return EqualsIgnoreCase(essence, type); });
}

// The place behind the quoted string at `at`, in which a backslash stands before what is no end.
size_t QuotedEnd(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The end of a parameter, of which a quoted value may hold what separates others.
size_t ParameterEnd(std::string_view parameters, size_t at) {
  const size_t end = std::min(parameters.find_first_of("; \t\"", at), parameters.size());
  const bool is_quoted = end > 0 && parameters.substr(end - 1).starts_with("=\"");
  return is_quoted ? QuotedEnd(parameters, end) : std::min(parameters.find_first_of("; \t", end), parameters.size());
}

// The charset among the parameters of a Content-Type.
std::string_view CharsetParameter(std::string_view parameters) {
  constexpr std::string_view kBetween = "; \t";
  constexpr std::string_view kName = "charset";
  for (size_t at = 0; at < parameters.size(); at = ParameterEnd(parameters, at)) {
    at = std::min(parameters.find_first_not_of(kBetween, at), parameters.size());
    if (!StartsWithIgnoreCase(parameters.substr(at), kName)) continue;
    std::string_view value = TrimAscii(parameters.substr(at + kName.size()));
    if (!value.starts_with('=')) continue;
    value = TrimAscii(value.substr(1));
    const char quote = value.empty() ? '\0' : value.front();
    if (quote == '"' || quote == '\'') {
      value.remove_prefix(1);
      return TrimAscii(value.substr(0, value.find(quote)));
    }
    return TrimAscii(value.substr(0, value.find_first_of("; \t,")));
  }
  return {};
}

}  // namespace

ContentType ParseContentType(std::string_view value) {
  value = TrimAscii(value);
  const size_t end = std::min(value.find_first_of(";, \t("), value.size());
  return {value.substr(0, end), CharsetParameter(value.substr(end))};
}

ContentType ContentTypeOf(const Headers& headers) {
  ContentType found;
  const auto take = [&found](std::string_view value) {
    ContentType type = ParseContentType(value);
    if (type.essence.find('/') == std::string_view::npos || type.essence == "*/*") return;
    if (type.charset.empty() && EqualsIgnoreCase(type.essence, found.essence)) type.charset = found.charset;
    found = type;
  };
  for (const auto& [name, value] : headers.fields()) {
    if (!EqualsIgnoreCase(name, "Content-Type")) continue;
    size_t begin = 0;
    for (size_t i = 0; i < value.size(); i = value[i] == '"' ? QuotedEnd(value, i) : i + 1) {
      if (value[i] != ',') continue;
      take(value.substr(begin, i - begin));
      begin = i + 1;
    }
    take(value.substr(begin));
  }
  return found;
}

MediaType ClassifyMedia(std::string_view essence, std::string_view body) {
  if (EqualsIgnoreCase(essence, "text/html") || EqualsIgnoreCase(essence, "application/xhtml+xml")) {
    return MediaType::kHtml;
  }
  const std::string_view start = SkipBomAndSpace(body);
  if (EqualsIgnoreCase(essence, "text/plain")) return BeginsAsHtml(start) ? MediaType::kHtml : MediaType::kText;
  constexpr std::array<std::string_view, 2> kXml = {"application/xml", "text/xml"};
  if (IsOneOf(essence, kXml)) return BeginsAsHtml(start) ? MediaType::kHtml : MediaType::kOther;
  constexpr std::array<std::string_view, 6> kGeneric = {"application/octet-stream", "binary/octet-stream",
                                                        "unknown/unknown",          "application/unknown",
                                                        "application/x-unknown",    "*/*"};
  const bool missing = essence.find('/') == std::string_view::npos;
  if (!missing && !IsOneOf(essence, kGeneric)) return MediaType::kOther;
  const bool html =
      start.starts_with("<!--") || IsXhtml(start) ||
      std::ranges::any_of(kHtmlStarts, [start](std::string_view tag) { return StartsWithTag(start, tag); });
  if (html) return MediaType::kHtml;
  return missing && !body.empty() && IsText(body) ? MediaType::kText : MediaType::kOther;
}

}  // namespace uzushio
