#include "stages/filter/repeats.h"

#include <xxhash.h>

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "base/sort.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kPartitions = 256;
constexpr int kElementBits = 40;  // of a piece: a file, or a part of it
constexpr size_t kBlockPlaces = 8192;

size_t BufferBytes(const RepeatsPlan& plan, int threads) {
  const int64_t buffer = plan.buffers / threads / static_cast<int64_t>(kPartitions);
  return static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
}

size_t PartitionOfPiece(uint64_t piece, size_t pieces) { return static_cast<size_t>(piece) * kPartitions / pieces; }

std::span<const char> BytesOf(std::span<const uint64_t> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

arrow::Status ChangedMeanwhile() { return arrow::Status::IOError("was changed while it was read"); }

}  // namespace

ElementHash HashOfElement(std::string_view element) {
  const XXH128_hash_t hash = XXH3_128bits(element.data(), element.size());
  return {hash.high64, hash.low64};
}

RepeatFinder::RepeatFinder(size_t pieces, int threads, const RepeatsPlan& plan, SpillSpace* space)
    : pieces_(std::max<size_t>(pieces, 1)),
      threads_(threads),
      plan_(plan),
      space_(space),
      budget_(plan.partitions),
      counts_(pieces_),
      elements_(kPartitions, &budget_, space) {}

RepeatFinder::Writer::Writer(RepeatFinder* to)
    : to_(to), writer_(&to->elements_, BufferBytes(to->plan_, to->threads_)) {}

void RepeatFinder::Writer::Begin(size_t piece) { piece_ = piece; }

arrow::Status RepeatFinder::Writer::Add(std::string_view element) {
  const uint64_t place = static_cast<uint64_t>(piece_) << kElementBits | to_->counts_[piece_]++;
  const ElementHash hash = HashOfElement(element);
  return writer_.AppendRecord(hash.high >> 56, Element{hash.high, hash.low, place});
}

arrow::Status RepeatFinder::AppendRepeat(uint64_t place, SpillPartitions::Writer* repeats) const {
  return repeats->AppendRecord(PartitionOfPiece(place >> kElementBits, pieces_), place);
}

// Elements of one hash, as far as the partition's key tells, that are more than fit.
arrow::Status RepeatFinder::FindEqual(SpillPartitions* from, size_t partition, SpillPartitions::Writer* repeats) const {
  std::map<uint64_t, uint64_t> first;  // place of each lower half
  ARROW_RETURN_NOT_OK(from->ReadChunks(partition, [&first](std::span<const char> bytes) {
    for (const Element& element :
         std::span(reinterpret_cast<const Element*>(bytes.data()), bytes.size() / sizeof(Element))) {
      const auto [known, is_new] = first.try_emplace(element.low, element.place);
      if (!is_new) known->second = std::min(known->second, element.place);
    }
    return arrow::Status::OK();
  }));
  return from->TakeChunks(partition, [&](std::span<const char> bytes) -> arrow::Status {
    for (const Element& element :
         std::span(reinterpret_cast<const Element*>(bytes.data()), bytes.size() / sizeof(Element))) {
      if (first.at(element.low) != element.place) ARROW_RETURN_NOT_OK(AppendRepeat(element.place, repeats));
    }
    return arrow::Status::OK();
  });
}

arrow::Status RepeatFinder::FindRepeats(size_t partition, SpillPartitions::Writer* repeats) const {
  return ForEachRange<Element>(
      &elements_, partition, plan_.load, [](const Element& element) { return element.high; },
      [&](std::span<Element> elements) -> arrow::Status {
        std::ranges::sort(elements, {},
                          [](const Element& element) { return std::tuple(element.high, element.low, element.place); });
        for (size_t i = 1; i < elements.size(); ++i) {
          const Element& before = elements[i - 1];
          if (elements[i].high != before.high || elements[i].low != before.low) continue;
          ARROW_RETURN_NOT_OK(AppendRepeat(elements[i].place, repeats));
        }
        return arrow::Status::OK();
      },
      [&](SpillPartitions* from, size_t equal) { return FindEqual(from, equal, repeats); });
}

