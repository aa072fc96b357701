#include "statistics/frequency_index.h"

#include <arrow/buffer.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/hash_state.h"

// Idea. Entries sorted by hash, and a directory of where each prefix of the hash begins. Hashes are uniform, so that a
// prefix has two to four entries: a lookup reads one place of the directory and one cache line or two of entries.
// LookUp prefetches, since a lookup costs little but the two cache misses.
//
// Cost. 16 bytes an entry and 8 bytes a directory place, of which there are at most 2^20. Beyond some four million
// entries the range of a prefix grows; it is searched by interpolation and a galloping search from there, so that
// skewed hashes cost more steps and nothing else. The file is mapped, so that processes share it.
//
// Example. Four entries 0x1..., 0x3..., 0xA..., 0xF... with one bit: the directory is {0, 2, 4}; a hash that begins
// with 0xA (first bit 1) is looked for among entries 2 and 3.
namespace uzushio {
namespace {

constexpr std::array<char, 8> kIndexMagic = {'U', 'Z', 'U', 'F', 'R', 'E', 'Q', '\0'};
constexpr uint32_t kIndexVersion = 1;
// Two to four entries for each place of the directory, which is at most 8 MiB.
constexpr int kMaxBits = 20;
constexpr int64_t kEntriesPerPlace = 2;
constexpr size_t kBufferedEntries = size_t{64} << 10;

struct IndexHeader {
  std::array<char, 8> magic = kIndexMagic;
  uint32_t version = kIndexVersion;
  uint32_t entry_bytes = sizeof(FrequencyEntry);
  std::array<char, 48> zeros{};
};
static_assert(sizeof(IndexHeader) == 64);

struct Footer {
  std::array<char, 8> magic = kIndexMagic;
  uint32_t version = kIndexVersion;
  uint32_t bits = 0;
  uint64_t entries = 0;
  uint64_t checksum = 0;
  uint64_t own_checksum = 0;
  std::array<char, 24> zeros{};

  uint64_t Sum() const { return XXH3_64bits(this, offsetof(Footer, own_checksum)); }
  bool IsWhole() const { return magic == kIndexMagic && own_checksum == Sum() && zeros == std::array<char, 24>{}; }
};
static_assert(sizeof(Footer) == kFrequencyIndexFooterBytes);

// Signed order as unsigned order.
constexpr uint64_t Ordered(int64_t hash) {
  return static_cast<uint64_t>(hash) ^ uint64_t { 1 } << 63;
}

size_t Place(int64_t hash, int bits) { return bits == 0 ? 0 : Ordered(hash) >> (64 - bits); }

}  // namespace

struct FrequencyIndexWriter::Checksum {
  Xxh3State state = NewXxh3State();
};

FrequencyIndexWriter::FrequencyIndexWriter(std::shared_ptr<HashedFile> file)
    : file_(std::move(file)), directory_((size_t{1} << kMaxBits) + 1), checksum_(std::make_unique<Checksum>()) {
  buffer_.reserve(kBufferedEntries);
}
FrequencyIndexWriter::~FrequencyIndexWriter() = default;

arrow::Result<std::unique_ptr<FrequencyIndexWriter>> FrequencyIndexWriter::Create(const std::filesystem::path& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, HashedFile::Create(path));
  std::unique_ptr<FrequencyIndexWriter> writer(new FrequencyIndexWriter(std::move(file)));
  const IndexHeader header;
  ARROW_RETURN_NOT_OK(writer->Write(&header, sizeof header));
  return writer;
}

arrow::Status FrequencyIndexWriter::Write(const void* data, size_t bytes) {
  XXH3_64bits_update(checksum_->state.get(), data, bytes);
  return file_->Write(data, static_cast<int64_t>(bytes));
}

arrow::Status FrequencyIndexWriter::Flush() {
  ARROW_RETURN_NOT_OK(Write(buffer_.data(), buffer_.size() * sizeof(FrequencyEntry)));
  buffer_.clear();
  return arrow::Status::OK();
}

arrow::Status FrequencyIndexWriter::Append(const FrequencyEntry& entry) {
  if (count_ > 0 && entry.hash <= last_hash_)
    return arrow::Status::UnknownError("frequency index: hashes not in order");
  last_hash_ = entry.hash;
  ++count_;
  ++directory_[Place(entry.hash, kMaxBits) + 1];
  buffer_.push_back(entry);
  return buffer_.size() == kBufferedEntries ? Flush() : arrow::Status::OK();
}

arrow::Status FrequencyIndexWriter::Finish() {
  ARROW_RETURN_NOT_OK(Flush());
  for (size_t i = 1; i < directory_.size(); ++i) directory_[i] += directory_[i - 1];
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(count_ / kEntriesPerPlace, 1));
  const int bits = std::min(kMaxBits, static_cast<int>(std::bit_width(wanted)) - 1);
  const size_t places = (size_t{1} << bits) + 1;
  for (size_t i = 0; i < places; ++i) directory_[i] = directory_[i << (kMaxBits - bits)];
  directory_.resize(places);
  ARROW_RETURN_NOT_OK(Write(directory_.data(), directory_.size() * sizeof(uint64_t)));
  Footer footer;
  footer.bits = static_cast<uint32_t>(bits);
  footer.entries = static_cast<uint64_t>(count_);
  footer.checksum = XXH3_64bits_digest(checksum_->state.get());
  footer.own_checksum = footer.Sum();
  ARROW_RETURN_NOT_OK(file_->Write(&footer, sizeof footer));
  return file_->Close();
}

