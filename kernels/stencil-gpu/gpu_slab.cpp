#include "stencil-gpu/gpu_slab.hpp"

#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"
#include "stencil-gpu/kernels.hpp"
#include "stencil-gpu/tiled.hpp"

namespace assay::stencil {
namespace {

constexpr int kChannels = 8;  // thread blocks of an exchange

// The fastest on H200s: 16 is 4 % slower for FP32, and 32 is 5 % slower for FP64.
template <typename Real>
constexpr int kTileHeight = sizeof(Real) == 4 ? 32 : 16;

// Tiles of half the height, and so on, where a block may not have as much shared memory.
template <typename Real>
int height_that_fits(int device) {
  int most = 0, height = kTileHeight<Real>;
  cuda::check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for the size of shared memory");
  while (tile_bytes(height, sizeof(Real)) > static_cast<std::size_t>(most)) height /= 2;
  return height;
}

template <typename Real>
class GpuSlab : public Slab {
 public:
  GpuSlab(const proxy::Rank& rank, const Shape& shape)
      : team_(rank.team), device_(rank.gpu.index), shape_(shape),
        tiling_{shape.nx, shape.nz, shape.rows, 0, rank.gpu.multiprocessors, false},
        stream_(device_), travel_(device_, cuda::Stream::Priority::Urgent),
        ready_(device_), outer_(device_), arrived_(device_),
        start_(device_, shape.stored()), first_(device_, shape.stored()), second_(device_, shape.stored()) {
    if (!has_whole_vectors(shape.nx, sizeof(Real))) return;
    const cuda::OnDevice on(device_);
    tiling_.height = height_that_fits<Real>(device_);
    allow_tiles<Real>(tiling_.height);
  }

  void join() {
    if (shape_.ranks > 1) links_ = std::make_unique<hplgpu::Links>(team_, kChannels);
  }

  const Shape& shape() const override { return shape_; }
  Factors factors() const override { return {amplification(weights_, {0, 0, 0}), amplification(weights_, mode_of(shape_))}; }

  void start() override {
    const auto field = field_after(shape_, {1, 1}, 0);
    cuda::upload(std::vector<Real>(field.begin(), field.end()), own(start_), stream_);
  }

  void step(int steps) override { make(steps, links_ != nullptr); }
  void step_alone(int steps) override { make(steps, false); }

  std::vector<double> field() override {
    const auto values = cuda::download(own(start_), shape_.cells(), stream_);
    return {values.begin(), values.end()};
  }

  void damage() override {
    cuda::flip_bit(own(start_), (shape_.cells() / 2) * sizeof(Real) + sizeof(Real) - 1, stream_);  // of the exponent
    stream_.synchronize();
  }

 private:
  using Field = cuda::DeviceBuffer<Real>;

  Real* own(Field& field) { return field.data() + kReach * shape_.row_cells(); }

  void make(int steps, bool with_neighbours) {
    const cuda::OnDevice on(device_);
    tiling_.wraps = tiling_.height > 0 && !with_neighbours;
    if (!tiling_.wraps) queue_exchange(start_, with_neighbours);
    for (int i = 0; i < steps; ++i) {
      queue_stage(start_, first_, 0, with_neighbours);
      queue_stage(first_, second_, 1, with_neighbours);
      queue_stage(second_, start_, 2, with_neighbours);
    }
    cuda::check(cudaStreamWaitEvent(stream_.get(), arrived_.get(), 0), "queueing the end of an exchange");
    proxy::wait(stream_, team_, links_.get());
  }

  // The rows that neighbours need come first, and travel while the others are computed.
  void queue_stage(Field& now, Field& next, int number, bool with_neighbours) {
    if (tiling_.height > 0) return queue_tiled_stage(now, next, number, with_neighbours);
    cuda::check(cudaStreamWaitEvent(stream_.get(), arrived_.get(), 0), "queueing the end of an exchange");
    const auto rows = [&](int first, int last) {
      const Real* from = own(now);
      const Real* began = own(start_);
      stencil::queue_stage(weights_, static_cast<Real>(kStageShare[number]), began, from, own(next), shape_.nx, shape_.nz, first, last,
                           stream_.get());
    };
    rows(0, kReach);
    rows(shape_.rows - kReach, shape_.rows);
    queue_exchange(next, with_neighbours);
    rows(kReach, shape_.rows - kReach);
  }

