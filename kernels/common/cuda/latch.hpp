// Holds streams at a starting line: what is queued behind the latch starts on all of them within microseconds of release(),
// so that neither launch costs nor the order of the launches are inside what is timed.
//
//   latch.hold(a); latch.hold(b);          // then queue: start event, copies, stop event
//   latch.release();
//   ... wait for the stop events ...
//   latch.verify_held();
//
// Whatever may block the host until the GPU answers (pageable copies, first launches of a kernel, allocations) must not be
// queued while a latch is held.
#pragma once

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"

namespace assay::cuda {

class Latch {
 public:
  Latch() = default;
  ~Latch() { released_.host() = ~0U; }

  void hold(const Stream& stream);
  void release();

  // Throws when a stream gave up waiting, because then launches were inside the timed region. Call it after the streams
  // were waited for.
  void verify_held();

 private:
  unsigned generation_ = 1;
  Mapped<unsigned> released_{0};
  Mapped<unsigned> gave_up_{0};
};

}  // namespace assay::cuda
