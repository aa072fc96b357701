#include "statistics/output.h"

#include <arrow/array.h>
#include <arrow/io/compressed.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "datasets/columns.h"
#include "statistics/paragraph_steps.h"
#include "storage/spill_ranges.h"

namespace uzushio {

// Groups, the most frequent first, sorted as far as they fit in memory.
class StatisticsOutput::GroupsFile {
  struct Member {
    StatisticsRow row;
    uint32_t text_bytes = 0;
    uint32_t unused = 0;
  };

  // Members in bytes, for ForEachRangeOf.
  static auto Each(uint64_t (*place)(const StatisticsRow&)) {
    return [place](std::span<const char> bytes, const auto& use) -> arrow::Status {
      for (size_t at = 0; at < bytes.size();) {
        Member member;
        std::memcpy(&member, bytes.data() + at, sizeof member);
        const size_t size = sizeof member + member.text_bytes;
        ARROW_RETURN_NOT_OK(use(place(member.row), bytes.subspan(at, size)));
        at += size;
      }
      return arrow::Status::OK();
    };
  }

 public:
  explicit GroupsFile(const NearDuplicateResources& resources)
      : most_(resources.memory.load),
        members_(1, resources.budget, resources.space),
        writer_(&members_, resources.buffer_bytes(1, 1)) {}

  arrow::Status Add(const StatisticsRow& row, std::string_view text) {
    const Member member = {row, static_cast<uint32_t>(text.size()), 0};
    return writer_.Append(0, {reinterpret_cast<const char*>(&member), sizeof member}, text);
  }

  arrow::Status Write(const std::filesystem::path& path) {
    ARROW_RETURN_NOT_OK(writer_.Flush());
    ARROW_ASSIGN_OR_RAISE(const auto file, HashedFile::Create(path));
    ARROW_ASSIGN_OR_RAISE(const auto codec, arrow::util::Codec::Create(arrow::Compression::GZIP));
    ARROW_ASSIGN_OR_RAISE(const auto stream, arrow::io::CompressedOutputStream::Make(codec.get(), file));
    const auto sorted = [&stream](const Bytes& bytes) { return WriteSorted(bytes, stream.get()); };
    const auto all = [&](SpillPartitions* members, size_t part) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, members->Take(part));
      return sorted(bytes);
    };
    const auto in_group = [&](SpillPartitions* group, size_t part) {
      return ForEachRangeOf(group, part, most_, Each(&PlaceInGroup), sorted, all);
    };
    const auto by_group = [&](SpillPartitions* groups, size_t part) {
      return ForEachRangeOf(groups, part, most_, Each(&PlaceOfPivot), sorted, in_group);
    };
    ARROW_RETURN_NOT_OK(ForEachRangeOf(&members_, 0, most_, Each(&PlaceOfGroup), sorted, by_group));
    ARROW_RETURN_NOT_OK(stream->Close());
    return file->Close();
  }

 private:
  // The order in steps of 64 bits: the group's frequency, descending, and the first half of its pivot; the whole pivot;
  // the same of the paragraph in its group.
  static uint64_t InOrder(int64_t hash) {
    return static_cast<uint64_t>(hash) ^ uint64_t { 1 } << 63;
  }
  static uint64_t Place(int32_t freq, int64_t hash) {
    return static_cast<uint64_t>(INT32_MAX - freq) << 32 | InOrder(hash) >> 32;
  }
  static uint64_t PlaceOfGroup(const StatisticsRow& row) { return Place(row.group_freq, row.repr_hash); }
  static uint64_t PlaceOfPivot(const StatisticsRow& row) { return InOrder(row.repr_hash); }
  static uint64_t PlaceInGroup(const StatisticsRow& row) { return Place(row.exact_freq, row.hash); }
  static bool IsBefore(const StatisticsRow& a, const StatisticsRow& b) {
    if (a.group_freq != b.group_freq) return a.group_freq > b.group_freq;
    if (a.repr_hash != b.repr_hash) return a.repr_hash < b.repr_hash;
    if (a.exact_freq != b.exact_freq) return a.exact_freq > b.exact_freq;
    return a.hash < b.hash;
  }

  static arrow::Status WriteSorted(const Bytes& bytes, arrow::io::OutputStream* stream) {
    std::vector<std::pair<StatisticsRow, std::string_view>> members;
    for (size_t at = 0; at < bytes.size;) {
      Member member;
      std::memcpy(&member, bytes.data.get() + at, sizeof member);
      members.emplace_back(member.row, std::string_view(bytes.data.get() + at + sizeof member, member.text_bytes));
      at += sizeof member + member.text_bytes;
    }
    std::ranges::sort(members, IsBefore, &std::pair<StatisticsRow, std::string_view>::first);
    for (const auto& [row, text] : members) {
      const nlohmann::ordered_json line = {
          {"groupFreq", row.group_freq}, {"reprHash", row.repr_hash}, {"nearFreq", row.near_freq},
          {"exactFreq", row.exact_freq}, {"hash", row.hash},          {"text", text}};
      const std::string json = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
      ARROW_RETURN_NOT_OK(stream->Write(json.data(), static_cast<int64_t>(json.size())));
    }
    return arrow::Status::OK();
  }

  const int64_t most_;
  SpillPartitions members_;
  SpillPartitions::Writer writer_;
};

