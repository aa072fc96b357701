// What reads of a store go through.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

namespace uzushio {

// The same file system, whose reads are counted (StoreReadSeconds), and repeated where S3's answer was an error that
// did not fit into the bytes that were asked for: Amazon's library, which repeats requests that a busy store refuses
// (503), writes such an answer where the bytes are to go, so that it does not see which error it was, and gives up.
// `credentials` are those of the URI that it is of, as they stand there: KEY:SECRET@.
std::shared_ptr<arrow::fs::FileSystem> WithStoreReads(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                                      std::string credentials = {});
// Those; empty of other file systems.
std::string CredentialsOf(const arrow::fs::FileSystem& filesystem);

// For how long, since this process began, at least one such read has been on its way.
double StoreReadSeconds();

}  // namespace uzushio