arrow::Result<uint64_t> FrequencyIndexChecksum(std::string_view bytes, const std::string& name) {
  Footer footer;
  if (bytes.size() == sizeof footer) std::memcpy(&footer, bytes.data(), sizeof footer);
  if (bytes.size() != sizeof footer || !footer.IsWhole()) {
    return arrow::Status::IOError(name,
                                  ": this is no frequency index, or it is cut off; make it again with uzushio merge");
  }
  return footer.checksum;
}

arrow::Result<std::shared_ptr<FrequencyIndex>> FrequencyIndex::Open(const std::string& path) {
  const auto refuse = [&path](auto... why) {
    return arrow::Status::IOError(path, ": ", why..., "; make it again with uzushio merge");
  };
  std::shared_ptr<FrequencyIndex> index(new FrequencyIndex());
  ARROW_ASSIGN_OR_RAISE(index->file_, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, index->file_->GetSize());
  IndexHeader header;
  if (size < static_cast<int64_t>(sizeof header + sizeof(Footer))) return refuse("this is no frequency index");
  ARROW_ASSIGN_OR_RAISE(index->bytes_, index->file_->ReadAt(0, size));
  const uint8_t* data = index->bytes_->data();
  std::memcpy(&header, data, sizeof header);
  if (header.magic != kIndexMagic) return refuse("this is no frequency index");
  if (header.version != kIndexVersion || header.entry_bytes != sizeof(FrequencyEntry)) {
    return refuse("a frequency index of version ", header.version, ", and this program reads version ", kIndexVersion);
  }
  Footer footer;
  const size_t before_footer = static_cast<size_t>(size) - sizeof footer;
  std::memcpy(&footer, data + before_footer, sizeof footer);
  if (!footer.IsWhole()) return refuse("a frequency index that is cut off");
  const size_t places = footer.bits <= kMaxBits ? (size_t{1} << footer.bits) + 1 : 0;
  const size_t directory_bytes = places * sizeof(uint64_t);
  if (places == 0 || footer.entries > before_footer / sizeof(FrequencyEntry) ||
      sizeof header + footer.entries * sizeof(FrequencyEntry) + directory_bytes != before_footer ||
      footer.checksum != XXH3_64bits(data, before_footer)) {
    return refuse("a frequency index that is damaged");
  }
  index->bits_ = static_cast<int>(footer.bits);
  index->checksum_ = footer.checksum;
  index->entries_ = {reinterpret_cast<const FrequencyEntry*>(data + sizeof header), footer.entries};
  index->directory_ = {reinterpret_cast<const uint64_t*>(data + before_footer - directory_bytes), places};
  return index;
}

std::shared_ptr<FrequencyIndex> FrequencyIndex::Make(std::vector<FrequencyEntry> entries) {
  std::shared_ptr<FrequencyIndex> index(new FrequencyIndex());
  std::ranges::sort(entries, {}, &FrequencyEntry::hash);
  index->made_ = std::move(entries);
  index->made_directory_ = {0, index->made_.size()};
  index->entries_ = index->made_;
  index->directory_ = index->made_directory_;
  return index;
}

// Hashes are spread evenly: a place in proportion is near the right one. Steps from there double, so that any other
// spread is only slower.
const FrequencyEntry* FrequencyIndex::Find(int64_t hash) const {
  const size_t place = Place(hash, bits_);
  size_t low = directory_[place];
  size_t high = directory_[place + 1];
  if (high - low > 16) {
    const auto within = static_cast<uint32_t>(Ordered(hash) << bits_ >> 32);
    const size_t guess = low + (((high - low) * uint64_t{within}) >> 32);
    size_t step = 8;
    if (entries_[guess].hash <= hash) {
      low = guess;
      while (low + step < high && entries_[low + step].hash <= hash) low += step, step *= 2;
      high = std::min(high, low + step);
    } else {
      high = guess;
      while (high - low > step && entries_[high - step].hash > hash) high -= step, step *= 2;
      low = high - low > step ? high - step : low;
    }
    while (high - low > 8) {
      const size_t middle = (low + high) / 2;
      (entries_[middle].hash <= hash ? low : high) = middle;
    }
  }
  while (low < high && entries_[low].hash < hash) ++low;
  return low < high && entries_[low].hash == hash ? &entries_[low] : nullptr;
}

void FrequencyIndex::LookUp(std::span<const int64_t> hashes, std::span<Frequencies> frequencies) const {
  // What the next look-ups need is on its way from memory while one is made.
  constexpr size_t kAhead = 16;
  const auto fetch_entries = [this](int64_t hash) {
    const size_t place = Place(hash, bits_);
    const size_t low = directory_[place];
    const size_t high = directory_[place + 1];
    const auto within = static_cast<uint32_t>(bits_ == 0 ? Ordered(hash) >> 32 : Ordered(hash) << bits_ >> 32);
    const FrequencyEntry* at = entries_.data() + low + (high - low > 16 ? ((high - low) * uint64_t{within}) >> 32 : 0);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 4);
  };
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + 2 * kAhead < hashes.size()) __builtin_prefetch(&directory_[Place(hashes[i + 2 * kAhead], bits_)]);
    if (i + kAhead < hashes.size()) fetch_entries(hashes[i + kAhead]);
    const FrequencyEntry* entry = Find(hashes[i]);
    frequencies[i] = entry == nullptr ? Frequencies{} : Frequencies{entry->exact_freq, entry->near_freq};
  }
}

}  // namespace uzushio
