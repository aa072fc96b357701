#include <lz4.h>

#include "filters/list.h"

namespace uzushio {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;  // of text that is compressed

class CompressionRate final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    std::string& text = scratch->text;
    text.clear();
    for (const FilterParagraph& paragraph : document.paragraphs()) {
      if (!paragraph.alive()) continue;
      size_t bytes = std::min(paragraph.plain.size(), kMaxBytes - text.size());
      const bool whole = bytes == paragraph.plain.size();
      while (!whole && bytes > 0 && (static_cast<unsigned char>(paragraph.plain[bytes]) & 0xC0) == 0x80) --bytes;
      text += paragraph.plain.substr(0, bytes);
      if (!whole) break;
    }
    const int bound = LZ4_compressBound(static_cast<int>(text.size()));
    if (scratch->compressed.size() < static_cast<size_t>(bound)) scratch->compressed.resize(static_cast<size_t>(bound));
    const int compressed =
        LZ4_compress_default(text.data(), scratch->compressed.data(), static_cast<int>(text.size()), bound);
    return text.empty() ? 0 : Ratio(compressed, static_cast<double>(text.size()));
  }

 protected:
  std::string ReasonName() const override { return "CompressionRate"; }
};

}  // namespace

FilterDeclaration DeclareCompressionRate() {
  return Declare<CompressionRate>("CompressionRate", "documents",
                                  "Removes documents that LZ4 makes too small (repetition) or hardly smaller (lists).")
      .Metric("CompressionRate", "compressed bytes / bytes of the text, at most 1 MiB of it")
      .Bounds(0.0, 2.0)  // a single byte takes two
      .Done();
}

}  // namespace uzushio
