#include "scan/kernels.hpp"

#include <cub/device/device_scan.cuh>

#include "common/series.hpp"

namespace assay::scan {
namespace {

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};

// With scratch null, only sets scratch_bytes.
void run(void* scratch, std::size_t& scratch_bytes, const double* from, double* to, double* offset, std::size_t count,
         cudaStream_t stream) {
  const cub::FutureValue<double> start(offset);
  cuda::check(cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, from, to, Add{}, start,
                                             static_cast<std::int64_t>(count), stream),
              "launching the scan");
}

std::size_t scratch_bytes(int device, std::size_t count) {
  const cuda::OnDevice on(device);
  std::size_t bytes = 0;
  run(nullptr, bytes, nullptr, nullptr, nullptr, count, nullptr);
  return bytes;
}

// Sums are exact, so the difference of two that follow each other is exactly the element between them.
__global__ void find_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                           unsigned long long* wrong) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const double expected = i == 0 ? offset : sums[i - 1] + series::element(first + i - 1);
    own += __double_as_longlong(sums[i]) != __double_as_longlong(expected);
  }
  if (own != 0) atomicAdd(wrong, own);
}

}  // namespace

Scanner::Scanner(int device, std::size_t count) : count_(count), scratch_(device, scratch_bytes(device, count)) {}

void Scanner::queue(const double* from, double* to, double* offset, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  std::size_t bytes = scratch_.bytes();
  run(scratch_.data(), bytes, from, to, offset, count_, stream.get());
}

std::uint64_t count_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                          const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::DeviceBuffer<unsigned long long> wrong(stream.device(), 1);
  cuda::check(cudaMemsetAsync(wrong.data(), 0, wrong.bytes(), stream.get()), "clearing a count");
  find_wrong<<<2048, 512, 0, stream.get()>>>(sums, count, first, offset, wrong.data());
  cuda::check_launch("verifying the scan");
  unsigned long long result = 0;
  cuda::check(cudaMemcpyAsync(&result, wrong.data(), sizeof result, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  return result;
}

}  // namespace assay::scan
