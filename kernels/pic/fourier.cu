#include "pic/fourier.hpp"

#include "hpl-gpu/launch.hpp"

namespace assay::pic {
namespace {

using hplgpu::launch;

constexpr int kLines = 16;          // that a block transforms together
constexpr int kPitch = kLines + 1;  // in shared memory, from point to point of a line

// All lines along one axis. stride: from point to point; sign: -1 to coefficients, 1 back; circle: cosines and sines of the length.
struct Lines {
  int stride;
  int length;
  float sign;
  const Complex* circle;

  __device__ int place(int line, int point) const { return line / stride * stride * length + line % stride + point * stride; }
};

__device__ Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
__device__ Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }

__device__ Complex turned(const Lines& lines, const Complex& value, int by) {
  const Complex turn = lines.circle[by];
  const float im = lines.sign * turn.im;
  return {value.re * turn.re - value.im * im, value.re * im + value.im * turn.re};
}
__device__ Complex quarter_turned(const Lines& lines, const Complex& value) { return {-lines.sign * value.im, lines.sign * value.re}; }

// Four numbers, or twice two, that a thread combines: Stockham's order, so that points end where they belong.
// done: product of the radices so far.
__device__ void combine_four(const Lines& lines, Complex (&v)[4], int number, int done) {
  const int step = number % done * (lines.length / (4 * done));
  for (int r = 1; r < 4; ++r) v[r] = turned(lines, v[r], r * step);
  const Complex even = v[0] + v[2], odd = v[0] - v[2], sum = v[1] + v[3], difference = quarter_turned(lines, v[1] - v[3]);
  v[0] = even + sum;
  v[1] = odd + difference;
  v[2] = even - sum;
  v[3] = odd - difference;
}

// Transforms the block's lines: a line's point p lies at p * kPitch + line. Thread: line, and which quarter of a line's numbers.
__device__ void transform(const Lines& lines, Complex* values, int line, int number) {
  const int quarter = lines.length / 4;
  int done = 1;
  for (; done * 4 <= lines.length; done *= 4) {
    Complex v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = values[(number + r * quarter) * kPitch + line];
    combine_four(lines, v, number, done);
    __syncthreads();
    const int to = number / done * done * 4 + number % done;
#pragma unroll
    for (int r = 0; r < 4; ++r) values[(to + r * done) * kPitch + line] = v[r];
    __syncthreads();
  }
  if (done == lines.length) return;
  // The length is twice a power of four: two pairs are left for each thread.
  Complex v[2][2];
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const int at = number + pair * quarter;
    v[pair][0] = values[at * kPitch + line];
    v[pair][1] = turned(lines, values[(at + 2 * quarter) * kPitch + line], at);
  }
  __syncthreads();
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const int at = number + pair * quarter;
    values[at * kPitch + line] = v[pair][0] + v[pair][1];
    values[(at + 2 * quarter) * kPitch + line] = v[pair][0] - v[pair][1];
  }
  __syncthreads();
}

// Calls visit(number in the field, place in shared memory) for all points of the block's lines, neighbours in memory by neighbouring threads.
template <typename Visit>
__device__ void each_point(const Lines& lines, Visit visit) {
  const int first = static_cast<int>(blockIdx.x) * kLines;
  for (int i = static_cast<int>(threadIdx.x); i < kLines * lines.length; i += static_cast<int>(blockDim.x)) {
    const bool is_along_x = lines.stride == 1;
    const int line = is_along_x ? i / lines.length : i % kLines;
    const int point = is_along_x ? i % lines.length : i / kLines;
    visit(lines.place(first + line, point), point * kPitch + line);
  }
}

struct Density {
  const double* charge;
  double scale;
  __device__ Complex operator()(int at, unsigned) const { return {static_cast<float>(charge[at] * scale - 1), 0}; }
};
struct Fields {
  Complex* fields;
  int cells;
  __device__ Complex operator()(int at, unsigned field) const { return fields[static_cast<std::size_t>(field) * cells + at]; }
  __device__ void operator()(int at, unsigned field, const Complex& value) const {
    fields[static_cast<std::size_t>(field) * cells + at] = value;
  }
};
// Two fields hold three components: their values are real numbers, so x and y are the parts of one.
struct Components {
  Force* forces;
  __device__ void operator()(int at, unsigned field, const Complex& value) const {
    if (field == 1) {
      forces[at].z = value.re;
      return;
    }
    forces[at].x = value.re;
    forces[at].y = value.im;
  }
};

