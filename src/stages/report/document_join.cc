#include "stages/report/document_join.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kJoinPartitions = 256;

size_t WriterBytes(const DiffPlan& plan, int threads) {
  const int64_t buffer = plan.buffers / threads / static_cast<int64_t>(kJoinPartitions);
  return static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
}

// What each corpus has.
using OfBoth = std::array<int64_t, 2>;

int64_t InBoth(const OfBoth& documents) { return std::min(documents[0], documents[1]); }

// The documents of one name, by what is known without pairing them.
struct NameSummary {
  OfBoth documents = {};
  int64_t equal = 0;                                 // pairs
  std::array<std::optional<RowPlace>, 2> last = {};  // of each side, the first row of the last source beside the corpus

  int64_t changed() const { return InBoth(documents) - equal; }
};

// Counts documents of one name text by text.
class TextCounter {
 public:
  TextCounter(const RowCursor& rows, const std::vector<JoinSource>& sources) : rows_(rows), sources_(sources) {}

  // Of the next text; none after the last.
  arrow::Result<OfBoth> Next(NameSummary* summary) {
    OfBoth documents = {};
    if (!is_begun_) ARROW_RETURN_NOT_OK(Step(summary));
    is_begun_ = true;
    for (const uint64_t text = text_; side_ && text_ == text;) {
      ++documents[*side_];
      ARROW_RETURN_NOT_OK(Step(summary));
    }
    return documents;
  }

 private:
  // To the next row of a corpus.
  arrow::Status Step(NameSummary* summary) {
    side_.reset();
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const NamedRow* row, rows_.Next());
      if (row == nullptr) return arrow::Status::OK();
      const RowPlace& place = row->row.place;
      const JoinSource& source = sources_[place.source];
      const size_t side = source.is_second ? 1 : 0;
      if (source.is_corpus) {
        side_ = side;
        text_ = row->row.text;
        return arrow::Status::OK();
      }
      std::optional<RowPlace>& last = summary->last[side];
      if (!last || place.source > last->source) last = place;
    }
  }

  RowCursor rows_;
  const std::vector<JoinSource>& sources_;
  bool is_begun_ = false;
  std::optional<size_t> side_;  // of the row that is next; none after the last
  uint64_t text_ = 0;
};

arrow::Result<NameSummary> Summarise(const RowCursor& rows, const std::vector<JoinSource>& sources) {
  TextCounter texts(rows, sources);
  NameSummary summary;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const OfBoth documents, texts.Next(&summary));
    if (documents == OfBoth{}) return summary;
    for (size_t side = 0; side < 2; ++side) summary.documents[side] += documents[side];
    summary.equal += InBoth(documents);
  }
}

bool IsInBoth(Difference difference) { return difference == Difference::kEqual || difference == Difference::kChanged; }

}  // namespace

// One thread's sums.
class DocumentJoin::Counter {
 public:
  Counter(const std::vector<JoinSource>& sources, size_t most_shown, const DiffPlan& plan, int threads, NameRuns* hosts,
          SpillSpace* space)
      : sources_(sources), load_(plan.load), hosts_(hosts, kHostSums, plan.totals / threads), space_(*space) {
    result_.lost.resize(sources.size() + 2);
    for (size_t i = 0; i < kDifferences; ++i) shown_.emplace_back(i == 0 ? 0 : most_shown);
  }

