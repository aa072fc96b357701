// What fastText does when it predicts a line, by its own dictionary and losses; with these changes: a line is cut
// without streams and without a string for each n-gram, hashes of longer n-grams go on from those of shorter ones,
// n-grams that are left of a pruned model are found in a flat table, and the rows of words and n-grams, which lie
// anywhere in a file of gigabytes, are asked for ahead. Sums are in the same order, and so the same.
#include "lm/fasttext.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <istream>
#include <map>
#include <mutex>
#include <numeric>
#include <streambuf>
#include <unordered_map>

#include "base/file_stamp.h"
#include "fasttext/src/args.h"
#include "fasttext/src/densematrix.h"
#include "fasttext/src/dictionary.h"
#include "fasttext/src/loss.h"
#include "fasttext/src/quantmatrix.h"
#include "lm/fasttext_check.h"
#include "lm/fasttext_rows.h"
#include "lm/fasttext_words.h"
#include "lm/file_hash.h"

namespace uzushio {
namespace {

constexpr size_t kSummedAtOnce = size_t{1} << 14;
constexpr const char* kFastTextHelp =
    "train one with fastText's `supervised`, or copy the published .bin or .ftz again";

// FNV-1a of 32 bits, of signed bytes, as fastText has it.
constexpr uint32_t kHashBegin = 2166136261;
constexpr uint32_t HashOn(uint32_t hash, char c) {
  return (hash ^ static_cast<uint32_t>(static_cast<int8_t>(c))) * 16777619;
}

constexpr bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes in memory, for what reads streams.
class BytesBuffer final : public std::streambuf {
 public:
  explicit BytesBuffer(std::string_view bytes) {
    char* const begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

template <typename Read>
void ReadFrom(std::string_view bytes, Read read) {
  BytesBuffer buffer(bytes);
  std::istream stream(&buffer);
  read(stream);
}

// What is known of a line while it is cut into words.
struct LineBuffers {
  std::string word;
  std::vector<int32_t> rows;
  std::vector<uint32_t> hashes;
};

// Rows of n-grams that a pruned model has kept, most of which a line has not. Their numbers are hashes: sorted, they
// lie about where they are in proportion.
class KeptGrams {
 public:
  explicit KeptGrams(const std::unordered_map<int32_t, int32_t>& rows) {
    for (const auto& [gram, row] : rows) {
      if (gram >= 0) grams_.emplace_back(gram, row);
    }
    std::ranges::sort(grams_);
    if (grams_.empty()) return;
    const auto last = static_cast<size_t>(grams_.back().first);
    while (last >> shift_ > 2 * grams_.size()) ++shift_;
    begins_.resize((last >> shift_) + 2);
    for (const auto& [gram, row] : grams_) ++begins_[SlotOf(gram) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  }
  // Its row, or -1.
  int32_t RowOf(int32_t gram) const {
    const size_t slot = SlotOf(gram);
    if (slot + 1 >= begins_.size()) return -1;
    const auto end = grams_.begin() + begins_[slot + 1];
    const auto found = std::lower_bound(grams_.begin() + begins_[slot], end, std::pair(gram, int32_t{0}));
    return found != end && found->first == gram ? found->second : -1;
  }
  int64_t memory() const {
    return static_cast<int64_t>(grams_.size() * sizeof grams_[0] + begins_.size() * sizeof begins_[0]);
  }

 private:
  size_t SlotOf(int32_t gram) const { return static_cast<size_t>(gram) >> shift_; }

  int shift_ = 0;
  std::vector<std::pair<int32_t, int32_t>> grams_;
  std::vector<int32_t> begins_;  // of each slot, and the end
};

// fastText's dictionary, and the rows of a line.
class LineWords final : public fasttext::Dictionary {
 public:
  LineWords(std::shared_ptr<fasttext::Args> args, std::istream& in)
      : Dictionary(std::move(args), in), kept_(pruneidx_) {
    std::unordered_map<int32_t, int32_t>().swap(pruneidx_);
  }

  // Calls `use` with rows of the line, some at a time, in fastText's order; they are in `line`.
  template <typename Use>
  void ForRows(std::string_view text, LineBuffers* line, Use use) const {
    const auto flush = [&](size_t room) {
      if (line->rows.size() <= room) return;
      use(line->rows);
      line->rows.clear();
    };
    for (size_t at = 0; at < text.size();) {
      uint32_t hash = kHashBegin;
      size_t end = at;
      for (; end < text.size() && !SeparatesFastTextWords(text[end]); ++end) hash = HashOn(hash, text[end]);
      if (end > at) {
        const std::string_view word = text.substr(at, end - at);
        AddWord(word, hash, line, flush);
        if (word == EOS) return AddGrams(line, flush);
      }
      at = end + 1;
    }
    AddWord(EOS, hash(EOS), line, flush);
    AddGrams(line, flush);
  }

  int64_t memory() const {
    int64_t bytes = static_cast<int64_t>(word2int_.size() * sizeof(int32_t) + words_.size() * sizeof(float));
    for (const fasttext::entry& word : words_) {
      bytes += static_cast<int64_t>(sizeof word + word.word.size() + word.subwords.size() * sizeof(int32_t));
    }
    constexpr int64_t kTableEntry = 32;  // of fastText's table, which is there until the model is read
    return bytes + kept_.memory() + std::max<int64_t>(pruneidx_size_, 0) * kTableEntry;
  }

 private:
  template <typename Flush>
  void AddWord(std::string_view word, uint32_t hash, LineBuffers* line, Flush flush) const {
    line->word.assign(word);
    const int32_t id = getId(line->word, hash);
    if (id < 0 ? word.starts_with(args_->label) : getType(id) == fasttext::entry_type::label) return;
    line->hashes.push_back(hash);
    if (id >= 0) {
      if (args_->maxn <= 0) {
        line->rows.push_back(id);
      } else {
        const std::vector<int32_t>& rows = getSubwords(id);
        line->rows.insert(line->rows.end(), rows.begin(), rows.end());
      }
    } else if (word != EOS) {
      line->word.insert(0, BOW);
      line->word += EOW;
      AddSubwords(line->word, &line->rows, flush);
    }
    flush(kSummedAtOnce);
  }

  template <typename Flush>
  void AddSubwords(std::string_view word, std::vector<int32_t>* rows, Flush flush) const {
    const auto buckets = static_cast<uint32_t>(args_->bucket);
    for (size_t begin = 0; begin < word.size(); ++begin) {
      if (ContinuesCharacter(word[begin])) continue;
      uint32_t hash = kHashBegin;
      size_t end = begin;
      for (int n = 1; end < word.size() && n <= args_->maxn; ++n) {
        do hash = HashOn(hash, word[end++]);
        while (end < word.size() && ContinuesCharacter(word[end]));
        const bool is_border = n == 1 && (begin == 0 || end == word.size());
        if (n >= args_->minn && !is_border) AddGram(hash % buckets, rows);
      }
      flush(kSummedAtOnce);
    }
  }

  // n-grams of words, and what is left of the rows.
  template <typename Flush>
  void AddGrams(LineBuffers* line, Flush flush) const {
    const std::vector<uint32_t>& hashes = line->hashes;
    const auto most = static_cast<size_t>(std::max(args_->wordNgrams, 1));
    const auto buckets = static_cast<uint64_t>(args_->bucket);
    constexpr uint64_t kFactor = 116049371;
    const auto widened = [&](size_t i) {  // from signed numbers, as fastText has them
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(hashes[i])});
    };
    for (size_t i = 0; i < hashes.size(); ++i) {
      uint64_t hash = widened(i);
      for (size_t j = i + 1; j < hashes.size() && j < i + most; ++j) {
        hash = hash * kFactor + widened(j);
        AddGram(static_cast<uint32_t>(hash % buckets), &line->rows);
      }
      flush(kSummedAtOnce);
    }
    flush(0);
  }

  void AddGram(uint32_t bucket, std::vector<int32_t>* rows) const {
    auto gram = static_cast<int32_t>(bucket);
    if (pruneidx_size_ >= 0) gram = kept_.RowOf(gram);
    if (gram >= 0) rows->push_back(nwords_ + gram);
  }

  KeptGrams kept_;
};

std::shared_ptr<fasttext::Loss> LossOf(const fasttext::Args& args, const LineWords& words,
                                       std::shared_ptr<fasttext::Matrix>& output) {
  switch (args.loss) {
    case fasttext::loss_name::hs:
      return std::make_shared<fasttext::HierarchicalSoftmaxLoss>(output, words.getCounts(fasttext::entry_type::label));
    case fasttext::loss_name::softmax:
      return std::make_shared<fasttext::SoftmaxLoss>(output);
    default:  // one of each, and samples of the others, which differ in training only
      return std::make_shared<fasttext::OneVsAllLoss>(output);
  }
}

}  // namespace

struct FastTextModel::Loaded {
  std::shared_ptr<arrow::Buffer> file;
  std::shared_ptr<fasttext::Args> args = std::make_shared<fasttext::Args>();
  std::unique_ptr<LineWords> words;
  std::unique_ptr<const FastTextRows> rows;
  std::shared_ptr<fasttext::Matrix> output;  // which the loss refers to
  std::shared_ptr<fasttext::Loss> loss;
  int64_t memory = 0;

