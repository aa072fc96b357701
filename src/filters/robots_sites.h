// What robots.txt files let some robots fetch, by the table of `uzushio robots-txt` (datasets/robots_columns.h).
#pragma once

#include <arrow/result.h>

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/robots_file.h"

namespace uzushio {

// A rule that forbids a URL to a robot.
struct RobotsFinding {
  size_t robot = 0;          // its place
  std::string_view pattern;  // lives as long as the sites
  std::string origin;        // of the URL
};

// Threads may share them. Of each origin 24 bytes are kept, and rules once that several have.
class RobotsSites {
 public:
  // Reads a table, a folder or its file; `robots` are names in lower case. Errors: there is none, a column lacks, a
  // checksum differs; it takes more than `memory`, in bytes (0: no bound).
  static arrow::Result<std::shared_ptr<const RobotsSites>> Read(const std::string& place,
                                                                const std::vector<std::string>& robots, int64_t memory);

  // Which of the robots, the first, may not fetch a URL. The file is that of the URL's origin or, where the table has
  // none, of the same host by the other of http and https. Redirects to files of other origins are followed, five at
  // most (RFC 9309, section 2.3.1.2). Where the file is not known, all may.
  std::optional<RobotsFinding> Find(std::string_view url) const;

  // Of all that findings depend on: equal ones, equal checksums.
  uint64_t checksum() const { return checksum_; }
  // Whether it says nothing of any URL.
  bool empty() const { return sites_.empty(); }
  // Bytes that it takes.
  int64_t bytes() const;

 private:
  class Builder;
  static constexpr uint32_t kRedirect = UINT32_MAX;
  // Whoever chooses an origin may find one with the key of another, but not with its TextHash, which nobody knows.
  struct OriginName {
    uint64_t key = 0;  // OriginKey
    uint64_t hash = 0;

    static OriginName Of(std::string_view origin);
    auto operator<=>(const OriginName&) const = default;
  };
  struct Site {
    OriginName name;
    // Of rules_for_ and, of kRedirect, of targets_.
    uint32_t profile = 0;
    uint32_t target = 0;
  };

  const Site* At(std::string_view origin) const;
  const Site* AtName(const OriginName& name) const;

  size_t robots_ = 0;
  std::vector<Site> sites_;          // in order of keys
  std::vector<OriginName> targets_;  // two for a redirect: of its origin, and by the other scheme
  std::vector<uint32_t> profiles_;   // of each, for each robot, the place of its rules
  std::deque<std::string> rules_;    // as RobotsRules has them; the first is empty
  uint64_t checksum_ = 0;
};

}  // namespace uzushio
