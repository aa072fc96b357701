// Every command, in the order of the help: a line each. `Command NameCommand()` is in the file of that command. The
// program of a first look has those of FIRST; of the others it knows the names.
#pragma once

#include "cli/command.h"

#define UZUSHIO_COMMANDS(FIRST, REST)       \
  REST(Run, "run")                          \
  FIRST(Extract)                            \
  REST(Index, "index")                      \
  REST(RobotsTxt, "robots-txt")             \
  REST(Clean, "clean")                      \
  FIRST(Stats)                              \
  FIRST(Merge)                              \
  FIRST(Filter)                             \
  FIRST(Metrics)                            \
  FIRST(Report)                             \
  FIRST(Explain)                            \
  REST(MinHash, "minhash")                  \
  REST(Decontaminate, "decontaminate")      \
  REST(Overlap, "overlap")                  \
  FIRST(Hosts)                              \
  FIRST(HostLists)                          \
  FIRST(Filters)                            \
  REST(TrainLanguage, "train-language")     \
  REST(TrainClassifier, "train-classifier") \
  REST(TrainLm, "train-lm")                 \
  REST(Doctor, "doctor")                    \
  FIRST(Completion)                         \
  FIRST(Man)                                \
  FIRST(Options)                            \
  FIRST(Help)

namespace uzushio {

#define UZUSHIO_DECLARE_COMMAND(NAME, ...) Command NAME##Command();
UZUSHIO_COMMANDS(UZUSHIO_DECLARE_COMMAND, UZUSHIO_DECLARE_COMMAND)
#undef UZUSHIO_DECLARE_COMMAND

}  // namespace uzushio
