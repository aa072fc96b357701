// Records in partitions, in memory as long as there is some, then on disk.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace uzushio {

// Memory that several holders share, in bytes.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : free_(bytes) {}
  // Whether `bytes` could be had; they are the caller's then, until Release.
  bool TryReserve(int64_t bytes) {
    if (free_.fetch_sub(bytes) >= bytes) return true;
    free_.fetch_add(bytes);
    return false;
  }
  void Release(int64_t bytes) { free_.fetch_add(bytes); }

 private:
  std::atomic<int64_t> free_;
};

// What went wrong with temporary data: says which folder and, on a full disk, what to do. `error` is an errno.
arrow::Status SpillError(const std::filesystem::path& folder, const char* doing, int error);

// The descriptor of a new temporary file without a name: it is gone when it is closed, or when the process ends,
// however it ends. `folder` must exist.
arrow::Result<int> OpenUnnamed(const std::filesystem::path& folder);

// Such a file, that several threads append to.
class SpillFile {
 public:
  static arrow::Result<std::unique_ptr<SpillFile>> Create(const std::filesystem::path& folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Appends and returns the offset. May be called from several threads.
  arrow::Result<int64_t> Append(std::span<const char> bytes);
  arrow::Status Read(int64_t offset, std::span<char> bytes) const;

  int64_t bytes() const { return end_.load(); }

 private:
  SpillFile(int descriptor, std::filesystem::path folder) : descriptor_(descriptor), folder_(std::move(folder)) {}
  int descriptor_;
  std::filesystem::path folder_;
  std::atomic<int64_t> end_ = 0;
};

// Where temporary data goes, and how much went there.
class SpillSpace {
 public:
  explicit SpillSpace(std::filesystem::path folder) : folder_(std::move(folder)) {}
  arrow::Result<std::unique_ptr<SpillFile>> NewFile() const { return SpillFile::Create(folder_); }
  void Count(int64_t bytes) { bytes_ += bytes; }
  int64_t bytes_written() const { return bytes_.load(); }

 private:
  std::filesystem::path folder_;
  std::atomic<int64_t> bytes_ = 0;
};

// Bytes without a first value.
struct Bytes {
  std::unique_ptr<char[]> data;
  size_t size = 0;
  static Bytes Uninitialised(size_t size) { return {std::unique_ptr<char[]>(new char[size]), size}; }
  std::span<char> span() const { return {data.get(), size}; }
};

// A number of sequences of bytes that are appended to by several threads through Writers, and taken once each.
// The order in a partition is that of the flushes: readers sort. What a Writer appends at once stays together.
//
// Neighbouring partitions share a file, which is gone when the last of them is taken.
class SpillPartitions {
 private:
  // Sixteen bytes: there can be millions of them.
  struct Chunk {
    union {
      int64_t offset = 0;  // in the file
      char* memory;
    };
    uint64_t size : 63 = 0;
    uint64_t in_memory : 1 = 0;
  };

 public:
  // `files` are open at most: several let go of disk space as partitions are taken in order.
  SpillPartitions(size_t partitions, MemoryBudget* budget, SpillSpace* space, size_t files = 16)
      : partitions_(partitions), files_(std::min(partitions, files)), budget_(*budget), space_(*space) {}
  ~SpillPartitions();
  SpillPartitions(const SpillPartitions&) = delete;
  SpillPartitions& operator=(const SpillPartitions&) = delete;

  // One thread's way in. `buffer_bytes` are held for each partition that is written to.
  class Writer {
   public:
    Writer(SpillPartitions* target, size_t buffer_bytes)
        : target_(target), buffers_(target->size()), buffer_bytes_(buffer_bytes) {}
    // Appends one record, of one or two pieces.
    arrow::Status Append(size_t partition, std::span<const char> head, std::span<const char> tail = {});
    template <typename Record>
    arrow::Status AppendRecord(size_t partition, const Record& record) {
      return Append(partition, {reinterpret_cast<const char*>(&record), sizeof(Record)});
    }
    // Hands over what is buffered. Must be called before the partitions are read.
    arrow::Status Flush();

