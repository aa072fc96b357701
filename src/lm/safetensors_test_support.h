// Small files in the format safetensors, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace uzushio {

struct SmallTensor {
  std::vector<int64_t> shape;
  std::vector<float> numbers;
};

inline std::string SafetensorsBytes(const std::map<std::string, SmallTensor>& tensors) {
  std::string header = "{";
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    std::string shape;
    for (const int64_t size : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(size);
    header += header.size() > 1 ? "," : "";
    header += "\"" + name + R"(":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)";
    header += std::to_string(data.size()) + ",";
    data.append(reinterpret_cast<const char*>(tensor.numbers.data()), tensor.numbers.size() * sizeof(float));
    header += std::to_string(data.size()) + "]}";
  }
  header += "}";
  std::string bytes(sizeof(uint64_t), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

}  // namespace uzushio
