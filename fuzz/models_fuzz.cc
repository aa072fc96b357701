// Any bytes as a head of a classifier (text of LightGBM, or safetensors of a linear layer) or as arrays in safetensors:
// refused, or used without reading outside of them. The first byte says which.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "lm/classifier_head.h"
#include "lm/safetensors.h"

namespace {

void UseHead(std::string_view bytes) {
  const uzushio_fuzz::File file(bytes, ".head");
  const auto head = uzushio::ClassifierHead::Open(file.path());
  if (!head.ok()) {
    if (head.status().message().empty()) std::abort();
    return;
  }
  if ((*head)->inputs() > 1 << 16) return;
  std::vector<double> outputs;
  for (const double value : {0.0, 0.5, -1e300}) {
    (*head)->Score(std::vector<double>((*head)->inputs(), value), &outputs);
    if (outputs.size() != (*head)->outputs()) std::abort();
  }
}

void ReadArrays(std::string_view bytes) {
  const auto arrays = uzushio::ReadSafetensors(bytes);
  if (!arrays.ok()) return;
  for (const auto& [name, tensor] : *arrays) {
    if (!tensor.bytes.empty() && (tensor.bytes.data() < bytes.data() ||
                                  tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size())) {
      std::abort();
    }
    if (!tensor.is_readable() || tensor.size() == 0) continue;
    tensor.At(0);
    tensor.At(static_cast<size_t>(tensor.size()) - 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes = uzushio_fuzz::View(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    UseHead(bytes);
  } else {
    ReadArrays(bytes);
  }
  return 0;
}

// Numbers and names are moved, doubled, taken away and put in.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  uzushio_fuzz::Chance chance(seed);
  if (size < 10 || chance.OneIn(3)) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> parts = uzushio_fuzz::PartsBefore(uzushio_fuzz::View(data + 1, size - 1), " \n=,:\"[]{}");
  static const std::vector<std::string> others = {"0",   "-1", "1e308", "2147483647",    "99999999999999999999",
                                                  " ",   "\n", "[0,8]", "\"F32\"",       "nan",
                                                  "inf", "=",  "Tree=", "num_leaves=2\n"};
  uzushio_fuzz::MutateParts(&parts, others, &chance);
  std::string text = uzushio_fuzz::Joined(parts);
  // The length of the header of safetensors, so that it is read.
  const size_t brace = text.find('{');
  if (data[0] % 2 == 1 && brace == 8 && chance.OneIn(2)) {
    const uint64_t header = text.rfind('}') - 7;
    std::memcpy(text.data(), &header, sizeof header);
  }
  return 1 + uzushio_fuzz::Put(text, data + 1, max_size - 1);
}
