// Which records of which files an index has `extract` read, and what that takes.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stages/extract/index_rows.h"
#include "storage/inputs.h"

namespace uzushio {

// Bytes between two records that are read along rather than asked for apart: at 80 MB/s of a connection what takes
// 0.8 ms, beside some 30 ms until an object store answers, most of which several requests in flight hide.
inline constexpr int64_t kDefaultGap = int64_t{64} << 10;

// What stands before the names of files in an index.
struct IndexedPlaces {
  std::string base;  // before all of them, if it is not empty
  // Where there is no base: before relative paths and before absolute ones, for an engine whose paths are not this
  // process'.
  std::string folder;
  std::string root;

  const std::string& Before(const std::string& name) const;
};

// Finds files by their names in an index, each file system once.
class IndexedFiles {
 public:
  explicit IndexedFiles(IndexedPlaces places) : places_(std::move(places)) {}

  // Whether the file is there is not looked at. Its path is empty where the name leads to none.
  arrow::Result<InputFile> Locate(const std::string& name);

 private:
  const IndexedPlaces places_;
  std::map<std::string, InputPlace> filesystems_;  // by scheme and host
};

struct IndexedInputs {
  std::vector<InputFile> tables;
  IndexQuery query;
  IndexedPlaces places;
  int64_t gap = kDefaultGap;
  int64_t part = 1;  // of `parts`: neighbouring files of about as many bytes of records
  int64_t parts = 1;
  IndexMemory memory;
  std::string tmp;  // an existing folder
};

struct IndexPlan {
  std::shared_ptr<const IndexedRecords> records;
  std::vector<IndexedRecords::File> of;  // the files of this part, by name
  std::vector<InputFile> files;          // where they are; `size` is that of the records, whether they are there or not
};

arrow::Result<IndexPlan> MakeIndexPlan(const IndexedInputs& inputs, int threads);

// Of an index whose files are all elsewhere, the names lack what stands before them. The first few tell.
arrow::Status CheckFound(const std::vector<InputFile>& files);

// The part that each file is of, from 0, by the bytes of its records: the one in which its middle lies.
std::vector<int64_t> PartsOf(const std::vector<IndexedRecords::File>& files, int64_t parts);

// `1/4`. Errors: it is none, or from none.
arrow::Status ParsePart(const std::string& text, int64_t* part, int64_t* parts);

// What reading takes: each file is asked for its size.
struct IndexEstimate {
  IndexRowCounts rows;
  int64_t pages = 0;
  int64_t files = 0;
  int64_t missing_files = 0;
  int64_t faulty = 0;  // records whose place can not be
  int64_t record_bytes = 0;
  int64_t read_bytes = 0;
  int64_t file_bytes = 0;  // of the files, whole
  int64_t requests = 0;

  nlohmann::ordered_json ToJson() const;
};
arrow::Result<IndexEstimate> EstimateReading(const IndexPlan& plan, int64_t gap, int threads);

}  // namespace uzushio
