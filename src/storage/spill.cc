#include "storage/spill.h"

#include <arrow/util/io_util.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

// Idea. A partition is two linked lists of chunks, newest first: chunks stay in memory while the shared budget has
// bytes for them, others are appended to a temporary file. The link to the chunk before follows the chunk's bytes, in
// memory as on disk, so that a partition costs a constant number of bytes however many chunks it has.
//
// Cost. One pwritev for each chunk that is spilled and one pread to read it back. Bytes are copied and written outside
// of the lock, which covers the update of a link only. Files have no names (O_TMPFILE): the kernel frees them when the
// process ends, however it ends.
//
// Example. Two threads append A and B to partition 3, and the budget is used up when B arrives:
//   in_memory -> A           on_disk -> offset 0 of file 0: B, then "none"
// Take(3) returns the bytes of A and B, in either order.
namespace uzushio {

arrow::Status SpillError(const std::filesystem::path& folder, const char* doing, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return arrow::Status::IOError(folder.string(), ": no space left for temporary data; name a folder with more by ",
                                  "--tmp, or allow more memory by --memory");
  }
  return arrow::Status::IOError(folder.string(), ": can not ", doing, " temporary data: ", std::strerror(error));
}

arrow::Status SpillError(const std::filesystem::path& folder, const arrow::Status& written) {
  const int error = arrow::internal::ErrnoFromStatus(written);
  return error == 0 ? written : SpillError(folder, "write", error);
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

arrow::Status SpillFile::Write(int64_t offset, std::span<const char> head, std::span<const char> tail) const {
  size_t done = 0;
  while (done < head.size() + tail.size()) {
    const std::span<const char> rest = head.subspan(std::min(done, head.size()));
    const std::span<const char> rest_of_tail = tail.subspan(done - (head.size() - rest.size()));
    const std::array<iovec, 2> parts = {
        {{const_cast<char*>(rest.data()), rest.size()}, {const_cast<char*>(rest_of_tail.data()), rest_of_tail.size()}}};
    const ssize_t n = pwritev(descriptor_, parts.data(), parts.size(), offset + static_cast<int64_t>(done));
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
  if (budget_.TryReserve(HeldBytes(bytes.size()))) {
    KeepInMemory(partition, bytes);
    return arrow::Status::OK();
  }
  return WriteToDisk(partition, bytes);
}

void SpillPartitions::KeepInMemory(size_t partition, std::span<const char> bytes) {
  Bytes linked = Bytes::Uninitialised(bytes.size() + sizeof(Piece));
  char* const link = std::ranges::copy(bytes, linked.data.get()).out;
  const std::lock_guard lock(mutex_);
  Partition& of = partitions_[partition];
  std::memcpy(link, &of.in_memory, sizeof(Piece));
  of.in_memory.memory = linked.data.release();
  of.in_memory.size = bytes.size();
  of.bytes += static_cast<int64_t>(bytes.size());
  ++of.pieces;
}

arrow::Status SpillPartitions::WriteToDisk(size_t partition, std::span<const char> bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  std::shared_ptr<SpillFile> file;
  Piece before;
  int64_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    File& of_partition = files_[FileNumber(partition)];
    if (of_partition.file == nullptr) {
      ARROW_ASSIGN_OR_RAISE(of_partition.file, space_.NewFile());
    }
    file = of_partition.file;
    of_partition.live += size;
    offset = file->Extend(bytes.size() + sizeof(Piece));
    Partition& of = partitions_[partition];
    before = of.on_disk;
    of.on_disk.offset = offset;
    of.on_disk.size = bytes.size();
    of.bytes_on_disk += size;
    of.bytes += size;
    ++of.pieces;
  }
  space_.Count(size + static_cast<int64_t>(sizeof(Piece)));
  return file->Write(offset, bytes, {reinterpret_cast<const char*>(&before), sizeof before});
}

void SpillPartitions::FreeInMemory(const Piece& piece) {
  delete[] piece.memory;
  budget_.Release(HeldBytes(piece.size));
}

void SpillPartitions::FreeOnDisk(size_t partition, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  File& file = files_[FileNumber(partition)];
  file.live -= bytes;
  if (file.live == 0) file.file.reset();
}

void SpillPartitions::Free(size_t partition, Partition* left) {
  while (left->in_memory.size > 0) FreeInMemory(std::exchange(left->in_memory, Before(left->in_memory)));
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

template <typename Used>
arrow::Result<Bytes> SpillPartitions::Gather(size_t partition, const Partition& from, Used used) const {
  // What follows a piece on disk comes with it: the next is read over that of the one before.
  Bytes all = Bytes::Uninitialised(static_cast<size_t>(from.bytes) + sizeof(Piece));
  all.size = static_cast<size_t>(from.bytes);
  char* to = all.data.get();
  for (Piece piece = from.in_memory; piece.size > 0;) {
    const Piece before = Before(piece);
    to = std::copy_n(piece.memory, piece.size, to);
    used(piece);
    piece = before;
  }
  for (Piece piece = from.on_disk; piece.size > 0;) {
    char* const end = to + piece.size;
    ARROW_RETURN_NOT_OK(ReadPiece(partition, &piece, to));
    to = end;
  }
  return all;
}

arrow::Result<Bytes> SpillPartitions::Read(size_t partition) const {
  return Gather(partition, partitions_[partition], [](const Piece&) {});
}

arrow::Result<Bytes> SpillPartitions::Take(size_t partition) {
  Taken taken(this, partition);
  if (taken.size() == 1 && taken.left_.in_memory.size > 0) {
    ARROW_ASSIGN_OR_RAISE(std::optional<Bytes> only, taken.Next());
    return *std::move(only);
  }
  return Gather(partition, taken.left_, [&](const Piece& piece) {
    taken.left_.in_memory = Before(piece);
    FreeInMemory(piece);
  });
}

}  // namespace uzushio
