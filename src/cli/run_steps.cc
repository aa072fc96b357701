#include "cli/run_steps.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/json.h"
#include "base/memory_error.h"
#include "base/parallel.h"
#include "base/size.h"
#include "base/stop.h"
#include "cli/allowed_threads.h"
#include "cli/run_progress.h"
#include "pipeline/run_folder.h"
#include "storage/azure_store.h"
#include "storage/local_files.h"
#include "storage/local_output.h"
#include "storage/nearest_folder.h"
#include "storage/opened_outputs.h"
#include "storage/output_names.h"
#include "storage/store_place.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Removes what a stopped run has left of its own files. Errors: what a run writes there is not ours to replace.
arrow::Status CheckFolder(const fs::path& output) {
  ARROW_ASSIGN_OR_RAISE(const bool is_known, PathExists(output / kPipelineMark));
  for (const char* ours : {kPipelineMark, kPipelineSummaries}) {
    if (is_known) ARROW_RETURN_NOT_OK(RemoveUnfinished(output / ours));
  }
  const std::string log = std::string(kPipelineSummaries) + ".log";
  for (const fs::path& ours : {output / kPipelineSummaries, output / log, ChainPath(output, "").parent_path()}) {
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(ours));
    if (there && !is_known) {
      return arrow::Status::Invalid(ours.string(), ": is there, and no pipeline has made it; move it away, or choose ",
                                    "another --output");
    }
  }
  return arrow::Status::OK();
}

// The chain that a step's command is to read: that which is kept, or, of one with credentials, another that is in
// memory only and goes with this. Other processes of this user read it, too.
class ChainToRead {
 public:
  static arrow::Result<std::unique_ptr<ChainToRead>> Write(const PreparedStep& step, const fs::path& local) {
    std::unique_ptr<ChainToRead> chain(new ChainToRead);
    if (!step.chain) return chain;
    const fs::path path = ChainPath(local, step.folder);
    ARROW_RETURN_NOT_OK(MakeFolder(path.parent_path()));
    ARROW_RETURN_NOT_OK(WriteFileAtomically(path, step.kept_chain));
    chain->path_ = path;
    if (step.kept_chain == *step.chain) return chain;
    chain->memory_ = ::memfd_create("chain.conf", MFD_CLOEXEC);
    if (chain->memory_ < 0) return arrow::Status::IOError("cannot keep a chain in memory: ", std::strerror(errno));
    chain->path_ = fmt::format("/proc/{}/fd/{}", ::getpid(), chain->memory_);
    ARROW_RETURN_NOT_OK(AppendToFile(chain->path_, *step.chain));
    return chain;
  }
  ~ChainToRead() {
    if (memory_ >= 0) ::close(memory_);
  }
  ChainToRead(const ChainToRead&) = delete;
  ChainToRead& operator=(const ChainToRead&) = delete;
  const fs::path& path() const { return path_; }

 private:
  ChainToRead() = default;
  fs::path path_;
  int memory_ = -1;
};

constexpr const char* kLackedArchives =
    ": files that the index names were not there, and their records are quarantined as index-file; --overwrite reads "
    "again";

// A step's options, with what the run sets for every engine.
OptionTexts GivenOf(const PreparedStep& step, const fs::path& output, const fs::path& chain,
                    const CommonOptions& common, bool overwrite) {
  OptionTexts given = step.given;
  for (auto& [name, text] : given) {
    if (step.chain && name == "config") text = chain.string();
  }
  given.emplace_back("output", (output / step.folder).string());
  // What is too much is decided by the sum over all steps.
  if (common.max_bad) given.emplace_back("max-bad", std::to_string(kAny));
  if (common.memory > 0) given.emplace_back("memory", std::to_string(common.memory));
  if (overwrite) given.emplace_back("overwrite", "");
  return given;
}

arrow::Status ErrorOf(const arrow::Status& error, const PreparedStep& step, const std::string& place) {
  return error.WithMessage(place, " (", step.folder, "): ", error.message());
}

