#include "npb/ft.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "npb/classes.hpp"
#include "npb/damage.hpp"
#include "npb/generator.hpp"
#include "npb/slabs.hpp"

namespace assay::npb {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kDiffusion = 1e-6;
constexpr int kSamples = 1024;  // points that a checksum adds up

// exp(-4 a pi^2 k^2) of each wave number k along an axis: what an iteration leaves of it.
std::vector<double> decay_of(int size) {
  std::vector<double> factors(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const double wave = i < size / 2 ? i : i - size;
    factors[static_cast<std::size_t>(i)] = std::exp(-4 * kDiffusion * M_PI * M_PI * wave * wave);
  }
  return factors;
}

class Ft final : public Kernel {
 public:
  Ft(const Team& team, const FtClass& problem)
      : team_(team), problem_(problem), slabs_(team, problem.nx, problem.ny, problem.nz), frequencies_(slabs_.size()),
        space_(slabs_.size()), decay_x_(decay_of(problem.nx)), decay_y_(decay_of(problem.ny)), decay_z_(decay_of(problem.nz)) {}

  void reset(bool is_damaged) override {
    is_damaged_ = is_damaged;
    if (is_warm_) return;
    start();  // touches all memory, as the original does
    space_ = frequencies_;
    slabs_.backward(space_);
    is_warm_ = true;
  }

  void run(const Progress& progress) override {
    checksums_.clear();
    start();
    const auto iterations = static_cast<int>(problem_.checksums.size());
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      evolve();
      space_ = frequencies_;
      slabs_.backward(space_);
      take_checksum();
      progress(iteration, iterations);
    }
  }

  Verdict verdict() override {
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < checksums_.size(); ++i) {
      const double error = relative_error(checksums_[i], problem_.checksums[i]);
      if (error > worst) {
        worst = error;
        at = i;
      }
    }
    const auto published = problem_.checksums[at];
    char text[256];
    std::snprintf(text, sizeof text,
                  "of %zu checksums, that of iteration %zu differs most: %.13g %+.13gi, published is %.13g %+.13gi: "
                  "the relative difference is %.1e, at most %.0e is right",
                  checksums_.size(), at + 1, checksums_[at].real(), checksums_[at].imag(), published.real(), published.imag(), worst,
                  kTolerance);
    return {worst <= kTolerance, text};
  }

  double operations() const override {
    const double points = point_count();
    const double logarithm = std::log(points);
    return points * (14.8157 + 7.19641 * logarithm + (5.23518 + 7.21113 * logarithm) * static_cast<double>(problem_.checksums.size()));
  }

 private:
  double point_count() const { return static_cast<double>(problem_.nx) * problem_.ny * problem_.nz; }

  // Random numbers, real and imaginary parts in turn, and their frequencies.
  void start() {
    const auto first = static_cast<std::uint64_t>(frequencies_.size()) * static_cast<std::uint64_t>(team_.rank());
    Generator generator(2 * first);
    for (Complex& each : frequencies_) {
      const double real = generator.next();
      each = {real, generator.next()};
    }
    if (is_damaged_ && team_.rank() == 0) {
      double real = frequencies_.front().real();
      flip_bit(real, kMantissaBit);
      frequencies_.front().real(real);
    }
    slabs_.forward(frequencies_);
  }

  void evolve() {
    Complex* each = frequencies_.data();
    const auto first = static_cast<std::size_t>(team_.rank()) * slabs_.own_planes_y();
    for (std::size_t y = first; y < first + slabs_.own_planes_y(); ++y) {
      for (const double along_x : decay_x_) {
        const double factor = decay_y_[y] * along_x;
        for (const double along_z : decay_z_) *each++ *= factor * along_z;
      }
    }
  }

  void take_checksum() {
    const auto planes = static_cast<int>(slabs_.own_planes_z());
    std::vector<double> sum(2);
    for (int j = 1; j <= kSamples; ++j) {
      const int x = j % problem_.nx, y = 3 * j % problem_.ny, z = 5 * j % problem_.nz - team_.rank() * planes;
      if (z < 0 || z >= planes) continue;
      const auto row = static_cast<std::size_t>(z) * static_cast<std::size_t>(problem_.ny) + static_cast<std::size_t>(y);
      const Complex value = space_[row * static_cast<std::size_t>(problem_.nx) + static_cast<std::size_t>(x)];
      sum[0] += value.real();
      sum[1] += value.imag();
    }
    team_.sum(sum);
    checksums_.emplace_back(sum[0] / point_count(), sum[1] / point_count());
  }

  const Team& team_;
  const FtClass& problem_;
  Slabs slabs_;
  Slab frequencies_, space_;
  std::vector<double> decay_x_, decay_y_, decay_z_;
  std::vector<Complex> checksums_;
  bool is_damaged_ = false;
  bool is_warm_ = false;
};

}  // namespace

std::unique_ptr<Kernel> make_ft(const Team& team, const std::string& problem_class) {
  return std::make_unique<Ft>(team, ft_class(problem_class));
}

}  // namespace assay::npb
