// How many of the true pairs several ways to find candidates meet, and what each costs:
//   bench_candidates STATS_DIR TRUTH.parquet
// reads the texts of `uzushio stats --intermediate` and the pairs of bench_truth or bench_synthetic, and writes a line
// of JSON for each way: the recall by kind and similarity, and the pairs looked at per paragraph. Pairs of windows are
// counted as they are, those of a bucket above kMaxWholeBucket as the most that ForEachLargeCandidate gives.
#include <bit>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "dedup/candidates.h"
#include "dedup/grams.h"
#include "dedup/simhash.h"
#include "paragraphs.h"

namespace uzushio {
namespace {

// For each paragraph its keys; a pair that shares one is found.
using Keys = std::vector<std::vector<uint64_t>>;

struct IndexPair {
  uint32_t first = 0;
  uint32_t second = 0;
  bool is_short = false;
  int similarity = 0;  // tenths, rounded down
};

class Study {
 public:
  arrow::Status Load(const std::string& statistics, const std::string& truth) {
    ARROW_ASSIGN_OR_RAISE(paragraphs_, ReadBenchParagraphs(statistics));
    std::unordered_map<int64_t, uint32_t> places;
    for (uint32_t i = 0; i < paragraphs_.size(); ++i) places[paragraphs_[i].hash] = i;
    ARROW_ASSIGN_OR_RAISE(const auto table, ReadTable(truth));
    const int64_t* first = Int64s(*table, "hash");
    const int64_t* second = Int64s(*table, "otherHash");
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      const uint32_t a = places.at(first[i]);
      const uint32_t b = places.at(second[i]);
      const TruePair pair = MakePair(paragraphs_[a], paragraphs_[b]);
      pairs_.push_back(
          {a, b, pair.mean_length <= static_cast<int64_t>(kMaxShortMean), static_cast<int>(pair.similarity / 100'000)});
    }
    return arrow::Status::OK();
  }

  void Windows() {
    std::vector<SimHashSignature> signatures;
    signatures.reserve(paragraphs_.size());
    for (const BenchParagraph& paragraph : paragraphs_) signatures.push_back(SimHash(paragraph.text));
    std::vector<int> distances(129);
    for (const IndexPair& pair : pairs_) {
      const SimHashSignature& a = signatures[pair.first];
      const SimHashSignature& b = signatures[pair.second];
      ++distances[static_cast<size_t>(std::popcount(a[0] ^ b[0]) + std::popcount(a[1] ^ b[1]))];
    }
    std::printf("%s\n", nlohmann::json{{"way", "signatures"}, {"distances", distances}}.dump().c_str());
    for (const int rotations : {2, 3, 5, 10}) {
      std::vector<std::vector<uint32_t>> ranks;
      for (int rotation = 0; rotation < rotations; ++rotation) ranks.push_back(Ranks(rotation, rotations));
      for (const uint32_t window : {16U, 64U, 256U, 1024U, 4096U}) {
        Report("simhash " + std::to_string(rotations) + " x " + std::to_string(window),
               static_cast<double>(rotations) * window, [&](const IndexPair& pair) {
                 return std::ranges::any_of(ranks, [&](const std::vector<uint32_t>& rank) {
                   const uint32_t a = rank[pair.first];
                   const uint32_t b = rank[pair.second];
                   return std::max(a, b) - std::min(a, b) <= window;
                 });
               });
      }
    }
  }

  void Buckets() {
    const Keys very_short = Of(kMinComparable, kMaxVeryShort, [](const BenchParagraph& p, std::vector<uint64_t>* keys) {
      BucketMaker maker;
      std::vector<BucketEntry> entries;
      maker.Make(0, p.text, p.character_set, &entries);
      const size_t bands = p.text.size() >= kMinShort ? 20 : 0;
      for (size_t i = bands; i < entries.size(); ++i) keys->push_back(entries[i].bucket);
    });
    const Keys digits = Of(kMinComparable, SIZE_MAX, [](const BenchParagraph& p, std::vector<uint64_t>* keys) {
      keys->push_back(Skeleton(p.text, false));
    });
    const Keys marks = Of(kMinComparable, SIZE_MAX, [](const BenchParagraph& p, std::vector<uint64_t>* keys) {
      keys->push_back(Skeleton(p.text, true));
    });
    Report("deletions up to 7", very_short);
    Report("digit-blind", digits);
    Report("digit- and punctuation-blind", marks);
    for (const auto& [bands, rows] : {std::pair<size_t, size_t>{20, 5}, {25, 5}, {12, 4}, {16, 4}, {24, 4}, {10, 3}}) {
      const std::string name = std::to_string(bands) + " x " + std::to_string(rows);
      const Keys longs = Bands(kMinLong, SIZE_MAX, bands, rows, LongFeatures);
      const Keys shorts = Bands(kMinShort, kMaxShort, bands, rows, ShortFeatures);
      Report("minhash long " + name, longs);
      Report("minhash short " + name, shorts);
      Report("minhash both + deletions " + name, Union(Union(longs, shorts), very_short));
      if (rows == 5)
        Report("minhash both + deletions + digit-blind " + name,
               Union(Union(Union(longs, shorts), very_short), digits));
    }
    Report("the default", Of(kMinComparable, SIZE_MAX, [](const BenchParagraph& p, std::vector<uint64_t>* keys) {
             static BucketMaker maker;
             static std::vector<BucketEntry> entries;
             maker.Make(0, p.text, p.character_set, &entries);
             for (const BucketEntry& entry : entries) keys->push_back(entry.bucket);
           }));
  }

 private:
  using MakeKeys = std::function<void(const BenchParagraph&, std::vector<uint64_t>*)>;

  std::vector<uint32_t> Ranks(int rotation, int rotations) const {
    std::vector<BucketEntry> entries;
    std::vector<BucketEntry> all;
    for (uint32_t i = 0; i < paragraphs_.size(); ++i) {
      MakeRotations(i, paragraphs_[i].text, rotations, &entries);
      all.push_back(entries[static_cast<size_t>(rotation)]);
    }
    std::ranges::sort(all, {}, [](const BucketEntry& e) { return std::tuple(e.sketch, e.paragraph_and_length); });
    std::vector<uint32_t> ranks(all.size());
    for (uint32_t i = 0; i < all.size(); ++i) ranks[all[i].paragraph()] = i;
    return ranks;
  }

  Keys Of(size_t least, size_t most, const MakeKeys& make) const {
    Keys keys(paragraphs_.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      const size_t length = paragraphs_[i].text.size();
      if (length >= least && length <= most) make(paragraphs_[i], &keys[i]);
    }
    return keys;
  }

  using Features = void (*)(const std::u32string&, std::vector<uint32_t>*);

  static void LongFeatures(const std::u32string& text, std::vector<uint32_t>* features) {
    ForEachGram(text, [&](uint64_t gram) {
      features->push_back(static_cast<uint32_t>(gram >> 32));
      return true;
    });
  }

  static char32_t Blind(char32_t c) { return c >= U'0' && c <= U'9' ? U'0' : c; }

  // As BucketMaker has them: characters and 2-grams, repeats counted, digits made equal.
  static void ShortFeatures(const std::u32string& text, std::vector<uint32_t>* features) {
    std::unordered_map<uint64_t, uint64_t> occurrences;
    const auto add = [&](uint64_t gram) {
      features->push_back(static_cast<uint32_t>(Mix64(gram + occurrences[gram]++) >> 32));
    };
    for (size_t i = 0; i < text.size(); ++i) {
      add(Mix64(Blind(text[i])));
      if (i > 0) add(Mix64(Pack3(1, Blind(text[i - 1]), Blind(text[i]))));
    }
  }

  static uint64_t Skeleton(const std::u32string& text, bool without_marks) {
    uint64_t key = without_marks ? 1 : 0;
    for (const char32_t c : text) {
      const bool letter = c >= 0x80 ? !(c >= 0x3000 && c <= 0x303F) : std::isalnum(static_cast<int>(c)) != 0;
      if (!without_marks || letter) key = Mix64(key + Blind(c));
    }
    return key;
  }

  Keys Bands(size_t least, size_t most, size_t bands, size_t rows, Features features_of) const {
    std::vector<uint32_t> features;
    std::array<uint32_t, 128> signature{};
    return Of(least, most, [&](const BenchParagraph& p, std::vector<uint64_t>* keys) {
      features.clear();
      features_of(p.text, &features);
      MinHash(features, signature, BestSimd());
      for (size_t band = 0; band < bands; ++band) {
        uint64_t key = Mix64(band + 7);
        for (size_t row = 0; row < rows; ++row) key = Mix64(key + signature[band * rows + row]);
        keys->push_back(key);
      }
    });
  }

  static Keys Union(const Keys& a, const Keys& b) {
    Keys keys = a;
    for (size_t i = 0; i < keys.size(); ++i) keys[i].insert(keys[i].end(), b[i].begin(), b[i].end());
    return keys;
  }

  void Report(const std::string& way, Keys keys) const {
    std::vector<uint64_t> all;
    for (std::vector<uint64_t>& of : keys) {
      std::ranges::sort(of);
      of.erase(std::unique(of.begin(), of.end()), of.end());
      all.insert(all.end(), of.begin(), of.end());
    }
    std::ranges::sort(all);
    double cost = 0;
    for (size_t begin = 0; begin < all.size();) {
      size_t end = begin;
      while (end < all.size() && all[end] == all[begin]) ++end;
      const auto size = static_cast<double>(end - begin);
      cost += end - begin <= kMaxWholeBucket ? size * (size - 1) / 2
                                             : size * (kBucketLeaders + kBucketNeighbours);  // at most
      begin = end;
    }
    Report(way, cost / static_cast<double>(paragraphs_.size()), [&](const IndexPair& pair) {
      const std::vector<uint64_t>& a = keys[pair.first];
      const std::vector<uint64_t>& b = keys[pair.second];
      return std::ranges::any_of(a, [&](uint64_t key) { return std::ranges::binary_search(b, key); });
    });
  }

  void Report(const std::string& way, double cost, const std::function<bool(const IndexPair&)>& is_found) const {
    struct Share {
      double found = 0;
      double all = 0;
      double value() const { return all == 0 ? 0 : found / all; }
    };
    Share whole;
    std::array<Share, 2> kinds;
    std::array<std::array<Share, 11>, 2> similarities;
    for (const IndexPair& pair : pairs_) {
      const double found = is_found(pair) ? 1 : 0;
      for (Share* share : {&whole, &kinds[pair.is_short ? 1 : 0],
                           &similarities[pair.is_short ? 1 : 0][static_cast<size_t>(pair.similarity)]}) {
        share->found += found;
        share->all += 1;
      }
    }
    nlohmann::json json = {{"way", way},
                           {"pairs_per_paragraph", cost},
                           {"recall", whole.value()},
                           {"long", kinds[0].value()},
                           {"short", kinds[1].value()}};
    for (const size_t tenth : {7, 8, 9}) {
      json["long " + std::to_string(tenth)] = similarities[0][tenth].value();
      json["short " + std::to_string(tenth)] = similarities[1][tenth].value();
    }
    std::printf("%s\n", json.dump().c_str());
    std::fflush(stdout);
  }

  std::vector<BenchParagraph> paragraphs_;
  std::vector<IndexPair> pairs_;
};

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_candidates STATS_DIR TRUTH.parquet\n");
    return 2;
  }
  uzushio::Study study;
  const arrow::Status status = study.Load(argv[1], argv[2]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  study.Windows();
  study.Buckets();
  return 0;
}
