#include "common/cuda/chase.hpp"

namespace assay::cuda {
namespace {

__global__ void setup_kernel(std::uint64_t* ring, std::size_t strides) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= strides) return;
  constexpr std::size_t kWords = kChaseStrideBytes / sizeof(std::uint64_t);
  ring[i * kWords] = reinterpret_cast<std::uint64_t>(ring + (i + 1) % strides * kWords);
}

constexpr std::uint64_t kWarmSteps = 4;  // untimed: the first loads of a multiprocessor also look up the page

__device__ std::uint64_t follow(std::uint64_t at, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) at = *reinterpret_cast<const volatile std::uint64_t*>(at);
  return at;
}

// The GPU's clock in nanoseconds, read only after `at` has arrived: the branch waits for it.
__device__ std::uint64_t nanoseconds_after(std::uint64_t at) {
  std::uint64_t now;
  asm volatile("{ .reg .pred lost; setp.eq.u64 lost, %1, 0; @lost trap; mov.u64 %0, %%globaltimer; }"
               : "=l"(now) : "l"(at) : "memory");
  return now;
}

// One block for each multiprocessor, so that block `turn` runs on another one than the blocks of the other turns.
__global__ void chase_kernel(const std::uint64_t* ring, std::uint64_t steps, unsigned turn, std::uint64_t expected_end,
                             volatile Chased* chased) {
  if (blockIdx.x != turn) return;
  const auto first = reinterpret_cast<std::uint64_t>(ring);
  const std::uint64_t warm = follow(first, kWarmSteps);
  const std::uint64_t start = nanoseconds_after(warm);
  const std::uint64_t end = follow(warm, steps);
  chased->nanoseconds = chased->nanoseconds + nanoseconds_after(end) - start;
  if (end - first != expected_end) chased->astray = chased->astray + 1;
}

}  // namespace

void queue_chase_setup(void* ring, std::size_t bytes, const Stream& stream) {
  const OnDevice on(stream.device());
  const std::size_t strides = bytes / kChaseStrideBytes;
  setup_kernel<<<static_cast<unsigned>((strides + 255) / 256), 256, 0, stream.get()>>>(static_cast<std::uint64_t*>(ring),
                                                                                      strides);
  check_launch("launching the set-up of a pointer chase");
}

void queue_chase(const void* ring, std::size_t bytes, std::uint64_t steps, int multiprocessors, Chased* chased,
                 const Stream& stream) {
  const OnDevice on(stream.device());
  const std::uint64_t end = (kWarmSteps + steps) % (bytes / kChaseStrideBytes) * kChaseStrideBytes;
  for (int turn = 0; turn < multiprocessors; ++turn) {
    chase_kernel<<<multiprocessors, 1, 0, stream.get()>>>(static_cast<const std::uint64_t*>(ring), steps, turn, end, chased);
    check_launch("launching a pointer chase");
  }
}

}  // namespace assay::cuda
