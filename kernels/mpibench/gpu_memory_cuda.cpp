#include <cuda_runtime.h>
#include <mpi.h>

#include "common/cuda/device.hpp"
#include "common/cuda/error.hpp"
#include "common/program.hpp"
#include "mpibench/gpu_memory.hpp"
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's: says whether it takes GPU memory
#endif

namespace assay::mpibench {
namespace {

using cuda::check;

// An MPI without support would read GPU addresses with the processor and die of it, so one that does not say is not tried.
bool mpi_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace

std::string take_gpu(int rank_on_host) {
  if (!mpi_takes_gpu_memory()) throw CannotRun("this MPI does not say that it takes GPU memory (it is not CUDA-aware)");
  const int gpu = rank_on_host % cuda::count_gpus();  // where every rank sees one GPU alone, it is that one
  check(cudaSetDevice(gpu), "choosing a GPU");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, gpu), "reading the properties of a GPU");
  return std::string(properties.uuid.bytes, sizeof properties.uuid.bytes);
}

void* gpu_allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating " + std::to_string(bytes) + " bytes of GPU memory");
  return memory;
}

void gpu_free(void* memory) { cudaFree(memory); }

void gpu_copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copying to or from a GPU");
  gpu_wait();  // from pageable memory, the call may return before the last bytes are there, and MPI does not wait for them
}

void gpu_wait() { check(cudaDeviceSynchronize(), "waiting for a GPU"); }

}  // namespace assay::mpibench
