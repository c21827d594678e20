#include "npb/mg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "npb/classes.hpp"
#include "npb/damage.hpp"
#include "npb/generator.hpp"
#include "npb/grid.hpp"

namespace assay::npb {
namespace {

constexpr double kTolerance = 1e-8;
constexpr std::size_t kCharges = 10;  // of each sign

// A random number and where it stands.
struct Charge {
  std::int64_t number = 0;
  std::int64_t point = 0;
  bool operator<(const Charge& other) const { return number < other.number; }
};

// One level of the V-cycle: of 2^level points along each axis, this rank's part, or all of them where the parts would be too small.
struct Level {
  Grid u, r;
  bool is_shared = true;
};

class Mg final : public Kernel {
 public:
  Mg(const Team& team, const MgClass& problem) : team_(team), problem_(problem), cube_(team), points_(1 << problem.levels) {
    const int most = *std::max_element(cube_.ranks().begin(), cube_.ranks().end());
    for (int level = 1; level <= problem.levels; ++level) {
      const bool is_shared = (1 << level) / most >= 2;
      const Triple size = is_shared ? part_of(1 << level) : Triple{1 << level, 1 << level, 1 << level};
      levels_.push_back({Grid(size), Grid(size), is_shared});
    }
    right_ = Grid(top().u.size);
  }

  void reset(bool is_damaged) override {
    if (charges_.empty()) find_charges();
    place_charges();
    if (is_damaged && team_.rank() == 0) flip_bit(*right_.row(0, 0), kExponentBit);
    cube_.exchange(right_);
    std::fill(top().u.values.begin(), top().u.values.end(), 0.0);
    subtract_operator(top().u, right_, top().r);
    cube_.exchange(top().r);
    cycle();  // touches all memory, as the original does
    std::fill(top().u.values.begin(), top().u.values.end(), 0.0);
  }

  void run(const Progress& progress) override {
    take_residual();
    for (int iteration = 1; iteration <= problem_.iterations; ++iteration) {
      team_.throw_if_stopped();
      cycle();
      take_residual();
      progress(iteration, problem_.iterations);
    }
    double squares = 0;
    const Grid& r = top().r;
    for (int z = 0; z < r.size[2]; ++z) {
      for (int y = 0; y < r.size[1]; ++y) {
        for (int x = 0; x < r.size[0]; ++x) squares += r.row(y, z)[x] * r.row(y, z)[x];
      }
    }
    norm_ = std::sqrt(team_.sum(squares) / point_count());
  }

  Verdict verdict() override {
    const double error = relative_error(norm_, problem_.norm);
    char text[192];
    std::snprintf(text, sizeof text,
                  "the residual's norm is %.13e, published is %.13e: the relative difference is %.1e, at most %.0e is right",
                  norm_, problem_.norm, error, kTolerance);
    return {error <= kTolerance, text};
  }

  double operations() const override { return 58.0 * problem_.iterations * point_count(); }

 private:
  Level& top() { return levels_.back(); }
  double point_count() const { return std::pow(static_cast<double>(points_), 3); }

  Triple part_of(int points) const {
    const auto& ranks = cube_.ranks();
    return {points / ranks[0], points / ranks[1], points / ranks[2]};
  }

  // Of this rank's part of a cube.
  Triple origin_of(int points) const {
    const auto place = cube_.place_of(team_.rank());
    const auto part = part_of(points);
    return {place[0] * part[0], place[1] * part[1], place[2] * part[2]};
  }

  void fill_ghosts(const Level& level, Grid& grid) const {
    if (level.is_shared) {
      cube_.exchange(grid);
    } else {
      Cube::wrap(grid);
    }
  }

