#include "html/linked_licenses.h"

#if defined(__SSE2__) && !defined(RAPIDJSON_SSE2)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/library_memory.h"

namespace uzushio {
namespace {

constexpr std::array<std::string_view, 4> kMedia = {"ImageObject", "VideoObject", "AudioObject", "MediaObject"};

bool EqualsLower(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return LowerAscii(a) == b; });
}

// What the reader tells of a script. Of what is around a value only that is kept which says whether it is wanted: the
// things that are open are the outermost object and one in its `@graph`, or one of the outermost list.
class LicenseHandler {
 public:
  explicit LicenseHandler(PageLicenses* licenses) : licenses_(*licenses) {}

  bool Null() { return true; }
  bool Bool(bool /*value*/) { return true; }
  bool Int(int /*value*/) { return true; }
  bool Uint(unsigned /*value*/) { return true; }
  bool Int64(int64_t /*value*/) { return true; }
  bool Uint64(uint64_t /*value*/) { return true; }
  bool Double(double /*value*/) { return true; }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*length*/, bool /*copy*/) { return true; }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const std::string_view name(text, length);
    if (IsThing()) {
      thing().key = EqualsLower(name, "license") ? Member::kLicense
                    : name == "@type"            ? Member::kType
                    : name == "@graph"           ? Member::kGraph
                                                 : Member::kOther;
    } else if (in_license_ > 0) {
      names_license_ = EqualsLower(name, "@id") || EqualsLower(name, "url");
    }
    return true;
  }
  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const std::string_view value(text, length);
    if (in_license_ > 0) {
      // Of an object, its name alone; of a list, each.
      if (in_license_object_ == 0 || (in_license_object_ == 1 && names_license_)) AddUrl(value);
    } else if (in_types_ > 0 || (IsThing() && thing().key == Member::kType)) {
      thing().is_media |= std::ranges::find(kMedia, value) != kMedia.end();
    } else if (IsThing() && thing().key == Member::kLicense) {
      AddUrl(value);
    }
    return true;
  }
  bool StartObject() {
    const bool is_thing = WantsThing();
    if (is_thing) {
      things_.push_back({.depth = depth_ + 1, .key = Member::kOther, .is_media = false, .urls = {}});
    } else {
      Begin();
      if (in_license_ > 0) ++in_license_object_;
      names_license_ = false;
    }
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    if (IsThing()) {
      if (!thing().is_media) {
        for (const std::string& url : thing().urls) licenses_.Add(LicensePlace::kJsonLd, url);
      }
      things_.pop_back();
      --depth_;
      return true;
    }
    if (in_license_object_ > 0) --in_license_object_;
    names_license_ = false;
    return End();
  }
  bool StartArray() {
    if (depth_ == 0) list_ = 1;
    if (IsThing() && thing().key == Member::kGraph && things_.size() == 1) graph_ = depth_ + 1;
    Begin();
    ++depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    if (graph_ == depth_) graph_ = 0;
    return End();
  }

 private:
  enum class Member { kOther, kLicense, kType, kGraph };
  struct Thing {
    size_t depth;  // of its members
    Member key;    // of the value that comes
    bool is_media;
    std::vector<std::string> urls;
  };

  Thing& thing() { return things_.back(); }
  // Whether what comes is a member of a thing.
  bool IsThing() const { return !things_.empty() && things_.back().depth == depth_; }
  // Whether an object that comes is one.
  bool WantsThing() const {
    if (things_.empty()) return depth_ == list_;  // the outermost, or in the outermost list
    const bool is_graph = IsThing() && things_.size() == 1 && things_.back().key == Member::kGraph;
    return is_graph || (graph_ > 0 && graph_ == depth_);
  }
  void Begin() {
    if (in_license_ > 0 || (IsThing() && thing().key == Member::kLicense)) ++in_license_;
    if (in_types_ > 0 || (IsThing() && thing().key == Member::kType)) ++in_types_;
  }
  bool End() {
    if (in_license_ > 0) --in_license_;
    if (in_types_ > 0) --in_types_;
    --depth_;
    return true;
  }
  void AddUrl(std::string_view url) {
    if (thing().urls.size() < TextLines::kMaxLines && url.size() <= TextLines::kMaxLineBytes) {
      thing().urls.emplace_back(url);
    }
  }

  PageLicenses& licenses_;
  std::vector<Thing> things_;  // two at most
  size_t depth_ = 0;
  size_t list_ = 0;               // 1: the outermost value is a list
  size_t graph_ = 0;              // depth of what is in the list `@graph`
  size_t in_license_ = 0;         // brackets that are open in a licence
  size_t in_license_object_ = 0;  // braces of these
  size_t in_types_ = 0;
  bool names_license_ = false;  // the value that comes
};

}  // namespace

void AddLinkedLicenses(std::string_view json, PageLicenses* licenses) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseStopWhenDoneFlag;
  rapidjson::MemoryStream stream(json.data(), json.size());
  LicenseHandler handler(licenses);
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> reader;
  reader.Parse<kFlags>(stream, handler);
}

}  // namespace uzushio
