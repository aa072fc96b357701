#include "stages/report/groups.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "base/bottom_k.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/parquet_file.h"
#include "stages/report/wanted_paragraphs.h"
#include "statistics/folder.h"
#include "storage/spill.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kGroupPartitions = 256;
constexpr int64_t kParagraphsAtOnce = 4096;

// A paragraph of statistics.
struct Paragraph {
  int64_t pivot = 0;
  int64_t hash = 0;
  int32_t exact = 0;
  int32_t near = 0;
  // The more frequent first.
  bool operator<(const Paragraph& other) const {
    return std::tuple(-int64_t{exact}, -int64_t{near}, hash) <
           std::tuple(-int64_t{other.exact}, -int64_t{other.near}, other.hash);
  }
};

// A group, as it is added up.
struct Group {
  int64_t pivot = 0;
  int64_t members = 0;
  int64_t occurrences = 0;
  BottomK<Paragraph> variants{kMostVariants};

  void Add(const Paragraph& paragraph) {
    pivot = paragraph.pivot;
    ++members;
    occurrences += paragraph.exact;
    variants.Add(paragraph);
  }
  // The larger first.
  bool operator<(const Group& other) const {
    return occurrences != other.occurrences ? occurrences > other.occurrences : pivot < other.pivot;
  }
};

// Groups of 1, 2, up to 4, up to 8 … members.
constexpr size_t kSizes = 64;
size_t SizeOf(int64_t members) { return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(members - 1))); }

// What one thread has seen, or all.
struct GroupCounts {
  int64_t groups = 0;  // of two and more, as the summary of `stats` counts them
  int64_t paragraphs = 0;
  std::array<int64_t, kSizes> groups_of{};
  std::array<int64_t, kSizes> occurrences_of{};
  BottomK<Group> largest{kMostGroups};
  BottomK<Paragraph> frequent{kMostFrequent};

  void Add(Group group) {
    groups += group.members > 1 ? 1 : 0;
    paragraphs += group.members;
    ++groups_of[SizeOf(group.members)];
    occurrences_of[SizeOf(group.members)] += group.occurrences;
    largest.Add(std::move(group));
  }
  void Add(GroupCounts other) {
    groups += other.groups;
    paragraphs += other.paragraphs;
    for (size_t i = 0; i < kSizes; ++i) {
      groups_of[i] += other.groups_of[i];
      occurrences_of[i] += other.occurrences_of[i];
    }
    for (Group& group : other.largest.Take()) largest.Add(std::move(group));
    for (const Paragraph& paragraph : other.frequent.Take()) frequent.Add(paragraph);
  }
};

size_t BufferBytes(const PartitionsPlan& plan, int threads) {
  const int64_t buffer = plan.buffers / threads / static_cast<int64_t>(kGroupPartitions);
  return static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
}

