#include "pic/cloud.hpp"

#include <algorithm>
#include <cmath>

#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"
#include "pic/binned.hpp"
#include "pic/fourier.hpp"
#include "pic/host_bins.hpp"

namespace assay::pic {
namespace {

constexpr int kChannels = 8;           // thread blocks of the sum over ranks
constexpr std::size_t kHistory = 512;  // waves that are kept

// What one copy of the markers takes on the GPU: every step moves them from one into the other.
struct DeviceBins {
  cuda::DeviceBuffer<Marker> markers;
  cuda::DeviceBuffer<unsigned> counts;
  cuda::DeviceBuffer<Marker> spilled;
  cuda::DeviceBuffer<unsigned> spills;

  DeviceBins(int device, const HostBins& host)
      : markers(device, host.markers.size()), counts(device, host.counts.size()), spilled(device, host.spilled.size()), spills(device, 1) {}

  Bins view(int capacity) {
    return {markers.data(), counts.data(), capacity, spilled.data(), spills.data(), static_cast<unsigned>(spilled.count())};
  }
};

class CudaCloud : public Cloud {
 public:
  CudaCloud(const proxy::Rank& rank, const Grid& grid, int per_cell)
      : team_(rank.team), device_(rank.gpu.index), grid_(grid), capacity_(capacity_for(per_cell)),
        bins_(grid, capacity_, cells() * static_cast<std::size_t>(per_cell) / kSpillShare + 1024), stream_(device_),
        copies_{DeviceBins(device_, bins_), DeviceBins(device_, bins_)}, half_(device_, 2 * cells()), numbers_(device_, cells()),
        forces_(device_, cells()), fields_(device_, 6 * cells()),
        circles_(device_, static_cast<std::size_t>(grid.nx + grid.ny + grid.nz)), waves_(device_, kHistory) {
    bins_.fill(grid, capacity_, quiet_start(grid, per_cell, team_.rank(), team_.size()));
    std::vector<Complex> circles;
    for (const int length : {grid.nx, grid.ny, grid.nz}) {
      for (int i = 0; i < length; ++i) {
        const double angle = 6.283185307179586477 * i / length;
        circles.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
      }
    }
    cuda::upload(circles, circles_.data(), stream_);
    scale_ = 1 / (static_cast<double>(per_cell) * team_.size() * static_cast<double>(kChargeOfMarker));
  }

  void join() {
    if (team_.size() > 1) links_ = std::make_unique<hplgpu::Links>(team_, kChannels);
  }

  void start() override {
    const cuda::OnDevice on(device_);
    made_ = 0;
    DeviceBins& to = now();
    cuda::upload(bins_.markers, to.markers.data(), stream_);
    cuda::upload(bins_.counts, to.counts.data(), stream_);
    cuda::upload(bins_.spilled, to.spilled.data(), stream_);
    cuda::upload(bins_.spills, to.spills.data(), stream_);
    cuda::check(cudaMemsetAsync(half_.data(), 0, half_.bytes(), stream_.get()), "clearing the charge");
  }

  void step(int steps) override { make(steps, true); }
  void step_alone(int steps) override { make(steps, false); }

  std::vector<double> waves(int steps) override {
    make(steps, true);
    std::vector<double> values;
    for (const Complex& wave : cuda::download(waves_.data(), static_cast<std::size_t>(steps), stream_)) values.push_back(wave.re);
    const double first = values.front();
    for (double& value : values) value /= first;
    return values;
  }

  std::vector<double> charge() override { return cuda::download(numbers_.data(), cells(), stream_); }
  std::vector<Force> forces() override { return cuda::download(forces_.data(), cells(), stream_); }

  Start coordinates() override {
    const auto get = [&](auto& buffer) { return cuda::download(buffer.data(), buffer.count(), stream_); };
    HostBins bins(grid_, 0, 0);
    bins.markers = get(now().markers);
    bins.counts = get(now().counts);
    bins.spilled = get(now().spilled);
    bins.spills = get(now().spills);
    return bins.coordinates(grid_, capacity_);
  }

  void damage() override {
    DeviceBins& bins = now();
    const auto counts = cuda::download(bins.counts.data(), bins.counts.count(), stream_);
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(cells() / 3);
    const auto cell = static_cast<int>(std::find_if(middle, counts.end(), [](unsigned count) { return count > 0; }) - counts.begin());
    cuda::flip_bit(bins.markers.data(), (bins.view(capacity_).place(cell, 0) + 1) * sizeof(Marker) - 1, stream_);  // of v's exponent
    stream_.synchronize();
  }

 private:
  std::size_t cells() const { return static_cast<std::size_t>(grid_.cells()); }

  DeviceBins& now() { return copies_[made_ % 2]; }

  void make(int steps, bool with_others) {
    const cuda::OnDevice on(device_);
    for (int i = 0; i < steps; ++i, ++made_) queue_step(with_others);
    proxy::wait(stream_, team_, links_.get());
  }

  void queue_step(bool with_others) {
    const cudaStream_t stream = stream_.get();
    const Complex* circles = circles_.data();
    Complex* fields = fields_.data();
    const FourierRoom room{{fields, fields + cells()},
                           {fields + 2 * cells(), fields + 4 * cells()},
                           {circles, circles + grid_.nx, circles + grid_.nx + grid_.ny}};
    const HalfCharge half{half_.data(), half_.data() + cells()};
    const Bins from = copies_[made_ % 2].view(capacity_), to = copies_[(made_ + 1) % 2].view(capacity_);
    queue_cell_charge(grid_, from, to, half, stream);
    queue_whole_charge(grid_, half, numbers_.data(), stream);
    if (with_others && links_) links_->sum_to_all(numbers_.data(), cells(), stream);
    queue_fourier_solve(grid_, numbers_.data(), scale_, room, forces_.data(), waves_.data() + made_ % kHistory, stream);
    queue_move(grid_, from, to, forces_.data(), static_cast<float>(made_ == 0 ? kTimeStep / 2 : kTimeStep), half, stream);
  }

  hplgpu::Team& team_;
  int device_;
  Grid grid_;
  int capacity_;
  HostBins bins_;  // to start with
  cuda::Stream stream_;
  DeviceBins copies_[2];
  cuda::DeviceBuffer<unsigned long long> half_;
  cuda::DeviceBuffer<double> numbers_;
  cuda::DeviceBuffer<Force> forces_;
  cuda::DeviceBuffer<Complex> fields_;
  cuda::DeviceBuffer<Complex> circles_;
  cuda::DeviceBuffer<Complex> waves_;
  double scale_ = 1;
  std::size_t made_ = 0;
  std::unique_ptr<hplgpu::Links> links_;
};

}  // namespace

std::unique_ptr<Cloud> make_cloud(const proxy::Rank& rank, const Grid& grid, int per_cell) {
  std::unique_ptr<CudaCloud> cloud;
  rank.team.together([&] { cloud = std::make_unique<CudaCloud>(rank, grid, per_cell); });
  const cuda::OnDevice on(rank.gpu.index);
  cloud->join();
  return cloud;
}

}  // namespace assay::pic
