// The gravitational N-body problem: its data, what is counted, and a reference on the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/host_device.hpp"

namespace assay::nbody {

// 32 bytes, aligned, so that one body is two 16-byte accesses. Units are such that the gravitational constant is 1.
struct alignas(32) Body {
  double x, y, z, mass;
};

struct Vector {
  double x, y, z;
};

// The field's convention for FP64: 30 flops for one interaction, whatever a program needs for the reciprocal square root.
inline constexpr double kFlopsPerInteraction = 30;

// What our kernel executes for one interaction: FP64 instructions, of which an SM starts a fixed number in each clock.
// 3 subtractions, 3 for the distance, 7 for mass / distance^3, 3 to accumulate.
inline constexpr double kInstructionsPerInteraction = 16;

// Largest share of the FP64 vector peak (2 flops per instruction) that the convention can show with that many instructions.
inline constexpr double kLargestFractionOfPeak = kFlopsPerInteraction / (2 * kInstructionsPerInteraction);

// Every body with every body, itself included (that one is zero), as the field counts.
inline double interactions(double bodies, double steps) { return bodies * bodies * steps; }

inline double flops(double bodies, double steps) { return kFlopsPerInteraction * interactions(bodies, steps); }

// A cube of unit size and unit mass. Bodies from `count` on are padding without mass.
std::vector<Body> initial_bodies(std::size_t count, std::size_t padded_count, std::uint64_t seed);

// Acceleration of body `of` by all others with softening: sum of m d / (d^2 + softening^2)^(3/2). Compensated summation.
Vector reference_acceleration(const std::vector<Body>& bodies, std::size_t of, double softening_squared);

// |a - b| / |b|
double relative_error(const Vector& a, const Vector& b);

}  // namespace assay::nbody
