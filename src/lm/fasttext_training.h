// Makes classifiers of texts, by fastText (Joulin et al. 2017).
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <functional>
#include <string>

namespace uzushio {

// The parameters of fastText's `supervised`, and its defaults.
struct FastTextTraining {
  int dim = 100;
  int epoch = 5;
  double lr = 0.1;
  int word_ngrams = 1;
  int minn = 0;
  int maxn = 0;
  int64_t bucket = 2'000'000;  // rows of n-grams, where there are any
  int64_t min_count = 1;
  std::string loss = "softmax";  // hs, ova

  // Rows of n-grams.
  int64_t buckets() const { return word_ngrams > 1 || maxn > 0 ? bucket : 0; }
};

// The words of the lines that a model is made of.
struct FastTextVocabulary {
  int64_t distinct = 0;   // words
  int64_t bytes = 0;      // of them
  int64_t long_ones = 0;  // of them, those that have memory of their own
  int64_t ngrams = 0;     // of characters of each, all together
  int64_t kept = 0;       // those that occur often enough
  int64_t labels = 0;

  void Add(std::string_view word, const FastTextTraining& training);
};

// Bytes of memory that training takes at most: dictionary and matrices.
int64_t FastTextTrainingMemory(const FastTextTraining& training, const FastTextVocabulary& vocabulary);

// Trains a model on the lines of a file, each a label with fastText's prefix and words behind it, by one thread, and
// writes it to `output`, which is on the disk then. The model is a function of the file and the parameters: what
// fastText gives with the seed 0, where its memory is cleared before. Lines are taken in the file's order. Errors:
// Invalid where numbers have grown beyond bounds; IOError; what `CheckStop` says.
arrow::Status TrainFastText(const FastTextTraining& training, const std::string& lines, const std::string& output,
                            const std::function<void(double)>& on_progress);

}  // namespace uzushio
