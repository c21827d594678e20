// A reproducible pattern over every byte of a buffer, and the search for bytes that differ from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/cuda/stream.hpp"
#include "common/host_device.hpp"

namespace assay::cuda {

// The 64-bit word at `index` of the pattern `seed` (the finalizer of SplitMix64): every bit of the index and of the seed
// changes about half of the bits, so a shifted, stale or misdirected buffer never matches.
ASSAY_HOST_DEVICE inline std::uint64_t pattern_word(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xD1342543DE82EF95ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// Uniform in (-1, 1), never 0: the operand that benchmarks compute with.
ASSAY_HOST_DEVICE inline double pattern_unit(std::uint64_t index, std::uint64_t seed) {
  const auto mantissa = static_cast<double>((pattern_word(index, seed) >> 11) | 1ULL);  // odd, below 2^53
  return mantissa * (1.0 / 4503599627370496.0) - 1.0;                                   // / 2^52 - 1
}

struct Mismatch {
  std::uint64_t words = 0;  // 8-byte words that differ
  std::uint64_t first = 0;  // index of the first of them
  bool none() const { return words == 0; }
};

// "3 words differ, the first at byte 4096"
std::string describe(const Mismatch& mismatch);

// data: device memory, or pinned host memory, of a multiple of 8 bytes. Queued on the stream.
void fill_pattern(void* data, std::size_t bytes, std::uint64_t seed, const Stream& stream);

// Waits for the answer.
Mismatch compare_pattern(const void* data, std::size_t bytes, std::uint64_t seed, const Stream& stream);

// Sets every byte of device memory to something that no pattern has, so that what a copy left out is found.
void poison(void* data, std::size_t bytes, const Stream& stream);

// For tests: damages one bit of device or pinned memory.
void flip_bit(void* data, std::size_t byte, const Stream& stream);

}  // namespace assay::cuda
