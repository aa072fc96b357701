#include "stages/report/kept_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/parallel.h"
#include "stages/report/threshold_bits.h"

namespace uzushio {
namespace {

constexpr size_t kBlockWords = 1024;  // of bits, that a thread takes at once

bool IsMoved(const Threshold& threshold) { return !threshold.parameter.empty(); }

size_t CountMoved(const RemovalRule& rule) {
  return static_cast<size_t>(std::ranges::count_if(rule.thresholds, IsMoved));
}

nlohmann::json ToJson(const KeptSum& sum) {
  return {{"documents", sum.documents}, {"characters", sum.characters}, {"bytes", sum.bytes}};
}

arrow::Result<double> ReadNumber(const nlohmann::json& json, const char* key, size_t filter) {
  if (json.is_number()) return json.get<double>();
  return arrow::Status::Invalid(key, "[", filter, "]: no number where one is wanted");
}

// The question of an object with `thresholds`, a list of numbers for each filter, and `random`, for each a number or
// null.
arrow::Result<KeptQuestion> ReadQuestion(const nlohmann::json& json) {
  KeptQuestion question;
  const nlohmann::json& thresholds = MemberOf(json, "thresholds");
  const nlohmann::json& random = MemberOf(json, "random");
  if (!thresholds.is_array())
    return arrow::Status::Invalid("thresholds: a list, with a list for each filter, is wanted");
  if (!random.is_array())
    return arrow::Status::Invalid("random: a list, with a number or null for each filter, is wanted");
  for (const nlohmann::json& of_filter : thresholds) {
    const size_t filter = question.thresholds.size();
    if (!of_filter.is_array()) return arrow::Status::Invalid("thresholds[", filter, "]: no list where one is wanted");
    std::vector<double> numbers;
    for (const nlohmann::json& number : of_filter) {
      ARROW_ASSIGN_OR_RAISE(numbers.emplace_back(), ReadNumber(number, "thresholds", filter));
    }
    question.thresholds.push_back(std::move(numbers));
  }
  for (const nlohmann::json& number : random) {
    std::optional<double> expected;
    if (!number.is_null()) {
      ARROW_ASSIGN_OR_RAISE(expected, ReadNumber(number, "random", question.expected.size()));
    }
    question.expected.push_back(expected);
  }
  return question;
}

}  // namespace

void KeptSum::Add(const KeptSum& other) {
  documents += other.documents;
  characters += other.characters;
  bytes += other.bytes;
}

arrow::Result<std::unique_ptr<KeptTable>> KeptTable::Read(const MetricsTable& table, int threads,
                                                          const ReaderMemory& memory) {
  ARROW_ASSIGN_OR_RAISE(KeptColumns columns, ReadKeptColumns(table, threads, memory));
  std::unique_ptr<KeptTable> kept(new KeptTable(std::move(columns), table.rules(), threads));
  ARROW_RETURN_NOT_OK(kept->Ask(kept->chain()).status());  // so that the first who asks has an answer at once
  return kept;
}

KeptTable::KeptTable(KeptColumns columns, std::vector<StepRule> rules, int threads)
    : columns_(std::move(columns)), rules_(std::move(rules)), threads_(threads) {
  for (const StepRule& step : rules_) {
    const RemovalRule& rule = step.rule;
    std::vector<double> numbers;
    for (const Threshold& one : rule.thresholds) {
      if (IsMoved(one)) numbers.push_back(one.number());
    }
    chain_.thresholds.push_back(std::move(numbers));
    chain_.expected.push_back(rule.sampling ? std::optional(rule.sampling->value) : std::nullopt);
    const bool removes = rule.is_fixed() || rule.sampling || !rule.thresholds.empty();
    removed_.emplace_back(removes ? columns_.words() : 0);
  }
}

arrow::Status KeptTable::CheckQuestion(const KeptQuestion& question) const {
  const size_t filters = rules_.size();
  if (question.thresholds.size() != filters || question.expected.size() != filters) {
    return arrow::Status::Invalid("thresholds and random: ", question.thresholds.size(), " and ",
                                  question.expected.size(), " filters, and the chain has ", filters);
  }
  for (size_t i = 0; i < filters; ++i) {
    const size_t wanted = CountMoved(rules_[i].rule);
    if (question.thresholds[i].size() != wanted) {
      return arrow::Status::Invalid("thresholds[", i, "]: ", question.thresholds[i].size(), " numbers, and ",
                                    rules_[i].filter, " has ", wanted);
    }
    if (question.expected[i].has_value() != rules_[i].rule.sampling.has_value()) {
      return arrow::Status::Invalid("random[", i, "]: ", rules_[i].filter, " removes ",
                                    rules_[i].rule.sampling ? "documents at random: a number is wanted"
                                                            : "no documents at random: null is wanted");
    }
  }
  return arrow::Status::OK();
}

std::vector<size_t> KeptTable::Changed(const KeptQuestion& question) const {
  std::vector<size_t> changed;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (removed_[i].empty()) continue;
    const bool is_same =
        asked_ && asked_->thresholds[i] == question.thresholds[i] && asked_->expected[i] == question.expected[i];
    if (!is_same) changed.push_back(i);
  }
  return changed;
}

