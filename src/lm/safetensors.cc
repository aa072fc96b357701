#include "lm/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace uzushio {
namespace {

constexpr uint64_t kMostTensorHeader = uint64_t{4} << 20;  // models with thousands of arrays have less than 1 MiB
constexpr int kMostDepth = 4;                              // of the header: arrays of an object of objects
constexpr size_t kMostDimensions = 8;
constexpr int64_t kMostNumbers = int64_t{1} << 48;
constexpr size_t kMostShownName = 100;

constexpr std::array<std::pair<std::string_view, int64_t>, 13> kTensorTypes = {{{"F64", 8},
                                                                                {"F32", 4},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I64", 8},
                                                                                {"I32", 4},
                                                                                {"I16", 2},
                                                                                {"I8", 1},
                                                                                {"U64", 8},
                                                                                {"U32", 4},
                                                                                {"U16", 2},
                                                                                {"U8", 1},
                                                                                {"BOOL", 1}}};

arrow::Status Broken(const std::string& what) {
  return arrow::Status::Invalid("it is no safetensors file, or cut off or changed: ", what);
}

template <typename Number>
Number NumberAt(std::string_view bytes, size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place * sizeof number, sizeof number);
  return number;
}

// Null where there is none.
nlohmann::json ParseHeader(std::string_view text) {
  const auto bounded = [](int depth, nlohmann::json::parse_event_t /*event*/, nlohmann::json& /*parsed*/) {
    if (depth > kMostDepth) throw std::length_error("nested too deep");
    return true;
  };
  try {
    return nlohmann::json::parse(text, bounded);
  } catch (const std::exception&) {
    return {};
  }
}

// A whole number of the header; none: -1.
int64_t WholeNumber(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return -1;
  const auto number = value.get<uint64_t>();
  return number <= static_cast<uint64_t>(kMostNumbers) ? static_cast<int64_t>(number) : -1;
}

arrow::Result<Tensor> ReadTensor(const std::string& name, const nlohmann::json& entry, std::string_view data) {
  const auto broken = [&name](const std::string& what) {
    return Broken("the array '" + name.substr(0, kMostShownName) + "' " + what);
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets")) {
    return broken("has no type, shape or place");
  }
  const nlohmann::json& type = entry["dtype"];
  const nlohmann::json& shape = entry["shape"];
  const nlohmann::json& place = entry["data_offsets"];
  if (!type.is_string() || !shape.is_array() || !place.is_array() || place.size() != 2) {
    return broken("has no type, shape or place");
  }
  Tensor tensor;
  tensor.type = type.get<std::string>();
  const auto width = std::ranges::find(kTensorTypes, tensor.type, [](const auto& known) { return known.first; });
  if (width == kTensorTypes.end()) return broken("is of no known type");
  if (shape.size() > kMostDimensions) return broken("has too many dimensions");
  int64_t numbers = 1;
  for (const nlohmann::json& dimension : shape) {
    const int64_t size = WholeNumber(dimension);
    if (size < 0 || (size > 0 && numbers > kMostNumbers / size)) return broken("has no size, or too large a one");
    numbers *= size;
    tensor.shape.push_back(size);
  }
  const int64_t begin = WholeNumber(place[0]);
  const int64_t end = WholeNumber(place[1]);
  if (begin < 0 || end < begin || static_cast<uint64_t>(end) > data.size()) return broken("lies outside of the file");
  if (end - begin != numbers * width->second) return broken("has another size than its place");
  tensor.bytes = data.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  return tensor;
}

}  // namespace

bool Tensor::is_readable() const {
  constexpr std::array<std::string_view, 6> kReadable = {"F64", "F32", "F16", "I64", "I32", "I8"};
  return std::ranges::find(kReadable, type) != kReadable.end();
}

double Tensor::At(size_t place) const {
  if (type == "F32") return static_cast<double>(NumberAt<float>(bytes, place));
  if (type == "F64") return NumberAt<double>(bytes, place);
  if (type == "F16") return static_cast<double>(FromHalf(NumberAt<uint16_t>(bytes, place)));
  if (type == "I64") return static_cast<double>(NumberAt<int64_t>(bytes, place));
  if (type == "I32") return static_cast<double>(NumberAt<int32_t>(bytes, place));
  return static_cast<double>(NumberAt<int8_t>(bytes, place));
}

arrow::Result<std::map<std::string, Tensor>> ReadSafetensors(std::string_view bytes) {
  constexpr size_t kSize = sizeof(uint64_t);
  if (bytes.size() < kSize) return Broken("it has no header");
  const auto size = NumberAt<uint64_t>(bytes, 0);
  if (size > kMostTensorHeader || size > bytes.size() - kSize) return Broken("its header has no end");
  const nlohmann::json header = ParseHeader(bytes.substr(kSize, static_cast<size_t>(size)));
  if (!header.is_object()) return Broken("its header is no JSON object");
  const std::string_view data = bytes.substr(kSize + static_cast<size_t>(size));
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    ARROW_ASSIGN_OR_RAISE(tensors[name], ReadTensor(name, entry, data));
  }
  return tensors;
}

float RoundedToHalf(float number) {
  constexpr float kMost = 65520;  // from which on the nearest is infinite
  constexpr int kLeastExponent = -14;
  constexpr int kFraction = 10;
  const float size = std::abs(number);
  if (!(size < kMost))
    return std::isnan(number) ? number : std::copysign(std::numeric_limits<float>::infinity(), number);
  if (size == 0) return number;
  int exponent = 0;
  std::frexp(size, &exponent);  // size = [.5, 1) * 2^exponent
  const int unit = std::max(exponent - 1, kLeastExponent) - kFraction;
  return std::ldexp(std::nearbyint(std::ldexp(number, -unit)), unit);  // exact, but for the rounding to an even number
}

}  // namespace uzushio