template <typename Source, typename Sink>
__global__ void __launch_bounds__(512) transform_lines(Lines lines, Source source, Sink sink) {
  ASSAY_DYNAMIC_SHARED(Complex, values);
  const unsigned field = blockIdx.y;
  each_point(lines, [&](int from, int to) { values[to] = source(from, field); });
  __syncthreads();
  transform(lines, values, static_cast<int>(threadIdx.x) % kLines, static_cast<int>(threadIdx.x) / kLines);
  each_point(lines, [&](int to, int from) { sink(to, field, values[from]); });
}

// Along z to the density's coefficients, from them to the forces', and back along z.
__global__ void __launch_bounds__(512) solve_lines(Grid grid, Lines lines, Fields density, Fields forces, Complex* wave) {
  ASSAY_DYNAMIC_SHARED(Complex, values);
  Complex* parts = values + lines.length * kPitch;
  const int line = static_cast<int>(threadIdx.x) % kLines, number = static_cast<int>(threadIdx.x) / kLines;
  each_point(lines, [&](int from, int to) { values[to] = density(from, 0); });
  __syncthreads();
  lines.sign = -1;
  transform(lines, values, line, number);
  lines.sign = 1;
  const float scale = 1 / static_cast<float>(grid.cells());  // of a transform and back
  for (unsigned field = 0; field < 2; ++field) {
    each_point(lines, [&](int at, int place) {
      const Complex value{scale * values[place].re, scale * values[place].im};
      const WaveForce force = force_of(grid, at, value);
      parts[place] = field == 0 ? Complex{force.x.re - force.y.im, force.x.im + force.y.re} : force.z;
      if (field == 0 && at == wave_index(grid)) *wave = {2 * value.re, 2 * value.im};
    });
    __syncthreads();
    transform(lines, parts, line, number);
    each_point(lines, [&](int at, int place) { forces(at, field, parts[place]); });
    __syncthreads();
  }
}

struct Shape {
  dim3 blocks, threads;
  std::size_t shared;
};
Shape shape_of(const Grid& grid, const Lines& lines, unsigned fields) {
  return {dim3(static_cast<unsigned>(grid.cells() / lines.length / kLines), fields), dim3(static_cast<unsigned>(kLines * lines.length / 4)),
          static_cast<std::size_t>(lines.length) * kPitch * sizeof(Complex)};
}

template <typename Source, typename Sink>
void queue_lines(const Grid& grid, const Lines& lines, unsigned fields, const Source& source, const Sink& sink, cudaStream_t stream) {
  const Shape shape = shape_of(grid, lines, fields);
  launch("transforming a field", transform_lines<Source, Sink>, shape.blocks, shape.threads, shape.shared, stream, lines, source, sink);
}

}  // namespace

void queue_fourier_solve(const Grid& grid, const double* charge, double scale, const FourierRoom& room, Force* forces, Complex* wave,
                         cudaStream_t stream) {
  const auto along_x = [&](float sign) { return Lines{1, grid.nx, sign, room.circle[0]}; };
  const auto along_y = [&](float sign) { return Lines{grid.nx, grid.ny, sign, room.circle[1]}; };
  const Lines along_z{grid.nx * grid.ny, grid.nz, 1, room.circle[2]};
  const int cells = grid.cells();
  queue_lines(grid, along_x(-1), 1, Density{charge, scale}, Fields{room.density[0], cells}, stream);
  queue_lines(grid, along_y(-1), 1, Fields{room.density[0], cells}, Fields{room.density[1], cells}, stream);
  const Shape shape = shape_of(grid, along_z, 1);
  launch("solving for the forces", solve_lines, shape.blocks, shape.threads, 2 * shape.shared, stream, grid, along_z,
         Fields{room.density[1], cells}, Fields{room.forces[0], cells}, wave);
  queue_lines(grid, along_y(1), 2, Fields{room.forces[0], cells}, Fields{room.forces[1], cells}, stream);
  queue_lines(grid, along_x(1), 2, Fields{room.forces[1], cells}, Components{forces}, stream);
}

}  // namespace assay::pic
