// Elements that repeat earlier ones of the same run.
#pragma once

#include <cstddef>

namespace uzushio {

// What passes over all documents found out (stages/filter/repeats.h), of one part of the input.
class RepeatMarks {
 public:
  virtual ~RepeatMarks() = default;
  // Whether the next element that comes to the filter at this place of the chain repeats an earlier one. Elements are
  // asked for in order, each once.
  virtual bool Next(size_t place) = 0;
};

}  // namespace uzushio
