#include "pic/binned.hpp"

#include "hpl-gpu/launch.hpp"

namespace assay::pic {
namespace {

using hplgpu::launch;

constexpr int kThreads = 128;
constexpr int kBatch = 4;      // markers of a cell that are asked for at once
constexpr int kTileRows = 4;   // a block moves the markers of 32 x 4 cells
constexpr unsigned kSpillBlocks = 4;

__device__ int own() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__device__ void give(const HalfCharge& half, int node, bool is_along_y, unsigned long long charge) {
  atomicAdd((is_along_y ? half.along_y : half.along_x) + node, charge);
}

__device__ unsigned spilled_in(const Bins& bins) { return *bins.spills < bins.most_spilled ? *bins.spills : bins.most_spilled; }

// The last kSpillBlocks blocks of a launch take what was spilled.
__device__ bool is_for_spilled() { return blockIdx.x + kSpillBlocks >= gridDim.x; }
template <typename Visit>
__device__ void each_spilled(const Bins& bins, Visit visit) {
  const unsigned count = spilled_in(bins), threads = blockDim.x * blockDim.y;
  const unsigned block = blockIdx.x + kSpillBlocks - gridDim.x;
  for (unsigned i = block * threads + threadIdx.y * blockDim.x + threadIdx.x; i < count; i += kSpillBlocks * threads) visit(bins.spilled[i]);
}

__device__ void give_all(const Grid& grid, int x, int y, int z, const CellCharge& charge, const HalfCharge& half) {
  each_sum(grid, x, y, z, charge, [&](int node, bool is_along_y, unsigned long long sum) { give(half, node, is_along_y, sum); });
}

// A thread adds up what the markers of its cell give to the corners around them, so that each corner gets one number for all.
__global__ void __launch_bounds__(kThreads) cell_charge(Grid grid, Bins bins, Bins next, HalfCharge half) {
  if (is_for_spilled()) {
    return each_spilled(bins, [&](const Marker& marker) {
      const Home home = home_of(grid, marker);
      CellCharge charge;
      add_charge(weights_of(home), charge);
      give_all(grid, home.x, home.y, home.z, charge, half);
    });
  }
  const int cell = own();
  if (cell >= grid.cells()) return;
  next.counts[cell] = 0;
  if (cell == 0) *next.spills = 0;
  const int held = bins.held(cell);
  CellCharge charge;
  for (int first = 0; first < held; first += kBatch) {
    Marker markers[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i < held) markers[i] = bins.markers[bins.place(cell, first + i)];
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i < held) add_charge(weights_of(home_of(grid, markers[i])), charge);
    }
  }
  give_all(grid, cell % grid.nx, cell / grid.nx % grid.ny, cell / (grid.nx * grid.ny), charge, half);
}

__global__ void __launch_bounds__(kThreads) whole_charge(Grid grid, HalfCharge half, double* numbers) {
  const int node = own();
  if (node >= grid.cells()) return;
  const int x = node % grid.nx, y = node / grid.nx % grid.ny;
  const int below_x = node - x + ((x - kRingWidth) & (grid.nx - 1));
  const int below_y = node + (((y - kRingWidth) & (grid.ny - 1)) - y) * grid.nx;
  numbers[node] = static_cast<double>(half.along_x[node] + half.along_x[below_x] + half.along_y[node] + half.along_y[below_y]);
}

__device__ void store(const Bins& next, const Marker& marker, unsigned slot, int cell) {
  if (slot < static_cast<unsigned>(next.capacity)) {
    next.markers[next.place(cell, static_cast<int>(slot))] = marker;
    return;
  }
  const unsigned at = atomicAdd(next.spills, 1U);
  if (at < next.most_spilled) next.spilled[at] = marker;
}

__device__ Force operator+(const Force& a, const Force& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, 0}; }
__device__ void add(Force& sum, float share, const Force& force) {
  sum.x += share * force.x;
  sum.y += share * force.y;
  sum.z += share * force.z;
}

// Forces around the cells of a block, each the sum of two that are kRingWidth cells apart: what the two points of a ring feel with the same
// weights. As in CellCharge, along_x begins two cells before the block's along x, and along_y along y.
struct Tile {
  Force along_x[2][kTileRows + 1][kBinWidth + 2];
  Force along_y[2][kTileRows + 2][kBinWidth + 1];
};

template <typename Rows>
__device__ void fill(Rows& rows, const Grid& grid, const Force* forces, int x, int y, int z, int to_x, int to_y) {
  constexpr int kWidth = sizeof(rows[0][0]) / sizeof(Force), kHeight = sizeof(rows[0]) / sizeof(rows[0][0]);
  const auto at = [&](int i, int j, int k) {
    return forces[(((z + k) & (grid.nz - 1)) * grid.ny + ((y + j) & (grid.ny - 1))) * grid.nx + ((x + i) & (grid.nx - 1))];
  };
  constexpr int kBlock = kBinWidth * kTileRows;
#pragma unroll
  for (int part = 0; part < 2 * kHeight * kWidth; part += kBlock) {
    const int i = part + static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    if (i >= 2 * kHeight * kWidth) break;
    const int column = i % kWidth, row = i / kWidth % kHeight, layer = i / (kWidth * kHeight);
    rows[layer][row][column] = at(column, row, layer) + at(column + to_x, row + to_y, layer);
  }
}

