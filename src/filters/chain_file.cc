#include "filters/chain_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "filters/hocon.h"
#include "filters/preset.h"
#include "filters/word_list.h"

namespace uzushio {
namespace {

constexpr std::array<std::string_view, 2> kOriginalPackages = {"com.worksap.nlp.uzushio.lib.filters.",
                                                               "com.worksap.nlp.uzushio.cleaning."};

std::string ClassOf(const nlohmann::json& filter) {
  const auto name = filter.is_object() ? filter.find("class") : filter.end();
  return name != filter.end() && name->is_string() ? WithoutPackage(name->get<std::string>()) : std::string();
}

// Stands for the value of a property that has none; no configuration has such a text.
std::string UnsetMark(const std::string& property) { return "\x01unset " + property + "\x01"; }

// What a filter needs and is not there; empty: nothing.
std::string NeedsOf(const nlohmann::json& filter, const std::vector<std::string>& unset) {
  std::set<std::string> needs;
  for (const nlohmann::json& value : filter.flatten()) {
    if (!value.is_string()) continue;
    const auto& text = value.get_ref<const std::string&>();
    for (const std::string& property : unset) {
      if (text.find(UnsetMark(property)) != std::string::npos) needs.insert("-P " + property + "=VALUE");
    }
    if (text.starts_with(kHojiChar) && !WordList::Load(text).ok()) needs.insert(text);
  }
  return fmt::format("{}", fmt::join(needs, ", "));
}

}  // namespace

std::string WithoutPackage(std::string name) {
  for (const std::string_view package : kOriginalPackages) {
    if (name.starts_with(package)) name.erase(0, package.size());
  }
  return name;
}

arrow::Result<ChainFile> ChainFile::Read(const std::string& name,
                                         const std::map<std::string, std::string>& properties) {
  ChainFile file;
  file.path_ = FindChainFile(name).string();
  auto text = ReadConfiguration(file.path_);
  if (!text.ok()) {
    return text.status().WithMessage("--config ", text.status().message(), DidYouMean(name, InstalledChains()));
  }
  file.text_ = std::move(text).ValueUnsafe();
  ARROW_ASSIGN_OR_RAISE(file.json_, ReadHocon(file.path_, properties));
  for (const char* key : {"filters", "stages"}) {
    if (file.json_.is_object() && file.json_.contains(key) && file.json_[key].is_array()) {
      if (!file.key_.empty()) return arrow::Status::Invalid(file.path_, ": has both lists, `filters` and `stages`");
      file.key_ = key;
    }
  }
  if (file.key_.empty()) return arrow::Status::Invalid(file.path_, ": has no list `filters`");
  file.lines_ = LinesOfKey(file.text_, "class");
  return file;
}

arrow::Result<ChainFile> ChainFile::ReadAvailable(const std::string& name,
                                                  std::map<std::string, std::string> properties,
                                                  std::vector<MissingFilter>* missing) {
  constexpr size_t kMostUnset = 64;  // each is another reading of the file
  const std::string path = FindChainFile(name).string();
  std::vector<std::string> unset;
  arrow::Status first;  // names the file's line, and is of the file as it is
  while (ReadConfiguration(path).ok() && unset.size() < kMostUnset) {
    std::string one;
    const arrow::Status read = ReadHocon(path, properties, &one).status();
    if (unset.empty()) first = read;
    if (read.ok() || one.empty()) break;
    if (!properties.try_emplace(one, UnsetMark(one)).second) break;
    unset.push_back(one);
  }
  auto with_marks = Read(name, properties);
  if (!with_marks.ok()) return unset.empty() ? with_marks.status() : first;
  ChainFile file = std::move(with_marks).ValueUnsafe();
  const size_t all = file.filters().size();
  for (size_t i = file.filters().size(); i-- > 0;) {
    const std::string needs = NeedsOf(file.filters()[i], unset);
    if (needs.empty()) continue;
    const MissingFilter one = {ClassOf(file.filters()[i]), needs};
    if (std::ranges::find(*missing, one) == missing->end()) missing->insert(missing->begin(), one);
    file.RemoveAt(i);
  }
  if (all > 0 && file.filters().empty()) {
    return arrow::Status::Invalid(path, ": every filter needs something that is not given: ", missing->front().filter,
                                  " needs ", missing->front().needs);
  }
  return file;
}

arrow::Status ChainFile::CheckProperties(const std::string& name,
                                         const std::map<std::string, std::string>& properties) {
  ChainFile file;
  file.path_ = FindChainFile(name).string();
  auto text = ReadConfiguration(file.path_);
  if (!text.ok()) return arrow::Status::OK();  // which Read says
  file.text_ = std::move(text).ValueUnsafe();
  for (const auto& [property, value] : properties) {
    if (file.Mentions(property)) continue;
    return arrow::Status::Invalid("-P ", property, ": ", file.path_, " has no ${", property, "}",
                                  DidYouMean(property, SubstitutionsIn(file.text_)));
  }
  return arrow::Status::OK();
}

arrow::Status ChainFile::AtProperty(const arrow::Status& error, const std::map<std::string, std::string>& properties) {
  const std::string& message = error.message();
  for (const auto& [name, value] : properties) {
    for (const std::string& shown :
         {nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), value}) {
      const bool is_at_fault = message.find(": " + shown + " is no") != std::string::npos;
      if (is_at_fault) return error.WithMessage("-P ", name, "=", value, ": ", message);
    }
  }
  return error;
}

