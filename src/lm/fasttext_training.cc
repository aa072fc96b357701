// fastText's own training, step by step as FastText::train has it, with these changes: matrices are cleared before a
// tenth of the first is filled with random numbers, which is all that one thread of fastText fills (the rest is what
// the memory held before); and what is written is checked.
#include "lm/fasttext_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <utility>

#include "base/stop.h"
#include "base/utf8.h"
#include "fasttext/src/args.h"
#include "fasttext/src/densematrix.h"
#include "fasttext/src/dictionary.h"
#include "fasttext/src/fasttext.h"
#include "lm/fasttext_check.h"

namespace uzushio {
namespace {

// What is thrown through fastText when the work is no longer wanted.
class TrainingStopped final : public std::exception {
 public:
  explicit TrainingStopped(arrow::Status status) : status_(std::move(status)) {}
  const arrow::Status& status() const { return status_; }

 private:
  arrow::Status status_;
};

fasttext::Args ArgsOf(const FastTextTraining& training, const std::string& lines) {
  fasttext::Args args;
  args.input = lines;
  args.model = fasttext::model_name::sup;
  args.loss = training.loss == "hs"    ? fasttext::loss_name::hs
              : training.loss == "ova" ? fasttext::loss_name::ova
                                       : fasttext::loss_name::softmax;
  args.dim = training.dim;
  args.epoch = training.epoch;
  args.lr = training.lr;
  args.wordNgrams = training.word_ngrams;
  args.minn = training.minn;
  args.maxn = training.maxn;
  args.bucket = static_cast<int>(training.buckets());
  args.minCount = static_cast<int>(training.min_count);
  args.minCountLabel = 0;
  args.thread = 1;
  args.seed = 0;
  args.verbose = 0;
  return args;
}

class FastTextTrainer final : public fasttext::FastText {
 public:
  void Train(const fasttext::Args& args, const TrainCallback& callback) {
    args_ = std::make_shared<fasttext::Args>(args);
    dict_ = std::make_shared<fasttext::Dictionary>(args_);
    std::ifstream lines(args_->input);
    dict_->readFromFile(lines);
    auto words = std::make_shared<fasttext::DenseMatrix>(int64_t{dict_->nwords()} + args_->bucket, args_->dim);
    words->zero();
    words->uniform(static_cast<float>(1.0 / args_->dim), 1, args_->seed);
    input_ = words;
    output_ = createTrainOutputMatrix();
    buildModel();
    startThreads(callback);
  }

  bool IsFinite() const { return IsFinite(*getInputMatrix()) && IsFinite(*getOutputMatrix()); }

  // As saveModel does, which does not look whether it could be written.
  bool Save(const std::string& path) {
    std::ofstream file(path, std::ofstream::binary);
    signModel(file);
    args_->save(file);
    dict_->save(file);
    const bool is_quantized = false;
    file.write(reinterpret_cast<const char*>(&is_quantized), sizeof is_quantized);
    input_->save(file);
    file.write(reinterpret_cast<const char*>(&is_quantized), sizeof is_quantized);
    output_->save(file);
    file.close();
    return file.good();
  }

 private:
  static bool IsFinite(const fasttext::DenseMatrix& matrix) {
    const float* const begin = matrix.data();
    return std::all_of(begin, begin + matrix.rows() * matrix.cols(),
                       [](float weight) { return std::abs(weight) <= kMostFastTextWeight; });
  }
};

arrow::Status Diverged(const FastTextTraining& training) {
  return arrow::Status::Invalid("--lr ", fmt::format("{}", training.lr),
                                ": the numbers of the model grew beyond all bounds (fastText: ",
                                "Encountered NaN); lower --lr, to half of it first");
}

}  // namespace

void FastTextVocabulary::Add(std::string_view word, const FastTextTraining& training) {
  constexpr size_t kInPlace = 15;  // bytes that a string holds without memory of its own
  ++distinct;
  bytes += static_cast<int64_t>(word.size());
  if (word.size() > kInPlace) ++long_ones;
  if (training.maxn > 0) {
    const int64_t characters = CodePoints(word) + 2;  // with what fastText puts around it
    ngrams += characters * (training.maxn - std::max(training.minn, 1) + 1);
  }
}

int64_t FastTextTrainingMemory(const FastTextTraining& training, const FastTextVocabulary& vocabulary) {
  constexpr int64_t kTable = int64_t{30'000'000} * 4;      // of all words, however many there are
  constexpr int64_t kEntry = 3 * sizeof(fasttext::entry);  // of a word, while the list of them grows
  constexpr int64_t kAllocation = 16;
  const int64_t ngrams = training.maxn > 0 ? vocabulary.ngrams * 2 * 4 + vocabulary.distinct * kAllocation : 0;
  const int64_t words = vocabulary.distinct * kEntry + vocabulary.bytes + vocabulary.long_ones * kAllocation + ngrams;
  const int64_t rows = vocabulary.kept + 1 + training.buckets() + vocabulary.labels;
  return kTable + words + rows * training.dim * int64_t{sizeof(float)};
}

arrow::Status TrainFastText(const FastTextTraining& training, const std::string& lines, const std::string& output,
                            const std::function<void(double)>& on_progress) {
  try {
    FastTextTrainer trainer;
    trainer.Train(ArgsOf(training, lines), [&on_progress](float progress, float, double, double, int64_t) {
      if (arrow::Status status = CheckStop(); !status.ok()) throw TrainingStopped(std::move(status));
      on_progress(std::min(1.0, static_cast<double>(progress)));
    });
    if (!trainer.IsFinite()) return Diverged(training);
    if (!trainer.Save(output)) return arrow::Status::IOError("cannot write ", output, ": is there room on the disk?");
    return arrow::Status::OK();
  } catch (const TrainingStopped& stopped) {
    return stopped.status();
  } catch (const fasttext::DenseMatrix::EncounteredNaNError&) {
    return Diverged(training);
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("memory has run out while fastText trained");
  } catch (const std::exception& error) {
    return arrow::Status::Invalid("fastText can not train on these texts: ", error.what());
  }
}

}  // namespace uzushio