  // Rows that are equal in the first `order` numbers of kRowOrder. `name`: the rows of one name before them, if they
  // are equal in kNameOrder.
  arrow::Status TakePartition(SpillPartitions* from, size_t partition, size_t order, RowFile* name) {
    const auto each = [order](std::span<const char> bytes, const auto& f) -> arrow::Status {
      while (!bytes.empty()) {
        const RowInBytes row(bytes);
        ARROW_RETURN_NOT_OK(f(kRowOrder[order](row.stored.row), bytes.first(row.size())));
        bytes = bytes.subspan(row.size());
      }
      return arrow::Status::OK();
    };
    const auto use = [&](const Bytes& bytes) { return name == nullptr ? TakeNames(bytes) : AppendTo(bytes, name); };
    const auto use_equal = [&](SpillPartitions* equal, size_t at) -> arrow::Status {
      if (order + 1 == std::size(kRowOrder)) {  // one row
        ARROW_ASSIGN_OR_RAISE(const Bytes bytes, equal->Take(at));
        return use(bytes);
      }
      if (order + 1 != kNameOrder) return TakePartition(equal, at, order + 1, name);
      ARROW_ASSIGN_OR_RAISE(const auto file, RowFile::Create(&space_));
      ARROW_RETURN_NOT_OK(TakePartition(equal, at, order + 1, file.get()));
      ARROW_RETURN_NOT_OK(file->Flush());
      return TakeName(RowCursor(file.get()));
    };
    return ForEachRangeOf(from, partition, load_, each, use, use_equal);
  }

  arrow::Status Finish(JoinResult* all, std::vector<BottomK<JoinedDocument>>* shown) {
    ARROW_RETURN_NOT_OK(hosts_.Flush());
    for (size_t i = 0; i < kDifferences; ++i) {
      all->counts[i].Add(result_.counts[i]);
      for (JoinedDocument& document : shown_[i].Take()) (*shown)[i].Add(document);
    }
    for (size_t i = 0; i < result_.lost.size(); ++i) all->lost[i].Add(result_.lost[i]);
    all->matched_by_name += result_.matched_by_name;
    return arrow::Status::OK();
  }

 private:
  void Sort(const Bytes& bytes) {
    rows_.clear();
    for (std::span<const char> rest = bytes.span(); !rest.empty();) {
      const RowInBytes row(rest);
      rows_.push_back(row.named);
      rest = rest.subspan(row.size());
    }
    std::ranges::sort(
        rows_, {}, [](const NamedRow& of) { return std::tuple(of.row.hash, of.row.more, of.row.text, of.row.place); });
  }

  arrow::Status AppendTo(const Bytes& bytes, RowFile* name) {
    Sort(bytes);
    for (const NamedRow& row : rows_) ARROW_RETURN_NOT_OK(name->Append(row));
    return arrow::Status::OK();
  }

  // All rows of some names.
  arrow::Status TakeNames(const Bytes& bytes) {
    Sort(bytes);
    for (auto begin = rows_.begin(); begin != rows_.end();) {
      const auto end = std::find_if(begin, rows_.end(), [&begin](const NamedRow& of) {
        return of.row.hash != begin->row.hash || of.row.more != begin->row.more;
      });
      ARROW_RETURN_NOT_OK(TakeName(RowCursor(std::span(begin, end))));
      begin = end;
    }
    return arrow::Status::OK();
  }