arrow::Status AppendParagraphs(const arrow::RecordBatch& batch, SpillPartitions::Writer* writer) {
  ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
  ARROW_ASSIGN_OR_RAISE(const auto pivots, IntegerColumn(batch, "reprHash"));
  ARROW_ASSIGN_OR_RAISE(const auto exact, IntegerColumn(batch, "exactFreq"));
  ARROW_ASSIGN_OR_RAISE(const auto near, IntegerColumn(batch, "nearFreq"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const Paragraph paragraph = {pivots->Value(row), hashes->Value(row), FrequencyOf(exact->Value(row)),
                                 FrequencyOf(near->Value(row))};
    ARROW_RETURN_NOT_OK(writer->AppendRecord(static_cast<uint64_t>(paragraph.pivot) >> 56, paragraph));
  }
  return arrow::Status::OK();
}

// Hands all rows on to partitions by their pivots.
arrow::Status PartParagraphs(const std::vector<Split>& splits, const PartitionsPlan& plan, int threads,
                             SpillPartitions* paragraphs) {
  std::vector<SpillPartitions::Writer> writers(static_cast<size_t>(threads),
                                               SpillPartitions::Writer(paragraphs, BufferBytes(plan, threads)));
  const auto schema = StatisticsSchema();
  ARROW_RETURN_NOT_OK(ParallelFor(threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const Split& split = splits[i];
    RowGroupOptions options = {.columns = {}, .batch_rows = kParagraphsAtOnce, .memory = plan.reader};
    for (const auto& field : schema->fields()) {
      options.columns.push_back(PlaceInParquet(*split.metadata, field->name()));
    }
    arrow::Status used;
    const auto use = [&](const arrow::RecordBatch& batch) {
      return used = AppendParagraphs(batch, &writers[static_cast<size_t>(thread)]);
    };
    const arrow::Status read = ReadRowGroup(*split.file, split.metadata, split.row_group, options, use);
    return NamingFile(*split.file, read, used);
  }));
  for (SpillPartitions::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
  return arrow::Status::OK();
}

arrow::Status CountPartition(SpillPartitions* paragraphs, size_t partition, int64_t load, GroupCounts* counts) {
  const auto add = [counts](std::span<const Paragraph> rows, Group* group) {
    for (const Paragraph& row : rows) {
      group->Add(row);
      counts->frequent.Add(row);
    }
  };
  const auto count_sorted = [&](std::span<Paragraph> rows) {
    std::ranges::sort(rows, {}, &Paragraph::pivot);
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin;
      while (end < rows.size() && rows[end].pivot == rows[begin].pivot) ++end;
      Group group;
      add(rows.subspan(begin, end - begin), &group);
      counts->Add(std::move(group));
      begin = end;
    }
    return arrow::Status::OK();
  };
  // A group of more members than fit.
  const auto count_equal = [&](SpillPartitions* from, size_t equal) -> arrow::Status {
    Group group;
    ARROW_RETURN_NOT_OK(from->TakeChunks(equal, [&](std::span<const char> bytes) {
      add({reinterpret_cast<const Paragraph*>(bytes.data()), bytes.size() / sizeof(Paragraph)}, &group);
      return arrow::Status::OK();
    }));
    counts->Add(std::move(group));
    return arrow::Status::OK();
  };
  return ForEachRange<Paragraph>(
      paragraphs, partition, load, [](const Paragraph& row) { return static_cast<uint64_t>(row.pivot); }, count_sorted,
      count_equal);
}

arrow::Result<GroupCounts> CountGroups(const GroupsConfig& config, const PartitionsPlan& plan) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ResolveInputs({config.folder}, kParquetSuffixes));
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindStatistics(files));
  SpillSpace space(config.tmp);
  MemoryBudget budget(plan.partitions);
  SpillPartitions paragraphs(kGroupPartitions, &budget, &space);
  ARROW_RETURN_NOT_OK(PartParagraphs(splits, plan, config.threads, &paragraphs));
  std::vector<GroupCounts> counts(static_cast<size_t>(config.threads));
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, kGroupPartitions, [&](int thread, size_t partition) {
    return CountPartition(&paragraphs, partition, plan.load, &counts[static_cast<size_t>(thread)]);
  }));
  GroupCounts sum;
  for (GroupCounts& of : counts) sum.Add(std::move(of));
  return sum;
}

nlohmann::json Sizes(const GroupCounts& counts) {
  nlohmann::json sizes = nlohmann::json::array();
  size_t end = kSizes;
  while (end > 0 && counts.groups_of[end - 1] == 0) --end;
  for (size_t i = 0; i < end; ++i) {
    const int64_t most = int64_t{1} << i;
    sizes.push_back({{"least", i == 0 ? 1 : most / 2 + 1},
                     {"most", most},
                     {"groups", counts.groups_of[i]},
                     {"occurrences", counts.occurrences_of[i]}});
  }
  return sizes;
}

// What is shown, and what is looked for to show it.
struct Shown {
  struct ShownGroup {
    Group group;
    std::vector<Paragraph> variants;
    bool is_whole() const { return group.members == static_cast<int64_t>(variants.size()); }
  };
  std::vector<ShownGroup> groups;
  std::vector<Paragraph> frequent;
  WantedParagraphs wanted;
  // Whose hosts are counted: frequent paragraphs, then groups.
  size_t HostsOfGroup(size_t group) const { return frequent.size() + group; }

