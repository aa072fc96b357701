#include "storage/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace uzushio {

arrow::Status SpillError(const std::filesystem::path& folder, const char* doing, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return arrow::Status::IOError(folder.string(), ": no space left for temporary data; name a folder with more by ",
                                  "--tmp, or allow more memory by --memory");
  }
  return arrow::Status::IOError(folder.string(), ": can not ", doing, " temporary data: ", std::strerror(error));
}

arrow::Result<int> OpenUnnamed(const std::filesystem::path& folder) {
  int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // A file system without nameless files: a named one that loses its name at once.
    std::string name = (folder / ".uzushio-spill-XXXXXX").string();
    descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) unlink(name.c_str());
  }
  if (descriptor < 0) return SpillError(folder, "create", errno);
  return descriptor;
}

arrow::Result<std::unique_ptr<SpillFile>> SpillFile::Create(const std::filesystem::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenUnnamed(folder));
  return std::unique_ptr<SpillFile>(new SpillFile(descriptor, folder));
}

SpillFile::~SpillFile() { close(descriptor_); }

arrow::Status SpillFile::Write(int64_t offset, std::span<const char> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pwrite(descriptor_, bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return SpillError(folder_, "write", n == 0 ? ENOSPC : errno);
    done += static_cast<size_t>(n);
  }
  return arrow::Status::OK();
}

arrow::Status SpillFile::Read(int64_t offset, std::span<char> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pread(descriptor_, bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return SpillError(folder_, "read", n == 0 ? EIO : errno);
    done += static_cast<size_t>(n);
  }
  return arrow::Status::OK();
}

SpillPartitions::~SpillPartitions() {
  for (size_t i = 0; i < partitions_.size(); ++i) Free(i, &partitions_[i]);
}

arrow::Status SpillPartitions::Writer::Append(size_t partition, std::span<const char> head,
                                              std::span<const char> tail) {
  std::vector<char>& buffer = buffers_[partition];
  const size_t size = head.size() + tail.size();
  if (!buffer.empty() && buffer.size() + size > buffer_bytes_) {
    ARROW_RETURN_NOT_OK(target_->AppendChunk(partition, buffer));
    buffer.clear();
  }
  if (size > buffer_bytes_) {  // not kept: every partition could have such a one
    std::vector<char> record(head.begin(), head.end());
    record.insert(record.end(), tail.begin(), tail.end());
    return target_->AppendChunk(partition, record);
  }
  if (buffer.capacity() == 0) buffer.reserve(buffer_bytes_);
  buffer.insert(buffer.end(), head.begin(), head.end());
  buffer.insert(buffer.end(), tail.begin(), tail.end());
  return arrow::Status::OK();
}

arrow::Status SpillPartitions::Writer::Flush() {
  for (size_t partition = 0; partition < buffers_.size(); ++partition) {
    if (!buffers_[partition].empty()) ARROW_RETURN_NOT_OK(target_->AppendChunk(partition, buffers_[partition]));
    buffers_[partition] = std::vector<char>();
  }
  return arrow::Status::OK();
}

arrow::Status SpillPartitions::AppendChunk(size_t partition, std::span<const char> bytes) {
  if (bytes.empty()) return arrow::Status::OK();
  const bool in_memory = budget_.TryReserve(HeldBytes(bytes.size()));
  Bytes linked = Bytes::Uninitialised(bytes.size() + sizeof(Piece));
  std::memcpy(linked.data.get(), bytes.data(), bytes.size());
  char* const link = linked.data.get() + bytes.size();
  Piece piece;
  piece.size = bytes.size();
  std::unique_lock lock(mutex_);
  Partition& of = partitions_[partition];
  if (in_memory) {
    std::memcpy(link, &of.in_memory, sizeof(Piece));
    piece.memory = linked.data.release();
    of.in_memory = piece;
  } else {
    File& file = files_[FileNumber(partition)];
    if (file.file == nullptr) {
      ARROW_ASSIGN_OR_RAISE(file.file, space_.NewFile());
    }
    std::memcpy(link, &of.on_disk, sizeof(Piece));
    piece.offset = file.file->Extend(linked.size);
    of.on_disk = piece;
    of.bytes_on_disk += static_cast<int64_t>(bytes.size());
    file.live += static_cast<int64_t>(bytes.size());
  }
  of.bytes += static_cast<int64_t>(bytes.size());
  ++of.pieces;
  if (in_memory) return arrow::Status::OK();
  const std::shared_ptr<SpillFile> file = files_[FileNumber(partition)].file;
  lock.unlock();
  space_.Count(static_cast<int64_t>(linked.size));
  return file->Write(piece.offset, linked.span());
}

void SpillPartitions::FreeInMemory(Partition* left) {
  const Piece last = left->in_memory;
  left->in_memory = Before(last);
  delete[] last.memory;
  budget_.Release(HeldBytes(last.size));
}

void SpillPartitions::FreeOnDisk(size_t partition, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  File& file = files_[FileNumber(partition)];
  file.live -= bytes;
  if (file.live == 0) file.file.reset();
}

void SpillPartitions::Free(size_t partition, Partition* left) {
  while (left->in_memory.size > 0) FreeInMemory(left);
  if (left->bytes_on_disk > 0) FreeOnDisk(partition, left->bytes_on_disk);
  *left = {};
}

arrow::Status SpillPartitions::ReadPiece(size_t partition, Piece* piece, char* to) const {
  std::shared_ptr<SpillFile> file;
  {
    const std::lock_guard lock(mutex_);
    file = files_[FileNumber(partition)].file;
  }
  ARROW_RETURN_NOT_OK(file->Read(piece->offset, {to, piece->size + sizeof(Piece)}));
  std::memcpy(piece, to + piece->size, sizeof(Piece));
  return arrow::Status::OK();
}

arrow::Result<std::optional<Bytes>> SpillPartitions::TakePiece(size_t partition, Partition* left) {
  if (const Piece last = left->in_memory; last.size > 0) {
    left->in_memory = Before(last);
    budget_.Release(HeldBytes(last.size));
    return Bytes{std::unique_ptr<char[]>(last.memory), last.size};
  }
  const size_t size = left->on_disk.size;
  if (size == 0) return std::nullopt;
  Bytes bytes = Bytes::Uninitialised(size + sizeof(Piece));
  ARROW_RETURN_NOT_OK(ReadPiece(partition, &left->on_disk, bytes.data.get()));
  left->bytes_on_disk -= static_cast<int64_t>(size);
  FreeOnDisk(partition, static_cast<int64_t>(size));
  bytes.size = size;
  return bytes;
}

arrow::Result<Bytes> SpillPartitions::Read(size_t partition) const {
  Bytes all = Bytes::Uninitialised(static_cast<size_t>(bytes(partition)));
  char* to = all.data.get();
  ARROW_RETURN_NOT_OK(ReadChunks(partition, [&to](std::span<const char> piece) {
    to = std::ranges::copy(piece, to).out;
    return arrow::Status::OK();
  }));
  return all;
}

arrow::Result<Bytes> SpillPartitions::Take(size_t partition) {
  if (partitions_[partition].pieces == 1) {
    ARROW_ASSIGN_OR_RAISE(std::optional<Bytes> only, Taken(this, partition).Next());
    return *std::move(only);
  }
  Bytes all = Bytes::Uninitialised(static_cast<size_t>(bytes(partition)));
  char* to = all.data.get();
  ARROW_RETURN_NOT_OK(TakeChunks(partition, [&to](std::span<const char> piece) {
    to = std::ranges::copy(piece, to).out;
    return arrow::Status::OK();
  }));
  return all;
}

}  // namespace uzushio
