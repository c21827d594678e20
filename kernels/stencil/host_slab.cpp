#include "stencil/host_slab.hpp"

#include <cstring>

namespace assay::stencil {
namespace {

// The loop is compiled for several processors; the program takes the best one when it starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ASSAY_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define ASSAY_CLONES
#endif

// A line of cells along x in six of its neighbours' lines; of x itself, cells [begin, end) whose neighbours need no wrapping.
template <typename Real>
struct Line {
  const Real* start;  // at the beginning of the step
  const Real* now;
  const Real* y[kWidth];
  const Real* z[kWidth];
  Real* next;
};

template <typename Real>
inline void put_cells(const Line<Real>& line, const Weights<Real>& w, Real share, std::size_t begin, std::size_t end) {
  const Real* __restrict start = line.start;
  const Real* __restrict now = line.now;
  Real* next = line.next;
  for (std::size_t i = begin; i < end; ++i) {
    const Real* x = now + i;
    Real change = w.x[3] * x[0] + w.x[0] * x[-3] + w.x[1] * x[-2] + w.x[2] * x[-1] + w.x[4] * x[1] + w.x[5] * x[2] + w.x[6] * x[3];
    change += w.y[0] * line.y[0][i] + w.y[1] * line.y[1][i] + w.y[2] * line.y[2][i];
    change += w.y[4] * line.y[4][i] + w.y[5] * line.y[5][i] + w.y[6] * line.y[6][i];
    change += w.z[1] * line.z[1][i] + w.z[2] * line.z[2][i] + w.z[4] * line.z[4][i] + w.z[5] * line.z[5][i];
    next[i] = start[i] + share * change;
  }
}

ASSAY_CLONES void put_line(const Line<float>& line, const Weights<float>& w, float share, std::size_t begin, std::size_t end) {
  put_cells(line, w, share, begin, end);
}
ASSAY_CLONES void put_line(const Line<double>& line, const Weights<double>& w, double share, std::size_t begin, std::size_t end) {
  put_cells(line, w, share, begin, end);
}

template <typename Real>
class HostSlab : public Slab {
 public:
  HostSlab(const Shape& shape, const Exchange& exchange)
      : shape_(shape), exchange_(exchange), start_(new Real[shape.stored()]), first_(new Real[shape.stored()]), second_(new Real[shape.stored()]) {
    each_row([&](std::size_t y) {  // by the threads that will use the rows
      for (const Memory* field : {&start_, &first_, &second_}) std::fill_n(own(*field) + y * shape_.row_cells(), shape_.row_cells(), Real{0});
    });
  }

  const Shape& shape() const override { return shape_; }
  Factors factors() const override { return {amplification(weights_, {0, 0, 0}), amplification(weights_, mode_of(shape_))}; }

  void start() override {
    const auto field = field_after(shape_, {1, 1}, 0);
    each_row([&](std::size_t y) {
      const std::size_t begin = y * shape_.row_cells();
      std::copy_n(field.begin() + static_cast<std::ptrdiff_t>(begin), shape_.row_cells(), own(start_) + begin);
    });
  }

  void step(int steps) override { make(steps, true); }
  void step_alone(int steps) override { make(steps, false); }
  std::vector<double> field() override { return {own(start_), own(start_) + shape_.cells()}; }

  void damage() override {
    std::uint8_t* byte = reinterpret_cast<std::uint8_t*>(own(start_) + shape_.cells() / 2) + sizeof(Real) - 1;
    *byte ^= 0x10;
  }

 private:
  using Memory = std::unique_ptr<Real[]>;

  Real* own(const Memory& field) const { return field.get() + kReach * shape_.row_cells(); }

  template <typename Work>
  void each_row(Work work) const {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < shape_.rows; ++y) work(static_cast<std::size_t>(y));
  }

  void make(int steps, bool with_neighbours) {
    for (int i = 0; i < steps; ++i) {
      stage(start_, first_, 0, with_neighbours);
      stage(first_, second_, 1, with_neighbours);
      stage(second_, start_, 2, with_neighbours);
    }
  }

  void stage(const Memory& now, const Memory& next, int number, bool with_neighbours) {
    const std::size_t bytes = kReach * shape_.row_cells() * sizeof(Real);
    Real* last = own(now) + (static_cast<std::size_t>(shape_.rows) - kReach) * shape_.row_cells();
    Real* beyond = own(now) + shape_.cells();
    if (with_neighbours && exchange_) {
      exchange_(own(now), last, now.get(), beyond, bytes);
    } else {
      std::memcpy(now.get(), last, bytes);
      std::memcpy(beyond, own(now), bytes);
    }
    each_row([&](std::size_t y) {
      for (int z = 0; z < shape_.nz; ++z) compute(own(now), own(next), y, z, static_cast<Real>(kStageShare[number]));
    });
  }

  void compute(const Real* now, Real* next, std::size_t y, int z, Real share) const {
    const auto nx = static_cast<std::size_t>(shape_.nx);
    const std::size_t row = y * shape_.row_cells();
    const auto line_at = [&](int level) { return row + static_cast<std::size_t>((level + shape_.nz) % shape_.nz) * nx; };
    const std::size_t at = line_at(z);
    Line<Real> line{own(start_) + at, now + at, {}, {}, next + at};
    for (int i = 0; i < kWidth; ++i) {
      line.y[i] = now + at + (i - kReach) * static_cast<std::ptrdiff_t>(shape_.row_cells());
      line.z[i] = now + line_at(z + i - kReach);
    }
    put_line(line, weights_, share, kReach, nx - kReach);
    wrap(line, share);
  }

  // The cells at both ends of a line, whose neighbours along x are at the other end.
  void wrap(const Line<Real>& line, Real share) const {
    const int nx = shape_.nx;
    for (int k = 0; k < 2 * kReach; ++k) {
      const int x = k < kReach ? k : nx - 2 * kReach + k;
      Real around[kWidth];
      for (int i = 0; i < kWidth; ++i) around[i] = line.now[(x + i - kReach + nx) % nx];
      Line<Real> cell{line.start + x, around + kReach, {}, {}, line.next + x};
      for (int i = 0; i < kWidth; ++i) {
        cell.y[i] = line.y[i] + x;
        cell.z[i] = line.z[i] + x;
      }
      put_cells(cell, weights_, share, 0, 1);
    }
  }

  Shape shape_;
  Exchange exchange_;
  Weights<Real> weights_ = Weights<Real>::make();
  Memory start_, first_, second_;
};

}  // namespace

std::int64_t memory_bytes(const Shape& shape, bool is_double) {
  const std::size_t fields = 3 * shape.stored() * (is_double ? sizeof(double) : sizeof(float));
  return static_cast<std::int64_t>(fields + 2 * shape.cells() * sizeof(double));
}

std::unique_ptr<Slab> make_host_slab(const Shape& shape, bool is_double, const Exchange& exchange) {
  if (is_double) return std::make_unique<HostSlab<double>>(shape, exchange);
  return std::make_unique<HostSlab<float>>(shape, exchange);
}

}  // namespace assay::stencil
