// Where the time of a factorization went.
#pragma once

#include <array>
#include <cstddef>

namespace assay::hplgpu {

// Broadcast runs beside the others, and Panel mostly does; the time that they were waited for is Wait.
enum class Phase { Panel, Swap, Trsm, Gemm, Wait, Solve, Broadcast, Other };

inline constexpr std::array<Phase, 7> kPhases{Phase::Panel, Phase::Broadcast, Phase::Swap, Phase::Trsm, Phase::Gemm, Phase::Wait, Phase::Solve};
inline constexpr std::array<const char*, 7> kPhaseNames{"panelTime", "broadcastTime", "swapTime", "trsmTime", "gemmTime", "waitTime", "solveTime"};

struct Phases {
  std::array<double, 8> seconds{};
  double& operator[](Phase phase) { return seconds[static_cast<std::size_t>(phase)]; }
  double operator[](Phase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
};

}  // namespace assay::hplgpu
