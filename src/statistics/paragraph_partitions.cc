#include "statistics/paragraph_partitions.h"

#include <numeric>

namespace uzushio {

arrow::Status ParagraphPartitions::Put(size_t partition, std::span<const char> stored) {
  std::vector<ParagraphHead> heads;
  for (size_t at = 0; at < stored.size();) {
    const auto& paragraph = *reinterpret_cast<const StoredHeader*>(stored.data() + at);
    heads.emplace_back(paragraph);
    at += paragraph.stored_bytes();
  }
  sizes_[partition] = heads.size();
  ARROW_RETURN_NOT_OK(texts_.AppendChunk(partition, stored));
  return heads_.AppendChunk(partition,
                            {reinterpret_cast<const char*>(heads.data()), heads.size() * sizeof(ParagraphHead)});
}

int64_t ParagraphPartitions::size() const {
  return static_cast<int64_t>(std::accumulate(sizes_.begin(), sizes_.end(), size_t{0}));
}

bool ParagraphPartitions::in_memory() const {
  for (size_t i = 0; i < partitions(); ++i) {
    if (!texts_.InMemory(i)) return false;
  }
  return true;
}

arrow::Result<PartitionView> ParagraphPartitions::Load(size_t partition) const {
  if (const auto bytes = texts_.InMemory(partition)) return PartitionView(*bytes);
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, texts_.Read(partition));
  return PartitionView(std::move(bytes));
}

}  // namespace uzushio
