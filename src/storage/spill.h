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
// The same of a file of Arrow's that could not be written; what is no error of the system stays as it is.
arrow::Status SpillError(const std::filesystem::path& folder, const arrow::Status& written);

// The descriptor of a new temporary file without a name: it is gone when it is closed, or when the process ends,
// however it ends. `folder` must exist.
arrow::Result<int> OpenUnnamed(const std::filesystem::path& folder);

// Such a file, that several threads write to.
class SpillFile {
 public:
  static arrow::Result<std::unique_ptr<SpillFile>> Create(const std::filesystem::path& folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Room for so many bytes at the end: its offset. This and the others may be called from several threads.
  int64_t Extend(size_t bytes) { return end_.fetch_add(static_cast<int64_t>(bytes)); }
  arrow::Status Write(int64_t offset, std::span<const char> head, std::span<const char> tail = {}) const;
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
// The order in a partition is not that of appending: readers sort. What a Writer appends at once stays together.
//
// Neighbouring partitions share a file, which is gone when the last of them is taken.
class SpillPartitions {
 private:
  // Bytes as they were handed over, in memory or in the partition's file. The piece before it follows them there: a
  // list of the pieces, of which there are a million for some gigabytes, is not held.
  struct Piece {
    union {
      int64_t offset = 0;
      char* memory;
    };
    uint64_t size = 0;  // of the bytes; 0: there is none
  };
  static_assert(sizeof(Piece) == 16);

  // The last pieces of a partition.
  struct Partition {
    Piece in_memory;
    Piece on_disk;
    int64_t bytes = 0;
    int64_t bytes_on_disk = 0;
    int64_t pieces = 0;
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

  // What a partition held, in the pieces that it was written in.
  class Taken {
   public:
    Taken(SpillPartitions* from, size_t partition) : from_(from), partition_(partition) {
      std::swap(left_, from->partitions_[partition]);
    }
    size_t size() const { return static_cast<size_t>(left_.pieces); }  // in pieces
    ~Taken() { from_->Free(partition_, &left_); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

    // The next, or none after the last. Several threads may call.
    arrow::Result<std::optional<Bytes>> Next() {
      const std::lock_guard lock(mutex_);
      return from_->TakePiece(partition_, &left_);
    }

   private:
    friend class SpillPartitions;
    SpillPartitions* from_;
    size_t partition_;
    Partition left_;
    std::mutex mutex_;
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
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<Bytes> bytes, taken.Next());
      if (!bytes) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(use(bytes->span()));
    }
  }
  // A copy of all of a partition, which stays.
  arrow::Result<Bytes> Read(size_t partition) const;
  // The same, piece by piece.
  template <typename Use>
  arrow::Status ReadChunks(size_t partition, Use use) const {
    const Partition& source = partitions_[partition];
    for (Piece piece = source.in_memory; piece.size > 0; piece = Before(piece)) {
      ARROW_RETURN_NOT_OK(use(std::span<const char>(piece.memory, piece.size)));
    }
    std::vector<char> copy;
    for (Piece piece = source.on_disk; piece.size > 0;) {
      const size_t size = piece.size;
      copy.resize(size + sizeof(Piece));
      ARROW_RETURN_NOT_OK(ReadPiece(partition, &piece, copy.data()));
      ARROW_RETURN_NOT_OK(use(std::span<const char>(copy.data(), size)));
    }
    return arrow::Status::OK();
  }

  // A partition that lies in memory in one piece, or is empty.
  std::optional<std::span<const char>> InMemory(size_t partition) const {
    const Partition& of = partitions_[partition];
    if (of.pieces == 0) return std::span<const char>();
    if (of.pieces > 1 || of.in_memory.size == 0) return std::nullopt;
    return std::span<const char>(of.in_memory.memory, of.in_memory.size);
  }

  arrow::Status AppendChunk(size_t partition, std::span<const char> bytes);

 private:
  struct File {
    std::shared_ptr<SpillFile> file;
    int64_t live = 0;  // bytes that were not taken yet
  };

  // What a piece takes in memory, with what the C library takes for it.
  static constexpr int64_t HeldBytes(size_t size) { return static_cast<int64_t>(size + sizeof(Piece) + 16); }
  static Piece Before(const Piece& in_memory) {
    Piece before;
    std::memcpy(&before, in_memory.memory + in_memory.size, sizeof before);
    return before;
  }
  size_t FileNumber(size_t partition) const { return partition * files_.size() / partitions_.size(); }
  // Reads a piece on disk, and what follows it, to `to`. It is the one before then.
  arrow::Status ReadPiece(size_t partition, Piece* piece, char* to) const;
  // A piece of what is left, which is freed, or none.
  arrow::Result<std::optional<Bytes>> TakePiece(size_t partition, Partition* left);
  void KeepInMemory(size_t partition, std::span<const char> bytes);
  arrow::Status WriteToDisk(size_t partition, std::span<const char> bytes);
  // All pieces as one. `used` is called with each of those in memory when it was copied.
  template <typename Used>
  arrow::Result<Bytes> Gather(size_t partition, const Partition& from, Used used) const;
  void FreeInMemory(const Piece& piece);
  void FreeOnDisk(size_t partition, int64_t bytes);
  void Free(size_t partition, Partition* left);

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
// The same of one of its chunks.
template <typename Record>
std::span<const Record> RecordsIn(std::span<const char> chunk) {
  return {reinterpret_cast<const Record*>(chunk.data()), chunk.size() / sizeof(Record)};
}

}  // namespace uzushio
