// The plasma in the host's memory: the same functions as on a GPU, one marker after another. For tests.
#pragma once

#include <complex>
#include <vector>

#include "pic/bins.hpp"
#include "pic/theory.hpp"

namespace assay::pic {

class HostPlasma {
 public:
  HostPlasma(const Grid& grid, int per_cell) : HostPlasma(grid, per_cell, quiet_start(grid, per_cell, 0, 1)) {}
  HostPlasma(const Grid& grid, int per_cell, const Start& start)
      : grid_(grid), start_(start), charge_(cells()), forces_(cells()),
        scale_(1 / (static_cast<double>(per_cell) * static_cast<double>(kChargeOfMarker))) {}

  void deposit() {
    std::fill(charge_.begin(), charge_.end(), 0);
    for (std::size_t i = 0; i < start_.x.size(); ++i) {
      each_corner(grid_, start_.x[i], start_.y[i], start_.z[i],
                  [&](int node, unsigned weight) { charge_[static_cast<std::size_t>(node)] += weight; });
    }
  }

  void solve() {
    std::vector<std::complex<double>> density;
    for (const std::uint64_t charge : charge_) density.push_back(static_cast<double>(charge) * scale_ - 1);
    const auto waves = transformed(density, -1);
    std::vector<std::complex<double>> fields[3];
    for (int i = 0; i < grid_.cells(); ++i) {
      const auto wave = waves[static_cast<std::size_t>(i)] / static_cast<double>(cells());
      const WaveForce force = force_of(grid_, i, {static_cast<float>(wave.real()), static_cast<float>(wave.imag())});
      fields[0].emplace_back(force.x.re, force.x.im);
      fields[1].emplace_back(force.y.re, force.y.im);
      fields[2].emplace_back(force.z.re, force.z.im);
      if (i == wave_index(grid_)) wave_ = 2.0 * wave;
    }
    for (auto& field : fields) field = transformed(field, 1);
    for (std::size_t i = 0; i < cells(); ++i) {
      forces_[i] = {static_cast<float>(fields[0][i].real()), static_cast<float>(fields[1][i].real()), static_cast<float>(fields[2][i].real()), 0};
    }
  }

  void step() {
    deposit();
    solve();
    const auto kick = static_cast<float>(is_first_ ? kTimeStep / 2 : kTimeStep);
    for (std::size_t i = 0; i < start_.x.size(); ++i) push(i, kick);
    is_first_ = false;
  }

  std::size_t cells() const { return static_cast<std::size_t>(grid_.cells()); }
  const Start& coordinates() const { return start_; }
  const std::vector<unsigned long long>& charge() const { return charge_; }
  const std::vector<Force>& forces() const { return forces_; }
  std::complex<double> wave() const { return wave_; }

 private:
  using Waves = std::vector<std::complex<double>>;

  void push(std::size_t i, float kick) {
    Force sum{0, 0, 0, 0};
    each_corner(grid_, start_.x[i], start_.y[i], start_.z[i], [&](int node, unsigned weight) {
      const auto share = static_cast<float>(weight);
      const Force& force = forces_[static_cast<std::size_t>(node)];
      sum.x += share * force.x;
      sum.y += share * force.y;
      sum.z += share * force.z;
    });
    const Marker marker = moved(grid_, {start_.x[i], start_.y[i], start_.z[i], start_.v[i]}, sum, kick);
    start_.x[i] = marker.x;
    start_.y[i] = marker.y;
    start_.z[i] = marker.z;
    start_.v[i] = marker.v;
  }

  Waves transformed(Waves field, int sign) const {
    const int strides[] = {1, grid_.nx, grid_.nx * grid_.ny};
    const int lengths[] = {grid_.nx, grid_.ny, grid_.nz};
    for (int axis = 0; axis < 3; ++axis) {
      Waves next(field.size());
      Waves circle;
      for (int j = 0; j < lengths[axis]; ++j) circle.push_back(std::polar(1.0, sign * 6.283185307179586477 * j / lengths[axis]));
      for (int i = 0; i < grid_.cells(); ++i) {
        const int wave = i / strides[axis] % lengths[axis];
        for (int j = 0; j < lengths[axis]; ++j) {
          next[static_cast<std::size_t>(i)] +=
              field[static_cast<std::size_t>(i + (j - wave) * strides[axis])] * circle[static_cast<std::size_t>(wave * j % lengths[axis])];
        }
      }
      field = next;
    }
    return field;
  }

  Grid grid_;
  Start start_;
  std::vector<unsigned long long> charge_;
  std::vector<Force> forces_;
  std::complex<double> wave_;
  double scale_;
  bool is_first_ = true;
};

}  // namespace assay::pic
