#include "stages/minhash/contained.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/ordered.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kPassagePartitions = 256;
constexpr int kPassageShift = 56;
constexpr size_t kDocumentPartitions = 64;
constexpr size_t kPrioritiesAtOnce = size_t{1} << 12;

// That a document is contained in another one. Written to disk as it is.
struct Containment {
  uint64_t document = 0;
  uint64_t container = 0;
  uint64_t container_tokens = 0;
  double share = 0;
};
static_assert(sizeof(Containment) == 32);

// Of an OrderedFor.
struct NumberRange {
  int64_t bytes = 0;
};

std::vector<SpillPartitions::Writer> WritersTo(SpillPartitions* partitions, const MinhashResources& resources) {
  const size_t bytes = resources.buffer_bytes(partitions->size(), static_cast<size_t>(resources.threads));
  return std::vector<SpillPartitions::Writer>(static_cast<size_t>(resources.threads), {partitions, bytes});
}

arrow::Status FlushAll(std::vector<SpillPartitions::Writer>* writers) {
  for (SpillPartitions::Writer& writer : *writers) ARROW_RETURN_NOT_OK(writer.Flush());
  return arrow::Status::OK();
}

// Calls `use(span)` with each run of records of one key, which come in order of keys.
template <typename Record, typename Key, typename Use>
arrow::Status ForEachRun(std::span<Record> records, const Key& key, const Use& use) {
  for (size_t begin = 0; begin < records.size();) {
    size_t end = begin + 1;
    while (end < records.size() && key(records[end]) == key(records[begin])) ++end;
    ARROW_RETURN_NOT_OK(use(records.subspan(begin, end - begin)));
    begin = end;
  }
  return arrow::Status::OK();
}

// One thread's way from passages to candidates.
class PassagePass {
 public:
  PassagePass(const DocumentBits& gone, SpillPartitions::Writer* candidates, uint64_t width)
      : gone_(gone), candidates_(*candidates), width_(width) {}

  arrow::Status Run(SpillPartitions* passages, size_t partition, int64_t most) {
    const auto key = [](const PassageEntry& entry) { return entry.passage; };
    const auto use = [&](std::span<PassageEntry> loaded) -> arrow::Status {
      boost::sort::pdqsort(loaded.begin(), loaded.end());
      return ForEachRun(loaded, key, [this](std::span<PassageEntry> entries) {
        pairs_.Clear();
        ARROW_RETURN_NOT_OK(AddAll(entries));
        return Finish();
      });
    };
    const auto use_equal = [this](SpillPartitions* of, size_t part) { return UseFrequent(of, part); };
    return ForEachRange<PassageEntry>(passages, partition, most, key, use, use_equal);
  }
  uint64_t frequent() const { return frequent_; }

 private:
  arrow::Status Emit(const ContainerCandidate& candidate) {
    return candidates_.AppendRecord(candidate.number() / width_, candidate);
  }
  arrow::Status AddAll(std::span<const PassageEntry> entries) {
    for (const PassageEntry& entry : entries) {
      if (gone_.Has(entry.number())) continue;
      ARROW_RETURN_NOT_OK(pairs_.Add(entry, [this](const ContainerCandidate& one) { return Emit(one); }));
    }
    return arrow::Status::OK();
  }
  arrow::Status Finish() {
    ARROW_RETURN_NOT_OK(pairs_.Finish([this](const ContainerCandidate& one) { return Emit(one); }));
    frequent_ += pairs_.count() > kMostOfPassage ? 1 : 0;
    return arrow::Status::OK();
  }
  // The documents of one passage that are not loaded at once: the first of them, in order, then the others.
  arrow::Status UseFrequent(SpillPartitions* of, size_t part) {
    std::vector<PassageEntry> first;
    PassageEntry last = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const auto cut = [&] {
      std::ranges::sort(first);
      first.resize(std::min(first.size(), kMostOfPassage));
      if (first.size() == kMostOfPassage) last = first.back();
    };
    ARROW_RETURN_NOT_OK(of->ReadChunks(part, [&](std::span<const char> bytes) {
      for (const PassageEntry& entry : RecordsIn<PassageEntry>(bytes)) {
        if (gone_.Has(entry.number()) || entry > last) continue;
        first.push_back(entry);
        if (first.size() >= 2 * kMostOfPassage) cut();
      }
      return arrow::Status::OK();
    }));
    cut();
    pairs_.Clear();
    ARROW_RETURN_NOT_OK(AddAll(first));
    ARROW_RETURN_NOT_OK(of->TakeChunks(part, [&](std::span<const char> bytes) -> arrow::Status {
      for (const PassageEntry& entry : RecordsIn<PassageEntry>(bytes)) {
        if (entry > last) ARROW_RETURN_NOT_OK(AddAll({&entry, 1}));
      }
      return arrow::Status::OK();
    }));
    return Finish();
  }

