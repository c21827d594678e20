// What the four kernels have in common for the program that times them.
#pragma once

#include <functional>
#include <string>

namespace assay::npb {

struct Verdict {
  bool ok = false;
  std::string message;  // what was computed and what is published
};

// Told after each iteration.
using Progress = std::function<void(int iteration, int iterations)>;

// All ranks of the team call these, in the same order. A constructor allocates, and waits for nobody.
class Kernel {
 public:
  Kernel() = default;
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Makes the input anew, outside the timed section. `is_damaged`: with one bit flipped, for tests.
  virtual void reset(bool is_damaged) = 0;

  // What the specification times. Throws Stopped on all ranks where one was told to end.
  virtual void run(const Progress& progress) = 0;

  // Of the last run, by the published values.
  virtual Verdict verdict() = 0;

  // The floating-point operations of a run by the specification's count; for IS, the keys that it ranks.
  virtual double operations() const = 0;
};

}  // namespace assay::npb