  // The rows of one name, from the first on.
  arrow::Status TakeName(const RowCursor& rows) {
    ARROW_ASSIGN_OR_RAISE(const NameSummary summary, Summarise(rows, sources_));
    TextCounter texts(rows, sources_);
    NameSummary unused;
    OfBoth copies = {};  // of the text
    OfBoth before = {};  // documents of the text, before the row
    OfBoth rest = {};    // documents that have no equal one, before the row
    name_shown_ = {};
    RowCursor cursor = rows;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const NamedRow* row, cursor.Next());
      if (row == nullptr) break;
      const JoinSource& source = sources_[row->row.place.source];
      if (!source.is_corpus) continue;
      if (before == copies) {
        ARROW_ASSIGN_OR_RAISE(copies, texts.Next(&unused));
        before = {};
      }
      const size_t side = source.is_second ? 1 : 0;
      Difference difference = Difference::kEqual;
      if (before[side]++ >= InBoth(copies)) {
        const bool is_changed = rest[side]++ < summary.changed();
        difference = is_changed ? Difference::kChanged : side == 0 ? Difference::kOnlyFirst : Difference::kOnlySecond;
      }
      ARROW_RETURN_NOT_OK(Count(difference, side, *row, summary));
    }
    for (size_t i = 0; i < kDifferences; ++i) {
      if (name_shown_[i].documents > 0) shown_[i].Add(name_shown_[i]);
    }
    return arrow::Status::OK();
  }

  // A document; of those in both corpora, that of the second one adds its characters only.
  arrow::Status Count(Difference difference, size_t side, const NamedRow& row, const NameSummary& summary) {
    const auto kind = static_cast<size_t>(difference);
    JoinedDocument& shown = name_shown_[kind];
    std::optional<RowPlace>& place = side == 0 ? shown.first : shown.second;
    if (!place) place = row.row.place;
    if (IsInBoth(difference) && side == 1) {
      result_.counts[kind].second_characters += row.row.characters;
      return arrow::Status::OK();
    }
    const JoinCounts one = {1, row.row.characters, 0};
    result_.counts[kind].Add(one);
    shown.hash = row.row.hash;
    shown.more = row.row.more;
    ++shown.documents;
    if (!IsInBoth(difference)) {
      shown.why = summary.last[1 - side];
      result_.lost[shown.why ? shown.why->source : sources_.size() + side].Add(one);
    } else if (row.row.has_name) {
      ++result_.matched_by_name;
    }
    if (row.host.empty()) return arrow::Status::OK();
    std::array<NameSum, kHostSums> sums = {};
    sums[kind] = 1;
    return hosts_.Add(row.host, sums);
  }

  const std::vector<JoinSource>& sources_;
  int64_t load_;
  NameTotals hosts_;
  SpillSpace& space_;
  JoinResult result_;
  std::vector<BottomK<JoinedDocument>> shown_;           // of each Difference
  std::array<JoinedDocument, kDifferences> name_shown_;  // of the name
  std::vector<NamedRow> rows_;
};

DocumentJoin::DocumentJoin(std::vector<JoinSource> sources, int threads, const DiffPlan& plan, SpillSpace* space)
    : sources_(std::move(sources)),
      threads_(threads),
      plan_(plan),
      budget_(plan.partitions),
      space_(*space),
      rows_(kJoinPartitions, &budget_, space) {}

DocumentJoin::Writer::Writer(DocumentJoin* to) : writer_(&to->rows_, WriterBytes(to->plan_, to->threads_)) {}

arrow::Status DocumentJoin::Writer::Add(const JoinRow& row, std::string_view host) {
  host = host.substr(0, kLongestHost);
  const StoredRow stored = {row, host.size()};
  return writer_.Append(row.hash >> 56, {reinterpret_cast<const char*>(&stored), sizeof stored}, host);
}

arrow::Result<JoinResult> DocumentJoin::Finish(size_t most_shown, NameRuns* hosts) {
  std::vector<std::unique_ptr<Counter>> counters;
  counters.reserve(static_cast<size_t>(threads_));
  for (int i = 0; i < threads_; ++i) {
    counters.push_back(std::make_unique<Counter>(sources_, most_shown, plan_, threads_, hosts, &space_));
  }
  ARROW_RETURN_NOT_OK(ParallelFor(threads_, kJoinPartitions, [&](int thread, size_t partition) {
    return counters[static_cast<size_t>(thread)]->TakePartition(&rows_, partition, 0, nullptr);
  }));
  JoinResult result;
  result.lost.resize(sources_.size() + 2);
  std::vector<BottomK<JoinedDocument>> shown(kDifferences, BottomK<JoinedDocument>(most_shown));
  for (const auto& counter : counters) ARROW_RETURN_NOT_OK(counter->Finish(&result, &shown));
  for (size_t i = 0; i < kDifferences; ++i) result.shown[i] = shown[i].Take();
  return result;
}

}  // namespace uzushio
