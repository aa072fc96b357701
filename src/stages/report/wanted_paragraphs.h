// The texts of some paragraphs, and where they occur.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory_plan.h"
#include "stages/report/corpus.h"
#include "stages/report/distinct_count.h"

namespace uzushio {

inline constexpr size_t kShownCharacters = 400;  // code points that a text is cut to

// Paragraphs by the hashes of their plain texts, as statistics have them.
class WantedParagraphs {
 public:
  struct Found {
    std::optional<std::string> text;  // cut
    int64_t documents = 0;            // that have it
    // Places in `hosts`.
    std::vector<size_t> counted_in;
  };

  // Wants the hash. Returns its place; that of an earlier call with the same hash.
  size_t Want(int64_t hash);
  // Has the hosts of a paragraph's documents counted, with those of others of this number of hosts.
  void CountHosts(size_t place, size_t hosts);

  // Takes the texts that a folder of statistics has, where it has any: the intermediate file, else that of
  // groups.
  arrow::Status ReadStatisticsTexts(const std::string& folder, const PartitionsPlan& plan, int threads);
  // Takes texts that are not known yet, and counts documents and hosts, by going through all texts once.
  arrow::Status ReadDocuments(const CorpusConfig& documents, const PartitionsPlan& plan,
                              const std::function<void(double share)>& on_progress);

  const Found& found(size_t place) const { return found_[place]; }
  // Null: documents were not read, or have no URLs.
  DistinctCount* hosts(size_t number) { return has_hosts_ ? &hosts_[number] : nullptr; }
  bool has_documents() const { return has_documents_; }

 private:
  class Index;
  class Reader;
  arrow::Status ReadIntermediate(const std::vector<InputFile>& files, const PartitionsPlan& plan, int threads);
  arrow::Status ReadGroupsFile(const InputFile& file, const PartitionsPlan& plan);

  std::unordered_map<int64_t, size_t> places_;
  std::vector<int64_t> hashes_;  // by place, as those below
  std::vector<Found> found_;
  std::vector<DistinctCount> hosts_;
  bool has_documents_ = false;
  bool has_hosts_ = false;
};

}  // namespace uzushio
