#include "storage/local_task_output.h"

#include <utility>

#include "base/json.h"
#include "base/parallel.h"
#include "storage/local_files.h"
#include "storage/random_name.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEngine = "spark";
constexpr int kSyncs = 8;  // at once: a disk, or a server, orders them

}  // namespace

arrow::Result<std::unique_ptr<TaskOutput>> LocalTaskOutput::Open(const fs::path& path, const nlohmann::json& run,
                                                                 bool overwrite) {
  ARROW_ASSIGN_OR_RAISE(auto local, LocalOutput::Open(path, run, overwrite, kEngine));
  std::unique_ptr<LocalTaskOutput> output(new LocalTaskOutput(std::move(local)));
  output->done_ = output->output_->done();
  if (output->done_) {
    output->success_ = output->output_->success();
    return output;
  }
  ARROW_ASSIGN_OR_RAISE(const fs::path work, AbsolutePath(output->output_->work()));
  output->folder_ = work / ("tasks-" + RandomName());  // tasks of a driver that was killed may still write
  ARROW_RETURN_NOT_OK(MakeFolder(output->folder_));
  return output;
}

LocalTaskOutput::~LocalTaskOutput() = default;

arrow::Status LocalTaskOutput::Commit(nlohmann::json success, std::vector<std::string> sources) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(success));
  if (files.size() != sources.size()) return arrow::Status::Invalid("each file has one source");
  ARROW_RETURN_NOT_OK(MoveUp(files, sources));
  ARROW_RETURN_NOT_OK(SyncFiles(files));
  ARROW_RETURN_NOT_OK(output_->Commit(std::move(success)));
  success_ = output_->success();
  return arrow::Status::OK();
}

// The commit syncs the folders.
arrow::Status LocalTaskOutput::MoveUp(const std::vector<WrittenFile>& files,
                                      const std::vector<std::string>& sources) const {
  for (size_t i = 0; i < files.size(); ++i) {
    const fs::path source = fs::path(folder_) / sources[i];
    const fs::path target = output_->work() / files[i].path;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (!error) fs::rename(source, target, error);
    if (error) {
      return arrow::Status::IOError(source.string(), ": cannot be renamed to ", target.string(), ": ", error.message());
    }
  }
  return arrow::Status::OK();
}

// What tasks write is on the disk when it is closed, or not.
arrow::Status LocalTaskOutput::SyncFiles(const std::vector<WrittenFile>& files) const {
  return ParallelFor(kSyncs, files.size(), [&](int, size_t i) { return Sync(output_->work() / files[i].path); });
}

arrow::Status LocalTaskOutput::Close() {
  output_.reset();
  return arrow::Status::OK();
}

}  // namespace uzushio
