#include "lang/classifier.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "document/markup.h"
#include "lang/grams.h"

namespace uzushio {
namespace {

constexpr std::array<char, 8> kModelMagic = {'U', 'Z', 'U', 'L', 'A', 'N', 'G', '\0'};
constexpr uint32_t kModelVersion = 1;
constexpr size_t kGramBytes = sizeof(uint64_t) + sizeof(int16_t);
constexpr int64_t kMostWeight = INT16_MAX;
constexpr size_t kDirect = 0x10001;  // n-grams of one character, up to U+FFFF

struct ModelHeader {
  std::array<char, 8> magic = kModelMagic;
  uint32_t version = kModelVersion;
  uint32_t zero = 0;
  uint64_t grams = 0;
  double scale = 0;
  uint64_t checksum = 0;
  uint64_t header_checksum = 0;
  std::array<char, 16> zeros{};
};
static_assert(sizeof(ModelHeader) == 64);
constexpr size_t kChecked = offsetof(ModelHeader, header_checksum);

arrow::Status Refused(const std::string& name, const char* why) {
  return arrow::Status::Invalid("'", name, "' is no language model of uzushio: ", why,
                                "; uzushio train-language makes one");
}

arrow::Status CheckMagic(std::string_view bytes, const std::string& name) {
  const bool right =
      bytes.size() >= kModelMagic.size() && std::memcmp(bytes.data(), kModelMagic.data(), kModelMagic.size()) == 0;
  return right ? arrow::Status::OK() : Refused(name, "it begins with other bytes");
}

// The header, of a file that is whole.
arrow::Result<ModelHeader> ReadHeader(std::string_view bytes, const std::string& name) {
  ModelHeader header;
  ARROW_RETURN_NOT_OK(CheckMagic(bytes, name));
  if (bytes.size() < sizeof header) return Refused(name, "it is cut off");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kModelVersion) return Refused(name, "it is of another version");
  if (header.header_checksum != XXH3_64bits(bytes.data(), kChecked) || header.zero != 0 ||
      std::ranges::any_of(header.zeros, [](char c) { return c != 0; })) {
    return Refused(name, "its header is damaged");
  }
  const size_t behind = bytes.size() - sizeof header;
  if (behind / kGramBytes < header.grams) return Refused(name, "it is cut off");
  if (behind != header.grams * kGramBytes) return Refused(name, "there is more behind it");
  if (header.checksum != XXH3_64bits(bytes.data() + sizeof header, behind)) return Refused(name, "it is damaged");
  if (!std::isfinite(header.scale) || header.scale <= 0) return Refused(name, "its scale is no positive number");
  return header;
}

}  // namespace

LanguageClassifier::LanguageClassifier(size_t size)
    : characters_(kDirect), others_(size), size_(static_cast<int64_t>(size)) {}

void LanguageClassifier::Add(uint64_t gram, int16_t weight) {
  if (gram < kDirect) {
    characters_[gram] = weight;
  } else {
    *others_.At(gram) = weight;
  }
}

arrow::Result<std::shared_ptr<const LanguageClassifier>> LanguageClassifier::Read(std::string_view bytes,
                                                                                  const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const ModelHeader header, ReadHeader(bytes, name));
  const char* const grams = bytes.data() + sizeof header;
  const char* const weights = grams + header.grams * sizeof(uint64_t);
  std::shared_ptr<LanguageClassifier> model(new LanguageClassifier(header.grams));
  uint64_t last = 0;
  for (size_t i = 0; i < header.grams; ++i) {
    uint64_t gram = 0;
    int16_t weight = 0;
    std::memcpy(&gram, grams + i * sizeof gram, sizeof gram);
    std::memcpy(&weight, weights + i * sizeof weight, sizeof weight);
    if (GramLength(gram) == 0 || gram <= last) return Refused(name, "its n-grams are none, or in no order");
    model->Add(gram, weight);
    last = gram;
  }
  model->scale_ = header.scale;
  model->checksum_ = header.header_checksum;
  return model;
}

