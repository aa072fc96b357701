// What the studies of near-duplicates share: texts of statistics, and pairs of them.
#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/utf8.h"
#include "dedup/comparer.h"
#include "dedup/relation.h"
#include "datasets/table_writer.h"

namespace uzushio {

struct BenchParagraph {
  int64_t hash = 0;
  std::u32string text;
  uint32_t grams = 0;
  uint64_t character_set = 0;
  ComparableText comparable() const { return {text, grams, character_set}; }
};

struct TruePair {
  int64_t hash = 0;
  int64_t other_hash = 0;
  int64_t mean_length = 0;
  int64_t similarity = 0;  // millionths
};

inline arrow::Result<std::shared_ptr<arrow::Table>> ReadTable(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(const auto table, reader->ReadTable());
  return table->CombineChunks();
}

inline const int64_t* Int64s(const arrow::Table& table, const std::string& name) {
  return static_cast<const arrow::Int64Array&>(*table.GetColumnByName(name)->chunk(0)).raw_values();
}

// The distinct paragraphs that `uzushio stats --intermediate` kept, in order of hashes.
inline arrow::Result<std::vector<BenchParagraph>> ReadBenchParagraphs(const std::string& statistics) {
  ARROW_ASSIGN_OR_RAISE(const auto table, ReadTable(statistics + "/.uzushio/intermediate/paragraphs.parquet"));
  std::vector<BenchParagraph> paragraphs(static_cast<size_t>(table->num_rows()));
  if (paragraphs.empty()) return paragraphs;
  const int64_t* hashes = Int64s(*table, "hash");
  GramCounter counter;
  size_t row = 0;
  for (const auto& chunk : table->GetColumnByName("text")->chunks()) {
    const auto& texts = static_cast<const arrow::StringArray&>(*chunk);
    for (int64_t i = 0; i < texts.length(); ++i, ++row) {
      BenchParagraph& paragraph = paragraphs[row];
      paragraph.hash = hashes[row];
      DecodeUtf8(texts.GetView(i), &paragraph.text);
      paragraph.grams = counter.Count(paragraph.text);
      paragraph.character_set = CharacterSet(paragraph.text);
    }
  }
  return paragraphs;
}

inline TruePair MakePair(const BenchParagraph& a, const BenchParagraph& b) {
  const size_t mean = MeanLength(a.text.size(), b.text.size());
  const double similarity = mean > kMaxShortMean
                                ? JaccardByDefinition(a.text, b.text)
                                : 1 - static_cast<double>(EditDistance(a.text, b.text)) / static_cast<double>(mean);
  return {std::min(a.hash, b.hash), std::max(a.hash, b.hash), static_cast<int64_t>(mean),
          static_cast<int64_t>(similarity * 1e6)};
}

inline arrow::Status WritePairs(const std::vector<TruePair>& pairs, const std::string& path) {
  const auto number = [](const char* name) { return arrow::field(name, arrow::int64(), false); };
  ARROW_ASSIGN_OR_RAISE(const auto table,
                        TableWriter::Create(path, arrow::schema({number("hash"), number("otherHash"),
                                                                 number("meanLength"), number("similarity")})));
  for (const TruePair& pair : pairs) {
    table->Int64(pair.hash);
    table->Int64(pair.other_hash);
    table->Int64(pair.mean_length);
    table->Int64(pair.similarity);
    ARROW_RETURN_NOT_OK(table->EndRow());
  }
  return table->Finish();
}

}  // namespace uzushio
