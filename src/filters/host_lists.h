// Lists of hosts: who is on which of them.
//
// A file of compiled lists is a file of Arrow's IPC format with one record batch: `key` uint64, in order (HostKey), and
// `mark` uint32, eight times the number of the list and the kind of the entry; the schema's metadata has `format`
// ("uzushio hosts 1"), `lists` (their names, as JSON) and `checksum` (XXH3-64 of both columns, in hexadecimal).
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/host.h"

namespace uzushio {

// The list of a plain file's entries.
inline constexpr const char* kOwnList = "custom";

// What was left out of the lists when they were read.
struct HostListLosses {
  int64_t lines = 0;  // that are no hosts
  std::string first;  // the first of them: FILE:LINE: text
};

// Who is on a list.
struct HostMatch {
  uint32_t list = 0;
  HostPart part;
  bool is_below_only = false;
};

// Lists of hosts by name. Threads may share them.
class HostLists {
 public:
  // Reads lists, each by its path: a folder in the layout of the Blacklists UT1 (a folder for each category with
  // `domains` and `urls`; where there is `global_usage`, those that are black by default in it); a plain file, one
  // entry a line, whose list is kOwnList; or a file that Write has made, which is mapped if it is the only one. Empty
  // lines, those that begin with `#`, and a byte order mark do not matter. Lines that are no entries are left out.
  // Errors: there is no such file, a folder has no lists, a file of compiled lists is damaged.
  static arrow::Result<std::shared_ptr<const HostLists>> Read(const std::vector<std::string>& paths,
                                                              HostListLosses* losses);
  // One list, of these entries. Errors: one is none.
  static arrow::Result<std::shared_ptr<const HostLists>> Of(const std::vector<std::string>& entries,
                                                            const std::string& name);

  // Writes a file, whole or not at all. Errors: it is there, and not to be overwritten.
  arrow::Status Write(const std::string& path, bool overwrite) const;

  // The names of the lists, in order of bytes.
  const std::vector<std::string>& names() const { return names_; }
  // How many entries each list has.
  std::vector<int64_t> Sizes() const;
  // Of all that is in it: equal lists, equal checksums.
  uint64_t checksum() const { return checksum_; }

  // Calls `use` with each match of a location.
  template <typename Use>
  void ForEachMatch(const Location& location, HostParts* scratch, Use use) const {
    DomainsOf(location, &scratch->domains);
    Prefetch(scratch->domains);
    for (const HostPart& domain : scratch->domains) {
      const bool is_host = domain.host_begin == 0;
      bool has_folders = false;
      for (int64_t i = Find(domain.key); i < size_ && keys_[i] == domain.key; ++i) {
        const Kind kind = KindOf(marks_[i]);
        has_folders |= kind == kHasFolders;
        if (kind == kHost || (kind == kBelow && !is_host)) use(HostMatch{ListOf(marks_[i]), domain, kind == kBelow});
      }
      if (!has_folders) continue;
      FoldersOf(location, domain, &scratch->folders);
      for (const HostPart& folder : scratch->folders) {
        for (int64_t i = Find(folder.key); i < size_ && keys_[i] == folder.key; ++i) {
          const Kind kind = KindOf(marks_[i]);
          if (kind == kFolder || (kind == kFolderBelow && !is_host)) {
            use(HostMatch{ListOf(marks_[i]), folder, kind == kFolderBelow});
          }
        }
      }
    }
  }

 private:
  // Of an entry; of a host below which folders are listed there is an entry, too.
  enum Kind : uint32_t { kHost = 0, kBelow = 1, kFolder = 2, kFolderBelow = 3, kHasFolders = 4 };
  static constexpr uint32_t kKinds = 8;
  static Kind KindOf(uint32_t mark) { return static_cast<Kind>(mark % kKinds); }
  static uint32_t ListOf(uint32_t mark) { return mark / kKinds; }
  friend class HostListBuilder;

  HostLists() = default;
  static arrow::Result<std::shared_ptr<const HostLists>> Map(const std::string& path);
  // Sets it to what a file holds, when it is whole.
  arrow::Status Take(const std::shared_ptr<arrow::RecordBatch>& batch);
  arrow::Status IndexKeys();
  // Has what look-ups need brought from memory, all at once.
  void Prefetch(const std::vector<HostPart>& parts) const;
  // The first entry of a key, or where it would be.
  int64_t Find(uint64_t key) const;

  std::vector<std::string> names_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  const uint64_t* keys_ = nullptr;
  const uint32_t* marks_ = nullptr;
  int64_t size_ = 0;
  uint64_t checksum_ = 0;
  int bits_ = 0;
  std::vector<uint32_t> directory_;  // how many entries have keys whose highest `bits_` bits are less than i
};

// An entry as a list has it: ".5ch.net", "example.com/folder".
std::string EntryText(const Location& location, const HostMatch& match);

}  // namespace uzushio
