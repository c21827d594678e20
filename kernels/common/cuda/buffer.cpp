#include "common/cuda/buffer.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace assay::cuda {
namespace {

// The two values of <numaif.h> that are needed, so that libnuma is not a dependency.
constexpr int kMpolBind = 2;
constexpr unsigned kMpolMfStrict = 1;

bool bind_to_node(void* data, std::size_t bytes, int node) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(static_cast<std::size_t>(node) / kBits + 1, 0);
  mask[static_cast<std::size_t>(node) / kBits] |= 1UL << (static_cast<std::size_t>(node) % kBits);
  return syscall(SYS_mbind, data, bytes, kMpolBind, mask.data(), mask.size() * kBits + 1, kMpolMfStrict) == 0;
}

}  // namespace

HostBuffer::HostBuffer(std::size_t bytes, Kind kind, int numa_node) : bytes_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "allocating host memory");
  data_ = static_cast<std::byte*>(memory);
  madvise(memory, bytes, MADV_HUGEPAGE);  // quicker to touch and to pin; only a hint
  if (numa_node != kAnyNode) placed_ = bind_to_node(memory, bytes, numa_node);
  std::memset(memory, 0x5a, bytes);
  if (kind == Kind::Pageable) return;
  const cudaError_t code = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
  if (code != cudaSuccess) {
    munmap(memory, bytes);
    check(code, "pinning " + std::to_string(bytes) + " bytes of host memory");
  }
  pinned_ = true;
}

HostBuffer::~HostBuffer() {
  if (data_ == nullptr) return;
  if (pinned_) cudaHostUnregister(data_);
  munmap(data_, bytes_);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)), pinned_(other.pinned_), placed_(other.placed_) {}

std::size_t free_bytes(int device) {
  const OnDevice on(device);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the free memory of gpu" + std::to_string(device));
  return free;
}

}  // namespace assay::cuda
