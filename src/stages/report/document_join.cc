#include "stages/report/document_join.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kJoinPartitions = 256;
constexpr size_t kLongestHost = 255;

size_t WriterBytes(const DiffPlan& plan, int threads) {
  const int64_t buffer = plan.buffers / threads / static_cast<int64_t>(kJoinPartitions);
  return static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
}

// A row as it lies in a partition, before the bytes of its host.
struct StoredRow {
  JoinRow row;
  uint64_t host_bytes = 0;
};

// A row of a group, with its host.
struct GroupRow {
  JoinRow row;
  std::string_view host;
};

// Calls `f(key, bytes of the row)` for each row.
constexpr auto kEachRow = [](std::span<const char> bytes, const auto& f) -> arrow::Status {
  while (!bytes.empty()) {
    StoredRow row;
    std::memcpy(&row, bytes.data(), sizeof row);
    const size_t size = sizeof row + row.host_bytes;
    ARROW_RETURN_NOT_OK(f(row.row.hash, bytes.first(size)));
    bytes = bytes.subspan(size);
  }
  return arrow::Status::OK();
};

}  // namespace

// One thread's sums.
class DocumentJoin::Counter {
 public:
  Counter(const std::vector<JoinSource>& sources, size_t most_shown, const char* known_by, NameRuns* hosts,
          int64_t memory)
      : sources_(sources), known_by_(known_by), hosts_(hosts, kHostSums, memory) {
    result_.lost.resize(sources.size() + 2);
    for (size_t i = 0; i < kDifferences; ++i) shown_.emplace_back(i == 0 ? 0 : most_shown);
  }

  // Rows of whole groups.
  arrow::Status Take(std::span<const char> bytes) {
    rows_.clear();
    ARROW_RETURN_NOT_OK(kEachRow(bytes, [this](uint64_t /*key*/, std::span<const char> stored) {
      GroupRow& row = rows_.emplace_back();
      std::memcpy(&row.row, stored.data(), sizeof row.row);
      row.host = {stored.data() + sizeof(StoredRow), stored.size() - sizeof(StoredRow)};
      return arrow::Status::OK();
    }));
    std::ranges::sort(
        rows_, {}, [](const GroupRow& of) { return std::tuple(of.row.hash, of.row.more, of.row.text, of.row.place); });
    for (size_t begin = 0; begin < rows_.size();) {
      size_t end = begin;
      while (end < rows_.size() && rows_[end].row.hash == rows_[begin].row.hash &&
             rows_[end].row.more == rows_[begin].row.more) {
        ++end;
      }
      if (end - begin > static_cast<size_t>(kMostOfOneName)) return TooMany();
      ARROW_RETURN_NOT_OK(TakeGroup(std::span(rows_).subspan(begin, end - begin)));
      begin = end;
    }
    return arrow::Status::OK();
  }
  arrow::Status TooMany() const {
    return arrow::Status::Invalid("more than ", kMostOfOneName, " documents have the same ", known_by_,
                                  ", which is no way to tell documents apart; give another --match");
  }

  arrow::Status Finish(JoinResult* all, std::vector<BottomK<JoinedDocument>>* shown) {
    ARROW_RETURN_NOT_OK(hosts_.Flush());
    for (size_t i = 0; i < kDifferences; ++i) {
      all->counts[i].Add(result_.counts[i]);
      for (JoinedDocument& document : shown_[i].Take()) (*shown)[i].Add(document);
    }
    for (size_t i = 0; i < result_.lost.size(); ++i) all->lost[i].Add(result_.lost[i]);
    return arrow::Status::OK();
  }

 private:
  // The rows of one id or URL, by their texts and places.
  arrow::Status TakeGroup(std::span<const GroupRow> rows) {
    for (int side = 0; side < 2; ++side) {
      corpus_[side].clear();
      last_[side] = nullptr;
    }
    for (const GroupRow& row : rows) {
      const JoinSource& source = sources_[row.row.place.source];
      const size_t side = source.is_second ? 1 : 0;
      if (source.is_corpus) {
        corpus_[side].push_back(&row);
      } else if (last_[side] == nullptr || row.row.place.source > last_[side]->row.place.source) {
        last_[side] = &row;
      }
    }
    return Pair();
  }

  arrow::Status Pair() {
    const auto by_text = [](const GroupRow* row) { return row->row.text; };
    size_t kept[2] = {0, 0};
    for (size_t a = 0, b = 0; a < corpus_[0].size() || b < corpus_[1].size();) {
      const bool has_a = a < corpus_[0].size();
      const bool has_b = b < corpus_[1].size();
      if (has_a && has_b && by_text(corpus_[0][a]) == by_text(corpus_[1][b])) {
        ARROW_RETURN_NOT_OK(Count(Difference::kEqual, corpus_[0][a++], corpus_[1][b++]));
      } else if (!has_b || (has_a && by_text(corpus_[0][a]) < by_text(corpus_[1][b]))) {
        corpus_[0][kept[0]++] = corpus_[0][a++];
      } else {
        corpus_[1][kept[1]++] = corpus_[1][b++];
      }
    }
    for (size_t i = 0; i < std::max(kept[0], kept[1]); ++i) {
      const GroupRow* a = i < kept[0] ? corpus_[0][i] : nullptr;
      const GroupRow* b = i < kept[1] ? corpus_[1][i] : nullptr;
      const Difference difference = a == nullptr   ? Difference::kOnlySecond
                                    : b == nullptr ? Difference::kOnlyFirst
                                                   : Difference::kChanged;
      ARROW_RETURN_NOT_OK(Count(difference, a, b));
    }
    return arrow::Status::OK();
  }

