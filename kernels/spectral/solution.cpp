#include "spectral/solution.hpp"

#include "spectral/wave.hpp"

namespace assay::spectral {

Fields exact(const Shape& shape, const std::vector<Position>& positions, int steps) {
  const auto waves = waves_of(shape);
  const double dt = time_step();
  const std::size_t count = positions.size();
  Fields fields{std::vector<double>(3 * count), std::vector<double>(3 * count)};
  for (std::size_t i = 0; i < count; ++i) {
    const Position now = displacement_at(waves, positions[i], steps, dt);
    const Position before = displacement_at(waves, positions[i], steps - 1, dt);
    for (std::size_t c = 0; c < 3; ++c) {
      fields.displacements[c * count + i] = now[c];
      fields.velocities[c * count + i] = (now[c] - before[c]) / dt;
    }
  }
  return fields;
}

Deviation deviation(const std::vector<double>& displacements, const std::vector<double>& expected) {
  Deviation sum;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = displacements[i] - expected[i];
    sum.error += difference * difference;
    sum.norm += expected[i] * expected[i];
  }
  return sum;
}

template <typename Real>
double energy(const Mesh<Real>& mesh, const Fields& fields, const std::vector<double>& forces) {
  const double dt = time_step();
  const auto count = static_cast<std::size_t>(mesh.count());
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto inverse_mass = static_cast<double>(mesh.inverse_mass[i]);
    double of_point = 0;
    for (std::size_t at = i; at < 3 * count; at += count) {
      const double v = fields.velocities[at];
      of_point += v * (v / inverse_mass + dt * forces[at]) - fields.displacements[at] * forces[at];
    }
    sum += mesh.volume_share(static_cast<int>(i)) * of_point / 2;
  }
  return sum;
}

template double energy(const Mesh<float>&, const Fields&, const std::vector<double>&);
template double energy(const Mesh<double>&, const Fields&, const std::vector<double>&);

Cost cost_of_step(const Shape& shape, std::size_t real_bytes) {
  constexpr double kSlopes = 3 * 3 * 2 * kEdge;            // of three components along three directions
  constexpr double kGradient = 3 * 9 * 2 - 9;              // products of the slopes with d xi / d x, added up
  constexpr double kStress = 3 + 1 + 3 * 2 + 3 * 2;        // trace and pressure, diagonal, the rest; 2 mu counts once
  constexpr double kFluxes = 3 * (3 + 3 * 5);
  constexpr double kForce = kSlopes + 6 + 3;               // with the sums over directions, and the weight
  constexpr double kOperationsPerNode = kSlopes + kGradient + kStress + kFluxes + kForce;
  const double nodes = 1.0 * shape.elements() * kNodes;
  const double points = shape.points();
  const double reals = nodes * (kQuantities + 2 * 3) + points * (3 + 4 * 3 + 1);
  const double indices = nodes * 2 + points;
  return {nodes * (kOperationsPerNode + 3) + points * 3 * 4, reals * static_cast<double>(real_bytes) + indices * sizeof(int)};
}

}  // namespace assay::spectral
