// Azure, as other stores are.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>

namespace uzushio {

// The same file system, all of whose errors are statuses of one line, without signatures of SAS tokens. Azure's library
// throws where it finds no credentials, and Arrow hands that on. Listings, deletions and copies whose answer could not
// be read are repeated, and folders are found beside others whose names begin alike.
std::shared_ptr<arrow::fs::FileSystem> WithStatuses(std::shared_ptr<arrow::fs::FileSystem> filesystem);

}  // namespace uzushio
