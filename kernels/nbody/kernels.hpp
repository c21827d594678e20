// The GPU's part of the N-body program. All calls queue on the stream.
#pragma once

#include <cstddef>

#include "common/cuda/stream.hpp"
#include "nbody/physics.hpp"

namespace assay::nbody {

inline constexpr int kThreads = 128;
inline constexpr int kBodiesPerThread = 2;
inline constexpr int kBodiesPerBlock = kThreads * kBodiesPerThread;

// One GPU's work in a step: the bodies it moves, and in how many slices the bodies that attract them are taken. More slices
// are more thread blocks, and so a smaller loss while the last of them finish.
struct Share {
  std::size_t first;    // of the bodies this GPU moves; a multiple of kBodiesPerBlock
  std::size_t targets;  // how many; a multiple of kBodiesPerBlock
  std::size_t sources;  // all bodies, padding included; a multiple of slices * kThreads
  int slices;
};

// partial[slice * targets + i]: acceleration of target i by the bodies of that slice.
void queue_accelerations(const Body* bodies, const Share& share, double softening_squared, Vector* partial,
                         const cuda::Stream& stream);

// Adds the slices up, always in the same order, so that a result does not depend on how many GPUs share the work, and makes
// a leapfrog step of the targets. `next` holds all bodies; only the targets are written.
void queue_step(const Body* bodies, const Share& share, const Vector* partial, double time_step, Vector* velocities,
                Vector* accelerations, Body* next, const cuda::Stream& stream);

}  // namespace assay::nbody
