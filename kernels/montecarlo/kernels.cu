#include "montecarlo/kernels.hpp"

#include "common/cuda/block_sum.cuh"

namespace assay::montecarlo {
namespace {

constexpr int kThreads = 256;

// FP32: four paths for four random words. Per path the special-function unit does 3 operations: half of a logarithm and of
// a square root, half of a sine and of a cosine for each of two, and a power of two.
struct Single {
  using Real = float;
  static constexpr int kPathsPerDraw = 4;
  static constexpr int kDrawsPerPartialSum = 16;

  struct Terms {
    float drift, scale, strike;
  };

  // In [1, 2) from the upper 23 bits: one shift and one logical operation instead of a conversion.
  __device__ static float from_one_to_two(std::uint32_t word) { return __uint_as_float(0x3f800000u | (word >> 9)); }

  __device__ static float approximate_log2(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  __device__ static float approximate_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  __device__ static float approximate_exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }

  // The scale comes multiplied by sqrt(2 ln 2), so that the radius is sqrt(-log2 u).
  __device__ static Terms prepare(const PathTerms& terms) {
    return {static_cast<float>(terms.drift), static_cast<float>(terms.scale * 1.1774100225154747),
            static_cast<float>(terms.strike)};
  }

  __device__ static void normals(const Words& words, float (&normal)[kPathsPerDraw]) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const float uniform = from_one_to_two(words.word[i]) - (1.0f - 0x1p-24f);  // (k + 1/2) / 2^23, exact
      const float radius = approximate_sqrt(-approximate_log2(uniform));
      const float angle = fmaf(from_one_to_two(words.word[i + 1]), 6.2831853f, -9.4247780f);  // [-pi, pi)
      normal[i] = radius * __cosf(angle);
      normal[i + 1] = radius * __sinf(angle);
    }
  }
  __device__ static float end_of_path(const Terms& terms, float normal) {
    return approximate_exp2(fmaf(terms.scale, normal, terms.drift));
  }
};

// FP64: two paths for four random words (53 bits each for radius and angle), the toolkit's functions in full precision.
struct Double {
  using Real = double;
  static constexpr int kPathsPerDraw = 2;
  static constexpr int kDrawsPerPartialSum = 32;

  struct Terms {
    double drift, scale, strike;
  };
  __device__ static Terms prepare(const PathTerms& terms) { return {terms.drift, terms.scale, terms.strike}; }

  __device__ static double bits53(std::uint32_t high, std::uint32_t low) {
    return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11);
  }
  __device__ static void normals(const Words& words, double (&normal)[kPathsPerDraw]) {
    const double uniform = fma(bits53(words.word[0], words.word[1]), 0x1p-53, 0x1p-54);
    const double turn = fma(bits53(words.word[2], words.word[3]), 0x1p-52, -1.0);  // in half turns, [-1, 1)
    const double radius = sqrt(-2 * log(uniform));
    double sine, cosine;
    sincospi(turn, &sine, &cosine);
    normal[0] = radius * cosine;
    normal[1] = radius * sine;
  }
  __device__ static double end_of_path(const Terms& terms, double normal) {
    return exp2(fma(terms.scale, normal, terms.drift));
  }
};

// Block b simulates option first + b: one draw of random numbers after the other, each with its own counter. A few draws are
// summed in the precision of the paths, these partial sums in FP64.
template <typename Paths>
__global__ void __launch_bounds__(kThreads) simulate(const PathTerms* __restrict__ terms, std::uint32_t first,
                                                     int draws_per_thread, std::uint32_t key0, std::uint32_t key1,
                                                     Payoffs* __restrict__ payoffs) {
  using Real = typename Paths::Real;
  const std::uint32_t option = first + blockIdx.x;
  const auto own = Paths::prepare(terms[blockIdx.x]);
  double sum = 0;
  double sum_of_squares = 0;
  std::uint32_t draw = threadIdx.x;
  for (int done = 0; done < draws_per_thread; done += Paths::kDrawsPerPartialSum) {
    Real partial = 0;
    Real partial_of_squares = 0;
#pragma unroll 2
    for (int d = 0; d < Paths::kDrawsPerPartialSum; ++d, draw += kThreads) {
      Real normal[Paths::kPathsPerDraw];
      Paths::normals(philox(draw, option, 0, 0, key0, key1), normal);
#pragma unroll
      for (Real z : normal) {
        const Real payoff = max(Paths::end_of_path(own, z) - own.strike, Real{0});
        partial += payoff;
        partial_of_squares = fma(payoff, payoff, partial_of_squares);
      }
    }
    sum += partial;
    sum_of_squares += partial_of_squares;
  }
  sum = cuda::block_sum<kThreads>(sum);
  sum_of_squares = cuda::block_sum<kThreads>(sum_of_squares);
  if (threadIdx.x == 0) payoffs[blockIdx.x] = {sum, sum_of_squares};
}

template <typename Paths>
void launch(const PathTerms* terms, std::uint32_t first, int options, std::int64_t paths, std::uint64_t seed,
            Payoffs* payoffs, cudaStream_t stream) {
  static_assert(kPathsPerRound == kThreads * Paths::kDrawsPerPartialSum * Paths::kPathsPerDraw);
  const auto draws_per_thread = static_cast<int>(paths / (kThreads * Paths::kPathsPerDraw));
  simulate<Paths><<<static_cast<unsigned>(options), kThreads, 0, stream>>>(
      terms, first, draws_per_thread, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), payoffs);
  cuda::check_launch("launching the simulation");
}

}  // namespace

void queue_simulation(Precision precision, const PathTerms* terms, std::uint32_t first, int options, std::int64_t paths,
                      std::uint64_t seed, Payoffs* payoffs, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const auto run = precision == Precision::Single ? launch<Single> : launch<Double>;
  run(terms, first, options, paths, seed, payoffs, stream.get());
}

}  // namespace assay::montecarlo