  // Rows that wrap need no copies. Else what neighbours need comes first. The other rows wait for it, so that the blocks of the exchange, which
  // are more urgent, find multiprocessors: in those full of rows they would wait until the last row is done.
  void queue_tiled_stage(Field& now, Field& next, int number, bool with_neighbours) {
    const auto queue = [&](const Chunks& chunks, const cuda::Stream& stream) {
      queue_tiles(tiling_, chunks, weights_, static_cast<Real>(kStageShare[number]), static_cast<const Real*>(own(start_)),
                  static_cast<const Real*>(own(now)), own(next), stream.get());
    };
    if (tiling_.wraps) return queue(all_rows(tiling_, 0, shape_.rows, sizeof(Real)), stream_);
    cuda::check(cudaStreamWaitEvent(stream_.get(), arrived_.get(), 0), "queueing the end of an exchange");
    ready_.record(stream_);
    cuda::check(cudaStreamWaitEvent(travel_.get(), ready_.get(), 0), "queueing the outer rows");
    queue(outer_rows(tiling_), travel_);
    outer_.record(travel_);
    cuda::check(cudaStreamWaitEvent(stream_.get(), outer_.get(), 0), "queueing the inner rows");
    queue_travel(next, with_neighbours);
    queue(all_rows(tiling_, kReach, shape_.rows - kReach, sizeof(Real)), stream_);
  }

  void queue_exchange(Field& field, bool with_neighbours) {
    ready_.record(stream_);
    cuda::check(cudaStreamWaitEvent(travel_.get(), ready_.get(), 0), "queueing an exchange");
    queue_travel(field, with_neighbours);
  }

  void queue_travel(Field& field, bool with_neighbours) {
    const std::size_t bytes = kReach * shape_.row_cells() * sizeof(Real);
    Real* last = own(field) + (static_cast<std::size_t>(shape_.rows) - kReach) * shape_.row_cells();
    Real* beyond = own(field) + shape_.cells();
    if (with_neighbours) {
      links_->exchange({own(field), last, field.data(), beyond}, bytes, shape_.rank, shape_.ranks, travel_.get());
    } else {
      cuda::check(cudaMemcpyAsync(field.data(), last, bytes, cudaMemcpyDeviceToDevice, travel_.get()), "wrapping rows");
      cuda::check(cudaMemcpyAsync(beyond, own(field), bytes, cudaMemcpyDeviceToDevice, travel_.get()), "wrapping rows");
    }
    arrived_.record(travel_);
  }

  hplgpu::Team& team_;
  int device_;
  Shape shape_;
  Tiling tiling_;
  Weights<Real> weights_ = Weights<Real>::make();
  cuda::Stream stream_;
  cuda::Stream travel_;
  cuda::Event ready_;
  cuda::Event outer_;
  cuda::Event arrived_;
  Field start_, first_, second_;
  std::unique_ptr<hplgpu::Links> links_;
};

template <typename Real>
std::unique_ptr<Slab> make(const proxy::Rank& rank, const Shape& shape) {
  std::unique_ptr<GpuSlab<Real>> slab;
  rank.team.together([&] { slab = std::make_unique<GpuSlab<Real>>(rank, shape); });
  const cuda::OnDevice on(rank.gpu.index);
  slab->join();
  return slab;
}

}  // namespace

std::unique_ptr<Slab> make_gpu_slab(const proxy::Rank& rank, const Shape& shape, bool is_double) {
  return is_double ? make<double>(rank, shape) : make<float>(rank, shape);
}

}  // namespace assay::stencil