// Of the words from `begin` to `end`.
void KeptTable::Mark(size_t filter, const KeptQuestion& question, size_t begin, size_t end) {
  const RemovalRule& rule = rules_[filter].rule;
  std::vector<uint64_t>& removed = removed_[filter];
  const std::vector<uint64_t>& fixed = columns_.fixed[filter];
  for (size_t word = begin; word < end; ++word) removed[word] = fixed.empty() ? 0 : fixed[word];
  size_t number = 0;
  for (const Threshold& one : rule.thresholds) {
    if (!IsMoved(one)) continue;
    const double bound = question.thresholds[filter][number++];
    if (const auto* const singles = std::get_if<std::vector<float>>(&columns_.metrics[one.metric])) {
      AddBits(one, bound, singles->data(), begin, end, removed.data());
    } else {
      AddBits(one, bound, std::get<std::vector<double>>(columns_.metrics[one.metric]).data(), begin, end,
              removed.data());
    }
  }
  if (rule.sampling) {
    AddBits(*question.expected[filter], std::get<std::vector<double>>(columns_.metrics[rule.sampling->metric]).data(),
            columns_.random.data(), begin, end, removed.data());
  }
}

// One thread's work on a block: what its marks were before, and what the new ones make of the answer.
struct KeptTable::Recount {
  KeptAnswer difference;
  std::vector<uint64_t> before;      // of filters that change, one after the other
  std::vector<const uint64_t*> was;  // by filter
  std::vector<const uint64_t*> is;   // null: it removes none
};

void KeptTable::Move(const KeptQuestion& question, const std::vector<size_t>& changed, size_t begin, size_t end,
                     Recount* recount) {
  recount->before.resize(changed.size() * kBlockWords);
  for (size_t i = 0; i < removed_.size(); ++i) {
    recount->was[i] = recount->is[i] = removed_[i].empty() ? nullptr : removed_[i].data() + begin;
  }
  uint64_t* before = recount->before.data();
  for (const size_t filter : changed) {
    std::copy_n(removed_[filter].data() + begin, end - begin, before);
    recount->was[filter] = before;
    before += kBlockWords;
    Mark(filter, question, begin, end);
  }
  for (size_t word = begin; word < end; ++word) CountWord(word, begin, recount);
}

// Counts the documents of a word anew whose first filter is another than before.
void KeptTable::CountWord(size_t word, size_t begin, Recount* recount) const {
  const auto add = [&](uint64_t bits, int64_t sign, KeptSum* sum) {
    KeptSum of_bits;
    of_bits.documents = std::popcount(bits);
    for (; bits != 0; bits &= bits - 1) {
      const size_t document = word * kDocumentsOfWord + static_cast<size_t>(std::countr_zero(bits));
      of_bits.characters += columns_.characters[document];
      of_bits.bytes += columns_.bytes[document];
    }
    sum->Add({sign * of_bits.documents, sign * of_bits.characters, sign * of_bits.bytes});
  };
  const auto change = [&add](uint64_t from, uint64_t to, KeptSum* sum) {
    if (from == to) return;
    add(to & ~from, 1, sum);
    add(from & ~to, -1, sum);
  };
  const size_t left = static_cast<size_t>(columns_.documents) - word * kDocumentsOfWord;
  uint64_t rest = left >= kDocumentsOfWord ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
  uint64_t rest_before = asked_ ? rest : 0;  // nothing was counted yet
  for (size_t i = 0; i < removed_.size(); ++i) {
    if (recount->is[i] == nullptr) continue;
    const uint64_t was = recount->was[i][word - begin];
    const uint64_t is = recount->is[i][word - begin];
    change(was & rest_before, is & rest, &recount->difference.removed[i]);
    rest_before &= ~was;
    rest &= ~is;
  }
  if (rest == rest_before) return;
  const uint64_t is_some =
      BitsWhere(columns_.characters.data() + word * kDocumentsOfWord, [](uint32_t size) { return size > 0; });
  change(rest_before & is_some, rest & is_some, &recount->difference.kept);
}

arrow::Result<KeptAnswer> KeptTable::Ask(const KeptQuestion& question) {
  ARROW_RETURN_NOT_OK(CheckQuestion(question));
  const std::vector<size_t> changed = Changed(question);
  const size_t filters = rules_.size();
  Recount none;
  none.difference.removed.resize(filters);
  none.was.resize(filters);
  none.is.resize(filters);
  if (!asked_) answer_ = none.difference;
  std::vector<Recount> recounts(static_cast<size_t>(threads_), none);
  const size_t blocks = (columns_.words() + kBlockWords - 1) / kBlockWords;
  const arrow::Status moved = ParallelFor(threads_, blocks, [&](int thread, size_t block) {
    const size_t begin = block * kBlockWords;
    Move(question, changed, begin, std::min(begin + kBlockWords, columns_.words()),
         &recounts[static_cast<size_t>(thread)]);
    return arrow::Status::OK();
  });
  asked_.reset();
  ARROW_RETURN_NOT_OK(moved);
  asked_ = question;
  for (const Recount& of_thread : recounts) {
    answer_.kept.Add(of_thread.difference.kept);
    for (size_t i = 0; i < filters; ++i) answer_.removed[i].Add(of_thread.difference.removed[i]);
  }
  return answer_;
}

arrow::Result<std::string> AnswerKept(const std::vector<std::unique_ptr<KeptTable>>& tables, const std::string& body) {
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return arrow::Status::Invalid("what was posted is no JSON object");
  const nlohmann::json& place = MemberOf(json, "metrics");
  if (!place.is_number_unsigned() || place.get<uint64_t>() >= tables.size()) {
    return arrow::Status::Invalid("metrics: a number from 0 to ", static_cast<int64_t>(tables.size()) - 1,
                                  " is wanted");
  }
  ARROW_ASSIGN_OR_RAISE(const KeptQuestion question, ReadQuestion(json));
  ARROW_ASSIGN_OR_RAISE(const KeptAnswer answer, tables[place.get<uint64_t>()]->Ask(question));
  nlohmann::json told = ToJson(answer.kept);
  told["removed"] = nlohmann::json::array();
  for (const KeptSum& sum : answer.removed) told["removed"].push_back(ToJson(sum));
  return told.dump();
}

}  // namespace uzushio
