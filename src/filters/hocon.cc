#include "filters/hocon.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/bounded_child.h"
#include "base/installation.h"
#include "base/native.h"
#include "filters/native_config.h"

namespace uzushio {
namespace {

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

// What the parser calls signs, and the signs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kSigns = {
    {{"LBrace", "`{`"},
     {"RBrace", "`}`"},
     {"LBracket", "`[`"},
     {"RBracket", "`]`"},
     {"Comma", "`,`"},
     {"Colon", "`:`"},
     {"PlusEquals", "`+=`"},
     {"Equals", "`=`"},
     {"Newline", "the end of the line"},
     {"TripleQuotedString", "a quoted text"},
     {"QuotedString", "a quoted text"},
     {"Unquoted", "an unquoted text"},
     {"Substitution", "a substitution"},
     {"Eof", "the end of the file"}}};

// The parser's message with signs as they are written.
std::string WithSigns(std::string message) {
  for (const auto& [name, sign] : kSigns) {
    if (message.ends_with(name)) return message.replace(message.size() - name.size(), name.size(), sign);
  }
  if (message == "expected }") return "expected `}`";
  if (message == "expected ]") return "expected `]`";
  return message;
}

// The innermost bracket that is open where a line begins, or behind the line, with the line of the bracket: what may
// have been forgotten to be closed. Empty: none, or other files are included, of which the line may be.
std::string OpenBracket(std::string_view text, size_t line, bool behind) {
  if (text.find("include") != std::string_view::npos) return {};
  std::vector<std::pair<char, size_t>> open;
  size_t at = 1;
  while (!text.empty() && (behind ? at <= line : at < line)) {
    const std::string_view token = text.substr(0, TokenLength(text));
    text.remove_prefix(token.size());
    at += static_cast<size_t>(std::ranges::count(token, '\n'));
    if (token == "{" || token == "[") open.emplace_back(token[0], at);
    if ((token == "}" || token == "]") && !open.empty()) open.pop_back();
  }
  if (open.empty()) return {};
  return std::string("; the `") + open.back().first + "` of line " + std::to_string(open.back().second) +
         " is open here";
}

// Whether values in JSON lie deeper in one another than what goes through them may go.
bool IsTooDeep(std::string_view json) {
  constexpr int kMostLevels = 128;
  int depth = 0;
  while (!json.empty()) {
    const size_t length = std::min(TokenLength(json), json.size());
    if (json[0] == '{' || json[0] == '[') ++depth;
    if (json[0] == '}' || json[0] == ']') --depth;
    if (depth > kMostLevels) return true;
    json.remove_prefix(length);
  }
  return false;
}

// What the parser says of a name that has no value.
constexpr std::string_view kUnset = "could not resolve substitution: ";

// An `include "file"` or `include file("file")`, with its line.
struct Include {
  std::string file;
  bool is_beside;  // the including file, else in the working folder
  size_t line;
};

// Those of a text that are not `required`, which are errors when they are not there.
std::vector<Include> IncludesIn(std::string_view text) {
  std::vector<Include> includes;
  size_t line = 1;
  while (!text.empty()) {
    const std::string_view token = text.substr(0, TokenLength(text));
    text.remove_prefix(token.size());
    line += static_cast<size_t>(std::ranges::count(token, '\n'));
    if (token != "include") continue;
    std::string_view named = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    const bool is_beside = !named.starts_with("file(");
    if (!is_beside) named.remove_prefix(std::string_view("file(").size());
    if (!named.starts_with('"')) continue;
    named = named.substr(0, TokenLength(named));
    const auto file = nlohmann::json::parse(named, nullptr, false);
    if (file.is_string()) includes.push_back({file.get<std::string>(), is_beside, line});
  }
  return includes;
}

// The files that an include of this path reads: HOCON tries three endings of a name without one.
std::vector<std::filesystem::path> FilesOfInclude(std::filesystem::path path) {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> endings = {".properties", ".json", ".conf"};
  if (path.has_extension()) endings = {path.extension().string()};
  for (const std::string& ending : endings) {
    std::error_code unknown;
    if (std::filesystem::exists(path.replace_extension(ending), unknown)) files.push_back(path);
  }
  return files;
}

// What a file may take: substitutions make gigabytes of some hundred bytes.
constexpr int64_t kMostMemory = int64_t{256} << 20;

// A line with the number of that of an error, or, of a file that can be read, nothing; then the error, or JSON.
std::string Resolved(const std::string& path, const std::string& properties) {
  const std::unique_ptr<UzHoconAnswer, void (*)(UzHoconAnswer*)> answer(
      uz_hocon_read(AsBytes(path), path.size(), AsBytes(properties), properties.size()), uz_hocon_free);
  size_t length = 0;
  size_t line = 0;
  bool ok = false;
  const auto* data = reinterpret_cast<const char*>(uz_hocon_text(answer.get(), &length, &line, &ok));
  return (ok ? "" : std::to_string(line)) + "\n" + std::string(data, length);
}

std::string PropertiesText(const nlohmann::json& properties) {
  std::string text;
  for (const auto& [name, value] : properties.items()) text += name + " = " + value.dump() + "\n";
  return text;
}

// Of what has no value; with the names that have one, for one may be mistyped.
std::string HowToGive(const nlohmann::json& properties) {
  std::string given;
  for (const auto& [name, value] : properties.items()) given += (given.empty() ? "; given are: " : ", ") + name;
  return "; give it by -P name=value or in the environment" + given;
}

// What the comment at a file's beginning says of a property, as presets do: `#   -P name=VALUE   what it is`.
std::string WhatIs(const std::string& path, const std::string& name) {
  const auto text = ReadConfiguration(path);
  if (!text.ok()) return "";
  std::istringstream lines(*text);
  const std::string start = "#   -P " + name + "=";
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const size_t behind = line.starts_with(start) ? line.find(' ', start.size()) : std::string::npos;
    const size_t at = line.find_first_not_of(' ', behind);
    if (at != std::string::npos) return " (" + line.substr(at) + ")";
  }
  return "";
}

}  // namespace

