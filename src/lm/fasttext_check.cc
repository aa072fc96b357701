// The layout is that of fastText 0.9.2: FastText::loadModel, Args, Dictionary, DenseMatrix, QuantMatrix,
// ProductQuantizer.
#include "lm/fasttext_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace uzushio {
namespace {

constexpr int32_t kFastTextMagic = 793712314;
constexpr int32_t kNewestFastText = 12;
constexpr int32_t kClassifies = 3;         // of kinds of models
constexpr int32_t kHierarchical = 1;       // of losses, which are 1 to 4
constexpr int32_t kMostColumns = 1 << 16;  // models have 10 to 300
// Of words that an n-gram is of, and of characters: time grows with them for each word and each character.
constexpr int32_t kMostGram = 50;
// Counts of labels: fastText takes more for nodes that are not there yet.
constexpr int64_t kMostCounted = 1'000'000'000'000'000;
constexpr int64_t kCentroids = 256;

arrow::Status Damaged(const char* what) { return arrow::Status::Invalid("it is cut off or changed: ", what); }
arrow::Status CutOff() { return Damaged("the end is missing"); }

// The bytes of a file, from the first to the last.
class FileCursor {
 public:
  explicit FileCursor(std::string_view bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  template <typename... Numbers>
  bool Read(Numbers*... numbers) {
    return (ReadOne(numbers) && ...);
  }
  bool Skip(uint64_t bytes) {
    if (bytes > left()) return false;
    at_ += bytes;
    return true;
  }
  // Behind the next byte that is 0.
  bool SkipWord() {
    const void* const end = std::memchr(bytes_.data() + at_, 0, left());
    if (end == nullptr) return false;
    at_ = static_cast<size_t>(static_cast<const char*>(end) - bytes_.data()) + 1;
    return true;
  }
  // `count` numbers of 32 bits, none of which is above the most of a model.
  arrow::Status ReadWeights(uint64_t count) {
    if (count > left() / sizeof(float)) return CutOff();
    for (uint64_t i = 0; i < count; ++i) {
      float weight = 0;
      Read(&weight);
      if (!(std::abs(weight) <= kMostFastTextWeight)) return Damaged("a weight is no number, or too large");
    }
    return arrow::Status::OK();
  }

 private:
  template <typename Number>
  bool ReadOne(Number* number) {
    if (left() < sizeof *number) return false;
    std::memcpy(number, bytes_.data() + at_, sizeof *number);
    at_ += sizeof *number;
    return true;
  }

  std::string_view bytes_;
  size_t at_ = 0;
};

// A byte that is 0 or 1.
bool ReadFlag(FileCursor* file, bool* flag) {
  uint8_t byte = 0;
  if (!file->Read(&byte) || byte > 1) return false;
  *flag = byte == 1;
  return true;
}

struct FastTextHeader {
  int32_t columns = 0;
  int32_t word_grams = 0;
  int32_t loss = 0;
  int32_t buckets = 0;
  int32_t shortest = 0;  // n-gram of characters
  int32_t longest = 0;
};

arrow::Result<FastTextHeader> ReadHeader(FileCursor* file, int32_t* version) {
  FastTextHeader header;
  int32_t magic = 0;
  int32_t kind = 0;
  int32_t unused = 0;
  double sampling = 0;
  if (!file->Read(&magic) || magic != kFastTextMagic) return arrow::Status::Invalid("it is none of fastText's");
  if (!file->Read(version)) return CutOff();
  if (*version < 1 || *version > kNewestFastText) {
    return arrow::Status::Invalid("its format has the version ", *version, "; 1 to ", kNewestFastText, " can be read");
  }
  const bool all = file->Read(&header.columns, &unused, &unused, &unused, &unused, &header.word_grams, &header.loss,
                              &kind, &header.buckets, &header.shortest, &header.longest, &unused, &sampling);
  if (!all) return CutOff();
  if (kind == 1 || kind == 2) {
    return arrow::Status::Invalid("it has vectors of words, and no labels: it was not trained by `supervised`");
  }
  if (kind != kClassifies || header.loss < 1 || header.loss > 4) return Damaged("it is of no known kind");
  if (header.columns < 1 || header.columns > kMostColumns) return Damaged("its vectors have no size, or too many");
  if (header.word_grams > kMostGram || header.longest > kMostGram) {
    return arrow::Status::Invalid("it has n-grams of more than ", kMostGram, " words or characters");
  }
  // fastText compares lengths without signs.
  if (header.shortest < 0 || header.longest < 0) return Damaged("its n-grams have no length");
  if (header.buckets < 0 || (header.buckets == 0 && (header.word_grams > 1 || header.longest > 0))) {
    return Damaged("its n-grams have no vectors");
  }
  return header;
}

// Words and labels. `needed`: rows that the first matrix has to have.
arrow::Status CheckWords(FileCursor* file, const FastTextHeader& header, int32_t* labels, int64_t* needed,
                         bool* pruned) {
  int32_t size = 0;
  int32_t words = 0;
  int64_t tokens = 0;
  int64_t left = 0;  // n-grams that a pruned model has, or -1
  if (!file->Read(&size, &words, labels, &tokens, &left)) return CutOff();
  if (words < 0 || *labels < 1 || int64_t{words} + *labels != size) return Damaged("it has no labels, or too many");
  int64_t last = kMostCounted;
  int64_t sum = 0;
  for (int32_t i = 0; i < size; ++i) {
    int64_t count = 0;
    uint8_t type = 0;
    if (!file->SkipWord() || !file->Read(&count, &type)) return CutOff();
    if (type != (i < words ? 0 : 1)) return Damaged("words and labels are mixed up");
    if (i < words || header.loss != kHierarchical) continue;
    // Which makes a tree of at most a hundred levels.
    sum += std::clamp<int64_t>(count, 0, kMostCounted);
    if (count < 1 || count > last || sum >= kMostCounted) return Damaged("the counts of labels make no tree");
    last = count;
  }
  *pruned = left >= 0;
  int64_t grams = header.buckets;
  if (left < -1 || left > INT32_MAX) return Damaged("it has too many n-grams");
  if (*pruned) grams = 0;
  for (int64_t i = 0; i < left; ++i) {
    int32_t gram = 0;
    int32_t row = 0;
    if (!file->Read(&gram, &row)) return CutOff();
    if (row < 0 || row >= left) return Damaged("an n-gram has no vector");
    grams = std::max<int64_t>(grams, int64_t{row} + 1);
  }
  *needed = words + grams;
  return *needed <= INT32_MAX ? arrow::Status::OK() : Damaged("it has too many n-grams");
}

// Of one of the quantizers. `columns`: of the vectors that it cuts; `codes`: bytes of a vector.
arrow::Status CheckQuantizer(FileCursor* file, int32_t columns, int64_t* codes) {
  int32_t size = 0;
  int32_t parts = 0;
  int32_t part = 0;
  int32_t last = 0;
  if (!file->Read(&size, &parts, &part, &last)) return CutOff();
  const bool fits = size == columns && part >= 1 && part <= size && parts == (size + part - 1) / part &&
                    last == size - (parts - 1) * part;
  if (!fits) return Damaged("the parts of its vectors do not fit");
  *codes = parts;
  return file->ReadWeights(static_cast<uint64_t>(size * kCentroids));
}

arrow::Status CheckMatrix(FileCursor* file, bool quantized, bool weights, int32_t columns, int64_t* rows) {
  bool with_norms = false;
  int64_t width = 0;
  int32_t code_bytes = 0;
  if (quantized && !ReadFlag(file, &with_norms)) return Damaged("a matrix of it is of no known kind");
  if (!file->Read(rows, &width)) return CutOff();
  if (*rows < 1 || *rows > INT32_MAX || width != columns) return Damaged("a matrix of it has another size");
  const auto count = static_cast<uint64_t>(*rows);
  if (!quantized) {
    const uint64_t numbers = count * static_cast<uint64_t>(width);
    if (weights) return file->ReadWeights(numbers);
    return numbers <= file->left() / sizeof(float) && file->Skip(numbers * sizeof(float)) ? arrow::Status::OK()
                                                                                          : CutOff();
  }
  if (!file->Read(&code_bytes)) return CutOff();
  if (code_bytes < 0 || !file->Skip(static_cast<uint64_t>(code_bytes))) return CutOff();
  int64_t codes = 0;
  ARROW_RETURN_NOT_OK(CheckQuantizer(file, columns, &codes));
  if (code_bytes != *rows * codes) return Damaged("the parts of its vectors do not fit");
  if (!with_norms) return arrow::Status::OK();
  if (!file->Skip(count)) return CutOff();
  return CheckQuantizer(file, 1, &codes);
}

}  // namespace

arrow::Result<FastTextLayout> CheckFastText(std::string_view bytes) {
  FileCursor file(bytes);
  FastTextLayout layout;
  ARROW_ASSIGN_OR_RAISE(const FastTextHeader header, ReadHeader(&file, &layout.version));
  layout.dictionary = file.at();
  layout.columns = header.columns;
  int32_t labels = 0;
  int64_t needed = 0;
  bool pruned = false;
  ARROW_RETURN_NOT_OK(CheckWords(&file, header, &labels, &needed, &pruned));
  if (!ReadFlag(&file, &layout.quantized_input)) return Damaged("a matrix of it is of no known kind");
  if (pruned && !layout.quantized_input) return Damaged("it is pruned, and not quantized");
  layout.input = file.at();
  ARROW_RETURN_NOT_OK(CheckMatrix(&file, layout.quantized_input, false, layout.columns, &layout.rows));
  if (layout.rows < needed) return Damaged("a word or n-gram has no vector");
  layout.input_end = file.at();
  if (!ReadFlag(&file, &layout.quantized_output)) return Damaged("a matrix of it is of no known kind");
  layout.quantized_output = layout.quantized_output && layout.quantized_input;
  layout.output = file.at();
  int64_t outputs = 0;
  ARROW_RETURN_NOT_OK(CheckMatrix(&file, layout.quantized_output, true, layout.columns, &outputs));
  if (outputs != labels) return Damaged("a label has no vector");
  return layout;
}

}  // namespace uzushio