  void Load(const FastTextLayout& layout) {
    const auto bytes = static_cast<std::string_view>(*file);
    constexpr size_t kArgs = 8;  // behind magic number and version
    ReadFrom(bytes.substr(kArgs, layout.dictionary - kArgs), [&](std::istream& in) { args->load(in); });
    constexpr int32_t kWithoutSubwords = 11;
    if (layout.version == kWithoutSubwords) args->maxn = 0;
    ReadFrom(bytes.substr(layout.dictionary, layout.input - layout.dictionary),
             [&](std::istream& in) { words = std::make_unique<LineWords>(args, in); });
    const std::string_view input = bytes.substr(layout.input, layout.input_end - layout.input);
    rows = layout.quantized_input ? QuantizedFastTextRows(input)
                                  : DenseFastTextRows(input.substr(kDenseMatrixHeader), layout.columns);
    if (layout.quantized_output) {
      output = std::make_shared<fasttext::QuantMatrix>();
    } else {
      output = std::make_shared<fasttext::DenseMatrix>();
    }
    ReadFrom(bytes.substr(layout.output), [&](std::istream& in) { output->load(in); });
    loss = LossOf(*args, *words, output);
    memory = words->memory() + rows->memory() + static_cast<int64_t>(bytes.size() - layout.output);
  }
};

FastTextModel::FastTextModel(std::unique_ptr<const Loaded> loaded, std::string contents)
    : loaded_(std::move(loaded)), contents_(std::move(contents)), memory_(loaded_->memory) {
  for (int32_t i = 0; i < loaded_->words->nlabels(); ++i) labels_.push_back(loaded_->words->getLabel(i));
}
FastTextModel::~FastTextModel() = default;

arrow::Result<std::shared_ptr<const FastTextModel>> FastTextModel::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const FastTextModel>> opened;
  const std::lock_guard lock(mutex);
  const std::string stamp = FileStamp(path);
  if (auto model = opened[stamp].lock()) return model;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  ARROW_ASSIGN_OR_RAISE(auto model, Read(path));
  opened[stamp] = model;
  return model;
}

arrow::Result<std::shared_ptr<const FastTextModel>> FastTextModel::Read(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there is no model of fastText '", path, "'; ", kFastTextHelp);
  }
  ARROW_ASSIGN_OR_RAISE(const auto mapped, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, mapped->GetSize());
  auto loaded = std::make_unique<Loaded>();
  ARROW_ASSIGN_OR_RAISE(loaded->file, mapped->ReadAt(0, size));
  const auto layout = CheckFastText(static_cast<std::string_view>(*loaded->file));
  if (!layout.ok()) {
    return arrow::Status::Invalid("'", path, "' can not be used as a model of fastText (", layout.status().message(),
                                  "); ", kFastTextHelp);
  }
  try {
    loaded->Load(*layout);
  } catch (const std::exception& error) {
    return arrow::Status::Invalid("'", path, "' can not be loaded as a model of fastText (", error.what(), "); ",
                                  kFastTextHelp);
  }
  ARROW_ASSIGN_OR_RAISE(std::string contents, HashOfFile(path));
  return std::shared_ptr<const FastTextModel>(new FastTextModel(std::move(loaded), std::move(contents)));
}

