#include "document/host.h"

#include <ada.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr std::string_view kWhite = " \t\r\n\f\v";

std::string_view WithoutWhite(std::string_view text) {
  const size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

// What a name in a path, or in a query, may end before.
bool IsEnd(char c) { return c == '/' || c == '?' || c == '&'; }

// The URL that an entry stands for; of an address of mail, none.
std::string WithScheme(std::string_view text) {
  if (text.find("://") < text.find_first_of("/?#")) return std::string(text);
  if (text.starts_with("//")) text.remove_prefix(2);
  const std::string_view host = text.substr(0, text.find_first_of("/?#"));
  if (host.find('@') != std::string_view::npos) return {};
  if (std::ranges::count(host, ':') < 2 || host.starts_with('[')) return "http://" + std::string(text);
  return "http://[" + std::string(host) + "]" + std::string(text.substr(host.size()));  // an address of version 6
}

// A hash that goes on: of labels from the last on, then of a path.
class KeyHash {
 public:
  KeyHash() { XXH64_reset(&state_, 0); }
  void Add(std::string_view text) { XXH64_update(&state_, text.data(), text.size()); }
  uint64_t Value() const { return XXH64_digest(&state_); }

 private:
  XXH64_state_t state_;
};

// Calls `use(begin)` with the beginning of each domain of a host, from the last label on, when it is in the hash.
template <typename Use>
void ForEachDomain(const Location& location, KeyHash* hash, Use use) {
  const std::string_view host = location.host;
  size_t end = host.size();
  while (end > 0) {
    const size_t dot = location.is_address ? std::string_view::npos : host.rfind('.', end - 1);
    const size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
    if (begin == 0) hash->Add(".");
    const size_t from = begin == 0 ? 0 : begin - 1;  // with the dot before it
    hash->Add(host.substr(from, end - from));
    use(begin);
    end = begin == 0 ? 0 : begin - 1;
  }
}

}  // namespace

bool Location::Parse(std::string_view url) {
  host.clear();
  path.clear();
  is_address = false;
  if (!IsValidUtf8(url)) return false;
  const auto parsed = ada::parse<ada::url_aggregator>(url);
  if (!parsed || !parsed->is_special() || parsed->type == ada::scheme::type::FILE) return false;
  std::string_view name = parsed->get_hostname();
  is_address = parsed->host_type != ada::url_host_type::DEFAULT;
  if (!is_address && name.ends_with('.')) name.remove_suffix(1);
  // A name that begins or goes on with a dot has labels without letters: no such domain can be.
  if (name.empty() || name.starts_with('.') || name.ends_with('.') || name.find("..") != std::string_view::npos) {
    return false;
  }
  host = name;
  path = parsed->get_pathname();
  path += parsed->get_search();
  return true;
}

bool HostEntry::Parse(std::string_view text) {
  text = WithoutWhite(text);
  // The standard deletes these, so that columns of a table would become a host.
  if (text.find_first_of("\t\r\n") != std::string_view::npos) return false;
  is_below_only = text.starts_with('.') || text.starts_with("*.");
  if (is_below_only) text.remove_prefix(text.find('.') + 1);
  if (text.empty() || !location.Parse(WithScheme(text))) return false;
  while (location.path.ends_with('/')) location.path.pop_back();
  return !is_below_only || !location.is_address;
}

uint64_t HostKey(const Location& location) {
  KeyHash hash;
  ForEachDomain(location, &hash, [](size_t) {});
  hash.Add(location.path);
  return hash.Value();
}

void DomainsOf(const Location& location, std::vector<HostPart>* parts) {
  parts->clear();
  KeyHash hash;
  ForEachDomain(location, &hash, [&](size_t begin) {
    parts->push_back({.key = hash.Value(), .host_begin = static_cast<uint32_t>(begin)});
  });
}

void FoldersOf(const Location& location, const HostPart& domain, std::vector<HostPart>* parts) {
  parts->clear();
  KeyHash hash;
  Location of = location;
  of.host.erase(0, domain.host_begin);
  ForEachDomain(of, &hash, [](size_t) {});
  const std::string_view path = location.path;
  size_t hashed = 0;
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end < path.size() && !IsEnd(path[end])) continue;
    hash.Add(path.substr(hashed, end - hashed));
    hashed = end;
    parts->push_back({hash.Value(), domain.host_begin, static_cast<uint32_t>(end)});
  }
}

}  // namespace uzushio
