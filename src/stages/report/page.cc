#include "stages/report/page.h"

#include <fstream>

#include "stages/report/page_template.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

constexpr std::string_view kDoctype = "<!doctype html>";
constexpr size_t kBeginning = 1024;  // bytes of a page, in which its mark is

// What HTML or JavaScript would take for something else inside of a text, which is the only place for it in JSON.
constexpr std::pair<std::string_view, std::string_view> kEscaped[] = {
    {"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}};

void AppendEscaped(std::string_view text, std::string* to) {
  while (!text.empty()) {
    const size_t plain = text.find_first_of("<>&\xE2");
    to->append(text.substr(0, plain));
    if (plain == std::string_view::npos) return;
    text.remove_prefix(plain);
    size_t taken = 0;
    for (const auto& [from, escaped] : kEscaped) {
      if (!text.starts_with(from)) continue;
      to->append(escaped);
      taken = from.size();
    }
    if (taken == 0) to->push_back(text[taken++]);
    text.remove_prefix(taken);
  }
}

}  // namespace

std::string FillPage(std::string_view page, const nlohmann::json& data) {
  const size_t at = page.find(kPageData);
  std::string filled(page.substr(0, at));
  AppendEscaped(JsonText(data), &filled);
  filled += page.substr(at + kPageData.size());
  return filled;
}

arrow::Result<bool> IsPage(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(kBeginning, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  if (!file.is_open() || file.bad()) return arrow::Status::IOError("cannot read ", path.string());
  beginning.resize(static_cast<size_t>(file.gcount()));
  return beginning.starts_with(kDoctype) && beginning.find(kPageMark) != std::string::npos;
}

}  // namespace uzushio
