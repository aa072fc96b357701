#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/records.h"
#include "document/paragraph_hash.h"
#include "document/paragraph_writer.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"

namespace uzushio::python {
namespace {

std::shared_ptr<FrequencyIndex> IndexOfEntries(const std::vector<nb::bytes>& pieces) {
  std::vector<FrequencyEntry> entries;
  for (const nb::bytes& piece : pieces) {
    const auto some = FromBytes<FrequencyEntry>(piece);
    entries.insert(entries.end(), some.begin(), some.end());
  }
  return FrequencyIndex::Make(std::move(entries));
}

// The entries of those of the hashes that have one.
nb::bytes EntriesOf(const FrequencyIndex& index, const nb::bytes& hashes) {
  std::vector<FrequencyEntry> entries;
  for (const int64_t hash : FromBytes<int64_t>(hashes)) {
    if (const FrequencyEntry* entry = index.Find(hash)) entries.push_back(*entry);
  }
  return ToBytes(entries);
}

// Entries by partition, of rows of statistics.
nb::list EntriesByPartition(nb::handle object, int partition_bits) {
  const auto batch = BatchOf(object);
  const HashPartitioning partitioning(partition_bits);
  std::vector<std::vector<FrequencyEntry>> partitions(partitioning.count());
  Check(ForEachEntry(*batch, [&](const FrequencyEntry& entry) {
    partitions[partitioning(entry.hash)].push_back(entry);
    return arrow::Status::OK();
  }));
  return ToPartitions(partitions);
}

// Exact and near frequencies of paragraphs.
std::vector<std::pair<int32_t, int32_t>> LookUp(const FrequencyIndex& index, const std::vector<std::string>& texts) {
  std::vector<int64_t> hashes;
  hashes.reserve(texts.size());
  std::string buffer;
  for (const std::string& text : texts) hashes.push_back(ParagraphHash(PlainParagraph(text, &buffer)));
  std::vector<Frequencies> found(texts.size());
  index.LookUp(hashes, found);
  std::vector<std::pair<int32_t, int32_t>> frequencies;
  frequencies.reserve(found.size());
  for (const Frequencies& one : found) frequencies.emplace_back(one.exact_freq, one.near_freq);
  return frequencies;
}

}  // namespace

void DeclareFrequencies(nb::module_& module) {
  nb::class_<FrequencyIndex>(module, "FrequencyIndex", "How often paragraphs occur, in a file mapped into memory.")
      .def_static(
          "open",
          [](const std::filesystem::path& path) {
            return Value(WithoutLock([&] { return FrequencyIndex::Open(path); }));
          },
          nb::arg("path"))
      .def_static("of_entries", &IndexOfEntries, nb::arg("pieces"))
      .def("entries_of", &EntriesOf, nb::arg("hashes"))
      .def_static(
          "open_statistics",
          [](const std::filesystem::path& folder) {
            return Value(WithoutLock([&] { return OpenStatistics(folder); }));
          },
          nb::arg("folder"))
      .def("__len__", &FrequencyIndex::size)
      .def("checksum", [](const FrequencyIndex& self) { return self.checksum(); })
      .def("look_up", &LookUp, nb::arg("texts"));
  module.attr("INDEX_FOOTER_BYTES") = kFrequencyIndexFooterBytes;
  module.def(
      "index_checksum",
      [](const nb::bytes& footer, const std::string& name) {
        return Value(FrequencyIndexChecksum({footer.c_str(), footer.size()}, name));
      },
      nb::arg("footer"), nb::arg("name"));
  module.def("entries_by_partition", &EntriesByPartition, nb::arg("statistics"), nb::arg("partition_bits"),
             nb::sig("def entries_by_partition(statistics: object, partition_bits: int) -> list[tuple[int, bytes]]"));
}

}  // namespace uzushio::python
