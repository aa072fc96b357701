// robots.txt (RFC 9309): what a site lets which robots fetch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// The part of a file that is read, up to its last line end; more is cut (section 2.5 asks for that much at least).
inline constexpr size_t kMostRobotsBytes = size_t{500} << 10;

// The groups of a file, in one form: lines
//
//     user-agent: NAME        in lower case, of letters, digits, `-` and `_`; or `*`
//     allow: PATTERN          bytes that are no ASCII percent-encoded, digits of such in upper case
//     disallow: PATTERN       empty: nothing
//
// each with its line end. Names that follow one another share the rules after them. Rules of nobody are left out.
// `robotstxt`, a port of Google's parser, reads the file, which may be any bytes: names of lines may be written wrong
// in some ways, or lack their colon. It takes time as the file is long, and gives at most three times as many bytes.
std::string GroupsOfRobots(std::string_view file);

// The names in groups, in order and each once.
std::vector<std::string> NamesInGroups(std::string_view groups);

// Whether a URL's path may be fetched, by rules for one robot.
//
// The longest pattern that matches decides, `allow` among equal ones; `*` is any text, `$` at its end the end (section
// 2.2). Paths are compared as section 2.2.2 has it: what is percent-encoded and need not be is decoded, and what has to
// be is encoded. A pattern takes time as path and pattern are long, together.
class RobotsRules {
 public:
  struct Rule {
    bool allows = true;
    std::string_view pattern;  // as it is compared
  };

  // The text of rules for a robot of this name, in lower case: those of all groups that name it, or, where there is
  // none, of those for `*`. A line is `+PATTERN` or `-PATTERN`; empty where nothing is disallowed. In the order in
  // which they are to be looked at: the first that matches decides.
  static std::string For(std::string_view name, std::string_view groups);
  // The rule that decides, of such a text; none: the path may be fetched. `path` is that of ComparedPath.
  static std::optional<Rule> Find(std::string_view rules, std::string_view path);
};

// What patterns are held against: a path with its query, as URLs have it, percent-encoded in one way. Bytes behind the
// first 2 KiB are not looked at.
void ComparedPath(std::string_view path, std::string* out);

}  // namespace uzushio