   private:
    SpillPartitions* target_;
    std::vector<std::vector<char>> buffers_;
    size_t buffer_bytes_;
  };

  // What a partition held, in the pieces that it was written in, each to be loaded once. Several threads may load.
  class Taken {
   public:
    Taken(SpillPartitions* from, size_t partition) : from_(from), partition_(partition) {
      chunks_.swap(from->partitions_[partition].chunks);
      from->partitions_[partition].bytes = 0;
    }
    ~Taken() {
      for (Chunk& chunk : chunks_) from_->Free(partition_, &chunk);
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

    size_t size() const { return chunks_.size(); }
    arrow::Result<Bytes> Load(size_t i) { return from_->Load(partition_, &chunks_[i]); }

   private:
    friend class SpillPartitions;
    SpillPartitions* from_;
    size_t partition_;
    std::vector<Chunk> chunks_;
  };

  size_t size() const { return partitions_.size(); }
  int64_t bytes(size_t partition) const { return partitions_[partition].bytes; }
  MemoryBudget* budget() const { return &budget_; }
  SpillSpace* space() const { return &space_; }

  // All of a partition, which is empty then.
  arrow::Result<Bytes> Take(size_t partition);
  // The same, piece by piece; records are whole.
  template <typename Use>
  arrow::Status TakeChunks(size_t partition, Use use) {
    Taken taken(this, partition);
    for (size_t i = 0; i < taken.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, taken.Load(i));
      ARROW_RETURN_NOT_OK(use(bytes.span()));
    }
    return arrow::Status::OK();
  }
  // A copy of all of a partition, which stays.
  arrow::Result<Bytes> Read(size_t partition) const;
  // The same, piece by piece.
  template <typename Use>
  arrow::Status ReadChunks(size_t partition, Use use) const {
    std::vector<char> copy;
    for (const Chunk& chunk : partitions_[partition].chunks) {
      if (chunk.in_memory != 0) {
        ARROW_RETURN_NOT_OK(use(std::span<const char>(chunk.memory, chunk.size)));
        continue;
      }
      copy.resize(chunk.size);
      ARROW_RETURN_NOT_OK(Copy(partition, chunk, copy.data()));
      ARROW_RETURN_NOT_OK(use(std::span<const char>(copy)));
    }
    return arrow::Status::OK();
  }

  // A partition that lies in memory in one piece, or is empty.
  std::optional<std::span<const char>> InMemory(size_t partition) const {
    const std::vector<Chunk>& chunks = partitions_[partition].chunks;
    if (chunks.empty()) return std::span<const char>();
    if (chunks.size() > 1 || chunks[0].in_memory == 0) return std::nullopt;
    return std::span<const char>(chunks[0].memory, chunks[0].size);
  }

  arrow::Status AppendChunk(size_t partition, std::span<const char> bytes);

 private:
  struct Partition {
    std::vector<Chunk> chunks;
    int64_t bytes = 0;
  };
  struct File {
    std::shared_ptr<SpillFile> file;
    int64_t live = 0;  // bytes that were not taken yet
  };

  File& FileOf(size_t partition) { return files_[partition * files_.size() / partitions_.size()]; }
  arrow::Result<Bytes> Load(size_t partition, Chunk* chunk);
  arrow::Status Copy(size_t partition, const Chunk& chunk, char* to) const;
  void Free(size_t partition, Chunk* chunk);

  std::vector<Partition> partitions_;
  std::vector<File> files_;
  MemoryBudget& budget_;
  SpillSpace& space_;
  mutable std::mutex mutex_;
};

// The records of a partition that holds nothing else.
template <typename Record>
std::span<Record> Records(const Bytes& bytes) {
  return {reinterpret_cast<Record*>(bytes.data.get()), bytes.size / sizeof(Record)};
}

}  // namespace uzushio