// How many threads --memory does for; one, which says what it lacks, at the least.
int MostThreads(const PreparedStep& step, const CommonOptions& common) {
  if (common.memory == 0 || !step.command->least_memory) return common.threads;
  return AllowedThreads(common.threads, common.memory,
                        [&step](int threads) { return step.command->least_memory(step.given, threads); });
}

// --- on Spark ---

OptionTexts GivenOnSpark(const PreparedStep& step, const fs::path& output, const fs::path& chain,
                         const CommonOptions& common, bool overwrite) {
  OptionTexts given = GivenOf(step, output, chain, common, overwrite);
  given.emplace_back("quiet", "");
  return given;
}

// Hadoop, by which Spark writes, takes no credentials from a URI.
arrow::Status CheckForSpark(const Pipeline& pipeline) {
  const std::string output = pipeline.output().string();
  if (!IsOnStore(output)) return arrow::Status::OK();
  const size_t begin = output.find("://") + 3;
  const std::string bucket = output.substr(begin, output.find('/', begin) - begin);
  const bool has_credentials =  // a container of Azure has an account behind it
      IsOnAzure(output) ? WithoutCredentials(output) != output : bucket.find_first_of("@:") != std::string::npos;
  if (!has_credentials) return arrow::Status::OK();
  return arrow::Status::Invalid("--output ", pipeline.NameOf(),
                                ": with --on spark, leave the credentials out of the URI; ",
                                "give them by the environment, and by the configuration of Hadoop");
}

// Starts Spark's process; steps are checked for it before any is run, and those that it does not run are told.
arrow::Result<std::unique_ptr<SparkDriver>> StartSpark(const Pipeline& pipeline, const CommonOptions& common,
                                                       const fs::path& local, const SparkSettings& settings,
                                                       const Console& console) {
  ARROW_ASSIGN_OR_RAISE(auto spark, SparkDriver::Start(settings));
  for (size_t i = 0; i < pipeline.steps().size(); ++i) {
    const PreparedStep& step = pipeline.prepared(i);
    const std::string why_not = WhyNotOnSpark(step);
    if (!why_not.empty()) {
      console.Info(step.folder + ": runs here, as " + why_not);
      continue;
    }
    const arrow::Status checked =
        spark->Check(step, GivenOnSpark(step, pipeline.output(), ChainPath(local, step.folder), common, false));
    if (!checked.ok()) return ErrorOf(checked, step, pipeline.stage_of(i).place);
  }
  return spark;
}

arrow::Result<nlohmann::ordered_json> RunStepOnSpark(const Pipeline& pipeline, size_t i, const fs::path& local,
                                                     const CommonOptions& common, bool replaces, SparkDriver* spark,
                                                     const std::function<void(const std::string& note)>& tell) {
  const PreparedStep& step = pipeline.prepared(i);
  ARROW_ASSIGN_OR_RAISE(const auto chain, ChainToRead::Write(step, local));
  auto summary = spark->Run(step, GivenOnSpark(step, pipeline.output(), chain->path(), common, replaces), tell);
  if (summary.ok()) return summary;
  return ErrorOf(summary.status(), step, pipeline.stage_of(i).place);
}

// One run over all steps. What a step works on is its own; all else is changed by one thread at a time.
class PipelineRun {
 public:
  PipelineRun(const Pipeline& pipeline, const CommonOptions& common, size_t at_once, SparkDriver* spark,
              const Console& console, RunFolder own, RunRecord record, StepSummaries summaries)
      : pipeline_(pipeline),
        common_(common),
        spark_(spark),
        console_(console),
        own_(std::move(own)),
        record_(std::move(record)),
        summaries_(std::move(summaries)),
        workers_(std::min({at_once, pipeline.steps().size(), static_cast<size_t>(common.threads)})),
        schedule_(SourcesOf(pipeline), WholeShare(common), workers_),
        progress_(common, console, pipeline.stage_names(), StagesOf(pipeline)),
        steps_(pipeline.steps().size()),
        to_do_(steps_.size()) {}

