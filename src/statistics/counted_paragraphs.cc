#include "statistics/counted_paragraphs.h"

#include <algorithm>
#include <cstring>

#include "document/paragraph_hash.h"

namespace uzushio {
namespace {

constexpr size_t kSlots = size_t{1} << 14;
constexpr size_t kMaxUsed = kSlots / 2;
constexpr size_t kMaxTextBytes = size_t{2} << 20;
// More slots are not gone through for a paragraph. By chance there are some dozen; but XXH64 with a known seed gives
// anybody as many texts for one slot as they like.
constexpr size_t kMostProbes = 512;

std::span<const char> HeaderBytes(const CountedHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

void Merge(const CountedHeader& other, CountedHeader* header) {
  header->count = AddSaturating(header->count, other.count);
  header->given_near = AddSaturating(header->given_near, other.given_near);
  header->given_pivot = std::min(header->given_pivot, other.given_pivot);
}

}  // namespace

ParagraphCounter::ParagraphCounter(SpillPartitions* target, const HashPartitioning& partitioning, size_t buffer_bytes)
    : writer_(target, buffer_bytes), partitioning_(partitioning), slots_(kSlots) {}

arrow::Status ParagraphCounter::Add(std::string_view text) {
  CountedHeader header;
  header.hash = header.given_pivot = ParagraphHash(text);
  header.count = 1;
  return Add(header, text);
}

arrow::Status ParagraphCounter::Add(CountedHeader header, std::string_view text) {
  if (text.size() > kMaxParagraphBytes) {
    return arrow::Status::Invalid("a paragraph of ", text.size() >> 20, "MiB: at most ", kMaxParagraphBytes >> 20,
                                  "MiB are counted; leave its document out by --max-document-bytes");
  }
  header.text_bytes = static_cast<uint32_t>(text.size());
  const int64_t hash = header.hash;
  size_t at = static_cast<uint64_t>(hash) % kSlots;
  size_t probes = 0;
  while (slots_[at].used && ++probes <= kMostProbes) {
    Slot& slot = slots_[at];
    if (slot.header.hash == hash && std::string_view(texts_).substr(slot.offset, slot.header.text_bytes) == text) {
      Merge(header, &slot.header);
      return arrow::Status::OK();
    }
    at = (at + 1) % kSlots;
  }
  if (probes > kMostProbes || used_.size() >= kMaxUsed || texts_.size() + text.size() > kMaxTextBytes) {
    ARROW_RETURN_NOT_OK(Flush());
    if (text.size() > kMaxTextBytes) return writer_.Append(partitioning_(hash), HeaderBytes(header), text);
    at = static_cast<uint64_t>(hash) % kSlots;
  }
  slots_[at] = {header, texts_.size(), true};
  used_.push_back(at);
  texts_ += text;
  return arrow::Status::OK();
}

arrow::Status ParagraphCounter::Flush() {
  for (const size_t at : used_) {
    Slot& slot = slots_[at];
    const std::string_view text = std::string_view(texts_).substr(slot.offset, slot.header.text_bytes);
    ARROW_RETURN_NOT_OK(writer_.Append(partitioning_(slot.header.hash), HeaderBytes(slot.header), text));
    slot.used = false;
  }
  used_.clear();
  texts_.clear();
  return arrow::Status::OK();
}

arrow::Status ParagraphCounter::Finish() {
  ARROW_RETURN_NOT_OK(Flush());
  return writer_.Flush();
}

arrow::Result<Bytes> TakeCounted(SpillPartitions* counted, size_t partition, int64_t most) {
  const auto step = static_cast<size_t>(most);
  if (counted->bytes(partition) <= most) return counted->Take(partition);
  std::vector<char> all;
  size_t limit = step;
  const auto add_up = [&all, &limit, step]() -> arrow::Status {
    std::vector<char> sums;
    Bytes bytes = Bytes::Uninitialised(all.size());
    std::ranges::copy(all, bytes.data.get());
    std::vector<char>().swap(all);
    ARROW_RETURN_NOT_OK(ForEachCounted(bytes, [&sums](const CountedHeader& header, std::string_view text) {
      const auto head = HeaderBytes(header);
      sums.insert(sums.end(), head.begin(), head.end());
      sums.insert(sums.end(), text.begin(), text.end());
      return arrow::Status::OK();
    }));
    all = std::move(sums);
    limit = all.size() + std::max(step, all.size());
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(counted->TakeChunks(partition, [&](std::span<const char> chunk) -> arrow::Status {
    all.insert(all.end(), chunk.begin(), chunk.end());
    return all.size() > limit ? add_up() : arrow::Status::OK();
  }));
  Bytes bytes = Bytes::Uninitialised(all.size());
  std::ranges::copy(all, bytes.data.get());
  return bytes;
}

arrow::Status ForEachCounted(const Bytes& partition,
                             const std::function<arrow::Status(const CountedHeader&, std::string_view)>& use) {
  struct Place {
    int64_t hash;
    const char* at;
  };
  std::vector<Place> places;
  for (size_t at = 0; at < partition.size;) {
    CountedHeader header;
    std::memcpy(&header, partition.data.get() + at, sizeof header);
    places.push_back({header.hash, partition.data.get() + at});
    at += sizeof header + header.text_bytes;
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.hash < b.hash; });
  for (size_t i = 0; i < places.size();) {
    CountedHeader sum;
    std::string_view text;
    for (size_t j = i; j < places.size() && places[j].hash == places[i].hash; ++j) {
      CountedHeader header;
      std::memcpy(&header, places[j].at, sizeof header);
      const std::string_view other(places[j].at + sizeof header, header.text_bytes);
      if (text.empty() || (!other.empty() && other < text)) text = other;
      if (j == i) {
        sum = header;
      } else {
        Merge(header, &sum);
      }
    }
    const int64_t hash = places[i].hash;
    while (i < places.size() && places[i].hash == hash) ++i;
    sum.text_bytes = static_cast<uint32_t>(text.size());
    ARROW_RETURN_NOT_OK(use(sum, text));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
