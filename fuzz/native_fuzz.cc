// The Rust libraries behind native/, by the first byte: a tokenizer.json, a configuration, a text in an encoding,
// words. What is decoded in pieces is what is decoded at once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/native.h"
#include "bytes.h"
#include "filters/native_config.h"
#include "html/encoding.h"
#include "html/native_encoding.h"
#include "lm/native_tokens.h"

namespace {

void CountTokens(std::string_view json) {
  std::array<uint8_t, 64> error{};
  size_t length = 0;
  UzTokenCounter* counter = uz_tokens_open(uzushio::AsBytes(json), json.size(), error.data(), error.size(), &length);
  uzushio_fuzz::Check(length <= error.size());
  if (counter == nullptr) return;
  const std::string_view text = "日本語の文 and words, 123.\n  a";
  const auto count = [&] {
    return uz_tokens_count(counter, uzushio::AsBytes(text), text.size(), error.data(), error.size(), &length);
  };
  uzushio_fuzz::Check(count() == count());
  uz_tokens_close(counter);
}

// Without what makes gigabytes of some hundred bytes: the product resolves these in a process of its own.
void ResolveHocon(std::string_view text) {
  if (text.size() > 2048 || text.find("include") != std::string_view::npos) return;
  if (std::ranges::count(text, '$') > 2) return;
  const uzushio_fuzz::File file(text, ".native.conf");
  UzHoconAnswer* answer =
      uz_hocon_read(uzushio::AsBytes(file.path()), file.path().size(), uzushio::AsBytes(file.path()), 0);
  size_t length = 0;
  size_t line = 0;
  bool ok = false;
  const auto* data = reinterpret_cast<const char*>(uz_hocon_text(answer, &length, &line, &ok));
  uzushio_fuzz::Check(!ok || (length >= 2 && data[0] == '{' && data[length - 1] == '}'));
  uz_hocon_free(answer);
}

std::string WithoutReplacements(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string kept;
  for (size_t at = text.find(kReplacement); at != std::string_view::npos; at = text.find(kReplacement)) {
    kept += text.substr(0, at);
    text.remove_prefix(at + kReplacement.size());
  }
  return kept += text;
}

void Decode(std::string_view bytes, size_t choice) {
  constexpr std::array<const char*, 8> kLabels = {"utf-8",    "shift_jis", "euc-jp", "iso-2022-jp",
                                                  "utf-16le", "gb18030",   "big5",   "windows-1252"};
  const auto encoding = uzushio::Encoding::ForLabel(kLabels[choice % kLabels.size()]);
  std::string buffer;
  const std::string_view whole = encoding->Decode(bytes, &buffer);
  uzushio_fuzz::Check(uz_utf8_valid_up_to(uzushio::AsBytes(whole), whole.size()) == whole.size());
  const uzushio::Faults faults = encoding->FaultsOf(bytes, true);
  uzushio_fuzz::Check(faults.faults <= faults.characters);
  const std::string label = kLabels[choice % kLabels.size()];
  UzDecoder* decoder = uz_decoder_new(uz_encoding_for_label(uzushio::AsBytes(label), label.size()));
  std::string pieces;
  for (size_t at = 0; at <= bytes.size(); ++at) {
    const std::string_view piece = bytes.substr(at, 1);
    std::array<uint8_t, 64> out{};
    size_t written = 0;
    bool replaced = false;
    uzushio_fuzz::Check(uz_decoder_max_length(decoder, piece.size()) <= out.size());
    uz_decode(decoder, uzushio::AsBytes(piece), piece.size(), out.data(), out.size(), piece.empty(), &written,
              &replaced);
    pieces.append(reinterpret_cast<const char*>(out.data()), written);
  }
  uz_decoder_free(decoder);
  // Of ISO-2022-JP, escapes that another follows are left out of the whole, and replaced in pieces.
  uzushio_fuzz::Check(encoding->escapes() ? WithoutReplacements(pieces) == WithoutReplacements(whole)
                                          : pieces == whole);
  uzushio::Encoding::Guess(bytes, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text = uzushio_fuzz::View(data + 2, size - 2);
  switch (data[0] % 3) {
    case 0:
      CountTokens(text);
      break;
    case 1:
      ResolveHocon(text);
      break;
    default:
      Decode(text, data[1]);
  }
  return 0;
}