  arrow::Result<nlohmann::ordered_json> All() {
    record_.SetOrder(pipeline_.folders());
    OnThreads(
        static_cast<int>(workers_), [this](int) { return Work(); },
        [this](arrow::Status status) {
          const std::lock_guard lock(mutex_);
          Fail(steps_.size(), std::move(status));
        });
    const arrow::Status saved = Save();
    if (!failures_.empty()) return failures_.begin()->second;
    ARROW_RETURN_NOT_OK(saved);
    if (const arrow::Status unlocked = own_.Unlock(); !unlocked.ok()) {
      return unlocked.WithMessage(unlocked.message(), "; the outputs are complete, and the same command removes it");
    }
    return Summary();
  }

 private:
  struct Step {
    StepIdentity identity;
    PlacedOutput placed;
    StepState state = StepState::kNew;
    int64_t bytes_in = 0;
  };

  static std::vector<size_t> StagesOf(const Pipeline& pipeline) {
    std::vector<size_t> stages;
    for (const PipelineStep& step : pipeline.steps()) stages.push_back(step.stage);
    return stages;
  }

  // Puts what was noted into the files. The order of the steps is not noted where none of them has begun for an error.
  arrow::Status Save() {
    ARROW_RETURN_NOT_OK(summaries_.Save());
    if (!failures_.empty() && !record_.has_log()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(record_.Save());
    return own_.Put(record_, summaries_);
  }

  // Puts on a store what was noted of the steps; all of it, so that where there are many steps it is not done for each.
  arrow::Status Publish() {
    constexpr size_t kFew = 64;
    constexpr auto kSeldom = std::chrono::seconds(10);
    const auto now = std::chrono::steady_clock::now();
    if (!own_.is_copy() || (steps_.size() > kFew && now - published_ < kSeldom)) return arrow::Status::OK();
    published_ = now;
    return own_.Put(record_, summaries_);
  }

  // Takes steps as long as there are any.
  arrow::Status Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ARROW_RETURN_NOT_OK(CheckStop());
      for (auto ready = schedule_.TakeReady(); !ready.empty() && failures_.empty(); ready = schedule_.TakeReady()) {
        for (const size_t i : ready) ARROW_RETURN_NOT_OK(LookAt(i));
      }
      if (!failures_.empty() || to_do_ == 0) return arrow::Status::OK();
      if (const auto started = schedule_.Start()) {
        ARROW_RETURN_NOT_OK(Do(started->first, started->second, &lock));
        changed_.notify_all();
      } else {
        changed_.wait(lock);
      }
    }
  }

  // Whether it is done; else, what it is to have.
  arrow::Status LookAt(size_t i) {
    Step& step = steps_[i];
    ARROW_ASSIGN_OR_RAISE(const auto files, pipeline_.Files(i));
    ARROW_ASSIGN_OR_RAISE(step.identity, pipeline_.Identity(i, files));
    ARROW_ASSIGN_OR_RAISE(step.bytes_in, pipeline_.InputBytes(i, files));
    ARROW_ASSIGN_OR_RAISE(step.placed, pipeline_.Placed(i));
    ARROW_ASSIGN_OR_RAISE(step.state, record_.StateOf(FolderOf(i), step.identity, step.placed));
    if (step.state == StepState::kNew) {
      ARROW_RETURN_NOT_OK(CheckIsOwn(pipeline_, i, record_, step.placed, own_.path(), common_));
    }
    if (step.state == StepState::kDone && LacksArchives(i)) {
      if (common_.overwrite) step.state = StepState::kChanged;
      if (!common_.overwrite) console_.Warning(FolderOf(i) + kLackedArchives);
    }
    if (step.state == StepState::kChanged && !common_.overwrite) ARROW_RETURN_NOT_OK(CheckInputsStay(i, files));
    if (step.state == StepState::kDone) {
      if (!own_.is_copy()) ARROW_RETURN_NOT_OK(RemoveLeftLock(pipeline_.output() / FolderOf(i)));
      progress_.WasDone(i);
      End(i);
    } else {
      progress_.Expect(i, step.bytes_in);
      schedule_.Wait(i, NeedOf(pipeline_.prepared(i), step.bytes_in, common_));
    }
    return arrow::Status::OK();
  }

  // Whether files that an index names were not there when the step read them. They may be there by now.
  bool LacksArchives(size_t i) const {
    return pipeline_.prepared(i).reads_by_index() &&
           !MemberOf(MemberOf(summaries_.Of(FolderOf(i)), "quarantined"), "index-file").is_null();
  }

  // What is made of more inputs than before is made again; of others, it would lose the documents of those that lack.
  arrow::Status CheckInputsStay(size_t i, const std::vector<InputFile>& files) const {
    std::set<std::string_view> given;
    for (const InputFile& file : files) given.insert(file.name);
    // Spark gives its executors whole paths: these are looked at where a name is not found.
    std::set<fs::path> places;
    const auto is_given_elsewhere = [&](const std::string& name) {
      const auto place_of = [](const std::string& other) { return OneNameOf(other).ValueOr(other); };
      if (places.empty()) {
        for (const InputFile& file : files) places.insert(place_of(file.name));
      }
      return places.contains(place_of(name));
    };
    for (const std::string& before : steps_[i].placed.inputs) {
      if (!pipeline_.steps()[i].sources.empty() || given.contains(before) || is_given_elsewhere(before)) continue;
      return arrow::Status::Invalid(pipeline_.NameOf(FolderOf(i)), ": was made of other inputs, as ", before,
                                    ", which is not among these; choose another --output, or --overwrite");
    }
    const auto changes = record_.Changes(FolderOf(i), steps_[i].identity);
    if (steps_[i].placed.mark.empty() || std::ranges::find(changes, kSelectionIdentity) == changes.end()) {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid(pipeline_.NameOf(FolderOf(i)), ": was made of other records of the index, by other ",
                                  "values of --index-… or --part; choose another --output, or --overwrite");
  }

  // The step whose documents are the pipeline's result: the last that writes any.
  std::optional<size_t> LastOfDocuments() const {
    for (size_t i = steps_.size(); i-- > 0;) {
      const std::string& command = pipeline_.stage_of(i).command;
      if (command == "extract" || command == "filter" || command == "minhash" || command == "clean" ||
          command == "decontaminate") {
        return i;
      }
    }
    return std::nullopt;
  }

  // Where the documents are to be read that the pipeline ends with, and how.
  nlohmann::ordered_json TrainOn() const {
    const auto last = LastOfDocuments();
    if (!last) return nlohmann::ordered_json::object();
    const nlohmann::json& values = pipeline_.steps()[*last].values;
    std::string folder = pipeline_.NameOf(FolderOf(*last));
    if (MemberOf(values, "mode") == "partitioned") folder += "/filter=none";
    if (MemberOf(values, "layout") == "dedup-dup") folder += "/dedup";
    const nlohmann::json& format = MemberOf(values, "format");
    const bool lines = format.is_string() && format.get<std::string>().starts_with("jsonl");
    return {{"folder", own_.is_copy() ? folder : NameOfPath(folder)}, {"format", lines ? "json" : "parquet"}};
  }

  // Runs a step; others change what is shared meanwhile.
  arrow::Status Do(size_t i, const StepShare& share, std::unique_lock<std::mutex>* lock) {
    Step& step = steps_[i];
    const std::string engine = IsOnSpark(i) ? "spark" : "";
    const bool replaces = record_.Replaces(FolderOf(i), step.identity, step.placed, engine);
    ARROW_RETURN_NOT_OK(record_.Begin(FolderOf(i), step.identity, step.placed, engine));
    ARROW_RETURN_NOT_OK(Publish());
    changed_.notify_all();  // another may start beside it
    lock->unlock();
    const auto summary = Run(i, share, replaces);
    lock->lock();
    progress_.Stop(i);
    if (!summary.ok()) {
      schedule_.GiveBack(i);
      if (share.memory < schedule_.whole().memory && IsMemoryError(summary.status())) {
        schedule_.WaitForAll(i);
        return arrow::Status::OK();
      }
      Fail(i, summary.status());  // before what may fail for the same reason, as a full disk
      return record_.Fail(FolderOf(i));
    }
    ARROW_RETURN_NOT_OK(summaries_.Set(FolderOf(i), *summary));
    ARROW_ASSIGN_OR_RAISE(step.placed, pipeline_.Placed(i));
    ARROW_RETURN_NOT_OK(record_.Finish(FolderOf(i), step.placed));
    ARROW_RETURN_NOT_OK(Publish());
    progress_.End(i);
    End(i);
    return arrow::Status::OK();
  }

  bool IsOnSpark(size_t i) const { return spark_ != nullptr && WhyNotOnSpark(pipeline_.prepared(i)).empty(); }

  arrow::Result<nlohmann::ordered_json> Run(size_t i, const StepShare& share, bool replaces) {
    CommonOptions common = common_;
    if (share != schedule_.whole()) {
      common.threads = share.threads;
      common.memory = share.memory;
    }
    if (IsOnSpark(i)) {
      progress_.Update(i, 0, "on Spark");
      const auto tell = [&](const std::string& note) { progress_.Update(i, 0, note); };
      return RunStepOnSpark(pipeline_, i, own_.path(), common, replaces, spark_, tell);
    }
    progress_.Update(i, 0, "begins");
    RunHooks hooks;
    hooks.warning = [&](const std::string& warning) {
      progress_.Say([&] { console_.Warning(FolderOf(i) + ": " + warning); });
    };
    if (share.memory == schedule_.whole().memory && share.threads < common_.threads) {
      hooks.warning(AllowedThreadsWarning(share.threads, common_.threads));
    }
    hooks.progress = [&](double part, const std::string& note) { progress_.Update(i, part, note); };
    const OpenedScope opened([&](const fs::path& place, const nlohmann::json& run) -> arrow::Status {
      return place == pipeline_.output() / FolderOf(i) ? Opened(i, ChecksumOfRun(run), replaces) : arrow::Status::OK();
    });
    return RunStep(pipeline_.prepared(i), pipeline_.stage_of(i).place, pipeline_.output(), own_.path(), common,
                   replaces, hooks);
  }

  // Notes what a step is to write, before it writes. What it replaces is looked at again: it may have waited for long.
  arrow::Status Opened(size_t i, const std::string& run, bool replaces) {
    PlacedOutput placed = steps_[i].placed;
    if (replaces) {
      ARROW_ASSIGN_OR_RAISE(placed, LookAtOutput(pipeline_.output() / FolderOf(i)));
    }
    const std::lock_guard lock(mutex_);
    const arrow::Status noted = record_.Open(FolderOf(i), run, placed);
    ARROW_RETURN_NOT_OK(Publish());
    return own_.About(noted);
  }

  void End(size_t i) {
    schedule_.End(i);
    --to_do_;
  }

  void Fail(size_t i, arrow::Status status) {
    if (schedule_.at_work() > 0 && failures_.empty() && !status.IsCancelled()) {
      progress_.Say(
          [&] { console_.Info(status.message() + "; what is at work comes to its end before this run ends"); });
    }
    failures_.emplace(i, std::move(status));
    changed_.notify_all();
  }

  nlohmann::ordered_json Summary() {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    Counters quarantined;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const nlohmann::json& said = summaries_.Of(FolderOf(i));
      for (const auto& [reason, count] : MemberOf(said, "quarantined").items()) {
        if (count.is_number_integer()) quarantined.Add(reason, count.get<int64_t>());
      }
      steps.push_back({{"name", FolderOf(i)},
                       {"command", pipeline_.stage_of(i).command},
                       {"was_done", steps_[i].state == StepState::kDone},
                       {"bytes_in", steps_[i].bytes_in},
                       {"bytes", steps_[i].placed.bytes},
                       {"summary", said.is_null() ? nlohmann::json::object() : said}});
    }
    for (const std::string& other : record_.Others(pipeline_.folders())) {
      console_.Info(pipeline_.NameOf(other) + ": is no longer in the pipeline; it stays as it is");
    }
    return nlohmann::ordered_json{
        {"stage", "run"},
        {"steps", std::move(steps)},
        {"left_out", ToJson(pipeline_.left_out())},
        {"quarantined", quarantined.counts()},
        {"train_on", TrainOn()},
        {"output", own_.is_copy() ? pipeline_.NameOf() : NameOfPath(pipeline_.output().string())}};
  }

  const std::string& FolderOf(size_t i) const { return pipeline_.steps()[i].folder; }

  const Pipeline& pipeline_;
  const CommonOptions& common_;
  SparkDriver* spark_;  // or none
  const Console& console_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RunFolder own_;
  std::chrono::steady_clock::time_point published_;
  RunRecord record_;
  StepSummaries summaries_;
  size_t workers_;
  Schedule schedule_;
  RunProgress progress_;
  std::vector<Step> steps_;
  size_t to_do_;
  std::map<size_t, arrow::Status> failures_;  // by step; behind all: of the run itself
};

}  // namespace

