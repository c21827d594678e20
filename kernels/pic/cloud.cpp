#include "pic/cloud.hpp"

#include <cmath>

#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"
#include "pic/kernels.hpp"

namespace assay::pic {
namespace {

constexpr int kChannels = 8;         // thread blocks of the sum over ranks
constexpr std::size_t kHistory = 512;  // waves that are kept

class CudaCloud : public Cloud {
 public:
  CudaCloud(const proxy::Rank& rank, const Grid& grid, int per_cell)
      : team_(rank.team), device_(rank.gpu.index), grid_(grid), start_(quiet_start(grid, per_cell, team_.rank(), team_.size())), stream_(device_),
        markers_(device_, 4 * count()), charge_(device_, cells()), numbers_(device_, cells()), forces_(device_, cells()), density_(device_, 2 * cells()),
        components_(device_, 6 * cells()), circles_(device_, static_cast<std::size_t>(grid.nx + grid.ny + grid.nz)), waves_(device_, kHistory) {
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
    const Markers to = markers();
    cuda::upload(start_.x, to.x, stream_);
    cuda::upload(start_.y, to.y, stream_);
    cuda::upload(start_.z, to.z, stream_);
    cuda::upload(start_.v, to.v, stream_);
    made_ = 0;
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
    const Markers from = markers();
    const auto get = [&](const float* data) { return cuda::download(data, count(), stream_); };
    return {get(from.x), get(from.y), get(from.z), get(from.v)};
  }

  void damage() override {
    cuda::flip_bit(markers().v, (count() / 3) * sizeof(float) + sizeof(float) - 1, stream_);  // of the exponent
    stream_.synchronize();
  }

 private:
  std::size_t count() const { return start_.x.size(); }
  std::size_t cells() const { return static_cast<std::size_t>(grid_.cells()); }
  Markers markers() { return {markers_.data(), markers_.data() + count(), markers_.data() + 2 * count(), markers_.data() + 3 * count()}; }

  void make(int steps, bool with_others) {
    const cuda::OnDevice on(device_);
    const Complex* circles = circles_.data();
    const Room room{{density_.data(), density_.data() + cells()},
                    {components_.data(), components_.data() + 3 * cells()},
                    {circles, circles + grid_.nx, circles + grid_.nx + grid_.ny}};
    for (int i = 0; i < steps; ++i, ++made_) {
      cuda::check(cudaMemsetAsync(charge_.data(), 0, charge_.bytes(), stream_.get()), "clearing the charge");
      queue_deposit(grid_, markers(), count(), charge_.data(), stream_.get());
      queue_numbers(grid_, charge_.data(), numbers_.data(), stream_.get());
      if (with_others && links_) links_->sum_to_all(numbers_.data(), cells(), stream_.get());
      queue_solve(grid_, numbers_.data(), scale_, room, forces_.data(), waves_.data() + made_ % kHistory, stream_.get());
      queue_push(grid_, markers(), count(), forces_.data(), static_cast<float>(made_ == 0 ? kTimeStep / 2 : kTimeStep), stream_.get());
    }
    proxy::wait(stream_, team_, links_.get());
  }

  hplgpu::Team& team_;
  int device_;
  Grid grid_;
  Start start_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<float> markers_;
  cuda::DeviceBuffer<unsigned long long> charge_;
  cuda::DeviceBuffer<double> numbers_;
  cuda::DeviceBuffer<Force> forces_;
  cuda::DeviceBuffer<Complex> density_;
  cuda::DeviceBuffer<Complex> components_;
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