  arrow::Status Count(Difference difference, const GroupRow* a, const GroupRow* b) {
    const auto kind = static_cast<size_t>(difference);
    const GroupRow* some = a != nullptr ? a : b;
    if (some == nullptr) return arrow::Status::OK();
    const GroupRow& any = *some;
    const JoinCounts one = {1, any.row.characters, a != nullptr && b != nullptr ? b->row.characters : 0};
    result_.counts[kind].Add(one);
    const GroupRow* why = nullptr;
    if (a == nullptr || b == nullptr) {
      const size_t other = a == nullptr ? 0 : 1;
      why = last_[other];
      result_.lost[why == nullptr ? sources_.size() + 1 - other : why->row.place.source].Add(one);
    }
    if (!any.host.empty()) {
      std::array<NameSum, kHostSums> sums = {};
      sums[kind] = 1;
      ARROW_RETURN_NOT_OK(hosts_.Add(any.host, sums));
    }
    if (difference == Difference::kEqual) return arrow::Status::OK();
    JoinedDocument document = {any.row.hash, any.row.more, std::nullopt, std::nullopt, std::nullopt};
    if (a != nullptr) document.first = a->row.place;
    if (b != nullptr) document.second = b->row.place;
    if (why != nullptr) document.why = why->row.place;
    shown_[kind].Add(document);
    return arrow::Status::OK();
  }

  const std::vector<JoinSource>& sources_;
  const char* known_by_;
  NameTotals hosts_;
  JoinResult result_;
  std::vector<BottomK<JoinedDocument>> shown_;  // of each Difference
  std::vector<GroupRow> rows_;
  std::array<std::vector<const GroupRow*>, 2> corpus_;  // rows of a group, of each corpus
  std::array<const GroupRow*, 2> last_ = {};            // of each side, the one of the last source
};

DocumentJoin::DocumentJoin(std::vector<JoinSource> sources, int threads, const DiffPlan& plan, SpillSpace* space)
    : sources_(std::move(sources)),
      threads_(threads),
      plan_(plan),
      budget_(plan.partitions),
      rows_(kJoinPartitions, &budget_, space) {}

DocumentJoin::Writer::Writer(DocumentJoin* to) : writer_(&to->rows_, WriterBytes(to->plan_, to->threads_)) {}

arrow::Status DocumentJoin::Writer::Add(const JoinRow& row, std::string_view host) {
  host = host.substr(0, kLongestHost);
  const StoredRow stored = {row, host.size()};
  return writer_.Append(row.hash >> 56, {reinterpret_cast<const char*>(&stored), sizeof stored}, host);
}

arrow::Result<JoinResult> DocumentJoin::Finish(size_t most_shown, const char* known_by, NameRuns* hosts) {
  std::vector<std::unique_ptr<Counter>> counters;
  counters.reserve(static_cast<size_t>(threads_));
  for (int i = 0; i < threads_; ++i) {
    counters.push_back(std::make_unique<Counter>(sources_, most_shown, known_by, hosts, plan_.totals / threads_));
  }
  ARROW_RETURN_NOT_OK(ParallelFor(threads_, kJoinPartitions, [&](int thread, size_t partition) {
    Counter& counter = *counters[static_cast<size_t>(thread)];
    // Rows of one hash that are more than fit: many documents of one name.
    const auto take_equal = [&counter](SpillPartitions* from, size_t equal) -> arrow::Status {
      constexpr int64_t kMostBytes = kMostOfOneName * static_cast<int64_t>(sizeof(StoredRow) + kLongestHost);
      if (from->bytes(equal) > kMostBytes) return counter.TooMany();
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, from->Take(equal));
      return counter.Take(bytes.span());
    };
    return ForEachRangeOf(
        &rows_, partition, plan_.load, kEachRow, [&counter](const Bytes& bytes) { return counter.Take(bytes.span()); },
        take_equal);
  }));
  JoinResult result;
  result.lost.resize(sources_.size() + 2);
  std::vector<BottomK<JoinedDocument>> shown(kDifferences, BottomK<JoinedDocument>(most_shown));
  for (const auto& counter : counters) ARROW_RETURN_NOT_OK(counter->Finish(&result, &shown));
  for (size_t i = 0; i < kDifferences; ++i) result.shown[i] = shown[i].Take();
  return result;
}

}  // namespace uzushio
