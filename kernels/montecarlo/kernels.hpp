// The GPU's part of the Monte-Carlo program.
#pragma once

#include <cstdint>

#include "common/cuda/stream.hpp"
#include "montecarlo/option.hpp"

namespace assay::montecarlo {

enum class Precision { Single, Double };

// Paths of an option are drawn by one thread block in rounds: the number of paths is a multiple of this.
inline constexpr std::int64_t kPathsPerRound = 16384;

// Simulates `options` options, the first of which has the number `first`: its random numbers depend on that number only.
// terms, payoffs: one per option. Queued on the stream.
void queue_simulation(Precision precision, const PathTerms* terms, std::uint32_t first, int options, std::int64_t paths,
                      std::uint64_t seed, Payoffs* payoffs, const cuda::Stream& stream);

}  // namespace assay::montecarlo