// x, y: of the marker's cell in the block.
__device__ Force sum_around(const Tile& tile, int x, int y, const Weights& w) {
  Force sum{0, 0, 0, 0};
  const Force* at_x = &tile.along_x[0][y][x + w.ring_x.cell];
  const Force* at_y = &tile.along_y[0][y + w.ring_y.cell][x];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        constexpr int kPlaneX = (kTileRows + 1) * (kBinWidth + 2), kPlaneY = (kTileRows + 2) * (kBinWidth + 1);
        add(sum, static_cast<float>(w.at_ring_x[i] * w.y[j] * w.z[k]), at_x[k * kPlaneX + j * (kBinWidth + 2) + i]);
        add(sum, static_cast<float>(w.x[i] * w.at_ring_y[j] * w.z[k]), at_y[k * kPlaneY + j * (kBinWidth + 1) + i]);
      }
    }
  }
  return sum;
}

__device__ void move_spilled(const Grid& grid, const Bins& bins, const Bins& next, const Force* forces, float kick) {
  each_spilled(bins, [&](const Marker& marker) {
    Force sum{0, 0, 0, 0};
    each_corner(grid, marker.x, marker.y, marker.z, [&](int node, unsigned weight) { add(sum, static_cast<float>(weight), forces[node]); });
    const Marker at = moved(grid, marker, sum, kick);
    const int cell = cell_of(grid, home_of(grid, at));
    store(next, at, atomicAdd(next.counts + cell, 1U), cell);
  });
}

// A thread moves the markers of one cell; all of them read the forces around it from shared memory.
__global__ void __launch_bounds__(kBinWidth* kTileRows) move(Grid grid, Bins bins, Bins next, const Force* __restrict__ forces, float kick,
                                                            HalfCharge half) {
  __shared__ Tile tile;
  if (is_for_spilled()) return move_spilled(grid, bins, next, forces, kick);
  const int tiles_x = grid.nx / kBinWidth, tiles_y = grid.ny / kTileRows;
  const auto number = static_cast<int>(blockIdx.x);
  const int left = number % tiles_x * kBinWidth, low = number / tiles_x % tiles_y * kTileRows, z = number / (tiles_x * tiles_y);
  fill(tile.along_x, grid, forces, left - 2, low, z, kRingWidth, 0);
  fill(tile.along_y, grid, forces, left, low - 2, z, 0, kRingWidth);
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int cell = (z * grid.ny + low + y) * grid.nx + left + x;
  half.along_x[cell] = 0;
  half.along_y[cell] = 0;
  const int held = bins.held(cell);
  __syncthreads();
  for (int first = 0; first < held; first += kBatch) {
    Marker markers[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i < held) markers[i] = bins.markers[bins.place(cell, first + i)];
    }
    int cells[kBatch] = {};
    unsigned slots[kBatch] = {};
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i >= held) continue;
      markers[i] = moved(grid, markers[i], sum_around(tile, x, y, weights_of(home_of(grid, markers[i]))), kick);
      cells[i] = cell_of(grid, home_of(grid, markers[i]));
      slots[i] = atomicAdd(next.counts + cells[i], 1U);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (first + i < held) store(next, markers[i], slots[i], cells[i]);
    }
  }
}

unsigned blocks_for(const Grid& grid) { return static_cast<unsigned>((grid.cells() + kThreads - 1) / kThreads); }

}  // namespace

void queue_cell_charge(const Grid& grid, const Bins& bins, const Bins& next, const HalfCharge& half, cudaStream_t stream) {
  launch("adding up charge by cell", cell_charge, dim3(blocks_for(grid) + kSpillBlocks), dim3(kThreads), 0, stream, grid, bins, next, half);
}

void queue_whole_charge(const Grid& grid, const HalfCharge& half, double* numbers, cudaStream_t stream) {
  launch("adding up charge", whole_charge, dim3(blocks_for(grid)), dim3(kThreads), 0, stream, grid, half, numbers);
}

void queue_move(const Grid& grid, const Bins& bins, const Bins& next, const Force* forces, float kick, const HalfCharge& half,
                cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(grid.cells() / (kBinWidth * kTileRows));
  launch("moving markers", move, dim3(tiles + kSpillBlocks), dim3(kBinWidth, kTileRows), 0, stream, grid, bins, next, forces, kick, half);
}

}  // namespace assay::pic
