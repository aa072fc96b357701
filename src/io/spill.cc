#include "io/spill.h"

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

arrow::Result<int64_t> SpillFile::Append(std::span<const char> bytes) {
  const int64_t offset = end_.fetch_add(static_cast<int64_t>(bytes.size()));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pwrite(descriptor_, bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return SpillError(folder_, "write", n == 0 ? ENOSPC : errno);
    done += static_cast<size_t>(n);
  }
  return offset;
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
  for (size_t i = 0; i < partitions_.size(); ++i) {
    for (Chunk& chunk : partitions_[i].chunks) Free(i, &chunk);
  }
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
  const auto size = static_cast<int64_t>(bytes.size());
  Chunk chunk;
  chunk.size = bytes.size();
  if (budget_.TryReserve(size)) {
    Bytes copy = Bytes::Uninitialised(bytes.size());
    std::memcpy(copy.data.get(), bytes.data(), bytes.size());
    chunk.memory = copy.data.release();
    chunk.in_memory = 1;
  } else {
    std::shared_ptr<SpillFile> target;
    {
      const std::lock_guard lock(mutex_);
      File& file = FileOf(partition);
      if (file.file == nullptr) {
        ARROW_ASSIGN_OR_RAISE(file.file, space_.NewFile());
      }
      file.live += size;
      target = file.file;
    }
    ARROW_ASSIGN_OR_RAISE(chunk.offset, target->Append(bytes));
    space_.Count(size);
  }
  const std::lock_guard lock(mutex_);
  partitions_[partition].chunks.push_back(chunk);
  partitions_[partition].bytes += size;
  return arrow::Status::OK();
}

// Gives back what the chunk held. It is empty then.
void SpillPartitions::Free(size_t partition, Chunk* chunk) {
  const auto size = static_cast<int64_t>(chunk->size);
  if (size == 0) return;
  if (chunk->in_memory != 0) {
    delete[] chunk->memory;
    budget_.Release(size);
  } else {
    const std::lock_guard lock(mutex_);
    File& file = FileOf(partition);
    file.live -= size;
    if (file.live == 0) file.file.reset();
  }
  *chunk = {};
}

arrow::Status SpillPartitions::Copy(size_t partition, const Chunk& chunk, char* to) const {
  if (chunk.in_memory != 0) {
    std::memcpy(to, chunk.memory, chunk.size);
    return arrow::Status::OK();
  }
  std::shared_ptr<SpillFile> file;
  {
    const std::lock_guard lock(mutex_);
    file = files_[partition * files_.size() / partitions_.size()].file;
  }
  return file->Read(chunk.offset, {to, chunk.size});
}

arrow::Result<Bytes> SpillPartitions::Load(size_t partition, Chunk* chunk) {
  Bytes bytes;
  if (chunk->in_memory != 0) {
    bytes = {std::unique_ptr<char[]>(chunk->memory), chunk->size};
    budget_.Release(static_cast<int64_t>(chunk->size));
    *chunk = {};
    return bytes;
  }
  bytes = Bytes::Uninitialised(chunk->size);
  ARROW_RETURN_NOT_OK(Copy(partition, *chunk, bytes.data.get()));
  Free(partition, chunk);
  return bytes;
}

arrow::Result<Bytes> SpillPartitions::Read(size_t partition) const {
  const Partition& source = partitions_[partition];
  Bytes all = Bytes::Uninitialised(static_cast<size_t>(source.bytes));
  size_t at = 0;
  for (const Chunk& chunk : source.chunks) {
    ARROW_RETURN_NOT_OK(Copy(partition, chunk, all.data.get() + at));
    at += chunk.size;
  }
  return all;
}

arrow::Result<Bytes> SpillPartitions::Take(size_t partition) {
  const auto size = static_cast<size_t>(partitions_[partition].bytes);
  Taken taken(this, partition);
  if (taken.size() == 1) return taken.Load(0);
  Bytes all = Bytes::Uninitialised(size);
  size_t at = 0;
  for (Chunk& chunk : taken.chunks_) {
    const size_t bytes = chunk.size;
    ARROW_RETURN_NOT_OK(Copy(partition, chunk, all.data.get() + at));
    Free(partition, &chunk);
    at += bytes;
  }
  return all;
}

}  // namespace uzushio
