// Distinct paragraphs, and their entries in buckets.
#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

// In chunks, between paragraphs.
arrow::Status GiveStored(TaskContext* task, size_t partition, std::span<const char> stored) {
  int64_t paragraphs = 0;
  for (size_t begin = 0; begin < stored.size();) {
    size_t end = begin;
    while (end < stored.size() && end - begin < kChunkBytes) {
      end += reinterpret_cast<const StoredHeader*>(stored.data() + end)->stored_bytes();
      ++paragraphs;
    }
    ARROW_RETURN_NOT_OK(task->out.Of(kStored)->AppendChunk(partition, stored.subspan(begin, end - begin)));
    begin = end;
  }
  task->Count("distinct_paragraphs", paragraphs);
  return arrow::Status::OK();
}

PartitionWork MakeStore(TaskContext* task) {
  return [task, storer = ParagraphEncoder()](size_t partition) mutable -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const std::span<const char> stored,
                          storer.Store(task->in[kCounted], partition, task->memory.load));
    task->counts["distinct_text_bytes"] = storer.text_bytes();
    return GiveStored(task, partition, stored);
  };
}

arrow::Status MakeHeads(TaskContext* task, size_t partition) {
  return task->in[kStored]->TakeChunks(partition, [&](std::span<const char> chunk) -> arrow::Status {
    for (size_t at = 0; at < chunk.size();) {
      const auto& stored = *reinterpret_cast<const StoredHeader*>(chunk.data() + at);
      ARROW_RETURN_NOT_OK(task->out.To(kHeads)->AppendRecord(partition, ParagraphHead(stored)));
      at += stored.stored_bytes();
    }
    return arrow::Status::OK();
  });
}

PartitionWork MakeEntries(TaskContext* task) {
  return [task, maker = EntryMaker(task->config.near_duplicates, task->partitioning.count())](
             size_t partition) mutable -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const PartitionView paragraphs, GatherParagraphs(task, partition));
    ARROW_RETURN_NOT_OK(maker.Make(paragraphs, partition, task->out.To(kEntries)));
    task->counts["bucket_entries"] = maker.entries();
    return arrow::Status::OK();
  };
}

}  // namespace

std::vector<StepDeclaration> StoreSteps() {
  return {{"count", {}, nullptr, nullptr},
          {"store", {kCounted}, MakeStore, nullptr},
          {"heads", {kStored}, Stateless<MakeHeads>, nullptr},
          {"entries", {kStored}, MakeEntries, nullptr}};
}

}  // namespace uzushio
