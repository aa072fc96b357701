// Items of benchmarks from files of any program.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contamination/folding.h"
#include "contamination/item_index.h"

namespace uzushio {

// What their ids are called where nothing else is said.
inline constexpr const char* kUsualItemId = "id";

// Which columns items are in. A column that a file does not have is left out, but not that of questions; one that no
// file has is refused, unless it is called as here (ids: kUsualItemId).
struct ItemColumns {
  std::string question = "question";
  std::vector<std::string> choices = {"choices"};
  std::string answer = "answer";
  std::string id;  // of the items' own ids; empty: they are not kept
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

  // Where an item comes from.
  struct Source {
    std::string_view file;
    std::string_view benchmark;  // the file's name without folders and endings
    uint64_t row = 0;            // from 1
    std::string_view id;         // empty where it has none
  };
  Source SourceOf(uint32_t item) const;
  // Where an item stands: `FILE:ROW`, rows from 1.
  std::string NameOf(uint32_t item) const;
  // The place of its file in files().
  size_t FileOfItem(uint32_t item) const { return FileOf(index_->NumberOf(item)); }
  // Bytes in memory.
  int64_t bytes() const;

  // Rows of a file, and those that cannot be found.
  struct File {
    std::string name;
    std::string benchmark;
    uint64_t first = 0;  // of its items, among all that were read
    int64_t items = 0;
    int64_t too_short = 0;
    int64_t repeated = 0;                  // which occurred before: found there
    int64_t boilerplate = 0;               // of which too little counts
    std::vector<uint64_t> unusable_rows;   // the first that are too short or boilerplate
    int64_t no_choice = 0;                 // whose answer is none of their choices: looked for as a text
    std::vector<uint64_t> no_choice_rows;  // the first of them
  };
  const std::vector<File>& files() const { return files_; }

 private:
  friend class BenchmarkReader;
  explicit BenchmarkItems(const FoldingOptions& options) : folding_(options) {}
  size_t FileOf(uint64_t number) const;

  Folding folding_;
  std::vector<File> files_;
  std::string ids_;                  // of all items of the index
  std::vector<uint64_t> id_begins_;  // of items, and the end; none where there are no ids
  std::unique_ptr<const ItemIndex> index_;
};

}  // namespace uzushio
