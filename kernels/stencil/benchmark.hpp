// Verifies and times a slab, on a GPU or on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "proxy/timing.hpp"
#include "stencil/slab.hpp"

namespace assay::stencil {

inline constexpr int kVerifiedSteps = 30;

struct Findings {
  double error = 0;        // from the scheme's own solution, over what rounding explains; the worst rank's
  double differences = 0;  // ranks whose second run ended elsewhere than their first
};

inline double epsilon(bool is_double) { return is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon(); }

// 1 and less: rounding explains it. Of 30 roundings, the root of the mean square has been seen to take 0.8 in FP32, and 15 in FP64, where the
// constant is rounded alike in every step. A single cell may be off by twice as much, because one among millions is lost in their mean.
inline double of_bound(const Deviation& deviation, bool is_double) {
  const double bound = kVerifiedSteps * epsilon(is_double);
  const double of_mean = std::sqrt(deviation.error / deviation.norm) / bound;
  const double of_cell = deviation.largest / (2 * bound);
  return std::isnan(of_mean) ? std::numeric_limits<double>::infinity() : std::max(of_mean, of_cell);
}

inline Findings verify(hplgpu::Team& team, Slab& slab, bool is_double, bool with_damage) {
  Findings findings;
  slab.start();
  slab.step(kVerifiedSteps / 2);
  if (with_damage && team.rank() == team.size() - 1) slab.damage();
  slab.step(kVerifiedSteps - kVerifiedSteps / 2);
  const auto first = slab.field();
  findings.error = team.max(of_bound(deviation(first, field_after(slab.shape(), slab.factors(), kVerifiedSteps)), is_double));
  slab.start();
  slab.step(kVerifiedSteps);
  findings.differences = team.sum(slab.field() == first ? 0 : 1);
  return findings;
}

// expect(ok, what is wrong)
inline void report(const Findings& findings, const std::function<void(bool, const std::string&)>& expect) {
  expect(findings.error <= 1, "after " + std::to_string(kVerifiedSteps) + " steps the field differs by " + std::to_string(findings.error) +
                                  " times what rounding explains");
  expect(findings.differences == 0, std::to_string(static_cast<int>(findings.differences)) +
                                        " ranks ended their second run elsewhere than their first, in some bit");
}

}  // namespace assay::stencil
