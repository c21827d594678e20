// Uses a part of one GPU's memory bandwidth until it is ended: the neighbour of hack/gpu/cluster.sh's step `disturbed`.
//
// Usage: neighbour GPU SHARE      (SHARE of the time, for example 0.1)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::size_t kBytes = 256 << 20;
constexpr auto kPeriod = std::chrono::milliseconds(10);

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "neighbour: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: neighbour GPU SHARE\n");
    return 2;
  }
  const auto busy = std::chrono::duration_cast<std::chrono::steady_clock::duration>(kPeriod * std::atof(argv[2]));
  void* from = nullptr;
  void* to = nullptr;
  check(cudaSetDevice(std::atoi(argv[1])), "choosing the GPU");
  check(cudaMalloc(&from, kBytes), "allocating");
  check(cudaMalloc(&to, kBytes), "allocating");
  for (auto next = std::chrono::steady_clock::now();; next += kPeriod) {
    std::this_thread::sleep_until(next);
    const auto end = std::chrono::steady_clock::now() + busy;
    do {
      check(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice), "copying");
      check(cudaDeviceSynchronize(), "copying");
    } while (std::chrono::steady_clock::now() < end);
  }
}
