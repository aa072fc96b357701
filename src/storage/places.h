// Where a command reads and writes, looked at before it begins.
#pragma once

#include <arrow/status.h>

#include <string>
#include <vector>

#include "storage/inputs.h"

namespace uzushio {

// What a command line names; paths that are empty are not looked at.
struct Places {
  struct Place {
    std::string option;  // as the user knows it: `--pairs`
    std::string path;
  };
  std::vector<Place> folders;       // to write, --output may be a store's: no other place may lie in one
  std::vector<Place> files;         // to write: not in such a folder or a finished output, and no file that is read
  std::vector<Place> inputs;        // to read, files or folders: no folder to write may lie in one
  std::vector<Place> others;        // to read too, by name: statistics, configurations; no file to write lies in one
  std::vector<InputFile> resolved;  // the files that were found for the inputs
  std::string tmp;                  // for temporary data: not in a folder to write
};

// Whether a place to write is a path, and no URI: the error says what is written where.
arrow::Status CheckIsPath(const std::string& option, const std::string& named);

// Whether no place is another's, by paths without links. Two outputs in one another, or an output around an input,
// would lose one of them when the other is put in its place; an output inside an input would be read by the next run,
// and so would one in a finished output, of whose files a file to write might replace one. Places to write are paths,
// but for --output, and files have a folder to lie in. URIs of stores are held against each other by their texts.
arrow::Status CheckPlaces(const Places& places);

}  // namespace uzushio
