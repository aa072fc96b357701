#include "filters/word_list.h"

#include <fmt/ranges.h>
#include <xxhash.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "base/file_stamp.h"
#include "base/installation.h"
#include "base/native.h"
#include "base/utf8.h"
#include "filters/filter_document.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

size_t PlaceOf(uint32_t letter) { return letter * 0x9E3779B1U >> 16; }
size_t PlaceOf(uint32_t first, uint32_t second) { return (first * 0x85EBCA77U ^ second * 0x9E3779B1U) >> 16; }

// Names of lists that HojiChar's package has under another name.
std::string PackagedName(std::string_view name) {
  std::string file(name.substr(kHojiChar.size()));
  if (file == "discriminations_keywords_ja.txt") return "discrimination_keywords_ja.txt";
  return file;
}

// Where `hojichar/FILE` lies: in the folder that UZUSHIO_HOJICHAR names, or in the Python package's.
arrow::Result<fs::path> FindPackaged(const std::string& name) {
  std::vector<fs::path> folders;
  if (const char* folder = std::getenv("UZUSHIO_HOJICHAR")) folders.emplace_back(folder);
  for (const fs::path& packages : PythonPackageFolders()) folders.push_back(packages / "hojichar" / "dict");
  for (const fs::path& folder : folders) {
    for (const std::string& file : {PackagedName(name), name.substr(kHojiChar.size())}) {
      std::error_code unknown;
      if (fs::exists(folder / file, unknown)) return folder / file;
    }
  }
  return arrow::Status::Invalid(
      "there is no word list '", name,
      "': install HojiChar (pip install hojichar) in the active virtual environment, or name ",
      "the folder of its lists by UZUSHIO_HOJICHAR");
}

// Where a list lies, which need not be there unless it is HojiChar's.
arrow::Result<fs::path> PathOfList(const std::string& name) {
  std::error_code unknown;
  if (name.starts_with(kHojiChar) && !fs::exists(name, unknown)) return FindPackaged(name);
  return fs::path(name);
}

arrow::Result<std::string> ReadFile(const fs::path& path, const std::string& name) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return arrow::Status::Invalid("there is no word list '", name, "'");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

WordList::~WordList() { uz_words_free(words_); }

arrow::Result<std::set<std::string>> WordList::Read(const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const fs::path path, PathOfList(name));
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) return arrow::Status::Invalid("word list '", name, "': is a folder");
  ARROW_ASSIGN_OR_RAISE(std::string text, ReadFile(path, name));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  if (!IsValidUtf8(text)) return arrow::Status::Invalid("word list '", name, "': not UTF-8");
  std::set<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line[0] != '#') words.insert(line);
  }
  if (words.empty()) return arrow::Status::Invalid("word list '", name, "': has no words");
  return words;
}

arrow::Result<std::shared_ptr<const WordList>> WordList::Load(const std::string& name) { return LoadAll({name}); }

arrow::Result<std::shared_ptr<const WordList>> WordList::LoadAll(const std::vector<std::string>& names) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::weak_ptr<const WordList>> loaded;
  const std::lock_guard lock(mutex);
  std::vector<std::string> stamps;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(const fs::path path, PathOfList(name));
    stamps.push_back(name + '\0' + FileStamp(path));
  }
  if (auto list = loaded[stamps].lock()) return list;
  std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
  std::set<std::string> words;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(const std::set<std::string> read, Read(name));
    words.insert(read.begin(), read.end());
  }
  ARROW_ASSIGN_OR_RAISE(auto list, Of(words, fmt::format("{}", fmt::join(names, ", "))));
  loaded[stamps] = list;
  return list;
}

arrow::Result<std::shared_ptr<const WordList>> WordList::Of(const std::set<std::string>& words,
                                                            const std::string& name) {
  std::string joined;
  std::vector<size_t> ends;
  std::vector<int64_t> letters;
  for (const std::string& word : words) {
    joined += word;
    ends.push_back(joined.size());
    letters.push_back(CodePoints(word));
  }
  UzWords* compiled = uz_words_new(AsBytes(joined), ends.data(), ends.size());
  if (compiled == nullptr) return arrow::Status::Invalid("word list '", name, "': too large");
  std::shared_ptr<WordList> list(new WordList(compiled, std::move(letters)));
  // With the ends: "ab" is not "a" and "b".
  const uint64_t ends_sum = XXH64(ends.data(), ends.size() * sizeof(size_t), 0);
  list->contents_ = fmt::format("{:016x}", XXH64(joined.data(), joined.size(), ends_sum));
  for (const std::string& word : words) {
    std::u32string points;
    DecodeUtf8(word, &points);
    if (points.size() == 1) {
      list->singles_.set(PlaceOf(points[0]));
    } else {
      list->pairs_.set(PlaceOf(points[0], points[1]));
    }
  }
  return list;
}

void WordList::Find(std::string_view text, std::vector<uint32_t>* found) const {
  found->clear();
  if (text.empty()) return;
  found->resize(text.size());
  found->resize(uz_words_find(words_, AsBytes(text), text.size(), found->data()));
}

// Most short texts have nothing that a word begins with.
bool WordList::MayOccur(std::string_view text) const {
  uint32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = std::min(Utf8Length(text[at]), text.size() - at);
    const uint32_t point = PointAt(text.substr(at), bytes);
    if (singles_[PlaceOf(point)] || pairs_[PlaceOf(before, point)]) return true;
    before = point;
    at += bytes;
  }
  return false;
}

bool WordList::Occurs(std::string_view text) const { return MayOccur(text) && First(text).has_value(); }

void WordList::FindSpans(std::string_view text, std::vector<TextSpan>* found) const {
  found->clear();
  size_t from = 0;
  while (const auto span = First(text.substr(from))) {
    found->push_back({from + span->begin, from + span->end});
    from += span->end;
  }
}

std::optional<TextSpan> WordList::First(std::string_view text) const {
  TextSpan span;
  if (text.empty() || !uz_words_first(words_, AsBytes(text), text.size(), &span.begin, &span.end)) return std::nullopt;
  return span;
}

}  // namespace uzushio
