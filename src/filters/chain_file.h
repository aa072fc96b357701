// The file of a chain: HOCON, with lists of filters, and what `clean` reads and writes.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace uzushio {

// A filter that a chain does without, and what it needs, as the user would give it: "-P kenlm=VALUE".
struct MissingFilter {
  std::string filter;
  std::string needs;
  bool operator==(const MissingFilter&) const = default;
};

class ChainFile {
 public:
  // Reads `filters: [{class: NAME, parameter: value, …}, …]`, or `stages`, as the older jobs call it, from the file of
  // this path or the installed one of this name (filters/preset.h). `properties` are looked up for `${name}`, before
  // the environment. Errors name file and line.
  static arrow::Result<ChainFile> Read(const std::string& name, const std::map<std::string, std::string>& properties);

  // The same for what can do without a part of the filters: those that need a property without a value, or a word list
  // of a Python package that is not installed, are removed and added to `missing`. Errors: no filter would remain.
  static arrow::Result<ChainFile> ReadAvailable(const std::string& name, std::map<std::string, std::string> properties,
                                                std::vector<MissingFilter>* missing);
  // Checks that the file of a chain takes all of these properties. Errors name one, and the nearest name that it takes.
  static arrow::Status CheckProperties(const std::string& name, const std::map<std::string, std::string>& properties);

  // An error of a chain, which begins with the property whose value it refuses, if it is one's.
  static arrow::Status AtProperty(const arrow::Status& error, const std::map<std::string, std::string>& properties);

  // A chain that stands in another file, with the lines of its filters.
  static ChainFile Of(const std::string& path, const nlohmann::json& filters, const std::vector<size_t>& lines);

  // The list, and what it is called.
  const nlohmann::json& filters() const { return json_.at(key_); }
  const std::string& key() const { return key_; }
  // The file and, where it is known, the line of the filter at this place.
  std::string PlaceOf(size_t filter) const;

  // Whether it takes a property of this name; true where it includes other files.
  bool Mentions(const std::string& property) const;

  // Sets a parameter: `NAME.parameter` of all filters of this class, `stages.7.parameter` of one, `input.delimiter`,
  // `output.column` and so on. Errors: there is no such filter, or it is none of these.
  arrow::Status Set(const std::string& key, const std::string& value);
  // Sets a parameter of the filters of a class that do not have it.
  void SetDefault(const std::string& filter, const std::string& parameter, const std::string& value);

  // Removes the filters of a class. How many there were.
  size_t Remove(const std::string& filter);
  // All that the file says, as JSON, which is HOCON too.
  const nlohmann::json& ToJson() const { return json_; }

  // The text of a key of `input` or `output`. Errors: it is no text.
  arrow::Result<std::optional<std::string>> Text(const std::string& section, const std::string& key) const;
  // Errors: a section has other keys than `known`.
  arrow::Status CheckKeys(const std::string& section, const std::vector<std::string>& known) const;

 private:
  ChainFile() = default;
  void RemoveAt(size_t filter);

  std::string path_;
  std::string text_;
  std::string key_;
  nlohmann::json json_;
  std::vector<size_t> lines_;  // of filters; of no number where they are not known
};

// A filter's name, which may have the original's package before it.
std::string WithoutPackage(std::string name);

}  // namespace uzushio