  const DocumentBits& gone_;
  SpillPartitions::Writer& candidates_;
  uint64_t width_;
  PassagePairs pairs_;
  uint64_t frequent_ = 0;
};

// One thread's way from candidates to what is contained indeed.
class ContainerPass {
 public:
  using Emit = std::function<arrow::Status(const Containment&)>;
  using Read = std::function<arrow::Status(uint64_t number, std::string* text)>;

  // `most` bytes of candidates, or of hashes, are loaded at once.
  ContainerPass(const MinhashResources& resources, const DocumentSets& sets, const PassagePartitions& passages,
                const MinhashOptions& options, int64_t most, Read read, Emit emit)
      : own_(sets.own),
        passages_(passages),
        ids_(&sets),
        least_(*options.contained),
        most_(most),
        comparer_(least_, options.signature.ngram, options.signature.form, most, resources.budget, resources.space),
        read_(std::move(read)),
        emit_(std::move(emit)) {}

  arrow::Status Run(SpillPartitions* containers, size_t partition) {
    const auto key = [](const ContainerCandidate& candidate) { return candidate.container; };
    const auto use = [&](std::span<ContainerCandidate> loaded) -> arrow::Status {
      SortByKey(loaded, key);
      ARROW_RETURN_NOT_OK(
          ForEachRun(loaded, key, [this](std::span<ContainerCandidate> of_one) { return Compare(of_one); }));
      return ids_.status();
    };
    // More documents than are loaded at once.
    const auto use_equal = [&](SpillPartitions* of, size_t part) -> arrow::Status {
      std::vector<ContainerCandidate> some;
      ARROW_RETURN_NOT_OK(of->TakeChunks(part, [&](std::span<const char> bytes) -> arrow::Status {
        const auto more = RecordsIn<ContainerCandidate>(bytes);
        some.insert(some.end(), more.begin(), more.end());
        if (static_cast<int64_t>(some.size() * sizeof(ContainerCandidate)) < most_) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(Compare(some));
        some.clear();
        return arrow::Status::OK();
      }));
      if (!some.empty()) ARROW_RETURN_NOT_OK(Compare(some));
      return ids_.status();
    };
    return ForEachRange<ContainerCandidate>(containers, partition, most_, key, use, use_equal);
  }

 private:
  // All have one container.
  arrow::Status Compare(std::span<const ContainerCandidate> candidates) {
    ARROW_RETURN_NOT_OK(read_(candidates.front().container, &text_));
    ARROW_RETURN_NOT_OK(comparer_.Set(text_));
    for (const ContainerCandidate& candidate : candidates) {
      ARROW_RETURN_NOT_OK(read_(candidate.number(), &text_));
      ARROW_RETURN_NOT_OK(comparer_.Add(text_));
    }
    ARROW_ASSIGN_OR_RAISE(const auto compared, comparer_.Finish());
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (compared[i].share() < least_) continue;
      ARROW_ASSIGN_OR_RAISE(const bool is_longer, IsLonger(candidates[i], compared[i].tokens));
      if (!is_longer) continue;
      ARROW_RETURN_NOT_OK(
          emit_({candidates[i].number(), candidates[i].container, comparer_.tokens(), compared[i].share()}));
    }
    return arrow::Status::OK();
  }
  // Whether the container is longer than the document, or stands above it where they are of one length.
  arrow::Result<bool> IsLonger(const ContainerCandidate& candidate, uint64_t tokens) {
    if (comparer_.tokens() != tokens) return comparer_.tokens() > tokens;
    ARROW_ASSIGN_OR_RAISE(const Priority container, passages_.PriorityOf(candidate.container));
    ARROW_ASSIGN_OR_RAISE(const Priority document, passages_.PriorityOf(candidate.number()));
    return ids_.order()({container, own_}, {document, own_});
  }

  uint64_t own_;
  const PassagePartitions& passages_;
  StoredIds ids_;
  double least_;
  int64_t most_;
  ContainmentComparer comparer_;
  Read read_;
  Emit emit_;
  std::string text_;
};

}  // namespace

