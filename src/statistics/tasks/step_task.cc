#include "statistics/tasks/step_task.h"

#include <arrow/array.h>

#include <optional>

#include "datasets/columns.h"
#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

const std::map<std::string_view, StepDeclaration>& AllSteps() {
  static const auto* const kSteps = [] {
    auto* all = new std::map<std::string_view, StepDeclaration>();
    for (auto steps : {StoreSteps(), PairSteps(), CompareSteps(), GroupSteps(), TableSteps()}) {
      for (StepDeclaration& step : steps) all->emplace(step.name, std::move(step));
    }
    return all;
  }();
  return *kSteps;
}

}  // namespace

class StepTask::Work {
 public:
  Work(StepConfig config, const StepDeclaration& step)
      : step_(step),
        task_(std::move(config), step.takes, step.table),
        work_(step.make == nullptr ? PartitionWork() : step.make(&task_)) {}

  arrow::Status Add(const arrow::RecordBatch& batch) {
    const arrow::Status status = task_.in.Add(batch);
    return status.ok() ? status : status.WithMessage("step ", step_.name, " ", status.message());
  }

  arrow::Status AddText(std::string_view text) {
    if (!documents_) documents_.emplace(task_.config.limits, Counted(), task_.partitioning, task_.chunks.buffer_bytes);
    return documents_->Add(text);
  }

  arrow::Status AddTexts(const arrow::RecordBatch& batch, const std::string& column) {
    ARROW_RETURN_NOT_OK(CheckTextColumn(*batch.schema(), column));
    return ForEachText(batch.GetColumnByName(column), [this](std::string_view text) { return AddText(text); });
  }

  arrow::Status AddStatistics(const arrow::RecordBatch& batch) {
    if (!statistics_) statistics_.emplace(Counted(), task_.partitioning, task_.chunks.buffer_bytes);
    return CountStatistics(batch, &*statistics_);
  }

  arrow::Status AddTaken(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto pivots, IntegerColumn(batch, "pivot"));
    ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const HashPair taken = {pivots->Value(row), hashes->Value(row)};
      ARROW_RETURN_NOT_OK(task_.out.To(kTaken)->AppendRecord(task_.partitioning(taken.second), taken));
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const { return step_.table != nullptr ? step_.table : ChunksSchema(); }

  // Chunks come after all of the work. Of a table, one partition comes after another, so that what is not handed on
  // yet is not made yet.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    ARROW_RETURN_NOT_OK(FinishCounting());
    while (true) {
      if (step_.table != nullptr) {
        if (auto batch = task_.table.Next()) return batch;
      }
      ARROW_ASSIGN_OR_RAISE(const bool worked, WorkOnNext());
      if (!worked) break;
      ARROW_RETURN_NOT_OK(task_.table.Flush());
    }
    if (step_.table != nullptr) return nullptr;
    ARROW_RETURN_NOT_OK(FinishWork());
    return task_.out.Next();
  }

  nlohmann::json counts() {
    nlohmann::json json = task_.counts;
    if (documents_) {
      const CountedDocuments& read = documents_->counts();
      json["documents"] = read.documents;
      json["documents_left_out"] = read.left_out;
      json["paragraphs"] = read.paragraphs;
      json["text_bytes"] = read.text_bytes;
    }
    if (task_.space.bytes_written() > 0) json["spilled_bytes"] = task_.space.bytes_written();
    return json;
  }

 private:
  SpillPartitions* Counted() { return task_.out.Of(kCounted); }

  arrow::Status FinishCounting() {
    if (std::exchange(counted_, true)) return arrow::Status::OK();
    if (documents_) ARROW_RETURN_NOT_OK(documents_->Finish());
    return statistics_ ? statistics_->Finish() : arrow::Status::OK();
  }

  // Works on the next partition that has come; false at the end.
  arrow::Result<bool> WorkOnNext() {
    while (next_ < task_.partitioning.count() && !task_.in.Has(next_)) ++next_;
    if (next_ == task_.partitioning.count()) return false;
    ARROW_RETURN_NOT_OK(work_(next_++));
    return true;
  }

  arrow::Status FinishWork() {
    if (std::exchange(finished_, true)) return arrow::Status::OK();
    if (task_.at_end) ARROW_RETURN_NOT_OK(task_.at_end());
    task_.at_end = nullptr;  // and what the step has kept
    work_ = nullptr;
    return task_.out.Flush();
  }

  const StepDeclaration& step_;
  TaskContext task_;
  PartitionWork work_;
  std::optional<DocumentCounter> documents_;
  std::optional<ParagraphCounter> statistics_;
  size_t next_ = 0;  // partition
  bool counted_ = false;
  bool finished_ = false;
};

arrow::Result<std::unique_ptr<StepTask>> StepTask::Make(StepConfig config) {
  const auto step = AllSteps().find(config.step);
  if (step == AllSteps().end()) return arrow::Status::Invalid("there is no step '", config.step, "'");
  if (config.memory < kLeastTaskMemory) {
    return arrow::Status::Invalid("a task needs ", kLeastTaskMemory >> 20, "MiB, not ", config.memory >> 20, "MiB");
  }
  if (config.places.size() != HashPartitioning(config.partition_bits).count()) {
    return arrow::Status::Invalid("there are ", config.places.size(), " places for 2^", config.partition_bits,
                                  " partitions");
  }
  return std::unique_ptr<StepTask>(new StepTask(std::make_unique<Work>(std::move(config), step->second)));
}

StepTask::StepTask(std::unique_ptr<Work> work) : work_(std::move(work)) {}
StepTask::~StepTask() = default;
arrow::Status StepTask::Add(const arrow::RecordBatch& batch) { return work_->Add(batch); }
arrow::Status StepTask::AddText(std::string_view text) { return work_->AddText(text); }
arrow::Status StepTask::AddTexts(const arrow::RecordBatch& batch, const std::string& column) {
  return work_->AddTexts(batch, column);
}
arrow::Status StepTask::AddStatistics(const arrow::RecordBatch& batch) { return work_->AddStatistics(batch); }
arrow::Status StepTask::AddTaken(const arrow::RecordBatch& batch) { return work_->AddTaken(batch); }
arrow::Result<std::shared_ptr<arrow::RecordBatch>> StepTask::Next() { return work_->Next(); }
std::shared_ptr<arrow::Schema> StepTask::schema() const { return work_->schema(); }
nlohmann::json StepTask::counts() const { return work_->counts(); }

}  // namespace uzushio
