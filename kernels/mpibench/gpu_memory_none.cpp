#include <stdexcept>

#include "mpibench/gpu_memory.hpp"

namespace assay::mpibench {

std::string gpu_memory_missing() { return "this mpibench was built without CUDA: --buffers cuda needs one built with it"; }

void* gpu_allocate(std::size_t) { throw std::logic_error(gpu_memory_missing()); }
void gpu_free(void*) {}
void gpu_copy(void*, const void*, std::size_t) { throw std::logic_error(gpu_memory_missing()); }
void gpu_wait() {}

}  // namespace assay::mpibench