PassagePartitions::PassagePartitions(const MinhashResources& resources)
    : partitions_(kPassagePartitions, resources.budget, resources.space),
      writer_(&partitions_, resources.buffer_bytes(kPassagePartitions, 1)),
      space_(resources.space) {}

arrow::Result<std::unique_ptr<PassagePartitions>> PassagePartitions::Create(const MinhashResources& resources) {
  std::unique_ptr<PassagePartitions> passages(new PassagePartitions(resources));
  ARROW_ASSIGN_OR_RAISE(passages->priorities_file_, resources.space->NewFile());
  return passages;
}

arrow::Status PassagePartitions::Add(std::span<const uint64_t> passages, uint64_t tokens, const Priority& priority) {
  ARROW_RETURN_NOT_OK(ForEachEntry(passages, tokens, priority, [this](const PassageEntry& entry) {
    return writer_.AppendRecord(entry.passage >> kPassageShift, entry);
  }));
  priorities_.push_back(priority);
  return priorities_.size() < kPrioritiesAtOnce ? arrow::Status::OK() : WritePriorities();
}

arrow::Status PassagePartitions::WritePriorities() {
  const std::span<const char> bytes(reinterpret_cast<const char*>(priorities_.data()),
                                    priorities_.size() * sizeof(Priority));
  ARROW_RETURN_NOT_OK(priorities_file_->Write(priorities_file_->Extend(bytes.size()), bytes));
  space_->Count(static_cast<int64_t>(bytes.size()));
  priorities_.clear();
  return arrow::Status::OK();
}

arrow::Status PassagePartitions::Finish() {
  ARROW_RETURN_NOT_OK(WritePriorities());
  return writer_.Flush();
}

arrow::Result<Priority> PassagePartitions::PriorityOf(uint64_t number) const {
  Priority priority;
  ARROW_RETURN_NOT_OK(priorities_file_->Read(static_cast<int64_t>(number * sizeof priority),
                                             {reinterpret_cast<char*>(&priority), sizeof priority}));
  return priority;
}

arrow::Result<uint64_t> FindContainers(const MinhashResources& resources, uint64_t documents, const DocumentBits& gone,
                                       PassagePartitions* passages, ContainerPartitions* containers,
                                       DocumentBits* involved) {
  const int64_t most = resources.plan.load / 2;
  const uint64_t width = documents / kDocumentPartitions + 1;
  SpillPartitions candidates(kDocumentPartitions, resources.budget, resources.space);
  std::vector<SpillPartitions::Writer> writers = WritersTo(&candidates, resources);
  std::atomic<uint64_t> frequent = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(resources.threads, kPassagePartitions, [&](int thread, size_t partition) {
    PassagePass pass(gone, &writers[static_cast<size_t>(thread)], width);
    arrow::Status status = pass.Run(passages->partitions(), partition, most);
    frequent += pass.frequent();
    return status;
  }));
  ARROW_RETURN_NOT_OK(FlushAll(&writers));
  writers = WritersTo(containers->partitions(), resources);
  ARROW_RETURN_NOT_OK(ParallelFor(resources.threads, kDocumentPartitions, [&](int thread, size_t partition) {
    const auto key = [](const ContainerCandidate& candidate) { return candidate.document; };
    const auto choose = [&](std::span<ContainerCandidate> of_one) -> arrow::Status {
      for (const ContainerCandidate& one : MostLikelyContainers(of_one)) {
        if (involved != nullptr) {
          involved->Set(one.number());
          involved->Set(one.container);
        }
        ARROW_RETURN_NOT_OK(
            writers[static_cast<size_t>(thread)].AppendRecord(containers->PartitionOf(one.container), one));
      }
      return arrow::Status::OK();
    };
    const auto use = [&](std::span<ContainerCandidate> loaded) {
      SortByKey(loaded, key);
      return ForEachRun(loaded, key, choose);
    };
    // A document's candidates, some with each of its passages.
    const auto use_equal = [&](SpillPartitions* of, size_t part) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, of->Take(part));
      return use(Records<ContainerCandidate>(bytes));
    };
    return ForEachRange<ContainerCandidate>(&candidates, partition, most, key, use, use_equal);
  }));
  ARROW_RETURN_NOT_OK(FlushAll(&writers));
  return frequent.load();
}