arrow::Result<std::shared_ptr<const LanguageClassifier>> LanguageClassifier::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const LanguageClassifier>> opened;
  const auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) {
    return arrow::Status::Invalid("there is no language model '", path, "' (", file.status().message(),
                                  "); uzushio train-language makes one");
  }
  ARROW_ASSIGN_OR_RAISE(const auto start, (*file)->ReadAt(0, kModelMagic.size()));
  ARROW_RETURN_NOT_OK(CheckMagic(std::string_view(*start), path));  // what is no model may be of any size
  ARROW_ASSIGN_OR_RAISE(const int64_t size, (*file)->GetSize());
  ARROW_ASSIGN_OR_RAISE(const auto buffer, (*file)->ReadAt(0, size));
  const std::string_view bytes(*buffer);
  const std::lock_guard lock(mutex);
  // Equal headers are of equal models: they have the checksum of all behind them.
  const std::string key = path + '\0' + std::string(bytes.substr(0, sizeof(ModelHeader)));
  if (auto model = opened[key].lock()) return model;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  ARROW_ASSIGN_OR_RAISE(auto model, Read(bytes, path));
  opened[key] = model;
  return model;
}

// Adds up weights. Those of pairs and triples are looked up some n-grams later, when their places have come near.
class LanguageClassifier::Sum {
 public:
  explicit Sum(const LanguageClassifier& model) : model_(model) {}

  void Read(std::string_view part) {
    reader_.Read(part, [this](uint64_t character, uint64_t pair, uint64_t triple) {
      if (character < kDirect) {
        sum_ += model_.characters_[character];
      } else {
        Wait(character);
      }
      if (pair != 0) Wait(pair);
      if (triple != 0) Wait(triple);
    });
  }

  double Score() {
    LookUp();
    if (reader_.grams() == 0) return 0;
    return static_cast<double>(sum_) * model_.scale_ / std::sqrt(static_cast<double>(reader_.grams()));
  }

 private:
  void Wait(uint64_t gram) {
    model_.others_.Prefetch(gram);
    waiting_[count_++] = gram;
    if (count_ == waiting_.size()) LookUp();
  }
  void LookUp() {
    for (size_t i = 0; i < count_; ++i) {
      const int32_t* const weight = model_.others_.Find(waiting_[i]);
      if (weight != nullptr) sum_ += *weight;
    }
    count_ = 0;
  }

  const LanguageClassifier& model_;
  GramReader reader_;
  int64_t sum_ = 0;
  std::array<uint64_t, 64> waiting_;  // filled up to count_
  size_t count_ = 0;
};

double LanguageClassifier::Score(std::string_view document) const {
  Sum sum(*this);
  ParagraphReader reader(document);
  bool first = true;
  while (const auto paragraph = reader.Next()) {
    if (!first) sum.Read("\n");
    first = false;
    sum.Read(paragraph->text);
  }
  return sum.Score();
}

std::string ClassifierFile(const std::vector<std::pair<uint64_t, double>>& weights) {
  double greatest = 0;
  for (const auto& [gram, weight] : weights) greatest = std::max(greatest, std::abs(weight));
  ModelHeader header;
  header.scale = greatest > 0 ? greatest / static_cast<double>(kMostWeight) : 1;
  std::vector<uint64_t> grams;
  std::vector<int16_t> rounded;
  for (const auto& [gram, weight] : weights) {
    const auto value = static_cast<int16_t>(std::lround(weight / header.scale));
    if (value == 0) continue;
    grams.push_back(gram);
    rounded.push_back(value);
  }
  header.grams = grams.size();
  std::string file(sizeof header, '\0');
  file.append(reinterpret_cast<const char*>(grams.data()), grams.size() * sizeof(uint64_t));
  file.append(reinterpret_cast<const char*>(rounded.data()), rounded.size() * sizeof(int16_t));
  header.checksum = XXH3_64bits(file.data() + sizeof header, file.size() - sizeof header);
  header.header_checksum = XXH3_64bits(&header, kChecked);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace uzushio
