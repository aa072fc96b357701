// Configurations in HOCON.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// The text of a configuration's file. Errors: there is no such file, or it is a folder.
arrow::Result<std::string> ReadConfiguration(const std::string& path);

// Reads a file, with includes, as JSON, keys in their order. `properties`, an object, are looked up for `${name}`,
// before the environment. Errors name file and line, and what may be meant by a name that is given nowhere; `unset` is
// set to that name, or emptied.
arrow::Result<nlohmann::ordered_json> ReadHocon(const std::string& path, const nlohmann::json& properties,
                                                std::string* unset = nullptr);

// The names of `${name}` and `${?name}` in a text, without the quotes and blanks that a name may be written with.
std::vector<std::string> SubstitutionsIn(std::string_view text);

// Whether the text of a file has a substitution of this name; true where it includes other files, which may have one.
bool MayTakeProperty(std::string_view text, std::string_view property);

// What warns of each `include` of a file that is not there: HOCON takes nothing from it, unless it is `required`, and
// says nothing. For the file of this path and those that it includes; none where it can not be read itself.
std::vector<std::string> MissingIncludes(const std::string& path);

// The argument with which ReadHocon runs the program `uzushio`, which then calls AnswerHocon and ends: what a file's
// substitutions take is bounded there. No command of a user's.
inline constexpr char kAnswerHocon[] = "read-configuration-for-parent";
void AnswerHocon();

// The lines where a key of this name stands, from 1, comments and texts left out; of the text of one file.
std::vector<size_t> LinesOfKey(std::string_view text, std::string_view key);

}  // namespace uzushio
