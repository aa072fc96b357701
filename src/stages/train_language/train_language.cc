#include "stages/train_language/train_language.h"

#include <arrow/array.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/size.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/row_reader.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "lang/classifier.h"
#include "lang/gram_table.h"
#include "lang/grams.h"
#include "stages/train_language/fit.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJapanese = "ja";

arrow::Status NoRoom(const TrainLanguageConfig& config, int64_t wanted, int64_t given) {
  const int64_t needed = config.memory + (wanted - given) / 3 * 4 + kMiB;
  return MemoryError("--memory ", SizeText(config.memory), ": there is no room for the n-grams of all texts",
                     "; give fewer texts, lower --max-characters or --max-grams, or give ", (needed + kMiB - 1) / kMiB,
                     "MiB");
}

// The n-grams of a text's first characters, in their order.
void ReadGrams(std::string_view document, int64_t most_characters, std::string* buffer, std::vector<uint64_t>* grams) {
  grams->clear();
  GramReader reader;
  int64_t characters = 0;
  const auto add = [&](uint64_t character, uint64_t pair, uint64_t triple) {
    if (characters++ >= most_characters) return;
    for (const uint64_t gram : {character, pair, triple}) {
      if (gram != 0) grams->push_back(gram);
    }
  };
  ParagraphReader paragraphs(document);
  while (const auto paragraph = paragraphs.Next()) {
    if (characters >= most_characters) return;
    const std::string_view plain = PlainParagraph(*paragraph, buffer);
    if (plain.empty()) continue;
    if (characters > 0) reader.Read("\n", add);
    reader.Read(plain, add);
  }
}

// Goes over all texts, those of a split in their order: `use(thread, split, grams, japanese)`. Rows that are left out
// are counted in `left_out`, one for each thread.
class LabelledTexts {
 public:
  using Use = std::function<arrow::Status(size_t thread, size_t split, const std::vector<uint64_t>&, bool japanese)>;

  static arrow::Result<LabelledTexts> Find(const TrainLanguageConfig& config) {
    LabelledTexts texts(config);
    const ReaderMemory memory = PlanTrainLanguage(config.memory, config.threads).reader;
    ARROW_ASSIGN_OR_RAISE(texts.rows_, FindRows(config.inputs, config.text_columns.front(), "", memory));
    for (const std::string& column : config.text_columns) {
      const arrow::Status there = CheckTextColumn(*texts.rows_.schema, column);
      if (!there.ok()) return there.WithMessage("--text-column ", column, ": ", there.message());
    }
    const arrow::Status there = CheckTextColumn(*texts.rows_.schema, config.label_column);
    if (!there.ok()) return there.WithMessage(there.message(), "; name the languages' column by --label-column");
    return texts;
  }

  size_t splits() const { return rows_.splits.size(); }

  arrow::Status ForEach(const Use& use, std::vector<Counters>* left_out,
                        const std::function<void(double)>& on_progress) const {
    left_out->assign(static_cast<size_t>(config_.threads), {});
    std::atomic<size_t> done = 0;
    return ParallelFor(config_.threads, splits(), [&](int thread, size_t split) -> arrow::Status {
      const auto number = static_cast<size_t>(thread);
      Counters* const bad = &(*left_out)[number];
      std::string buffer;
      std::vector<uint64_t> grams;
      ARROW_RETURN_NOT_OK(ReadRows(
          rows_, rows_.splits[split],
          [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
            ARROW_RETURN_NOT_OK(CheckStop());
            return ReadBatch(*batch, &buffer, &grams, bad, [&](bool japanese) {
              return grams.empty() ? arrow::Status::OK() : use(number, split, grams, japanese);
            });
          },
          [bad](const QuarantinedRecord& record) {
            bad->Add(record.reason);
            return arrow::Status::OK();
          }));
      ++done;
      if (thread == 0) on_progress(static_cast<double>(done) / static_cast<double>(splits()));
      return arrow::Status::OK();
    });
  }

 private:
  explicit LabelledTexts(const TrainLanguageConfig& config) : config_(config) {}

  template <typename Take>
  arrow::Status ReadBatch(const arrow::RecordBatch& batch, std::string* buffer, std::vector<uint64_t>* grams,
                          Counters* bad, Take take) const {
    ARROW_ASSIGN_OR_RAISE(const auto labels, TextColumn(batch, config_.label_column));
    std::vector<std::shared_ptr<arrow::StringArray>> columns;
    for (const std::string& name : config_.text_columns) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), TextColumn(batch, name));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (labels->IsNull(row) || labels->GetView(row).empty()) {
        bad->Add("no-label");
        continue;
      }
      for (const auto& column : columns) {
        if (column->IsNull(row)) continue;
        const std::string_view text = column->GetView(row);
        if (!IsValidUtf8(text)) {
          bad->Add("no-utf8");
          continue;
        }
        ReadGrams(text, config_.max_characters, buffer, grams);
        ARROW_RETURN_NOT_OK(take(labels->GetView(row) == kJapanese));
      }
    }
    return arrow::Status::OK();
  }

  const TrainLanguageConfig& config_;
  RowInputs rows_;
};

