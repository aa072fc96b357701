// What runs of a pipeline have made of its steps: `_pipeline.json` in the output folder, and its log while one works.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/change_log.h"

namespace uzushio {

inline constexpr const char* kPipelineMark = "_pipeline.json";

// All that a step's output depends on: a checksum for each part, such as its options, by the part's name.
using StepIdentity = std::map<std::string, std::string>;

// What lies in the place of an output.
struct PlacedOutput {
  std::string mark;      // the XXH64 of its manifest, also of one that is still to be written; empty: there is none
  std::string run;       // that of the identity of the run which wrote it (ChecksumOfRun)
  std::string contents;  // that of the list of its files, which has theirs
  std::vector<std::string> inputs;  // names of the files that it was made of
  int64_t bytes = 0;                // of these files
  bool is_whole = false;            // all of them are there, with their sizes
  bool is_stopped = false;          // its commit was stopped; the next run of any options completes it
};
// Of a folder, or a URI of a store, where it may be a file, whose size and time are its contents then.
arrow::Result<PlacedOutput> LookAtOutput(const std::filesystem::path& folder);
// Whether a folder, or a URI of one, has the manifest of an output; what else lies there is not looked at.
arrow::Result<bool> IsOutput(const std::filesystem::path& folder);

// By what the record knows a run's identity, as manifests have it.
std::string ChecksumOfRun(const nlohmann::json& run);

// What is to be done about a step.
enum class StepState {
  kDone,
  kNew,      // nothing is known of it, or of what lies in its place
  kStopped,  // it was begun, and is what it was
  kChanged,  // what it depends on is another
  kLost,     // its output is gone, or a part of it
};

// An output is the pipeline's if the record had its manifest's checksum, or that of its run's identity, before it was
// there. No other is replaced.
class RunRecord {
 public:
  // Reads it; where there is none, nothing is known. Errors: it is damaged.
  // Where the outputs are on a store, `stored` is what their folder is called. The record may be older than these, as a
  // stop leaves it: of outputs that it does not know, the steps themselves say whether they are theirs.
  static arrow::Result<RunRecord> Read(const std::filesystem::path& folder, const std::string& stored = "");

  // Errors: what lies in the step's place is not what the pipeline has made. On a store that may be unknown: kNew.
  arrow::Result<StepState> StateOf(const std::string& step, const StepIdentity& identity,
                                   const PlacedOutput& placed) const;
  // Which parts of the identity are others than those that are known.
  std::vector<std::string> Changes(const std::string& step, const StepIdentity& identity) const;
  // The error of a step in whose place lies what the pipeline has not made.
  arrow::Status IsAnothers(const std::string& step) const;
  // Whether a run of the step, on `engine`, has to replace an output that the pipeline has made, or has begun.
  bool Replaces(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed,
                const std::string& engine = "") const;
  // Steps that are none of these.
  std::vector<std::string> Others(const std::vector<std::string>& steps) const;

  // The pipeline's steps in their order, as the last run had them; none where a version of before has run it.
  const std::vector<std::string>& order() const { return order_; }
  bool IsDone(const std::string& step) const;
  // Sets it; on the disk with the next change, or by Save.
  void SetOrder(const std::vector<std::string>& steps);
  // Puts into the file what it does not have; what is noted of steps is in a log beside it until then. Where nothing is
  // known, there is no file.
  arrow::Status Save();
  bool has_log() const { return log_.is_there(); }
  // All of it, as in the file.
  nlohmann::json Whole() const;

  // Notes that a step begins, or is done; on the disk on return. `engine`: "spark"; empty: this program. What a stopped
  // run of another identity or engine has left under work is removed first, as this one cannot go on with it.
  arrow::Status Begin(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed,
                      const std::string& engine = "");
  // Notes the identity of the run that a step which has begun is to write (ChecksumOfRun); on the disk on return. To be
  // called before anything is written. Errors: also, what lies in its place is neither this run's nor the pipeline's.
  arrow::Status Open(const std::string& step, const std::string& run, const PlacedOutput& placed);
  arrow::Status Finish(const std::string& step, const PlacedOutput& placed);
  // Notes that it has ended with an error.
  arrow::Status Fail(const std::string& step);

 private:
  struct Entry {
    StepIdentity identity;
    std::string mark;    // of the output; of a step that was begun, of that of ours which lay there before
    std::string run;     // of a step that was begun, what it writes; empty: it has not come so far
    std::string engine;  // that it was begun on
    bool is_done = false;
    bool has_failed = false;
  };
  RunRecord(const std::filesystem::path& folder, std::string stored);
  static nlohmann::json ToJson(const Entry& entry);
  static bool IsOurs(const Entry& entry, const PlacedOutput& placed);
  bool MayBeOurs(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed) const;
  // Whether it is an entry.
  bool Take(const std::string& step, const nlohmann::json& json);
  arrow::Status Note(const std::string& step);
  arrow::Status Write();

  std::filesystem::path folder_;
  std::string stored_;  // empty: the outputs are in the folder
  ChangeLog log_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
  bool is_written_ = true;
};

}  // namespace uzushio
