#include <filesystem>
#include <map>
#include <mutex>

#include "base/file_stamp.h"
#include "lm/kenlm_check.h"
#include "lm/language_model.h"
#include "lm/model.hh"

namespace uzushio {

LanguageModel::LanguageModel(std::unique_ptr<lm::base::Model> model) : model_(std::move(model)) {}
LanguageModel::~LanguageModel() = default;

arrow::Result<std::shared_ptr<const LanguageModel>> LanguageModel::Open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const LanguageModel>> opened;
  const std::lock_guard lock(mutex);
  const std::string stamp = FileStamp(path);
  if (auto model = opened[stamp].lock()) return model;
  std::erase_if(opened, [](const auto& entry) { return entry.second.expired(); });
  constexpr const char* kHelp = "make one from text by uzushio train-lm, or with KenLM's lmplz and build_binary";
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there is no language model '", path, "'; ", kHelp);
  }
  try {
    if (const arrow::Status status = CheckKenlmBinary(path); !status.ok()) {
      return arrow::Status::Invalid("'", path, "' can not be used as a language model of KenLM (", status.message(),
                                    "); ", kHelp);
    }
    lm::ngram::Config config;
    config.messages = nullptr;
    config.load_method = util::LAZY;
    config.show_progress = false;
    std::shared_ptr<const LanguageModel> model(
        new LanguageModel(std::unique_ptr<lm::base::Model>(lm::ngram::LoadVirtual(path.c_str(), config))));
    opened[stamp] = model;
    return model;
  } catch (const std::exception& error) {
    return arrow::Status::Invalid("'", path, "' is no language model of KenLM (", error.what(), "); ", kHelp);
  }
}

void LmScorer::Score(std::string_view text, std::vector<float>* scores) {
  scores->clear();
  const lm::base::Model& model = model_->model();
  const lm::base::Vocabulary& vocabulary = model.BaseVocabulary();
  // Two states, which take turns.
  std::vector<char> states(2 * model.StateSize());
  char* state = states.data();
  char* next = states.data() + model.StateSize();
  model.BeginSentenceWrite(state);
  const auto add = [&](lm::WordIndex word) {
    scores->push_back(model.BaseScore(state, word, next));
    std::swap(state, next);
  };
  tokenizer_.ForEachToken(
      text, [&](std::string_view token) { add(vocabulary.Index(StringPiece(token.data(), token.size()))); });
  add(vocabulary.EndSentence());
}

}  // namespace uzushio