// In how many texts each n-gram is.
class GramCounts {
 public:
  GramCounts(const TrainLanguageConfig& config, int64_t most_bytes)
      : config_(config), most_bytes_(most_bytes), threads_(static_cast<size_t>(config.threads)) {}

  arrow::Status Add(size_t thread, std::vector<uint64_t> grams) {
    Thread& own = threads_[thread];
    std::ranges::sort(grams);
    grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
    for (const uint64_t gram : grams) ARROW_RETURN_NOT_OK(AddTo(&own, gram, 1));
    return arrow::Status::OK();
  }

  // All of them, those of the threads together.
  arrow::Result<const GramTable*> Finish() {
    Thread& sum = threads_.front();
    for (size_t i = 1; i < threads_.size(); ++i) {
      const GramTable table = std::exchange(threads_[i].table, GramTable());
      arrow::Status status;
      table.ForEach([&](uint64_t gram, int32_t count) { status = status.ok() ? AddTo(&sum, gram, count) : status; });
      ARROW_RETURN_NOT_OK(status);
      bytes_ -= threads_[i].bytes;
    }
    return &sum.table;
  }

 private:
  struct Thread {
    GramTable table;
    int64_t bytes = 0;
  };

  arrow::Status AddTo(Thread* to, uint64_t gram, int32_t count) {
    if (to->table.grown_bytes() > to->bytes) {
      const int64_t more = to->table.grown_bytes() - to->bytes;
      to->bytes += more;
      bytes_ += more;
      if (bytes_ > most_bytes_) return NoRoom(config_, bytes_, most_bytes_);
    }
    *to->table.At(gram) += count;
    return arrow::Status::OK();
  }

  const TrainLanguageConfig& config_;
  const int64_t most_bytes_;
  std::vector<Thread> threads_;
  std::atomic<int64_t> bytes_ = 0;
};

// The n-grams that are learnt from, in their order.
struct Vocabulary {
  std::vector<uint64_t> grams;
  GramTable places;      // in `grams`
  int64_t features = 0;  // of all texts together
};

Vocabulary ChooseGrams(const GramTable& counts, const TrainLanguageConfig& config) {
  struct Counted {
    int32_t count;
    uint64_t gram;
  };
  std::vector<Counted> chosen;
  counts.ForEach([&](uint64_t gram, int32_t count) {
    if (count >= config.min_count) chosen.push_back({count, gram});
  });
  const auto more = [](const Counted& a, const Counted& b) {
    return a.count != b.count ? a.count > b.count : a.gram < b.gram;
  };
  const auto most = static_cast<size_t>(config.max_grams);
  if (chosen.size() > most) {
    std::ranges::nth_element(chosen, chosen.begin() + static_cast<std::ptrdiff_t>(most), more);
    chosen.resize(most);
  }
  std::ranges::sort(chosen, {}, &Counted::gram);
  Vocabulary vocabulary;
  vocabulary.places = GramTable(chosen.size());
  for (const Counted& one : chosen) {
    *vocabulary.places.At(one.gram) = static_cast<int32_t>(vocabulary.grams.size());
    vocabulary.grams.push_back(one.gram);
    vocabulary.features += one.count;
  }
  return vocabulary;
}

// A text in numbers: how often it has each n-gram, over the square root of how many it has.
LearntText MakeText(const std::vector<uint64_t>& grams, bool japanese, const Vocabulary& vocabulary) {
  std::vector<int> places;
  for (const uint64_t gram : grams) {
    const int32_t* const place = vocabulary.places.Find(gram);
    if (place != nullptr) places.push_back(*place);
  }
  std::ranges::sort(places);
  const double unit = 1 / std::sqrt(static_cast<double>(grams.size()));
  LearntText text;
  text.japanese = japanese;
  for (size_t i = 0; i < places.size();) {
    size_t end = i + 1;
    while (end < places.size() && places[end] == places[i]) ++end;
    text.features.push_back({places[i] + 1, static_cast<double>(end - i) * unit});
    i = end;
  }
  text.features.push_back({-1, 0});
  text.features.shrink_to_fit();
  return text;
}