arrow::Result<std::string> ReadConfiguration(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    return arrow::Status::Invalid(path, ": is a folder; a file in HOCON is expected");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return arrow::Status::Invalid(path, ": no such file");
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::vector<size_t> LinesOfKey(std::string_view text, std::string_view key) {
  std::vector<size_t> lines;
  const std::string quoted = "\"" + std::string(key) + "\"";
  std::ptrdiff_t line = 1;
  while (!text.empty()) {
    const std::string_view token = text.substr(0, TokenLength(text));
    text.remove_prefix(token.size());
    line += std::ranges::count(token, '\n');
    if (token != key && token != quoted) continue;
    const std::string_view next = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    if (next.starts_with(':') || next.starts_with('=')) lines.push_back(static_cast<size_t>(line));
  }
  return lines;
}

std::vector<std::string> SubstitutionsIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    std::string_view name = text.substr(at + 2, end - at - 2);
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
      continue;  // messages have one line
    if (name.starts_with('?')) name.remove_prefix(1);
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    std::string& bare = names.emplace_back(name);
    std::erase(bare, '"');
  }
  return names;
}

bool MayTakeProperty(std::string_view text, std::string_view property) {
  if (text.find("include") != std::string_view::npos) return true;
  const std::vector<std::string> names = SubstitutionsIn(text);
  return std::ranges::find(names, property) != names.end();
}

std::vector<std::string> MissingIncludes(const std::string& path) {
  std::vector<std::string> missing;
  std::vector<std::filesystem::path> files = {path};
  std::set<std::filesystem::path> known = {path};
  while (!files.empty()) {
    const std::filesystem::path file = files.back();
    files.pop_back();
    const auto text = ReadConfiguration(file.string());
    if (!text.ok()) continue;
    for (const Include& include : IncludesIn(*text)) {
      const std::filesystem::path named = include.file;
      const auto included = FilesOfInclude(include.is_beside ? file.parent_path() / named : named);
      if (included.empty()) {
        missing.push_back(file.string() + ":" + std::to_string(include.line) + ": include \"" + include.file +
                          "\": no such file; nothing is taken from it");
      }
      for (const std::filesystem::path& one : included) {
        if (known.insert(one.lexically_normal()).second) files.push_back(one);
      }
    }
  }
  return missing;
}

void AnswerHocon() {
  BoundThisProcess(kMostMemory);
  const std::string request = ReadRequest();
  const size_t end = std::min(request.find('\0'), request.size());
  EndAnswer(Resolved(request.substr(0, end), request.substr(std::min(end + 1, request.size()))));
}

arrow::Result<nlohmann::ordered_json> ReadHocon(const std::string& path, const nlohmann::json& properties,
                                                std::string* unset) {
  if (unset != nullptr) unset->clear();
  ARROW_ASSIGN_OR_RAISE(const std::string program, OwnProgram());
  const auto resolved = InBoundedChild({program, kAnswerHocon}, path + '\0' + PropertiesText(properties));
  if (resolved.status().IsOutOfMemory()) {
    return arrow::Status::Invalid(path, ": takes more than ", kMostMemory >> 20, "MiB when its substitutions are ",
                                  "filled in, or has too many levels");
  }
  ARROW_RETURN_NOT_OK(resolved);
  const size_t end = resolved->find('\n');
  const std::string line = resolved->substr(0, end);
  std::string result = resolved->substr(end + 1);
  if (!line.empty()) {
    constexpr std::string_view kNoInclude = "required include file not found: ";
    if (const size_t at = result.find(kNoInclude); at != std::string::npos) {
      return arrow::Status::Invalid(path, line == "0" ? "" : ":" + line, ": include: no file ",
                                    result.substr(at + kNoInclude.size()),
                                    "; it is looked for in the folder of the file that includes it");
    }
    // Other errors begin with the name of a value, or of an included file.
    const bool is_unset = result.starts_with("${") && result.find("}: " + std::string(kUnset)) != std::string::npos;
    const std::string name = is_unset ? result.substr(2, result.find('}') - 2) : "";
    if (unset != nullptr && is_unset) *unset = name;
    std::ranges::replace_if(result, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    // What the parser puts before other errors: no name, or the one that it ends with too.
    const size_t behind_name = is_unset || !result.starts_with("${") ? 0 : result.find("}: ") + 3;
    if (behind_name > 3 && result.ends_with(result.substr(2, behind_name - 5))) result.erase(0, behind_name);
    if (is_unset) {
      return arrow::Status::Invalid(path, line == "0" ? "" : ":" + line, ": ", result, WhatIs(path, name),
                                    HowToGive(properties));
    }
    if (line == "0") return arrow::Status::Invalid(path, ": ", result);
    const std::string message = WithSigns(std::move(result));
    const bool behind =
        message.ends_with("the end of the file") || message == "expected `}`" || message == "expected `]`";
    const auto configuration = ReadConfiguration(path);
    const std::string open =
        configuration.ok() ? OpenBracket(*configuration, std::strtoul(line.c_str(), nullptr, 10), behind) : "";
    return arrow::Status::Invalid(path, ":", line, ": ", message, open);
  }
  if (IsTooDeep(result)) return arrow::Status::Invalid(path, ": has more than 128 levels");
  auto json = nlohmann::ordered_json::parse(result, nullptr, false);
  if (json.is_discarded()) return arrow::Status::Invalid(path, ": a value that can not be read");
  return json;
}

}  // namespace uzushio
