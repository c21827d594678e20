#include "nbody/physics.hpp"

#include <random>

namespace assay::nbody {
namespace {

struct CompensatedSum {
  double sum = 0;
  double lost = 0;
  void add(double term) {
    const double next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  double value() const { return sum + lost; }
};

}  // namespace

std::vector<Body> initial_bodies(std::size_t count, std::size_t padded_count, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<Body> bodies(padded_count, Body{0, 0, 0, 0});
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i] = {uniform(), uniform(), uniform(), (0.5 + uniform()) / static_cast<double>(count)};
  }
  return bodies;
}

Vector reference_acceleration(const std::vector<Body>& bodies, std::size_t of, double softening_squared) {
  const Body& at = bodies[of];
  CompensatedSum x, y, z;
  for (const Body& by : bodies) {
    const double dx = by.x - at.x;
    const double dy = by.y - at.y;
    const double dz = by.z - at.z;
    const double squared = dx * dx + dy * dy + dz * dz + softening_squared;
    const double strength = by.mass / (squared * std::sqrt(squared));
    x.add(dx * strength);
    y.add(dy * strength);
    z.add(dz * strength);
  }
  return {x.value(), y.value(), z.value()};
}

double relative_error(const Vector& a, const Vector& b) {
  const double difference = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
  return difference / std::hypot(b.x, b.y, b.z);
}

}  // namespace assay::nbody