std::optional<size_t> FastTextModel::FindLabel(std::string_view name) const {
  const auto is_named = [&](const std::string_view label) {
    return label == name || WithoutFastTextLabel(label) == name;
  };
  const auto found = std::ranges::find_if(labels_, is_named);
  if (found == labels_.end()) return std::nullopt;
  return static_cast<size_t>(found - labels_.begin());
}

arrow::Status FastTextModel::Score(std::string_view text, std::vector<float>* probabilities) const {
  const Loaded& loaded = *loaded_;
  const int32_t labels = loaded.words->nlabels();
  probabilities->assign(static_cast<size_t>(labels), 0);
  fasttext::Model::State state(loaded.args->dim, labels, 0);
  state.hidden.zero();  // fastText's vectors begin with what the memory held
  LineBuffers line;
  size_t rows = 0;
  loaded.words->ForRows(text, &line, [&](const std::vector<int32_t>& some) {
    loaded.rows->Add(some, state.hidden.data());
    rows += some.size();
  });
  if (rows == 0) return arrow::Status::OK();
  state.hidden.mul(static_cast<float>(1.0 / static_cast<double>(rows)));
  for (int64_t i = 0; i < state.hidden.size(); ++i) {
    if (!(std::abs(state.hidden[i]) <= kMostFastTextSum)) {
      return arrow::Status::Invalid("the weights of the model of fastText make no probability: its file is changed");
    }
  }
  fasttext::Predictions predictions;
  predictions.reserve(static_cast<size_t>(labels) + 1);
  loaded.loss->predict(labels, 0, predictions, state);
  for (const auto& [log, label] : predictions) (*probabilities)[static_cast<size_t>(label)] = std::exp(log);
  return arrow::Status::OK();
}

}  // namespace uzushio
