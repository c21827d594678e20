#include "npb/cg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "npb/classes.hpp"
#include "npb/damage.hpp"
#include "npb/sparse.hpp"

namespace assay::npb {
namespace {

constexpr int kSteps = 25;
constexpr double kTolerance = 1e-10;

using Vector = std::vector<double>;

class Cg final : public Kernel {
 public:
  Cg(const Team& team, const CgClass& problem)
      : team_(team), problem_(problem), layout_(Layout::of(team.size(), team.rank(), problem.order)),
        matrix_(make_matrix(problem, layout_)),
        gathered_(static_cast<std::size_t>(layout_.column_count())),
        product_(static_cast<std::size_t>(layout_.row_count())) {
    for (Vector* vector : {&x_, &z_, &p_, &q_, &r_}) vector->resize(static_cast<std::size_t>(layout_.chunk));
  }

  ~Cg() override {
    if (row_ != MPI_COMM_NULL) MPI_Comm_free(&row_);
    if (column_ != MPI_COMM_NULL) MPI_Comm_free(&column_);
  }

  void reset(bool is_damaged) override {
    if (row_ == MPI_COMM_NULL) {
      MPI_Comm_split(team_.communicator(), layout_.grid_row(), team_.rank(), &row_);
      MPI_Comm_split(team_.communicator(), layout_.grid_column(), team_.rank(), &column_);
    }
    if (is_damaged && team_.rank() == 0) flip_bit(matrix_.values.front(), kMantissaBit);
    start();
    solve();  // touches all memory, as the original does
    start();
  }

  void run(const Progress& progress) override {
    for (int iteration = 1; iteration <= problem_.iterations; ++iteration) {
      solve();
      Vector products{dot_own(x_, z_), dot_own(z_, z_)};
      team_.sum(products);
      zeta_ = problem_.shift + 1 / products[0];
      const double scale = 1 / std::sqrt(products[1]);
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = scale * z_[i];
      progress(iteration, problem_.iterations);
    }
  }

  Verdict verdict() override {
    const double error = relative_error(zeta_, problem_.zeta);
    char text[160];
    std::snprintf(text, sizeof text, "zeta is %.13g, published is %.13g: the relative difference is %.1e, at most %.0e is right", zeta_,
                  problem_.zeta, error, kTolerance);
    return {error <= kTolerance, text};
  }

  double operations() const override {
    const double row = problem_.nonzeros * (problem_.nonzeros + 1.0);
    return 2.0 * problem_.iterations * static_cast<double>(problem_.order) * (3 + row + kSteps * (5 + row) + 3);
  }

 private:
  // All ones; beyond the matrix' order zeros, which stay.
  void start() {
    const auto first = team_.rank() * layout_.chunk;
    const auto own = std::clamp<std::int64_t>(layout_.order - first, 0, layout_.chunk);
    std::fill(x_.begin(), x_.end(), 0.0);
    std::fill(x_.begin(), x_.begin() + own, 1.0);
  }

  static double dot_own(const Vector& one, const Vector& other) {
    double sum = 0;
    for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
    return sum;
  }

  void multiply(const Vector& vector, Vector& result) {
    const auto chunk = static_cast<int>(layout_.chunk);
    MPI_Allgather(vector.data(), chunk, MPI_DOUBLE, gathered_.data(), chunk, MPI_DOUBLE, column_);
    matrix_.multiply(gathered_, product_);
    MPI_Reduce_scatter_block(product_.data(), result.data(), chunk, MPI_DOUBLE, MPI_SUM, row_);
  }

  // z = A^-1 x, nearly. Leaves the length of what is missing, as the specification's solver returns it.
  void solve() {
    std::fill(z_.begin(), z_.end(), 0.0);
    r_ = x_;
    p_ = x_;
    double rho = team_.sum(dot_own(r_, r_));
    for (int step = 0; step < kSteps; ++step) {
      multiply(p_, q_);
      const double alpha = rho / team_.sum(dot_own(p_, q_));
      for (std::size_t i = 0; i < z_.size(); ++i) {
        z_[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      }
      const double last = std::exchange(rho, team_.sum(dot_own(r_, r_)));
      const double beta = rho / last;
      for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = r_[i] + beta * p_[i];
    }
    multiply(z_, r_);
    double missing = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) missing += (x_[i] - r_[i]) * (x_[i] - r_[i]);
    residual_ = std::sqrt(team_.sum(missing));
  }

  const Team& team_;
  const CgClass& problem_;
  Layout layout_;
  Sparse matrix_;
  MPI_Comm row_ = MPI_COMM_NULL;
  MPI_Comm column_ = MPI_COMM_NULL;
  Vector x_, z_, p_, q_, r_, gathered_, product_;
  double zeta_ = 0;
  double residual_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_cg(const Team& team, const std::string& problem_class) {
  return std::make_unique<Cg>(team, cg_class(problem_class));
}

}  // namespace assay::npb