StepShare WholeShare(const CommonOptions& common) { return {common.threads, common.memory_or_half()}; }

StepNeed NeedOf(const PreparedStep& step, int64_t bytes, const CommonOptions& common) {
  const int most = MostThreads(step, common);
  // Of an index, the bytes say nothing of what is read by it.
  const int threads = step.reads_by_index() ? most : UsefulThreads(bytes, most);
  return {threads, step.command->least_memory ? step.command->least_memory(step.given, threads) : 0, most};
}

std::vector<std::vector<size_t>> SourcesOf(const Pipeline& pipeline) {
  std::vector<std::vector<size_t>> sources;
  for (const PipelineStep& step : pipeline.steps()) sources.push_back(step.sources);
  return sources;
}

arrow::Result<nlohmann::ordered_json> RunPipeline(const Pipeline& pipeline, const CommonOptions& common,
                                                  const RunSteps& how, const Console& console) {
  if (how.spark) ARROW_RETURN_NOT_OK(CheckForSpark(pipeline));
  ARROW_ASSIGN_OR_RAISE(RunFolder own, RunFolder::OpenLocked(pipeline.output().string()));
  ARROW_RETURN_NOT_OK(own.About(CheckFolder(own.path())));
  ARROW_ASSIGN_OR_RAISE(RunRecord record, own.Record());
  ARROW_ASSIGN_OR_RAISE(StepSummaries summaries, own.Summaries());
  std::unique_ptr<SparkDriver> spark;
  if (how.spark) {
    ARROW_ASSIGN_OR_RAISE(spark, StartSpark(pipeline, common, own.path(), *how.spark, console));
  }
  const size_t at_once = how.spark ? 1 : how.at_once;
  return PipelineRun(pipeline, common, at_once, spark.get(), console, std::move(own), std::move(record),
                     std::move(summaries))
      .All();
}