StatisticsOutput::~StatisticsOutput() = default;

arrow::Result<std::unique_ptr<StatisticsOutput>> StatisticsOutput::Open(const std::string& path,
                                                                        const nlohmann::json& run,
                                                                        const StatisticsOutputOptions& options,
                                                                        bool overwrite, const std::string& tmp) {
  std::unique_ptr<StatisticsOutput> output(new StatisticsOutput());
  output->options_ = options;
  ARROW_ASSIGN_OR_RAISE(output->folder_, OutputFolder::Open(path, run, overwrite, tmp));
  if (options.pairs.empty()) return output;
  if (output->done()) {
    ARROW_ASSIGN_OR_RAISE(const auto pairs, OutputFolder::Open(options.pairs, run, false));
    if (pairs->done()) return output;
    return arrow::Status::Invalid("--pairs ", options.pairs, ": the statistics of this run are complete in ", path,
                                  ", but its pairs are not here; make both again by --overwrite");
  }
  ARROW_ASSIGN_OR_RAISE(output->pairs_folder_, OutputFolder::Open(options.pairs, run, overwrite));
  // Stopped between the two commits: the pairs are made again with the rest.
  if (output->pairs_folder_->done()) {
    output->pairs_folder_.reset();
    ARROW_ASSIGN_OR_RAISE(output->pairs_folder_, OutputFolder::Open(options.pairs, run, true));
  }
  return output;
}

arrow::Status StatisticsOutput::Start() {
  ARROW_ASSIGN_OR_RAISE(statistics_, TableWriter::Create(work() / kStatisticsFile, StatisticsSchema()));
  ARROW_ASSIGN_OR_RAISE(index_, FrequencyIndexWriter::Create(work() / kFrequencyIndexName.path));
  if (options_.intermediate) {
    ARROW_ASSIGN_OR_RAISE(intermediate_, TableWriter::Create(work() / kIntermediateFile.path, IntermediateSchema()));
  }
  if (options_.debug) groups_ = std::make_unique<GroupsFile>(resources_);
  if (wants_pairs()) {
    const auto schema =
        arrow::schema({arrow::field("hash", arrow::int64(), false), arrow::field("otherHash", arrow::int64(), false)});
    ARROW_ASSIGN_OR_RAISE(pairs_, TableWriter::Create(pairs_folder_->work() / kPairsFile, schema));
  }
  return arrow::Status::OK();
}

arrow::Status StatisticsOutput::Row(const StatisticsRow& row, const ParagraphHead& paragraph, std::string_view text) {
  if (intermediate_ != nullptr) {
    intermediate_->Int64(row.hash);
    intermediate_->Int64(paragraph.given_pivot);
    intermediate_->Int32(row.exact_freq);
    intermediate_->Int32(GivenNearFreq(paragraph.count, paragraph.given_near));
    intermediate_->Text(text);
    ARROW_RETURN_NOT_OK(intermediate_->EndRow());
  }
  if (row.near_freq > 1) {
    ARROW_RETURN_NOT_OK(index_->Append({row.hash, row.exact_freq, row.near_freq}));
    if (groups_ != nullptr) ARROW_RETURN_NOT_OK(groups_->Add(row, text));
  }
  // A paragraph without a text is of final statistics: its count must not be lost when its group falls apart.
  if (row.near_freq <= 1 && !options_.intermediate && paragraph.text_bytes > 0) return arrow::Status::OK();
  statistics_->Int64(row.hash);
  statistics_->Int64(row.repr_hash);
  statistics_->Int32(row.exact_freq);
  statistics_->Int32(row.near_freq);
  return statistics_->EndRow();
}

arrow::Status StatisticsOutput::Pair(int64_t first, int64_t second) {
  pairs_->Int64(first);
  pairs_->Int64(second);
  return pairs_->EndRow();
}

arrow::Status StatisticsOutput::Commit(nlohmann::json counts, const TextForms& forms) {
  ARROW_RETURN_NOT_OK(statistics_->Finish());
  ARROW_RETURN_NOT_OK(index_->Finish());
  std::vector<WrittenFile> files = {statistics_->file().Written(kStatisticsFile, statistics_->rows()),
                                    index_->file().Written(kFrequencyIndexName.path, index_->entries())};
  if (intermediate_ != nullptr) {
    ARROW_RETURN_NOT_OK(intermediate_->Finish());
    files.push_back(intermediate_->file().Written(kIntermediateFile.path, intermediate_->rows()));
  }
  if (groups_ != nullptr) ARROW_RETURN_NOT_OK(groups_->Write(work() / kGroupsFile.path));
  if (pairs_ != nullptr) {
    ARROW_RETURN_NOT_OK(pairs_->Finish());
    const std::vector<WrittenFile> pairs_files = {pairs_->file().Written(kPairsFile, pairs_->rows())};
    ARROW_RETURN_NOT_OK(pairs_folder_->Commit({{"counts", {{"pairs", pairs_->rows()}}}, {"files", pairs_files}}));
  }
  counts["rows"] = statistics_->rows();
  counts["index_entries"] = index_->entries();
  return folder_->Commit(forms.Mark({{"counts", counts}, {"files", files}}));
}

}  // namespace uzushio
