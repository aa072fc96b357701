#include "datasets/json_object.h"

#ifdef __SSE2__
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/library_memory.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr size_t kBehind = 16;  // bytes that a vector may read behind the line

// A number by the grammar of JSON: an integer if it is written as one and fits. False: no double holds it.
bool ReadNumber(std::string_view text, JsonField* number) {
  const char* const end = text.data() + text.size();
  const auto reads = [&](auto* value) {
    const auto [stop, error] = std::from_chars(text.data(), end, *value);
    return error == std::errc() && stop == end;
  };
  number->kind = JsonField::Kind::kInt;
  if (reads(&number->integer)) return true;
  uint64_t natural = 0;
  number->kind = JsonField::Kind::kUint;
  if (reads(&natural)) return number->integer = static_cast<int64_t>(natural), true;
  number->kind = JsonField::Kind::kDouble;
  if (reads(&number->fraction)) return true;
  // Too large, or so small that it is 0: from_chars does not say which.
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) return false;
  number->fraction = value.get<double>();
  return true;
}

JsonField Of(JsonField::Kind kind, std::string_view text = {}) {
  JsonField field;
  field.kind = kind;
  field.text = text;
  return field;
}

}  // namespace

// Collects what the reader tells of the first level.
class JsonObject::Parser {
 public:
  Line Parse(std::string_view line, char* copy, std::vector<JsonField>* fields) {
    line_ = line;
    fields_ = fields;
    levels_ = 0;
    too_large_ = false;
    is_object_ = false;
    rapidjson::InsituStringStream stream(copy);
    stream_ = &stream;
    constexpr unsigned kFlags =
        rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag;
    const rapidjson::ParseResult result = reader_.Parse<kFlags>(stream, *this);
    if (too_large_) return Line::kTooLarge;
    // A zero byte ends a stream.
    if (result.IsError() || stream.Tell() != line.size()) return Line::kNoJson;
    return is_object_ ? Line::kObject : Line::kOtherValue;
  }

  bool Null() { return Add(Of(JsonField::Kind::kNull)); }
  bool Bool(bool value) {
    JsonField field = Of(JsonField::Kind::kBool);
    field.truth = value;
    return Add(field);
  }
  bool RawNumber(const char* text, unsigned length, bool /*copy*/) {
    JsonField number;
    return ReadNumber({text, length}, &number) && Add(number);
  }
  // Numbers come as they are written: the reader's own overflow in silence.
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(int64_t /*value*/) { return false; }
  bool Uint64(uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }
  bool String(const char* text, unsigned length, bool /*copy*/) {
    const std::string_view value(text, length);
    // What the line spells as an escape can be half of a surrogate pair.
    return IsValidUtf8(value) && Add(Of(JsonField::Kind::kText, value));
  }
  bool Key(const char* text, unsigned length, bool /*copy*/) {
    const std::string_view key(text, length);
    if (!IsValidUtf8(key)) return false;
    if (levels_ != 1) return true;
    if (fields_->size() == kMostKeys) return TooLarge();
    fields_->emplace_back().key = key;
    return true;
  }
  bool StartObject() {
    is_object_ |= levels_ == 0;
    return Begin();
  }
  bool StartArray() { return Begin(); }
  bool EndObject(unsigned /*members*/) { return End(); }
  bool EndArray(unsigned /*elements*/) { return End(); }

 private:
  // Called before the bracket is taken.
  bool Begin() {
    if (levels_ == 1) begin_ = stream_->Tell();
    return ++levels_ <= kMostLevels || TooLarge();
  }
  bool End() {
    if (--levels_ != 1) return true;
    return Add(Of(JsonField::Kind::kNested, line_.substr(begin_, stream_->Tell() + 1 - begin_)));
  }
  bool TooLarge() {
    too_large_ = true;
    return false;
  }
  bool Add(JsonField value) {
    if (levels_ != 1 || !is_object_) return true;
    value.key = fields_->back().key;
    fields_->back() = value;
    return true;
  }

  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> reader_;
  std::string_view line_;
  std::vector<JsonField>* fields_ = nullptr;
  rapidjson::InsituStringStream* stream_ = nullptr;
  size_t levels_ = 0;
  size_t begin_ = 0;  // of the value that is nested
  bool too_large_ = false;
  bool is_object_ = false;
};

JsonObject::JsonObject() : parser_(std::make_unique<Parser>()) {}
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

JsonObject::Line JsonObject::Parse(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  fields_.clear();
  if (!IsValidUtf8(line)) return Line::kNoJson;
  if (buffer_.capacity() < line.size() + kBehind) std::string().swap(buffer_), buffer_.reserve(line.size() + kBehind);
  buffer_.assign(line);
  buffer_.append(kBehind, '\0');
  return parser_->Parse(line, buffer_.data(), &fields_);
}

const JsonField* JsonObject::Find(std::string_view key) const {
  const auto found =
      std::find_if(fields_.rbegin(), fields_.rend(), [key](const JsonField& field) { return field.key == key; });
  return found == fields_.rend() ? nullptr : &*found;
}

}  // namespace uzushio
