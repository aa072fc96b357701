// Interrupts (SIGINT, Ctrl-C), counted where they arrive.
#pragma once

#include <cstdint>

namespace uzushio::python {

// How many have arrived since they are counted (`count_interrupts` of the module). Python handles them in its main
// thread alone, between its own instructions: other threads, and long work, see here that one waits. Any thread may
// ask, without the interpreter's lock.
int64_t Interrupts();

}  // namespace uzushio::python
