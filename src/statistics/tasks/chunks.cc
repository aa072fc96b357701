#include "statistics/tasks/chunks.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <algorithm>

#include "datasets/columns.h"

namespace uzushio {
namespace {

constexpr auto kKindNames =
    std::to_array<std::string_view>({"counted", "stored", "heads", "entries", "pairs", "aside", "kept", "tails",
                                     "attached", "near", "neighbours", "taken", "shares", "rows"});
static_assert(kKindNames.size() == kRecordKinds);

std::optional<RecordKind> KindOf(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<RecordKind>(found - kKindNames.begin());
}

constexpr int64_t kBatchTextBytes = int64_t{4} << 20;

}  // namespace

std::shared_ptr<arrow::Schema> ChunksSchema() {
  return arrow::schema({arrow::field("kind", arrow::utf8()), arrow::field("partition", arrow::int32()),
                        arrow::field("place", arrow::int32()), arrow::field("data", arrow::binary())});
}

ChunkInputs::ChunkInputs(const ChunkSpace& space, std::span<const RecordKind> kinds) : partitions_(space.partitions) {
  for (const RecordKind kind : kinds) of_[kind] = space.Make();
}

arrow::Status ChunkInputs::Add(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(const auto kinds, TextColumn(batch, "kind"));
  ARROW_ASSIGN_OR_RAISE(const auto partitions, IntegerColumn(batch, "partition"));
  ARROW_ASSIGN_OR_RAISE(const auto data, TextColumn(batch, "data"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const std::optional<RecordKind> kind = KindOf(kinds->GetView(row));
    const auto partition = static_cast<size_t>(partitions->Value(row));
    if (!kind || of_[*kind] == nullptr || partition >= partitions_) {
      return arrow::Status::Invalid("takes no ", kinds->GetView(row), " of partition ", partition);
    }
    ARROW_RETURN_NOT_OK(of_[*kind]->AppendChunk(partition, data->GetView(row)));
  }
  return arrow::Status::OK();
}

bool ChunkInputs::Has(size_t partition) const {
  return std::ranges::any_of(of_, [&](const auto& of) { return of != nullptr && of->bytes(partition) > 0; });
}

SpillPartitions* ChunkOutputs::Of(RecordKind kind) {
  if (of_[kind] == nullptr) of_[kind] = space_.Make();
  return of_[kind].get();
}

SpillPartitions::Writer* ChunkOutputs::To(RecordKind kind) {
  if (!writers_[kind]) writers_[kind].emplace(Of(kind), space_.buffer_bytes);
  return &*writers_[kind];
}

arrow::Status ChunkOutputs::Flush() {
  for (auto& writer : writers_) {
    if (writer) ARROW_RETURN_NOT_OK(writer->Flush());
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ChunkOutputs::Next() {
  arrow::StringBuilder kinds;
  arrow::Int32Builder partitions;
  arrow::Int32Builder places;
  arrow::BinaryBuilder data;
  while (data.value_data_length() < kBatchTextBytes) {
    if (chunks_.empty()) {
      ARROW_ASSIGN_OR_RAISE(const bool loaded, LoadPartition());
      if (!loaded) break;
    }
    const std::vector<char>& chunk = chunks_.front();
    ARROW_RETURN_NOT_OK(kinds.Append(kKindNames[kind_]));
    ARROW_RETURN_NOT_OK(partitions.Append(static_cast<int32_t>(partition_)));
    ARROW_RETURN_NOT_OK(places.Append(places_[partition_]));
    ARROW_RETURN_NOT_OK(data.Append(chunk.data(), static_cast<int32_t>(chunk.size())));
    chunks_.pop_front();
  }
  const int64_t rows = data.length();
  if (rows == 0) return nullptr;
  arrow::ArrayVector arrays(4);
  ARROW_RETURN_NOT_OK(kinds.Finish(&arrays[0]));
  ARROW_RETURN_NOT_OK(partitions.Finish(&arrays[1]));
  ARROW_RETURN_NOT_OK(places.Finish(&arrays[2]));
  ARROW_RETURN_NOT_OK(data.Finish(&arrays[3]));
  return arrow::RecordBatch::Make(ChunksSchema(), rows, std::move(arrays));
}

// Makes the chunks of the next partition that has records; false at the end.
arrow::Result<bool> ChunkOutputs::LoadPartition() {
  for (; kind_ < kRecordKinds; ++kind_, next_partition_ = 0) {
    if (of_[kind_] == nullptr) continue;
    SpillPartitions& of = *of_[kind_];
    while (next_partition_ < space_.partitions) {
      partition_ = next_partition_++;
      if (of.bytes(partition_) == 0) continue;
      ARROW_RETURN_NOT_OK(of.TakeChunks(partition_, [this](std::span<const char> records) {
        if (chunks_.empty() || chunks_.back().size() + records.size() > kChunkBytes) chunks_.emplace_back();
        chunks_.back().insert(chunks_.back().end(), records.begin(), records.end());
        return arrow::Status::OK();
      }));
      return true;
    }
  }
  return false;
}

}  // namespace uzushio
