// Verifies and times a slab, on a GPU or on the host.
#pragma once

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
  double error = 0;        // from the scheme's own solution, relative to the field
  double bound = 0;
  double differences = 0;  // ranks whose second run ended elsewhere than their first
};

// What rounds off at each stage is the sum of 17 products, of which the cell's own is the greatest.
inline double error_bound(bool is_double) {
  return kVerifiedSteps * (is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon());
}

inline Findings verify(hplgpu::Team& team, Slab& slab, bool is_double, bool with_damage) {
  Findings findings;
  findings.bound = error_bound(is_double);
  slab.start();
  slab.step(kVerifiedSteps / 2);
  if (with_damage && team.rank() == team.size() - 1) slab.damage();
  slab.step(kVerifiedSteps - kVerifiedSteps / 2);
  const auto first = slab.field();
  const Deviation own = deviation(first, field_after(slab.shape(), slab.factors(), kVerifiedSteps));
  findings.error = std::sqrt(team.sum(own.error) / team.sum(own.norm));
  slab.start();
  slab.step(kVerifiedSteps);
  findings.differences = team.sum(slab.field() == first ? 0 : 1);
  return findings;
}

// expect(ok, what is wrong)
inline void report(const Findings& findings, const std::function<void(bool, const std::string&)>& expect) {
  expect(findings.error <= findings.bound, "after " + std::to_string(kVerifiedSteps) + " steps the field differs by " +
                                               std::to_string(findings.error / findings.bound) + " times what rounding explains");
  expect(findings.differences == 0, std::to_string(static_cast<int>(findings.differences)) +
                                        " ranks ended their second run elsewhere than their first, in some bit");
}

}  // namespace assay::stencil
