#include <lz4.h>

#include "base/utf8.h"
#include "filters/list.h"

namespace uzushio {
namespace {

constexpr int kMaxBytes = 1 << 20;  // of text that is compressed

class CompressionRate final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    std::string& text = scratch->text;
    text.clear();
    for (const FilterParagraph& paragraph : document.paragraphs()) {
      if (!paragraph.alive()) continue;
      const std::string_view prefix = Utf8Prefix(paragraph.plain, kMaxBytes - text.size());
      text += prefix;
      if (prefix.size() < paragraph.plain.size()) break;
    }
    std::string& compressed = scratch->compressed;
    compressed.resize(LZ4_COMPRESSBOUND(kMaxBytes));
    const int bytes = LZ4_compress_default(text.data(), compressed.data(), static_cast<int>(text.size()),
                                           static_cast<int>(compressed.size()));
    return Ratio(bytes, static_cast<double>(text.size()));
  }

 protected:
  std::string ReasonName() const override { return "CompressionRate"; }
};

}  // namespace

FilterDeclaration DeclareCompressionRate() {
  return Declare<CompressionRate>(
             "CompressionRate", "documents",
             "Removes documents that LZ4 compresses too well (repetition) or hardly at all (lists).")
      .Metric("CompressionRate", "compressed bytes / bytes, of at most 1 MiB of the text")
      .Bounds(0.0, 2.0)  // a single byte takes two
      .Done();
}

}  // namespace uzushio
