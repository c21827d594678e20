#include <stdexcept>

#include "common/cuda/latch.hpp"

namespace assay::cuda {
namespace {

// No machine may hang because a host thread died: the wait ends by itself.
constexpr unsigned long long kPatienceNanoseconds = 5'000'000'000ULL;

__device__ unsigned long long now_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for_release(const volatile unsigned* released, unsigned generation, volatile unsigned* gave_up) {
  const unsigned long long start = now_nanoseconds();
  while (*released < generation) {
    if (now_nanoseconds() - start > kPatienceNanoseconds) {
      *gave_up = 1;
      return;
    }
  }
}

}  // namespace

void Latch::hold(const Stream& stream) {
  const OnDevice on(stream.device());
  wait_for_release<<<1, 1, 0, stream.get()>>>(released_.device(), generation_, gave_up_.device());
  check_launch("launching the latch");
}

void Latch::release() {
  released_.host() = generation_;
  ++generation_;
}

void Latch::verify_held() {
  if (gave_up_.host() == 0) return;
  gave_up_.host() = 0;
  throw std::runtime_error("holding the latch: queueing the work took longer than the latch waits");
}

}  // namespace assay::cuda