  // The ten largest and the ten smallest numbers of the sequence, which has one for each point, say where the charges are.
  void find_charges() {
    std::vector<Charge> smallest, largest;
    const auto origin = origin_of(points_);
    const auto order = static_cast<std::int64_t>(points_);
    for (int z = 0; z < right_.size[2]; ++z) {
      for (int y = 0; y < right_.size[1]; ++y) {
        std::int64_t point = origin[0] + order * (origin[1] + y + order * (origin[2] + z));
        Generator generator(static_cast<std::uint64_t>(point));
        for (int x = 0; x < right_.size[0]; ++x, ++point) {
          const auto number = static_cast<std::int64_t>(generator.next_integer());
          keep(smallest, {number, point});
          keep(largest, {-number, point});
        }
      }
    }
    smallest = first_of_all(smallest);
    largest = first_of_all(largest);
    for (const Charge& charge : smallest) charges_.emplace_back(charge.point, -1.0);
    for (const Charge& charge : largest) charges_.emplace_back(charge.point, 1.0);
  }

  // Keeps the first ten, in order.
  static void keep(std::vector<Charge>& first, const Charge& charge) {
    if (first.size() == kCharges && !(charge < first.back())) return;
    first.insert(std::upper_bound(first.begin(), first.end(), charge), charge);
    if (first.size() > kCharges) first.pop_back();
  }

  // The first ten of what the ranks found.
  std::vector<Charge> first_of_all(std::vector<Charge> own) const {
    static_assert(sizeof(Charge) == 2 * sizeof(std::int64_t));
    own.resize(kCharges, {std::int64_t{1} << 46, 0});
    std::vector<Charge> all(kCharges * static_cast<std::size_t>(team_.size()));
    constexpr int kCount = 2 * static_cast<int>(kCharges);
    MPI_Allgather(own.data(), kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, team_.communicator());
    std::sort(all.begin(), all.end());
    all.resize(kCharges);
    return all;
  }

  void place_charges() {
    std::fill(right_.values.begin(), right_.values.end(), 0.0);
    const auto origin = origin_of(points_);
    for (const auto& [point, value] : charges_) {
      const Triple at{static_cast<int>(point % points_) - origin[0], static_cast<int>(point / points_ % points_) - origin[1],
                      static_cast<int>(point / points_ / points_) - origin[2]};
      bool is_own = true;
      for (std::size_t i = 0; i < 3; ++i) is_own = is_own && at[i] >= 0 && at[i] < right_.size[i];
      if (is_own) right_.row(at[1], at[2])[at[0]] = value;
    }
  }

  void take_residual() {
    subtract_operator(top().u, right_, top().r);
    cube_.exchange(top().r);
  }

  void smooth_level(Level& level) {
    smooth(level.r, problem_.smoother, level.u);
    fill_ghosts(level, level.u);
  }

  void cycle() {
    for (std::size_t i = levels_.size() - 1; i > 0; --i) restrict_level(i);
    std::fill(levels_[0].u.values.begin(), levels_[0].u.values.end(), 0.0);
    smooth_level(levels_[0]);
    for (std::size_t i = 1; i < levels_.size(); ++i) correct_level(i);
  }

  // The residual of level i on the one below.
  void restrict_level(std::size_t i) {
    Level& fine = levels_[i];
    Level& coarse = levels_[i - 1];
    if (fine.is_shared && !coarse.is_shared) {
      Grid part(part_of(1 << i));
      restrict_to(fine.r, part);
      cube_.gather(part, coarse.r);
      return;
    }
    restrict_to(fine.r, coarse.r);
    fill_ghosts(coarse, coarse.r);
  }

  // Adds the correction from the level below, and smooths.
  void correct_level(std::size_t i) {
    Level& fine = levels_[i];
    Level& coarse = levels_[i - 1];
    const bool is_top = i + 1 == levels_.size();
    if (!is_top) std::fill(fine.u.values.begin(), fine.u.values.end(), 0.0);
    prolong(coarse.u, fine.is_shared && !coarse.is_shared ? origin_of(1 << i) : Triple{}, fine.u);
    fill_ghosts(fine, fine.u);
    subtract_operator(fine.u, is_top ? right_ : fine.r, fine.r);
    fill_ghosts(fine, fine.r);
    smooth_level(fine);
  }

  const Team& team_;
  const MgClass& problem_;
  Cube cube_;
  int points_;
  std::vector<Level> levels_;
  Grid right_;
  std::vector<std::pair<std::int64_t, double>> charges_;
  double norm_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_mg(const Team& team, const std::string& problem_class) {
  return std::make_unique<Mg>(team, mg_class(problem_class));
}

}  // namespace assay::npb