ChainFile ChainFile::Of(const std::string& path, const nlohmann::json& filters, const std::vector<size_t>& lines) {
  ChainFile file;
  file.path_ = path;
  file.key_ = "filters";
  file.json_ = {{file.key_, filters}};
  file.lines_ = lines;
  return file;
}

bool ChainFile::Mentions(const std::string& property) const { return MayTakeProperty(text_, property); }

std::string ChainFile::PlaceOf(size_t filter) const {
  if (lines_.size() != filters().size()) return path_;
  return fmt::format("{}:{}", path_, lines_[filter]);
}

arrow::Status ChainFile::Set(const std::string& key, const std::string& value) {
  const size_t dot = key.rfind('.');
  const std::string of = key.substr(0, dot == std::string::npos ? 0 : dot);
  const std::string name = dot == std::string::npos ? "" : key.substr(dot + 1);
  if (of.empty() || name.empty()) {
    return arrow::Status::Invalid("--set ", key, ": is no key, as FilterBySentenceLength.max, stages.7.max or ",
                                  "input.delimiter are");
  }
  if (of == "input" || of == "output") {
    if (json_.contains(of) && !json_[of].is_object()) return arrow::Status::Invalid(path_, ": ", of, ": has no keys");
    json_[of][name] = value;
    return arrow::Status::OK();
  }
  nlohmann::json& all = json_[key_];
  size_t place = all.size();
  if (of.starts_with(key_ + ".")) {
    const char* const end = of.data() + of.size();
    const auto read = std::from_chars(of.data() + key_.size() + 1, end, place);
    if (read.ec != std::errc() || read.ptr != end || place >= all.size()) {
      return arrow::Status::Invalid("--set ", key, ": there are ", all.size(), " ", key_, ", from ", key_, ".0 on");
    }
    if (!all[place].is_object()) return arrow::Status::Invalid(PlaceOf(place), ": ", of, ": needs a `class`");
    all[place][name] = value;
    return arrow::Status::OK();
  }
  std::vector<std::string> names;
  for (nlohmann::json& filter : all) {
    names.push_back(ClassOf(filter));
    if (names.back() == of && !of.empty()) filter[name] = value;
  }
  if (std::ranges::find(names, of) != names.end()) return arrow::Status::OK();
  return arrow::Status::Invalid("--set ", key, ": ", path_, " has no ", of, DidYouMean(of, names));
}

void ChainFile::SetDefault(const std::string& filter, const std::string& parameter, const std::string& value) {
  for (nlohmann::json& one : json_[key_]) {
    if (ClassOf(one) == filter && !one.contains(parameter)) one[parameter] = value;
  }
}

size_t ChainFile::Remove(const std::string& filter) {
  nlohmann::json left = nlohmann::json::array();
  std::vector<size_t> lines;
  const bool has_lines = lines_.size() == filters().size();
  for (size_t i = 0; i < filters().size(); ++i) {
    if (ClassOf(filters()[i]) == filter) continue;
    left.push_back(filters()[i]);
    if (has_lines) lines.push_back(lines_[i]);
  }
  const size_t removed = filters().size() - left.size();
  json_[key_] = std::move(left);
  lines_ = std::move(lines);
  return removed;
}

void ChainFile::RemoveAt(size_t filter) {
  if (lines_.size() == filters().size()) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(filter));
  json_[key_].erase(filter);
}

arrow::Result<std::optional<std::string>> ChainFile::Text(const std::string& section, const std::string& key) const {
  const auto found = json_.find(section);
  if (found == json_.end() || !found->is_object() || !found->contains(key)) return std::nullopt;
  const nlohmann::json& value = found->at(key);
  if (value.is_string()) return value.get<std::string>();
  return arrow::Status::Invalid(path_, ": ", section, ".", key, ": is no text");
}

arrow::Status ChainFile::CheckKeys(const std::string& section, const std::vector<std::string>& known) const {
  const auto found = json_.find(section);
  if (found == json_.end()) return arrow::Status::OK();
  if (!found->is_object()) return arrow::Status::Invalid(path_, ": ", section, ": has no keys");
  for (const auto& [key, value] : found->items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    return arrow::Status::Invalid(path_, ": ", section, ".", key, ": no such key", DidYouMean(key, known));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
