#include <cuda_runtime.h>
#include <mpi.h>

#include <stdexcept>

#include "mpibench/gpu_memory.hpp"
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's: says whether it takes GPU memory
#endif

namespace assay::mpibench {
namespace {

void check(cudaError_t error, const char* action) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(action) + ": " + cudaGetErrorString(error));
}

// An MPI without support would read GPU addresses with the processor and die of it, so one that does not say is not tried.
bool mpi_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

int rank_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank = 0;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  return rank;
}

}  // namespace

std::string gpu_memory_missing() {
  const int rank = rank_on_host();  // all ranks take part, whatever each of them finds below
  if (!mpi_takes_gpu_memory()) return "this MPI does not say that it takes GPU memory (it is not CUDA-aware)";
  int gpus = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&gpus); error != cudaSuccess || gpus == 0) {
    return std::string("no GPU: ") + cudaGetErrorString(error);
  }
  check(cudaSetDevice(rank % gpus), "choosing a GPU");
  return "";
}

void* gpu_allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating GPU memory");
  return memory;
}

void gpu_free(void* memory) { cudaFree(memory); }

void gpu_copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copying to or from a GPU");
}

void gpu_wait() { check(cudaDeviceSynchronize(), "waiting for a GPU"); }

}  // namespace assay::mpibench
