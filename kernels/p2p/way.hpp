// Who copies between two GPUs, and how many copies make a sample.
#pragma once

#include "common/cuda/flow.hpp"

namespace assay::p2p {

enum class Engine { Copy, Multiprocessors };

// How many copies a sample of a mode has, per direction. Writes by the copy engine are timed from the end of one copy to the end of
// another; reads gain nothing from that. A kernel makes all copies of a sample in one launch, because it runs dry at its end.
struct Way {
  Engine engine;
  int copies;
  int lead;  // before the timed ones

  int per_launch() const { return engine == Engine::Copy ? 1 : copies; }
  cuda::Repeats repeats() const { return {copies / per_launch(), 0, lead}; }
};
inline constexpr Way kWrite{Engine::Copy, 2, 1};
inline constexpr Way kRead{Engine::Copy, 4, 0};
inline constexpr Way kByKernel{Engine::Multiprocessors, 4, 0};

}  // namespace assay::p2p
