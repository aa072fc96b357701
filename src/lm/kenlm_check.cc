// The layout is that of KenLM's lm/binary_format.cc, lm/vocab.cc, lm/search_hashed.cc and lm/search_trie.cc.
#include "lm/kenlm_check.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "lm/bhiksha.hh"
#include "lm/binary_format.hh"
#include "lm/quantize.hh"
#include "lm/search_hashed.hh"
#include "lm/search_trie.hh"
#include "lm/value.hh"
#include "lm/vocab.hh"
#include "util/file.hh"
#include "util/mmap.hh"

namespace uzushio {
namespace {

using Counts = std::vector<uint64_t>;  // of n-grams, from those of one word on

// Where the header goes on behind its magic words, padded to 56 bytes, and values that tell how numbers are written.
constexpr size_t kFixedParameters = 56 + 32;
constexpr unsigned kMostQuantizedBits = 25;  // what KenLM reads at once

arrow::Status Broken(const char* what) { return arrow::Status::Invalid("it is cut off or changed: ", what); }

template <typename T>
T ReadAt(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A model in memory, behind its header.
struct MappedModel {
  const uint8_t* bytes;
  uint64_t size;
  Counts counts;
  lm::ngram::Config config;
};

// The place behind the table. A key of zero is that of an empty place.
arrow::Result<const uint8_t*> CheckTable(const uint8_t* table, uint64_t buckets, size_t entry) {
  const uint8_t* const end = table + buckets * entry;
  for (const uint8_t* bucket = table; bucket < end; bucket += entry) {
    if (ReadAt<uint64_t>(bucket) == 0) return end;
  }
  return Broken("a hash table has no empty place");
}

template <typename Value>
arrow::Status CheckProbing(const MappedModel& model) {
  using Search = lm::ngram::detail::HashedSearch<Value>;
  using Entry = lm::ngram::ProbingVocabularyEntry;
  using Middle = util::ProbingHashTable<typename Value::ProbingEntry, util::IdentityHash>;
  using Longest = util::ProbingHashTable<lm::ngram::detail::ProbEntry, util::IdentityHash>;
  const float multiplier = model.config.probing_multiplier;
  if (!(multiplier >= 1)) return Broken("its hash tables have no room");
  for (const uint64_t count : model.counts) {
    if (!(multiplier * static_cast<double>(count) <= static_cast<double>(model.size))) {
      return Broken("it has more n-grams than bytes");
    }
  }
  const uint64_t vocabulary = lm::ngram::ProbingVocabulary::Size(model.counts[0], multiplier);
  if (vocabulary + Search::Size(model.counts, model.config) > model.size) return Broken("the end is missing");
  constexpr size_t kHeader = 8;  // version and number of words
  const uint64_t words = (vocabulary - kHeader) / sizeof(Entry);
  ARROW_RETURN_NOT_OK(CheckTable(model.bytes + kHeader, words, sizeof(Entry)));
  for (uint64_t i = 0; i < words; ++i) {
    const uint8_t* const entry = model.bytes + kHeader + i * sizeof(Entry);
    if (ReadAt<lm::WordIndex>(entry + sizeof(uint64_t)) > model.counts[0]) return Broken("a word has no probability");
  }
  const uint8_t* at = model.bytes + vocabulary + (model.counts[0] + 1) * sizeof(typename Value::Weights);
  for (size_t order = 2; order <= model.counts.size(); ++order) {
    const bool is_last = order == model.counts.size();
    const size_t entry = is_last ? sizeof(Longest::Entry) : sizeof(typename Middle::Entry);
    const uint64_t bytes = is_last ? Longest::Size(model.counts[order - 1], multiplier)
                                   : Middle::Size(model.counts[order - 1], multiplier);
    ARROW_ASSIGN_OR_RAISE(at, CheckTable(at, bytes / entry, entry));
  }
  return arrow::Status::OK();
}

// The upper bits of a compressed level's pointers: the number of the last offset that is not above a node's number. A
// level that is not compressed has none. `bytes`: of offsets, 8 for a header before them, and 7 to align.
class UpperBits {
 public:
  UpperBits(const uint8_t* level, uint64_t bytes)
      : offsets_(level + (8 - reinterpret_cast<uintptr_t>(level) % 8) % 8 + 8),
        count_(bytes == 0 ? 0 : (bytes - 7) / sizeof(uint64_t) - 1) {}

  bool AreInOrder() const {
    for (uint64_t i = 0; i < count_; ++i) {
      if (i == 0 ? Offset(i) != 0 : Offset(i) < Offset(i - 1)) return false;
    }
    return true;
  }

  // Of nodes in their order.
  uint64_t Of(uint64_t node) {
    while (at_ + 1 < count_ && Offset(at_ + 1) <= node) ++at_;
    return at_;
  }

 private:
  uint64_t Offset(uint64_t i) const { return ReadAt<uint64_t>(offsets_ + i * sizeof(uint64_t)); }

  const uint8_t* offsets_;
  uint64_t count_;
  uint64_t at_ = 0;
};

// The children of a node are in the next level, behind those of the nodes before it.
template <typename Quant, typename Bhiksha>
arrow::Status CheckLevel(const uint8_t* level, const MappedModel& model, size_t order) {
  const uint64_t nodes = model.counts[order - 1];
  const uint64_t next = model.counts[order];
  const uint64_t offsets = Bhiksha::Size(nodes + 1, next, model.config);
  UpperBits upper(level, offsets);
  if (!upper.AreInOrder()) return Broken("the pointers of a trie are out of order");
  const uint8_t lower_bits = Bhiksha::InlineBits(nodes + 1, next, model.config);
  const uint64_t before = util::RequiredBits(model.counts[0]) + Quant::MiddleBits(model.config);
  uint64_t last = 0;
  for (uint64_t node = 0; node <= nodes; ++node) {
    const uint64_t bit = node * (before + lower_bits) + before;
    const uint64_t lower = util::ReadInt57(level + offsets, bit, lower_bits, (uint64_t{1} << lower_bits) - 1);
    const uint64_t first_child = upper.Of(node) << lower_bits | lower;
    if (first_child < last || first_child > next) return Broken("a node of a trie has children elsewhere");
    last = first_child;
  }
  return arrow::Status::OK();
}

// Takes from the model what KenLM takes from it before it knows the sizes. `search`: where the vocabulary ends.
template <typename Quant, typename Bhiksha>
arrow::Status ReadTrieConfig(MappedModel* model, uint64_t search) {
  constexpr bool kQuantizes = std::is_same_v<Quant, lm::ngram::SeparatelyQuantize>;
  if (search + 8 > model->size) return Broken("the end is missing");
  if constexpr (kQuantizes) {
    model->config.prob_bits = model->bytes[search + 1];
    model->config.backoff_bits = model->bytes[search + 2];
    if (model->config.prob_bits > kMostQuantizedBits || model->config.backoff_bits > kMostQuantizedBits) {
      return Broken("its numbers have more bits than there are");
    }
  }
  if (std::is_same_v<Bhiksha, lm::ngram::trie::ArrayBhiksha> && model->counts.size() > 2) {
    const uint64_t level = search + Quant::Size(static_cast<uint8_t>(model->counts.size()), model->config) +
                           lm::ngram::trie::Unigram::Size(model->counts[0]);
    if (level + 8 > model->size) return Broken("the end is missing");
    model->config.pointer_bhiksha_bits = model->bytes[level + 1];
  }
  return arrow::Status::OK();
}

template <typename Quant, typename Bhiksha>
arrow::Status CheckTrie(MappedModel model) {
  using Middle = lm::ngram::trie::BitPackedMiddle<Bhiksha>;
  const Counts& counts = model.counts;
  const uint64_t search = sizeof(uint64_t) * (1 + counts[0]);  // behind the vocabulary: a number, hashes of words
  ARROW_RETURN_NOT_OK((ReadTrieConfig<Quant, Bhiksha>(&model, search)));
  const uint64_t size = lm::ngram::trie::TrieSearch<Quant, Bhiksha>::Size(counts, model.config);
  if (size > model.size || search + size > model.size) return Broken("the end is missing");
  // Of words, the unknown one has no hash.
  if (ReadAt<uint64_t>(model.bytes) >= counts[0]) return Broken("a word has no probability");
  const uint8_t* at = model.bytes + search + Quant::Size(static_cast<uint8_t>(counts.size()), model.config);
  const auto next_of = [at](uint64_t word) {
    return ReadAt<uint64_t>(at + word * sizeof(lm::ngram::trie::UnigramValue) + sizeof(lm::ProbBackoff));
  };
  for (uint64_t word = 0; word < counts[0]; ++word) {
    if (next_of(word) > next_of(word + 1) || next_of(word + 1) > counts[1]) {
      return Broken("a word has its continuations elsewhere");
    }
  }
  at += lm::ngram::trie::Unigram::Size(counts[0]);
  for (size_t order = 2; order < counts.size(); ++order) {
    ARROW_RETURN_NOT_OK((CheckLevel<Quant, Bhiksha>(at, model, order)));
    at += Middle::Size(Quant::MiddleBits(model.config), counts[order - 1], counts[0], counts[order], model.config);
  }
  return arrow::Status::OK();
}

arrow::Status CheckKind(const MappedModel& model, uint32_t type) {
  using lm::ngram::DontQuantize;
  using lm::ngram::SeparatelyQuantize;
  using lm::ngram::trie::ArrayBhiksha;
  using lm::ngram::trie::DontBhiksha;
  switch (type) {
    case lm::ngram::PROBING:
      return CheckProbing<lm::ngram::BackoffValue>(model);
    case lm::ngram::REST_PROBING:
      return CheckProbing<lm::ngram::RestValue>(model);
    case lm::ngram::TRIE:
      return CheckTrie<DontQuantize, DontBhiksha>(model);
    case lm::ngram::QUANT_TRIE:
      return CheckTrie<SeparatelyQuantize, DontBhiksha>(model);
    case lm::ngram::ARRAY_TRIE:
      return CheckTrie<DontQuantize, ArrayBhiksha>(model);
    case lm::ngram::QUANT_ARRAY_TRIE:
      return CheckTrie<SeparatelyQuantize, ArrayBhiksha>(model);
    default:
      return Broken("it is of no known kind");
  }
}

}  // namespace

arrow::Status CheckKenlmBinary(const std::string& path) {
  const util::scoped_fd file(util::OpenReadOrThrow(path.c_str()));
  if (!lm::ngram::IsBinaryFormat(file.get())) return arrow::Status::OK();
  const uint64_t size = util::SizeOrThrow(file.get());
  using Fixed = lm::ngram::FixedWidthParameters;
  if (size < kFixedParameters + sizeof(Fixed)) return Broken("the end is missing");
  std::array<uint8_t, sizeof(Fixed)> fixed;
  util::ErsatzPRead(file.get(), fixed.data(), fixed.size(), kFixedParameters);
  const size_t order = fixed[offsetof(Fixed, order)];
  const auto type = ReadAt<uint32_t>(&fixed[offsetof(Fixed, model_type)]);
  MappedModel model;
  model.config.probing_multiplier = ReadAt<float>(&fixed[offsetof(Fixed, probing_multiplier)]);
  if (order < 2 || order > KENLM_MAX_ORDER) {
    return arrow::Status::Invalid("it has n-grams of ", order, " words; 2 to ", KENLM_MAX_ORDER, " can be read");
  }
  const uint64_t header = (kFixedParameters + sizeof(Fixed) + order * sizeof(uint64_t) + 7) / 8 * 8;
  if (header >= size) return Broken("the end is missing");
  model.counts.resize(order);
  util::ErsatzPRead(file.get(), model.counts.data(), order * sizeof(uint64_t), kFixedParameters + sizeof(Fixed));
  for (const uint64_t count : model.counts) {
    if (count > size) return Broken("it has more n-grams than bytes");
  }
  if (model.counts[0] == 0 || model.counts[0] >= UINT32_MAX) return Broken("it has no words, or too many");
  util::scoped_memory memory;
  util::MapRead(util::LAZY, file.get(), 0, size, memory);
  model.bytes = static_cast<const uint8_t*>(memory.get()) + header;
  model.size = size - header;
  return CheckKind(model, type);
}

}  // namespace uzushio
