#include "burn/sweep.hpp"

namespace assay::burn {
namespace {

constexpr std::uint64_t kSeed = 77;
constexpr std::size_t kSliceWords = std::size_t{8} << 27;  // 8 GiB: a twentieth of the time of a window of products
constexpr unsigned kThreads = 512;
constexpr unsigned kBlocks = 132 * 8;

__global__ void __launch_bounds__(kThreads) sweep_kernel(std::uint64_t* memory, std::size_t first, std::size_t count,
                                                         std::uint64_t inversion, cuda::Mismatch* found) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) {
    const std::size_t word = first + i;
    const std::uint64_t expected = cuda::pattern_word(word, kSeed) ^ inversion;
    const std::uint64_t held = memory[word];
    memory[word] = ~expected;
    if (held == expected) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(&found->words), 1ULL);
    atomicMin(reinterpret_cast<unsigned long long*>(&found->first), static_cast<unsigned long long>(word));
  }
}

}  // namespace

MemorySweep::MemorySweep(int device, std::size_t bytes, const cuda::Stream& stream)
    : memory_(device, bytes / sizeof(std::uint64_t)), position_(memory_.count(), kSliceWords) {
  cuda::fill_pattern(memory_.data(), memory_.bytes(), kSeed, stream);
}

void MemorySweep::queue_slice(cuda::Mismatch* found, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const std::uint64_t inversion = position_.is_inverted_before() ? ~std::uint64_t{0} : 0;
  sweep_kernel<<<kBlocks, kThreads, 0, stream.get()>>>(memory_.data(), position_.first(), position_.count(), inversion, found);
  cuda::check_launch("sweeping the memory");
  position_.advance();
}

void MemorySweep::queue_all(cuda::Mismatch* found, const cuda::Stream& stream) {
  const std::size_t start = position_.first();
  do queue_slice(found, stream);
  while (position_.first() != start);
}

}  // namespace assay::burn
