// Hosts of URLs, and the keys by which lists of hosts know them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// Where a URL leads, as the WHATWG's URL standard reads it (by Ada).
struct Location {
  std::string host;         // in lower case, labels in ASCII (`xn--…`), without port and without a dot at the end
  std::string path;         // from "/" on, with the query, without fragment
  bool is_address = false;  // an IP address (version 6 in brackets): no domain is above it

  // Sets it to where an absolute URL with a host leads (http, https, ws, wss, ftp). False, and nothing in it, where
  // `url` is none; it may be any bytes.
  bool Parse(std::string_view url);
};

// An entry of a list: a host, with or without a path. It covers what is below it, domains as well as folders.
struct HostEntry {
  Location location;           // the path has no "/" at its end, and is empty without one
  bool is_below_only = false;  // `.example.com`, `*.example.com`: the host itself is not covered

  // Reads an entry: a host, an address or a URL, its scheme left out or not, white space around it left out. A port is
  // not looked at. False: it is none of these.
  bool Parse(std::string_view text);
};

// A number for a host, with a path or without. Those of different ones are equal with a probability of 2^-64.
uint64_t HostKey(const Location& location);

// A domain that a host is or lies in, or a folder of it that a path lies in.
struct HostPart {
  uint64_t key = 0;
  uint32_t host_begin = 0;  // the part's host is host.substr(host_begin)
  uint32_t path_end = 0;    // and its path path.substr(0, path_end); 0: none
  bool operator==(const HostPart&) const = default;
};

// Those of one location.
struct HostParts {
  std::vector<HostPart> domains;
  std::vector<HostPart> folders;
};

// Replaces `parts` by the domains that a host is or lies in, from the highest on.
void DomainsOf(const Location& location, std::vector<HostPart>* parts);
// Replaces `parts` by what the location lies in of a domain of DomainsOf: what its path, to its end or to a `/`, `?` or
// `&`, names, from the highest on.
void FoldersOf(const Location& location, const HostPart& domain, std::vector<HostPart>* parts);

}  // namespace uzushio
