// Gauss-Lobatto-Legendre points of order 4 on [-1, 1], their weights, and the derivatives of the polynomials through them.
#pragma once

namespace assay::spectral {

inline constexpr int kOrder = 4;
inline constexpr int kEdge = kOrder + 1;  // points along an edge of an element
inline constexpr int kNodes = kEdge * kEdge * kEdge;

inline constexpr double kInner = 0.65465367070797714380;  // sqrt(3 / 7)
inline constexpr double kPoints[kEdge] = {-1, -kInner, 0, kInner, 1};
inline constexpr double kWeights[kEdge] = {1.0 / 10, 49.0 / 90, 32.0 / 45, 49.0 / 90, 1.0 / 10};

// The derivative at point i of the polynomial that is 1 at point j and 0 at the others: P(i) / (P(j) (x_i - x_j)) with Legendre's P of
// order 4, and at the corners -+ N (N + 1) / 4.
constexpr double derivative(int i, int j) {
  constexpr double kLegendre[kEdge] = {1, -3.0 / 7, 3.0 / 8, -3.0 / 7, 1};
  if (i != j) return kLegendre[i] / (kLegendre[j] * (kPoints[i] - kPoints[j]));
  return i == 0 ? -5 : i == kOrder ? 5 : 0;
}

// The same numbers as the kernels take them.
template <typename Real>
struct Rule {
  Real weights[kEdge];
  Real derivatives[kEdge][kEdge];

  static Rule make() {
    Rule rule{};
    for (int i = 0; i < kEdge; ++i) {
      rule.weights[i] = static_cast<Real>(kWeights[i]);
      for (int j = 0; j < kEdge; ++j) rule.derivatives[i][j] = static_cast<Real>(derivative(i, j));
    }
    return rule;
  }
};

}  // namespace assay::spectral
