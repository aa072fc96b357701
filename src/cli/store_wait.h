// Whether a run waits for a store.
#pragma once

namespace uzushio {

// What a process has used since it began, in seconds.
struct ProcessUsage {
  double time;   // of the clock
  double cpu;    // of all processors together
  double store;  // in which a read of a store was on its way (storage/store_reads.h)

  static ProcessUsage Now();
};

// Looks at what a process uses, from time to time.
class StoreWait {
 public:
  explicit StoreWait(int threads) : threads_(threads) {}

  // Whether the store was what the work went as fast as, in the last five seconds or more: reads were on their way for
  // nine tenths of that time, and the processors that the threads may use were idle for half of it.
  bool Look(const ProcessUsage& now);

 private:
  int threads_;
  ProcessUsage before_ = ProcessUsage::Now();
  bool waits_ = false;
};

}  // namespace uzushio
