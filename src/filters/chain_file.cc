#include "filters/chain_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/nearest.h"
#include "filters/native.h"
#include "filters/preset.h"

namespace uzushio {
namespace {

constexpr std::array<std::string_view, 2> kOriginalPackages = {"com.worksap.nlp.uzushio.lib.filters.",
                                                               "com.worksap.nlp.uzushio.cleaning."};

// The length, or more at its end, of what a configuration begins with: a comment, a quoted text, a word or a character.
size_t TokenLength(std::string_view text) {
  const auto is_word = [&text](size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  if (text.starts_with('#') || text.starts_with("//")) return text.find('\n');
  size_t length = 1;
  if (text.starts_with('"')) {
    while (length < text.size() && text[length] != '"') length += text[length] == '\\' ? 2 : 1;
    return length + 1;
  }
  if (!is_word(0)) return length;
  while (length < text.size() && is_word(length)) ++length;
  return length;
}

// The lines of the keys `class`, comments and texts left out: those of the filters, as long as nothing is included.
std::vector<size_t> LinesOfClasses(std::string_view text) {
  std::vector<size_t> lines;
  std::ptrdiff_t line = 1;
  while (!text.empty()) {
    const std::string_view token = text.substr(0, TokenLength(text));
    text.remove_prefix(token.size());
    line += std::ranges::count(token, '\n');
    if (token != "class" && token != "\"class\"") continue;
    const std::string_view next = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    if (next.starts_with(':') || next.starts_with('=')) lines.push_back(static_cast<size_t>(line));
  }
  return lines;
}

std::string PropertiesText(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) text += name + " = " + nlohmann::json(value).dump() + "\n";
  return text;
}

arrow::Result<nlohmann::json> ReadHocon(const std::string& path, const std::map<std::string, std::string>& properties) {
  const std::string text = PropertiesText(properties);
  const auto bytes = [](const std::string& s) { return reinterpret_cast<const uint8_t*>(s.data()); };
  const std::unique_ptr<UzHoconAnswer, void (*)(UzHoconAnswer*)> answer(
      uz_hocon_read(bytes(path), path.size(), bytes(text), text.size()), uz_hocon_free);
  size_t length = 0;
  size_t line = 0;
  bool ok = false;
  const auto* data = reinterpret_cast<const char*>(uz_hocon_text(answer.get(), &length, &line, &ok));
  std::string result(data, length);
  if (!ok) {
    std::ranges::replace_if(result, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return arrow::Status::Invalid(path, line > 0 ? ":" + std::to_string(line) : "", ": ", result,
                                  result.starts_with("${") ? "; give it by -P name=value or in the environment" : "");
  }
  nlohmann::json json = nlohmann::json::parse(result, nullptr, false);
  if (json.is_discarded()) return arrow::Status::Invalid(path, ": a value that can not be read");
  return json;
}

std::string ClassOf(const nlohmann::json& filter) {
  const auto name = filter.is_object() ? filter.find("class") : filter.end();
  return name != filter.end() && name->is_string() ? WithoutPackage(name->get<std::string>()) : std::string();
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
  std::ifstream stream(file.path_, std::ios::binary);
  if (!stream) {
    return arrow::Status::Invalid("--config ", file.path_, ": no such file", DidYouMean(name, InstalledChains()));
  }
  file.text_.assign(std::istreambuf_iterator<char>(stream), {});
  ARROW_ASSIGN_OR_RAISE(file.json_, ReadHocon(file.path_, properties));
  for (const char* key : {"filters", "stages"}) {
    if (file.json_.is_object() && file.json_.contains(key) && file.json_[key].is_array()) {
      if (!file.key_.empty()) return arrow::Status::Invalid(file.path_, ": has both lists, `filters` and `stages`");
      file.key_ = key;
    }
  }
  if (file.key_.empty()) return arrow::Status::Invalid(file.path_, ": has no list `filters`");
  file.lines_ = LinesOfClasses(file.text_);
  return file;
}

bool ChainFile::Mentions(const std::string& property) const {
  return text_.find("${" + property + "}") != std::string::npos ||
         text_.find("${?" + property + "}") != std::string::npos || text_.find("include") != std::string::npos;
}

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
