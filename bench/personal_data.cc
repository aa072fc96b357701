// bench_personal_data FILE: finds personal data in texts that '\0' ends, and writes a line for each piece: the text's
// number, first byte, byte behind, kind. bench_personal_data FILE ROUNDS: writes the processor's seconds of each round
// instead, the bytes and the pieces.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "personal/find.h"
#include "texts.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string all = uzushio::ReadTexts(argv[1]);
  const std::vector<std::string_view> texts = uzushio::SplitTexts(all);
  const uzushio::PersonalKindSet kinds = uzushio::PersonalKindSet().set();
  std::vector<uzushio::PersonalSpan> spans;
  if (argc > 2) {
    for (int round = std::atoi(argv[2]); round > 0; --round) {
      size_t pieces = 0;
      const std::clock_t start = std::clock();
      for (const std::string_view text : texts) {
        spans.clear();
        uzushio::FindPersonalData(text, kinds, &spans);
        pieces += spans.size();
      }
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      fmt::print("{} {} {}\n", seconds, all.size() - texts.size(), pieces);
    }
    return 0;
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    spans.clear();
    uzushio::FindPersonalData(texts[i], kinds, &spans);
    for (const uzushio::PersonalSpan& span : spans) {
      fmt::print("{} {} {} {}\n", i, span.begin, span.end, uzushio::NameOf(span.kind).name);
    }
  }
}
