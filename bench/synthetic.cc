// A made-up corpus of paragraphs whose near-duplicates are known:
//   bench_synthetic PARAGRAPHS OUTPUT_DIR [SEED]
// writes OUTPUT_DIR/documents.parquet (column `text`, fifty paragraphs a document) and OUTPUT_DIR/truth.parquet:
// `hash`, `otherHash`, `meanLength` and `similarity` (in millionths, as bench_truth has it) of each pair of one family
// that is near by the definition.
//
// Texts are words drawn by Zipf's law, each of one to four random kana, kanji or digits. Most families have one member;
// others have up to 64, made from the first by edits: single characters, replaced words, changed digits, cut ends. Some
// paragraphs are repeated as they are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "datasets/table_writer.h"
#include "dedup/comparer.h"
#include "dedup/grams.h"
#include "dedup/relation.h"
#include "document/paragraph_hash.h"
#include "statistics/counted_paragraphs.h"

namespace uzushio {
namespace {

using Random = std::mt19937_64;

// Not std::uniform_int_distribution, whose values differ between libraries.
size_t Below(Random* random, size_t n) { return static_cast<size_t>((*random)() % n); }
double Unit(Random* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

class Vocabulary {
 public:
  explicit Vocabulary(uint64_t seed) {
    Random random(seed);
    for (std::u32string& word : words_) {
      const size_t kind = Below(&random, 10);
      const size_t length = 1 + Below(&random, kind < 5 ? 3 : 4);
      for (size_t i = 0; i < length; ++i) {
        if (kind < 5)
          word += static_cast<char32_t>(0x3042 + Below(&random, 80));
        else if (kind < 9)
          word += static_cast<char32_t>(0x4E00 + Below(&random, 2000));
        else
          word += static_cast<char32_t>(U'0' + Below(&random, 10));
      }
    }
  }
  // The word of a rank by Zipf's law with exponent 1.
  const std::u32string& Draw(Random* random) const {
    const double rank = std::exp(Unit(random) * std::log(static_cast<double>(kWords)));
    return words_[std::min(kWords - 1, static_cast<size_t>(rank) - 1)];
  }

 private:
  static constexpr size_t kWords = 50'000;
  std::vector<std::u32string> words_ = std::vector<std::u32string>(kWords);
};

std::u32string NewParagraph(const Vocabulary& vocabulary, Random* random) {
  // Log-normal lengths: a median of 45 code points, a third up to 30.
  const double normal = std::sqrt(-2 * std::log(1 - Unit(random))) * std::cos(6.283185307179586 * Unit(random));
  const auto length = static_cast<size_t>(std::clamp(std::exp(3.8 + 0.9 * normal), 4.0, 2000.0));
  std::u32string text;
  while (text.size() < length) text += vocabulary.Draw(random);
  return text;
}

std::u32string Mutate(std::u32string text, const Vocabulary& vocabulary, Random* random) {
  // Edits in proportion to the length, most often few.
  const double share = 0.25 * Unit(random) * Unit(random);
  const auto edits = 1 + static_cast<size_t>(share * static_cast<double>(text.size()));
  for (size_t i = 0; i < edits && !text.empty();) {
    const size_t at = Below(random, text.size());
    const size_t kind = Below(random, 6);
    const std::u32string& word = vocabulary.Draw(random);
    if (kind == 0) text[at] = word[0];
    if (kind == 1) text.erase(at, 1);
    if (kind == 2) text.insert(at, 1, word[0]);
    if (kind == 3) text.replace(at, std::min(word.size(), text.size() - at), word);
    if (kind == 4) {
      for (char32_t& c : text) {
        if (c >= U'0' && c <= U'9') c = static_cast<char32_t>(U'0' + Below(random, 10));
      }
    }
    if (kind == 5) text.resize(text.size() - std::min(text.size() / 20, size_t{3}));
    i += kind == 3 ? word.size() : 1;
  }
  return text;
}

std::string Utf8(std::u32string_view text) {
  std::string bytes;
  for (const char32_t c : text) {
    if (c < 0x80) {
      bytes += static_cast<char>(c);
    } else {
      bytes += static_cast<char>(0xE0 | c >> 12);
      bytes += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      bytes += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return bytes;
}

size_t FamilySize(Random* random) {
  const double u = Unit(random);
  if (u < 0.75) return 1;
  if (u < 0.95) return 2 + Below(random, 3);
  return 5 + Below(random, u < 0.995 ? 12 : 60);
}

class Corpus {
 public:
  Corpus(const std::string& folder, uint64_t seed) : folder_(folder), vocabulary_(seed), random_(seed + 1) {}

  arrow::Status Make(size_t paragraphs) {
    ARROW_ASSIGN_OR_RAISE(documents_, TableWriter::Create(folder_ + "/documents.parquet",
                                                          arrow::schema({arrow::field("text", arrow::utf8(), false)})));
    const auto number = [](const char* name) { return arrow::field(name, arrow::int64(), false); };
    ARROW_ASSIGN_OR_RAISE(truth_, TableWriter::Create(folder_ + "/truth.parquet",
                                                      arrow::schema({number("hash"), number("otherHash"),
                                                                     number("meanLength"), number("similarity")})));
    while (written_ < paragraphs) ARROW_RETURN_NOT_OK(MakeFamily());
    ARROW_RETURN_NOT_OK(EndDocument());
    ARROW_RETURN_NOT_OK(documents_->Finish());
    ARROW_RETURN_NOT_OK(truth_->Finish());
    std::printf("%zu paragraphs, %lld true pairs\n", written_, static_cast<long long>(truth_->rows()));
    return arrow::Status::OK();
  }

 private:
  arrow::Status MakeFamily() {
    std::vector<std::u32string> members = {NewParagraph(vocabulary_, &random_)};
    const size_t size = FamilySize(&random_);
    while (members.size() < size) members.push_back(Mutate(members[0], vocabulary_, &random_));
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::erase_if(members, [](const std::u32string& text) { return text.empty(); });
    for (const std::u32string& member : members) ARROW_RETURN_NOT_OK(Write(Utf8(member)));
    return WriteTruth(members);
  }

  arrow::Status Write(const std::string& paragraph) {
    const size_t times = Below(&random_, 20) == 0 ? 2 + Below(&random_, 4) : 1;
    for (size_t i = 0; i < times; ++i) {
      if (!document_.empty()) document_ += "\n\n";
      document_ += paragraph;
      if (++written_ % 50 == 0) ARROW_RETURN_NOT_OK(EndDocument());
    }
    return arrow::Status::OK();
  }

  arrow::Status EndDocument() {
    documents_->Text(document_);
    document_.clear();
    return documents_->EndRow();
  }

  arrow::Status WriteTruth(const std::vector<std::u32string>& members) {
    for (size_t i = 0; i < members.size(); ++i) {
      comparer_.SetPivot(Comparable(members[i]));
      for (size_t j = i + 1; j < members.size(); ++j) {
        if (!comparer_.IsNear(Comparable(members[j]))) continue;
        const int64_t a = ParagraphHash(Utf8(members[i]));
        const int64_t b = ParagraphHash(Utf8(members[j]));
        truth_->Int64(std::min(a, b));
        truth_->Int64(std::max(a, b));
        truth_->Int64(static_cast<int64_t>(MeanLength(members[i].size(), members[j].size())));
        truth_->Int64(Similarity(members[i], members[j]));
        ARROW_RETURN_NOT_OK(truth_->EndRow());
      }
    }
    return arrow::Status::OK();
  }

  ComparableText Comparable(const std::u32string& text) { return {text, counter_.Count(text), CharacterSet(text)}; }

  static int64_t Similarity(const std::u32string& a, const std::u32string& b) {
    const size_t mean = MeanLength(a.size(), b.size());
    if (mean > kMaxShortMean) return Jaccard(a, b);
    return static_cast<int64_t>(1'000'000 * (mean - EditDistance(a, b)) / mean);
  }

  static int64_t Jaccard(const std::u32string& a, const std::u32string& b) {
    std::vector<uint64_t> grams[2];
    const std::u32string* texts[] = {&a, &b};
    for (size_t i = 0; i < 2; ++i) {
      ForEachGram(*texts[i], [&](uint64_t gram) {
        grams[i].push_back(gram);
        return true;
      });
      std::ranges::sort(grams[i]);
      grams[i].erase(std::unique(grams[i].begin(), grams[i].end()), grams[i].end());
    }
    std::vector<uint64_t> common;
    std::ranges::set_intersection(grams[0], grams[1], std::back_inserter(common));
    const size_t all = grams[0].size() + grams[1].size() - common.size();
    return all == 0 ? 0 : static_cast<int64_t>(1'000'000 * common.size() / all);
  }

  std::string folder_;
  Vocabulary vocabulary_;
  Random random_;
  std::unique_ptr<TableWriter> documents_;
  std::unique_ptr<TableWriter> truth_;
  std::string document_;
  size_t written_ = 0;
  GramCounter counter_;
  Comparer comparer_;
};

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_synthetic PARAGRAPHS OUTPUT_DIR [SEED]\n");
    return 2;
  }
  uzushio::Corpus corpus(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const arrow::Status status = corpus.Make(std::strtoull(argv[1], nullptr, 10));
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
