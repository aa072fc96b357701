// The page of a report: a template with data in it.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace uzushio {

// The template with the data in its place. Whatever texts of others are in the data, they stay texts: nothing of them
// ends the element that they are in. Bytes that are no UTF-8 become U+FFFD.
std::string FillPage(std::string_view page, const nlohmann::json& data);

// Whether the file begins as a page that was made of the template, whatever its data. Errors: it can not be read.
arrow::Result<bool> IsPage(const std::filesystem::path& path);

}  // namespace uzushio
