#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/cuda/error.hpp"
#include "cuda_runtime_api.h"

thread_local dim3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace assay::cuda_on_host {
namespace {

constexpr std::size_t kMostWarps = 16;
constexpr std::size_t kLaneBytes = 16;

pthread_barrier_t of_block;
std::array<pthread_barrier_t, kMostWarps> of_warps;
std::array<std::array<std::array<std::byte, kLaneBytes>, 32>, kMostWarps> lanes;
std::vector<double> dynamic;

std::size_t own_warp() { return (threadIdx.x + threadIdx.y * blockDim.x) / 32; }

void run_block(dim3 place, std::size_t shared, const std::function<void()>& body) {
  const unsigned threads = blockDim.x * blockDim.y;
  dynamic.assign(shared / sizeof(double) + 1, 0);
  pthread_barrier_init(&of_block, nullptr, threads);
  for (unsigned warp = 0; warp * 32 < threads; ++warp) pthread_barrier_init(&of_warps[warp], nullptr, std::min(32U, threads - warp * 32));
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      threadIdx = dim3(i % blockDim.x, i / blockDim.x);
      blockIdx = place;
      body();
    });
  }
  for (auto& thread : running) thread.join();
}

}  // namespace

void* dynamic_shared() { return dynamic.data(); }
void meet_block() { pthread_barrier_wait(&of_block); }
void meet_warp() { pthread_barrier_wait(&of_warps[own_warp()]); }
std::byte* lane(unsigned number) { return lanes[own_warp()][number].data(); }

void run(dim3 grid, dim3 block, std::size_t shared, const std::function<void()>& body) {
  gridDim = grid;
  blockDim = block;
  for (unsigned y = 0; y < grid.y; ++y) {
    for (unsigned x = 0; x < grid.x; ++x) run_block(dim3(x, y), shared, body);
  }
}

void run_together(dim3 grid, dim3 block, std::size_t shared, const std::function<void()>& body) {
  if (grid.x > static_cast<unsigned>(kMultiprocessors) || shared > kSharedBytes) throw std::runtime_error("the launch is too large");
  gridDim = grid;
  blockDim = block;
  std::vector<pid_t> running;
  std::fflush(nullptr);
  for (unsigned x = 0; x < grid.x; ++x) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("starting a process failed");
    if (child == 0) {
      run_block(dim3(x), shared, body);
      _exit(0);
    }
    running.push_back(child);
  }
  bool failed = false;
  for (const pid_t child : running) {
    int status = 0;
    waitpid(child, &status, 0);
    failed = failed || status != 0;
  }
  if (failed) throw std::runtime_error("a block of the kernel died");
}

unsigned acquire(const unsigned* from) {
  sched_yield();  // there are more blocks than cores
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

void release(unsigned* to, unsigned value) { __atomic_store_n(to, value, __ATOMIC_RELEASE); }

}  // namespace assay::cuda_on_host

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *memory == MAP_FAILED ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void*) { return cudaSuccess; }  // with the test
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  using namespace assay::cuda_on_host;
  *value = attribute == cudaDevAttrMultiProcessorCount ? kMultiprocessors : kSharedBytes;
  return cudaSuccess;
}

[[noreturn]] void assay::cuda::fail(cudaError_t, const std::string& action, int) { throw std::runtime_error(action); }
