// Steps of a pipeline on Apache Spark: a Python process holds one session for all of them.
#pragma once

#include <arrow/result.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_step.h"

namespace uzushio {

struct SparkSettings {
  std::string python;  // the interpreter; empty: that of this installation, or python3 of the PATH
  std::string master;  // empty: what Spark's configuration says
  std::vector<std::string> conf;
  std::chrono::milliseconds patience{10'000};  // with its end, before it is told to end, and then made to
};

// Why Spark does not run a step; empty: it does.
std::string WhyNotOnSpark(const PreparedStep& step);

// The process `python -m uzushio.spark._driver`, which is asked in lines of JSON, one at a time.
class SparkDriver {
 public:
  // Errors: there is no such Python, or it has no uzushio or no PySpark.
  static arrow::Result<std::unique_ptr<SparkDriver>> Start(const SparkSettings& settings);
  // Ends it, by force where it does not end by itself; what is at work there is left unfinished.
  ~SparkDriver();
  SparkDriver(const SparkDriver&) = delete;
  SparkDriver& operator=(const SparkDriver&) = delete;

  // Whether the options fit together on Spark; nothing is run.
  arrow::Status Check(const PreparedStep& step, const OptionTexts& given);
  // Runs the command; its summary. `tell` is called about once a second with what is at work there.
  arrow::Result<nlohmann::ordered_json> Run(const PreparedStep& step, const OptionTexts& given,
                                            const std::function<void(const std::string& note)>& tell);

 private:
  SparkDriver() = default;
  arrow::Result<nlohmann::ordered_json> Ask(const nlohmann::json& question,
                                            const std::function<void(const std::string& note)>& tell);
  arrow::Result<nlohmann::ordered_json> Answer(const std::function<void(const std::string& note)>& tell);
  arrow::Result<std::string> ReadLine();
  arrow::Status NoSuchAnswer() const;
  bool HasEnded();

  std::string python_;
  std::chrono::milliseconds patience_{};
  pid_t process_ = -1;
  int socket_ = -1;   // its standard input and output
  std::string read_;  // of answers, behind the last that was taken
};

}  // namespace uzushio
