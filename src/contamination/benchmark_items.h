// Items of benchmarks from files of any program.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contamination/folding.h"
#include "contamination/item_index.h"

namespace uzushio {

// Which columns items are in. A column that a file does not have is left out, but not that of questions.
struct ItemColumns {
  std::string question = "question";
  std::vector<std::string> choices = {"choices"};
  std::string answer = "answer";
};

class BenchmarkItems {
 public:
  // Reads files and folders of Parquet and lines of JSON. Items of the same files, columns and options are loaded once,
  // while they are used.
  //
  // Values are texts, numbers, arrays of them, or objects with an array `text` and, for the letters of choices,
  // `label`. An answer may be the text of a choice, its label or letter (A, B, …), or, as a number, its place from 0.
  // Errors: there is no such file or column; a row that is no item, by file and row.
  static arrow::Result<std::shared_ptr<const BenchmarkItems>> Load(const std::vector<std::string>& names,
                                                                   const ItemColumns& columns,
                                                                   const FoldingOptions& options);

  const Folding& folding() const { return folding_; }
  const ItemIndex& index() const { return *index_; }
  // Where an item stands: `FILE:ROW`, rows from 1.
  std::string NameOf(uint32_t item) const;

 private:
  friend class BenchmarkReader;
  explicit BenchmarkItems(const FoldingOptions& options) : folding_(options) {}

  struct File {
    std::string name;
    uint64_t first = 0;  // of its items, among all that were read
  };
  Folding folding_;
  std::vector<File> files_;
  std::unique_ptr<const ItemIndex> index_;
};

}  // namespace uzushio
