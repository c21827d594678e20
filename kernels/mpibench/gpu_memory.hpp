// Memory of a GPU, behind functions that a build without CUDA has too: gpu_memory_cuda.cpp or gpu_memory_none.cpp is linked.
#pragma once

#include <cstddef>
#include <string>

namespace assay::mpibench {

// Chooses the GPU of this rank and returns its UUID. Throws CannotRun where GPU memory cannot be exchanged over this MPI.
std::string take_gpu(int rank_on_host);

void* gpu_allocate(std::size_t bytes);
void gpu_free(void* memory);
void gpu_copy(void* to, const void* from, std::size_t bytes);  // in either direction; done when it returns
void gpu_wait();                                               // until the GPU has done all that MPI queued

}  // namespace assay::mpibench