// All texts, in an order that is that of their contents.
arrow::Result<std::vector<LearntText>> ReadLearntTexts(const LabelledTexts& texts, const Vocabulary& vocabulary,
                                                       std::vector<Counters>* left_out,
                                                       const std::function<void(double)>& on_progress) {
  struct Ordered {
    uint64_t hash;
    LearntText text;
  };
  std::vector<std::vector<Ordered>> of_splits(texts.splits());
  const auto add = [&](size_t /*thread*/, size_t split, const std::vector<uint64_t>& grams, bool japanese) {
    const uint64_t hash = XXH3_64bits(grams.data(), grams.size() * sizeof grams[0]);
    of_splits[split].push_back({hash, MakeText(grams, japanese, vocabulary)});
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(texts.ForEach(add, left_out, on_progress));
  std::vector<Ordered> all;
  for (std::vector<Ordered>& split : of_splits) {
    std::ranges::move(split, std::back_inserter(all));
    split = std::vector<Ordered>();  // {} would keep its memory
  }
  std::ranges::sort(all, [](const Ordered& a, const Ordered& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.text.japanese < b.text.japanese;
  });
  std::vector<LearntText> learnt;
  learnt.reserve(all.size());
  for (Ordered& one : all) learnt.push_back(std::move(one.text));
  return learnt;
}

int64_t CountRight(const std::vector<LearntText>& texts, const std::vector<double>& weights) {
  int64_t right = 0;
  for (const LearntText& text : texts) {
    double score = 0;
    for (const feature_node& feature : text.features) {
      if (feature.index > 0) score += weights[static_cast<size_t>(feature.index) - 1] * feature.value;
    }
    right += (score > 0) == text.japanese ? 1 : 0;
  }
  return right;
}

arrow::Status WriteModel(const TrainLanguageConfig& config, const std::string& bytes) {
  ARROW_ASSIGN_OR_RAISE(const fs::path output, AbsolutePath(config.output));
  ARROW_RETURN_NOT_OK(MakeFolder(output.parent_path()));
  ARROW_ASSIGN_OR_RAISE(const auto beside,
                        TemporaryFolder::MakeAfterKilled(output.parent_path() / ("." + output.filename().string())));
  const fs::path made = beside->path() / "model";
  ARROW_ASSIGN_OR_RAISE(const auto file, HashedFile::Create(made));
  ARROW_RETURN_NOT_OK(file->Write(bytes));
  ARROW_RETURN_NOT_OK(file->Close());
  return PutInPlace(made, output, config.overwrite);
}

}  // namespace

arrow::Result<TrainLanguageResult> TrainLanguage(const TrainLanguageConfig& config,
                                                 const std::function<void(double)>& on_progress) {
  const TrainLanguagePlan plan = PlanTrainLanguage(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(const LabelledTexts texts, LabelledTexts::Find(config));
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  const auto progress = [&on_progress](double from, double share) { on_progress(from + 0.4 * share); };
  TrainLanguageResult result;
  std::vector<Counters> left_out;
  Vocabulary vocabulary;
  {
    GramCounts counts(config, plan.counts);
    ARROW_RETURN_NOT_OK(texts.ForEach(
        [&](size_t thread, size_t, const std::vector<uint64_t>& grams, bool) { return counts.Add(thread, grams); },
        &left_out, [&](double share) { progress(0, share); }));
    ARROW_ASSIGN_OR_RAISE(const GramTable* const all, counts.Finish());
    result.distinct_grams = static_cast<int64_t>(all->size());
    vocabulary = ChooseGrams(*all, config);
  }
  for (const Counters& of_thread : left_out) result.quarantined.Add(of_thread);
  const int64_t needed = vocabulary.features * static_cast<int64_t>(sizeof(feature_node));
  if (needed > plan.texts) return NoRoom(config, needed, plan.texts);
  ARROW_ASSIGN_OR_RAISE(std::vector<LearntText> learnt,
                        ReadLearntTexts(texts, vocabulary, &left_out, [&](double share) { progress(0.4, share); }));
  result.texts = static_cast<int64_t>(learnt.size());
  result.japanese = std::ranges::count_if(learnt, [](const LearntText& text) { return text.japanese; });
  if (result.japanese == 0 || result.japanese == result.texts) {
    return arrow::Status::Invalid("of ", result.texts, " texts, ", result.japanese, " have the language ja in column '",
                                  config.label_column, "'; there have to be Japanese texts and others");
  }
  const std::vector<double> weights = FitWeights(&learnt, vocabulary.grams.size(), config.cost);
  ARROW_RETURN_NOT_OK(CheckStop());
  result.right = CountRight(learnt, weights);
  std::vector<std::pair<uint64_t, double>> by_gram;
  by_gram.reserve(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) by_gram.emplace_back(vocabulary.grams[i], weights[i]);
  const std::string file = ClassifierFile(by_gram);
  ARROW_ASSIGN_OR_RAISE(const auto model, LanguageClassifier::Read(file, config.output));
  result.grams = model->size();
  if (model->size() == 0) {
    return arrow::Status::Invalid("no n-gram is left that tells Japanese from others, of ", vocabulary.grams.size(),
                                  " learnt; give more texts, a lesser --min-count, or a greater --cost");
  }
  result.bytes = static_cast<int64_t>(file.size());
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(WriteModel(config, file));
  return result;
}

}  // namespace uzushio
