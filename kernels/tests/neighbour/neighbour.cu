// A bad neighbour for tests: holds memory of a GPU and keeps it busy for a share of the time, until it is stopped.
//
//   neighbour --duty 0.05 &                     5 % of the time
//   neighbour --duty 0 --hold-bytes 100000000000 &     memory only
//
// It prints "ready" once the load runs, so that a test need not guess when to begin.
#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <thread>

#include "common/args.hpp"
#include "common/cuda/buffer.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/flow.hpp"

namespace {

namespace cuda = assay::cuda;

volatile std::sig_atomic_t stopped = 0;

struct Options {
  std::int64_t gpu = 0;
  double duty = 1;
  double period_milliseconds = 100;
  double seconds = 3600;
  std::int64_t hold_bytes = 0;
  std::string load = "memory";
};

__global__ void sweep(double* data, std::size_t count) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    data[i] = data[i] * 0.5 + 1;
  }
}

__global__ void compute(double* data, int steps) {
  double x = data[threadIdx.x];
  for (int step = 0; step < steps; ++step) x = x * 0.999 + 1;
  data[threadIdx.x] = x;
}

// One short piece of load: about half a millisecond on a large GPU.
void queue_load(const Options& options, cuda::DeviceBuffer<double>& data, int multiprocessors, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const auto blocks = static_cast<unsigned>(multiprocessors * 8);
  if (options.load == "memory") {
    sweep<<<blocks, 256, 0, stream.get()>>>(data.data(), data.count());
  } else {
    compute<<<blocks, 256, 0, stream.get()>>>(data.data(), 50'000);
  }
  cuda::check_launch("launching the load");
}

void disturb(const Options& options) {
  const cuda::Gpu gpu = cuda::open_gpu(static_cast<int>(options.gpu));
  const cuda::Stream stream(gpu.index);
  const cuda::DeviceBuffer<std::byte> held(gpu.index, static_cast<std::size_t>(std::max<std::int64_t>(options.hold_bytes, 1)));
  cuda::DeviceBuffer<double> data(gpu.index, options.duty > 0 ? std::size_t{128} << 20 : 1);
  const std::chrono::duration<double> period(options.period_milliseconds * 1e-3);
  const auto start = std::chrono::steady_clock::now();
  std::cout << "ready" << std::endl;
  while (stopped == 0 && std::chrono::steady_clock::now() - start < std::chrono::duration<double>(options.seconds)) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < options.duty * period && stopped == 0) {
      queue_load(options, data, gpu.multiprocessors, stream);
      stream.synchronize();
    }
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(period));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("neighbour", "Holds memory of a GPU and keeps it busy for a share of the time");
  args.integer("--gpu", options.gpu, 0, 63, "which GPU, as CUDA counts");
  args.number("--duty", options.duty, 0, 1, "share of the time that the GPU is busy; 0: it only holds memory");
  args.number("--period-milliseconds", options.period_milliseconds, 1, 60'000, "how often the load comes back");
  args.number("--seconds", options.seconds, 0.1, 86'400, "when to end");
  args.integer("--hold-bytes", options.hold_bytes, 0, std::int64_t{1} << 40, "memory to hold beside the load's own GiB");
  args.choice("--load", options.load, {"memory", "compute"}, "what the load uses");
  if (const auto code = args.parse(argc, argv)) return *code;
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { stopped = 1; });
  try {
    disturb(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "neighbour: " << error.what() << std::endl;
    return 1;
  }
}
