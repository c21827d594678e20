#include "hpl-mxp/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/stop.hpp"
#include "hpl-gpu/generator.hpp"

namespace assay::hplmxp {
namespace {

std::int64_t padded(std::int64_t rows) { return (rows + 31) / 32 * 32; }

template <typename T>
T* take(Device& device, std::int64_t count) {
  return static_cast<T*>(device.allocate(static_cast<std::size_t>(count) * sizeof(T)));
}

template <typename T>
Block<T> take_block(Device& device, std::int64_t rows, std::int64_t columns) {
  return {take<T>(device, padded(rows) * columns), padded(rows), rows, columns};
}

}  // namespace

std::int64_t Shape::bytes() const {
  const std::int64_t ld = padded(order), top = padded(block);
  const std::int64_t blocks = (order + block - 1) / block;
  return 4 * ld * order + 6 * ld * block + 6 * top * strip + 8 * blocks * block * block + 36 * order + 4 * block;
}

System::System(const Shape& shape, Device& device)
    : shape_(shape), device_(device),
      scale_(static_cast<float>(std::exp2(std::floor(std::log2(std::max<double>(4, static_cast<double>(shape.order)) / 4))))) {
  const std::int64_t blocks = (shape.order + shape.block - 1) / shape.block;
  a_ = take_block<float>(device, shape.order, shape.order);
  product_ = take_block<float>(device, shape.order, shape.block);
  l_ = take_block<Half>(device, shape.order, shape.block);
  top_ = take_block<float>(device, shape.block, shape.strip);
  u_ = take_block<Half>(device, shape.block, shape.strip);
  l_inverses_ = take<float>(device, blocks * shape.block * shape.block);
  u_inverses_ = take<float>(device, blocks * shape.block * shape.block);
  vector_ = take<float>(device, shape.order);
  part_ = take<float>(device, shape.block);
  diagonal_on_device_ = take<double>(device, shape.order);
  x_ = take<double>(device, shape.order);
  products_ = take<double>(device, shape.order);
  sums_ = take<double>(device, shape.order);
}

// The diagonal is the sum of the row's numbers, so that no pivot is needed.
void System::prepare() {
  const auto order = static_cast<std::size_t>(shape_.order);
  device_.upload(std::vector<double>(order), x_);
  device_.row_sums(shape_.order, x_, products_, sums_);
  diagonal_ = device_.download(sums_, order);
  numbers_.resize(order);
  right_side_.resize(order);
  const hplgpu::Jump next = hplgpu::jump_of(order + 1);  // one row down, one column to the right
  std::uint64_t on_diagonal = hplgpu::kFirstState, beside = hplgpu::state_at(0, order, order);
  norm_ = 0;
  for (std::size_t i = 0; i < order; ++i) {
    numbers_[i] = hplgpu::number_of(on_diagonal);
    right_side_[i] = hplgpu::number_of(beside);
    on_diagonal = next.from(on_diagonal);
    beside = hplgpu::kOneStep.from(beside);
    norm_ = std::max(norm_, 2 * diagonal_[i] - std::abs(numbers_[i]));
  }
  device_.upload(diagonal_, diagonal_on_device_);
}

void System::factor(const Progress& progress, bool damage) {
  device_.generate(a_, diagonal_on_device_);
  for (std::int64_t first = 0; first < shape_.order; first += shape_.block) {
    throw_if_stopped();
    factor_block(first, std::min(shape_.block, shape_.order - first));
    if (damage && first <= shape_.order / 2 && first + shape_.block > shape_.order / 2) {
      device_.flip_bit(a_.at(shape_.order - 1, shape_.order - 1));
    }
    device_.wait();
    progress(std::min(first + shape_.block, shape_.order));
  }
}

// Products with inverses of the diagonal block take the place of triangular solutions: these blocks are far from singular.
void System::factor_block(std::int64_t first, std::int64_t width) {
  const std::int64_t next = first + width, below = shape_.order - next;
  const Floats diagonal = a_.part(first, first, width, width);
  const Floats l_inverse = inverse(l_inverses_, first, width), u_inverse = inverse(u_inverses_, first, width);
  device_.factor(diagonal);
  device_.invert(diagonal, l_inverse, u_inverse);
  if (below == 0) return;
  const Floats left = a_.part(next, first, below, width), product = product_.part(0, 0, below, width);
  const Halves l = l_.part(0, 0, below, width);
  device_.multiply(product, left, u_inverse);
  device_.store(product, left, l, scale_);
  for (std::int64_t column = next; column < shape_.order; column += shape_.strip) {
    const std::int64_t columns = std::min(shape_.strip, shape_.order - column);
    const Floats above = a_.part(first, column, width, columns), top = top_.part(0, 0, width, columns);
    const Halves u = u_.part(0, 0, width, columns);
    device_.multiply(top, l_inverse, above);
    device_.store(top, above, u, 1);
    device_.subtract_product(a_.part(next, column, below, columns), l, u, 1 / scale_);
  }
}

// remainder becomes U^-1 L^-1 remainder.
void System::correct(std::vector<float>& remainder) {
  device_.upload(remainder, vector_);
  const std::int64_t last = (shape_.order - 1) / shape_.block * shape_.block;
  const auto solve = [&](float* inverses, std::int64_t first, std::int64_t width) {
    device_.multiply_vector(inverse(inverses, first, width), vector_ + first, part_);
    device_.store({part_, width, width, 1}, {vector_ + first, width, width, 1}, {}, 1);
  };
  for (std::int64_t first = 0; first <= last; first += shape_.block) {
    const std::int64_t width = std::min(shape_.block, shape_.order - first), below = shape_.order - first - width;
    solve(l_inverses_, first, width);
    if (below > 0) device_.subtract_times(a_.part(first + width, first, below, width), vector_ + first, vector_ + first + width);
  }
  for (std::int64_t first = last; first >= 0; first -= shape_.block) {
    const std::int64_t width = std::min(shape_.block, shape_.order - first);
    solve(u_inverses_, first, width);
    if (first > 0) device_.subtract_times(a_.part(0, first, first, width), vector_ + first, vector_);
  }
  remainder = device_.download(vector_, remainder.size());
}

System::Pass System::look(const std::vector<double>& x) {
  const auto order = static_cast<std::size_t>(shape_.order);
  device_.upload(x, x_);
  device_.row_sums(shape_.order, x_, products_, sums_);
  const std::vector<double> products = device_.download(products_, order);
  Pass pass;
  pass.remainder.resize(order);
  for (std::size_t i = 0; i < order; ++i) pass.remainder[i] = right_side_[i] - (products[i] + (diagonal_[i] - numbers_[i]) * x[i]);
  pass.residual = hplgpu::scaled({hplgpu::largest(pass.remainder), norm_, hplgpu::largest(x), hplgpu::largest(right_side_)}, shape_.order);
  return pass;
}

Solution System::refine() {
  std::vector<double>& x = solution_;
  x.assign(static_cast<std::size_t>(shape_.order), 0);
  std::vector<double> remainder = right_side_;
  Solution solution;
  while (solution.iterations < kMostIterations) {
    std::vector<float> correction(remainder.begin(), remainder.end());
    correct(correction);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += static_cast<double>(correction[i]);
    ++solution.iterations;
    Pass pass = look(x);
    solution.residual = pass.residual;
    if (pass.residual.passed() || std::isnan(pass.residual.scaled)) break;
    remainder = std::move(pass.remainder);
  }
  return solution;
}

}  // namespace assay::hplmxp
