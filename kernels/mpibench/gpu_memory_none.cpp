#include "common/program.hpp"
#include "mpibench/gpu_memory.hpp"

namespace assay::mpibench {
namespace {

const char* const kMissing = "this mpibench was built without CUDA: --buffers cuda needs one built with it";

}  // namespace

std::string take_gpu(int) { throw CannotRun(kMissing); }

void* gpu_allocate(std::size_t) { throw std::logic_error(kMissing); }
void gpu_free(void*) {}
void gpu_copy(void*, const void*, std::size_t) { throw std::logic_error(kMissing); }
void gpu_wait() {}

}  // namespace assay::mpibench