arrow::Status CheckIsOwn(const Pipeline& pipeline, size_t step, const RunRecord& record, const PlacedOutput& placed,
                         const fs::path& local, const CommonOptions& common) {
  if (placed.mark.empty()) return arrow::Status::OK();
  const PreparedStep& prepared = pipeline.prepared(step);
  const fs::path output = pipeline.output() / prepared.folder;
  std::string own;
  const OpenedScope opened([&](const fs::path& place, const nlohmann::json& run) {
    if (place == output) own = ChecksumOfRun(run);
    return arrow::Status::Invalid("is not to be run");
  });
  const auto ended = RunStep(prepared, pipeline.stage_of(step).place, pipeline.output(), local, common, false, {});
  if (ended.status().IsCancelled()) return ended.status();
  return own.empty() || own == placed.run ? arrow::Status::OK() : record.IsAnothers(prepared.folder);
}

arrow::Result<nlohmann::ordered_json> RunStep(const PreparedStep& step, const std::string& place,
                                              const fs::path& output, const fs::path& local,
                                              const CommonOptions& common, bool overwrite, const RunHooks& hooks) {
  ARROW_ASSIGN_OR_RAISE(const auto chain, ChainToRead::Write(step, local));
  OptionTexts given = GivenOf(step, output, chain->path(), common, overwrite);
  given.emplace_back("threads", std::to_string(common.threads));
  arrow::Status error;
  nlohmann::ordered_json summary = nlohmann::ordered_json::object();
  RunHooks own = hooks;
  own.error = [&error](const arrow::Status& status) { error = status; };
  own.summary = [&summary](const nlohmann::ordered_json& json) { summary = json; };
  own.print = [](const std::string&) {};
  step.command->run(step.inputs, given, own);
  if (error.ok()) return summary;
  return ErrorOf(error, step, place);
}

}  // namespace uzushio
