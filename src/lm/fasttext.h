// Classifiers of texts in fastText's formats, .bin and .ftz (Joulin et al. 2017), by fastText.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// What a thread needs besides its texts: rows and hashes of a line's words.
inline constexpr int64_t kFastTextMemory = int64_t{32} << 20;

// A model, shared by threads. The vectors of a .bin are mapped into memory, those of a .ftz are read.
class FastTextModel {
 public:
  // The error says what is wrong with the file. Models are opened once.
  static arrow::Result<std::shared_ptr<const FastTextModel>> Open(const std::string& path);
  ~FastTextModel();
  FastTextModel(const FastTextModel&) = delete;
  FastTextModel& operator=(const FastTextModel&) = delete;

  // As the file has them, with their prefix.
  const std::vector<std::string>& labels() const { return labels_; }
  // The place of a label, which may be named without fastText's prefix `__label__`.
  std::optional<size_t> FindLabel(std::string_view name) const;

  // Sets `probabilities` to those of all labels as `predict` of fastText's Python package has them: of a label that it
  // does not name, 0; of each other, rounded as it does, 1e-5 above what the model gives. Line breaks in the text are
  // spaces. Errors: the model's numbers give none.
  arrow::Status Score(std::string_view text, std::vector<float>* probabilities) const;

  // The XXH64 of the file's bytes, in hex.
  const std::string& contents() const { return contents_; }
  // Bytes of memory that it takes, without what is mapped.
  int64_t memory() const { return memory_; }

 private:
  struct Loaded;
  FastTextModel(std::unique_ptr<const Loaded> loaded, std::string contents);
  static arrow::Result<std::shared_ptr<const FastTextModel>> Read(const std::string& path);
  std::unique_ptr<const Loaded> loaded_;
  std::vector<std::string> labels_;
  std::string contents_;
  int64_t memory_ = 0;
};

}  // namespace uzushio
