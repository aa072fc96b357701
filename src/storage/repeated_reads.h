// Reading from S3 where the store is busy at times.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace uzushio {

// The same file system, whose reads are repeated where the store's answer was an error that did not fit into the bytes
// that were asked for. Amazon's library, which repeats requests that a busy store refuses (503), writes such an answer
// where the bytes are to go, so that it does not see which error it was, and gives up.
// `credentials` are those of the URI that it is of, as they stand there: KEY:SECRET@.
std::shared_ptr<arrow::fs::FileSystem> WithRepeatedReads(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                                         std::string credentials = {});
// Those; empty of other file systems.
std::string CredentialsOf(const arrow::fs::FileSystem& filesystem);

}  // namespace uzushio
