#include "filters/hocon.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <memory>

#include "filters/native.h"

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

// Whether a word has more dots than keys may have levels: the reader takes them for nested objects.
bool IsTooDeep(std::string_view text) {
  constexpr int kMostLevels = 128;
  int dots = 0;
  for (const char c : text) {
    if (c == '.') ++dots;
    if (c == '\n' || c == '"' || c == ',' || c == ' ') dots = 0;
    if (dots > kMostLevels) return true;
  }
  return false;
}

std::string PropertiesText(const nlohmann::json& properties) {
  std::string text;
  for (const auto& [name, value] : properties.items()) text += name + " = " + value.dump() + "\n";
  return text;
}

}  // namespace

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

arrow::Result<nlohmann::ordered_json> ReadHocon(const std::string& path, const nlohmann::json& properties) {
  std::ifstream stream(path, std::ios::binary);  // where there is none, the reader says so
  const std::string file((std::istreambuf_iterator<char>(stream)), {});
  if (IsTooDeep(file)) return arrow::Status::Invalid(path, ": a key has more than 128 parts");
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
  auto json = nlohmann::ordered_json::parse(result, nullptr, false);
  if (json.is_discarded()) return arrow::Status::Invalid(path, ": a value that can not be read");
  return json;
}

}  // namespace uzushio
