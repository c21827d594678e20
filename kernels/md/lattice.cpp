#include "md/lattice.hpp"

#include <random>

namespace assay::md {

std::vector<Vector> initial_positions(int slab, int layers, std::uint64_t seed) {
  std::mt19937_64 bits(seed + static_cast<std::uint64_t>(slab) * 0x9E3779B97F4A7C15u);
  const auto displacement = [&] {
    return (static_cast<double>(bits() >> 11) * 0x1p-52 - 1) * kLargestDisplacement;
  };
  constexpr double kSite[kAtomsPerCell][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  std::vector<Vector> positions(static_cast<std::size_t>(atoms_per_slab(layers)));
  for (std::size_t atom = 0; atom < positions.size(); ++atom) {
    const Cell cell = cell_of(static_cast<int>(atom));
    const double* site = kSite[site_of(static_cast<int>(atom))];
    positions[atom] = {(cell.x + site[0]) * kCellEdge + displacement(), (cell.y + site[1]) * kCellEdge + displacement(),
                       (cell.z + site[2]) * kCellEdge + displacement()};
  }
  return positions;
}

Reference reference_force(const std::vector<std::vector<Vector>>& slabs, int layers, int slab, int atom) {
  const double slab_height = layers * kCellEdge;
  const double height = slab_height * static_cast<double>(slabs.size());
  const auto nearest = [](double distance, double period) { return distance - period * std::nearbyint(distance / period); };
  const Vector& at = slabs[static_cast<std::size_t>(slab)][static_cast<std::size_t>(atom)];
  Reference result{{0, 0, 0}, 0, 0};
  for (std::size_t other = 0; other < slabs.size(); ++other) {
    const double shift = slab_height * (slab - static_cast<double>(other));
    for (const Vector& by : slabs[other]) {
      const double dz = nearest(at.z - by.z + shift, height);
      if (std::abs(dz) >= kCutoff) continue;
      const double dx = nearest(at.x - by.x, kWidth);
      const double dy = nearest(at.y - by.y, kWidth);
      const double squared = dx * dx + dy * dy + dz * dz;
      if (squared >= kCutoff * kCutoff || squared == 0) continue;
      const double sixth = 1 / (squared * squared * squared);
      const double strength = (48 * sixth - 24) * sixth / squared;
      result.force.x += strength * dx;
      result.force.y += strength * dy;
      result.force.z += strength * dz;
      result.scale += std::abs(strength) * std::sqrt(squared);
      ++result.inside;
    }
  }
  return result;
}

}  // namespace assay::md
