// European call options: the random numbers, the paths, the closed form that the simulation must agree with, and a
// reference on the host that draws the very same paths as the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/host_device.hpp"

namespace assay::montecarlo {

struct Call {
  double spot;
  double strike;
  double years;
};

struct Market {
  double rate = 0.06;        // risk-free, per year, continuously compounded
  double volatility = 0.10;  // per square root of a year
};

struct Words {
  std::uint32_t word[4];
};

// Philox 4x32 with 10 rounds (Salmon et al., SC11): four random words for a counter and a key, without any state. Every
// path of every option has its own counter, so that a result does not depend on the number of GPUs.
ASSAY_HOST_DEVICE inline Words philox(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3,
                                      std::uint32_t k0, std::uint32_t k1) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const auto high0 = static_cast<std::uint32_t>(p0 >> 32);
    const auto high1 = static_cast<std::uint32_t>(p1 >> 32);
    c0 = high1 ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = high0 ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// Price of `call` today, by Black and Scholes.
double closed_form(const Call& call, const Market& market);

// A path ends at spot * 2^(drift + scale * normal), with the spot inside the drift: what the kernel is given.
struct PathTerms {
  double drift;
  double scale;
  double strike;
};
PathTerms path_terms(const Call& call, const Market& market);

// Sum and sum of squares of the undiscounted payoffs of an option.
struct Payoffs {
  double sum = 0;
  double sum_of_squares = 0;
};

struct Estimate {
  double price;
  double standard_error;
};
Estimate estimate(const Payoffs& payoffs, std::size_t paths, const Call& call, const Market& market);

// The payoffs of the same paths as the GPU's kernel, in double precision. `wide`: the random numbers of the FP64 kernel (53
// bits, two normals for four words) instead of those of the FP32 kernel (23 bits, four normals).
Payoffs reference_payoffs(const PathTerms& terms, std::uint32_t option, std::size_t paths, std::uint64_t seed, bool wide);

// Options with spots of 5 to 50, strikes of 0.8 to 1.4 times the spot and 1 to 5 years: each pays on a good part of its paths.
std::vector<Call> make_calls(std::size_t count, std::uint64_t seed);

}  // namespace assay::montecarlo