arrow::Status FindContained(const MinhashResources& resources, const DocumentSets& sets, uint64_t documents,
                            const MinhashOptions& options, const PassagePartitions& passages,
                            ContainerPartitions* containers, const ReadDocument& read,
                            const std::function<arrow::Status(const std::vector<Duplicate>&)>& use,
                            const ShareCallback& on_progress) {
  const int64_t most = resources.plan.load / 2;
  const uint64_t width = documents / kDocumentPartitions + 1;
  SpillPartitions found(kDocumentPartitions, resources.budget, resources.space);
  std::vector<SpillPartitions::Writer> writers = WritersTo(&found, resources);
  const size_t partitions = containers->partitions()->size();
  std::atomic<size_t> done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(resources.threads, partitions, [&](int thread, size_t partition) {
    const auto read_one = [&](uint64_t number, std::string* text) {
      return read(static_cast<size_t>(thread), number, text);
    };
    const auto emit = [&](const Containment& one) {
      return writers[static_cast<size_t>(thread)].AppendRecord(one.document / width, one);
    };
    ContainerPass pass(resources, sets, passages, options, most / 4, read_one, emit);
    arrow::Status status = pass.Run(containers->partitions(), partition);
    if (++done; thread == 0) on_progress(static_cast<double>(done) / static_cast<double>(partitions));
    return status;
  }));
  ARROW_RETURN_NOT_OK(FlushAll(&writers));

  using Found = std::vector<Duplicate>;
  OrderedResults<Found> results(resources.plan.results, use);
  const std::vector<NumberRange> ranges(kDocumentPartitions);
  return OrderedFor(resources.threads, ranges, &results, {}, [&](size_t /*thread*/, size_t partition) {
    StoredIds ids(&sets);
    const auto key = [](const Containment& one) { return one.document; };
    const auto choose = [&](std::span<Containment> loaded) -> arrow::Status {
      SortByKey(loaded, key);
      Found duplicates;
      ARROW_RETURN_NOT_OK(ForEachRun(loaded, key, [&](std::span<Containment> of_one) -> arrow::Status {
        Duplicate longest;
        uint64_t tokens = 0;
        for (const Containment& one : of_one) {
          ARROW_ASSIGN_OR_RAISE(const Priority priority, passages.PriorityOf(one.container));
          const Leader leader = {priority, sets.own};
          if (one.container_tokens < tokens) continue;
          if (one.container_tokens == tokens && !ids.order()(leader, longest.leader)) continue;
          longest = {one.document, leader, one.share};
          tokens = one.container_tokens;
        }
        duplicates.push_back(longest);
        return arrow::Status::OK();
      }));
      ARROW_RETURN_NOT_OK(ids.status());
      const auto bytes = static_cast<int64_t>(duplicates.size() * sizeof(Duplicate));
      return results.Add(partition, std::move(duplicates), bytes);
    };
    const auto choose_equal = [&](SpillPartitions* of, size_t part) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, of->Take(part));
      return choose(Records<Containment>(bytes));
    };
    return ForEachRange<Containment>(&found, partition, most, key, choose, choose_equal);
  });
}

}  // namespace uzushio
