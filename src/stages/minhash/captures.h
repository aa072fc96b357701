// Captures of pages: of those of one URL, the newest; out of core.
#pragma once

#include <arrow/result.h>

#include <cstdint>

#include "dedup/priority.h"
#include "document/url_key.h"
#include "stages/minhash/followers.h"

namespace uzushio {

// A document of a URL. Its priority is by date, the newest first, whatever --keep says. Written to disk as it is.
struct Capture {
  UrlKey url;
  Priority priority;
};
static_assert(sizeof(Capture) == 32);

// Captures by URL, in partitions.
class CapturePartitions {
 public:
  explicit CapturePartitions(const MinhashResources& resources);
  // By one thread, before Finish.
  arrow::Status Add(const Capture& capture);
  arrow::Status Finish() { return writer_.Flush(); }
  SpillPartitions* partitions() { return &partitions_; }

 private:
  SpillPartitions partitions_;
  SpillPartitions::Writer writer_;
};

// Sets the bit in `superseded` of each capture but the newest of its URL, and puts it to `followers`, if not null, with
// that one as its leader. How many there are.
arrow::Result<uint64_t> FindSuperseded(const MinhashResources& resources, const DocumentSets& sets,
                                       CapturePartitions* captures, FollowerPartitions* followers,
                                       DocumentBits* superseded);

}  // namespace uzushio