arrow::Result<std::unique_ptr<RepeatedElements>> RepeatFinder::Finish() {
  SpillPartitions repeats(kPartitions, &budget_, space_);
  ARROW_RETURN_NOT_OK(ParallelFor(threads_, kPartitions, [&](int /*thread*/, size_t partition) -> arrow::Status {
    SpillPartitions::Writer writer(&repeats, static_cast<size_t>(kWriterBuffer.least));
    ARROW_RETURN_NOT_OK(FindRepeats(partition, &writer));
    return writer.Flush();
  }));
  auto found = std::make_unique<RepeatedElements>();
  ARROW_ASSIGN_OR_RAISE(found->places_, space_->NewFile());
  found->elements_ = counts_;
  found->first_.assign(pieces_ + 1, 0);
  const auto append = [&](std::span<uint64_t> places) -> arrow::Status {
    SortByKey(places, [](uint64_t place) { return place; });
    for (const uint64_t place : places) ++found->first_[(place >> kElementBits) + 1];
    space_->Count(static_cast<int64_t>(places.size_bytes()));
    return found->places_->Write(found->places_->Extend(places.size_bytes()), BytesOf(places));
  };
  const auto never = [](SpillPartitions*, size_t) { return arrow::Status::UnknownError("two elements of one place"); };
  for (size_t partition = 0; partition < kPartitions; ++partition) {
    ARROW_RETURN_NOT_OK(
        ForEachRange<uint64_t>(&repeats, partition, plan_.load, [](uint64_t place) { return place; }, append, never));
  }
  for (size_t piece = 0; piece < pieces_; ++piece) found->first_[piece + 1] += found->first_[piece];
  return found;
}

RepeatedElements::Reader::Reader(const RepeatedElements* of, size_t piece)
    : of_(of), next_(of->first_[piece]), end_(of->first_[piece + 1]), elements_(of->elements_[piece]) {}

arrow::Result<bool> RepeatedElements::Reader::Next() {
  if (in_block_ == block_.size() && next_ < end_) {
    block_.resize(std::min(kBlockPlaces, end_ - next_));
    const std::span<char> bytes(reinterpret_cast<char*>(block_.data()), block_.size() * sizeof(uint64_t));
    ARROW_RETURN_NOT_OK(of_->places_->Read(static_cast<int64_t>(next_ * sizeof(uint64_t)), bytes));
    next_ += block_.size();
    in_block_ = 0;
  }
  const uint64_t element = element_++;
  if (in_block_ == block_.size()) return false;
  constexpr uint64_t kMask = (uint64_t{1} << kElementBits) - 1;
  if ((block_[in_block_] & kMask) != element) return false;
  ++in_block_;
  return true;
}

PieceRepeats::PieceRepeats(const ChainRepeats& repeats, size_t piece) : readers_(repeats.size()) {
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] != nullptr) readers_[i].emplace(repeats[i].get(), piece);
  }
}

bool PieceRepeats::Next(size_t place) {
  arrow::Result<bool> next = readers_[place]->Next();
  if (!next.ok() && status_.ok()) status_ = next.status();
  return next.ok() && *next;
}

arrow::Status PieceRepeats::Finish() const {
  ARROW_RETURN_NOT_OK(status_);
  for (const auto& reader : readers_) {
    if (reader && !reader->is_at_end()) return ChangedMeanwhile();
  }
  return arrow::Status::OK();
}

GivenRepeats::GivenRepeats(const std::map<size_t, std::span<const int64_t>>& repeats) {
  for (const auto& [place, elements] : repeats) readers_[place].left = elements;
}

bool GivenRepeats::Next(size_t place) {
  Reader& reader = readers_[place];
  const int64_t element = reader.element++;
  if (reader.left.size() < 2 || reader.left.front() != element) return false;
  reader.left = reader.left.subspan(1);
  return true;
}

arrow::Status GivenRepeats::Finish() const {
  for (const auto& [place, reader] : readers_) {
    if (reader.left.size() != 1 || reader.left.front() != reader.element) return ChangedMeanwhile();
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