  explicit Shown(GroupCounts* counts) : frequent(counts->frequent.Take()) {
    for (Group& group : counts->largest.Take()) {
      auto variants = group.variants.Take();
      groups.push_back({std::move(group), std::move(variants)});
    }
    for (size_t i = 0; i < frequent.size(); ++i) wanted.CountHosts(wanted.Want(frequent[i].hash), i);
    for (size_t i = 0; i < groups.size(); ++i) {
      for (const Paragraph& variant : groups[i].variants) {
        const size_t place = wanted.Want(variant.hash);
        if (groups[i].is_whole()) wanted.CountHosts(place, HostsOfGroup(i));
      }
    }
  }
};

nlohmann::json TextOf(int64_t hash, WantedParagraphs* wanted) {
  const auto& text = wanted->found(wanted->Want(hash)).text;
  return text ? nlohmann::json(*text) : nlohmann::json();
}

void TellHosts(size_t number, WantedParagraphs* wanted, nlohmann::json* of) {
  DistinctCount* hosts = wanted->hosts(number);
  (*of)["hosts"] = hosts == nullptr ? nlohmann::json() : nlohmann::json(hosts->Count());
  if (hosts != nullptr && !hosts->is_exact()) (*of)["hostsAreEstimates"] = true;
}

nlohmann::json Largest(Shown* shown) {
  nlohmann::json groups = nlohmann::json::array();
  for (size_t i = 0; i < shown->groups.size(); ++i) {
    const Shown::ShownGroup& group = shown->groups[i];
    nlohmann::json of = {{"hash", std::to_string(group.group.pivot)},
                         {"occurrences", group.group.occurrences},
                         {"members", group.group.members},
                         {"hosts", nullptr},
                         {"variants", nlohmann::json::array()}};
    if (group.is_whole()) TellHosts(shown->HostsOfGroup(i), &shown->wanted, &of);
    for (const Paragraph& variant : group.variants) {
      of["variants"].push_back(
          {{"text", TextOf(variant.hash, &shown->wanted)}, {"exactFreq", variant.exact}, {"nearFreq", variant.near}});
    }
    groups.push_back(std::move(of));
  }
  return groups;
}

nlohmann::json Frequent(Shown* shown) {
  nlohmann::json paragraphs = nlohmann::json::array();
  for (size_t i = 0; i < shown->frequent.size(); ++i) {
    const Paragraph& paragraph = shown->frequent[i];
    const auto& found = shown->wanted.found(shown->wanted.Want(paragraph.hash));
    nlohmann::json of = {{"text", TextOf(paragraph.hash, &shown->wanted)},
                         {"exactFreq", paragraph.exact},
                         {"nearFreq", paragraph.near},
                         {"documents", nullptr}};
    if (shown->wanted.has_documents()) of["documents"] = found.documents;
    TellHosts(i, &shown->wanted, &of);
    paragraphs.push_back(std::move(of));
  }
  return paragraphs;
}

}  // namespace

arrow::Result<nlohmann::json> GroupsOf(const GroupsConfig& config, const std::function<void(double)>& on_progress) {
  const PartitionsPlan plan = PlanPartitions(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(GroupCounts counts, CountGroups(config, plan));
  nlohmann::json json = {
      {"name", config.name}, {"groups", counts.groups}, {"paragraphs", counts.paragraphs}, {"sizes", Sizes(counts)}};
  Shown shown(&counts);
  ARROW_RETURN_NOT_OK(shown.wanted.ReadStatisticsTexts(config.folder, plan, config.threads));
  if (config.documents) ARROW_RETURN_NOT_OK(shown.wanted.ReadDocuments(*config.documents, plan, on_progress));
  json["largest"] = Largest(&shown);
  json["frequent"] = Frequent(&shown);
  return json;
}

}  // namespace uzushio
