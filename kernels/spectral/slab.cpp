#include "spectral/slab.hpp"

#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"

namespace assay::spectral {
namespace {

constexpr int kChannels = 16;  // thread blocks of an exchange: on two H200s, a step takes 8 % longer with 4, and 1 % less with 32

template <typename Real>
class CudaSlab : public Slab {
 public:
  CudaSlab(const proxy::Rank& rank, const Mesh<Real>& mesh, const PackedMesh<Real>& pack)
      : team_(rank.team), gpu_(rank.gpu), shape_(mesh.shape), packs_(packs_of(shape_)), positions_(mesh.positions), inverse_mass_(mesh.inverse_mass),
        stream_(gpu_.index), travel_(gpu_.index, cuda::Stream::Priority::Urgent), moved_(gpu_.index), arrived_(gpu_.index),
        properties_(gpu_.index, pack.properties.size()), points_(gpu_.index, pack.points.size()),
        first_forces_(gpu_.index, mesh.first_forces.size()), forces_(gpu_.index, pack.forces.size()),
        masses_(gpu_.index, mesh.inverse_mass.size()), element_forces_(gpu_.index, forces_of_pack(packs_.count())),
        planes_(gpu_.index, 12 * plane()), u_(gpu_.index, 3 * count()), v_(gpu_.index, 3 * count()), sums_(gpu_.index, 3 * count()) {
    cuda::upload(pack.properties, properties_.data(), stream_);
    cuda::upload(pack.points, points_.data(), stream_);
    cuda::upload(mesh.first_forces, first_forces_.data(), stream_);
    cuda::upload(pack.forces, forces_.data(), stream_);
    cuda::upload(mesh.inverse_mass, masses_.data(), stream_);
  }

  void join(int ranks) {
    if (ranks > 1) links_ = std::make_unique<hplgpu::Links>(team_, kChannels);
  }

  const Shape& shape() const override { return shape_; }

  void start() override {
    const Fields fields = exact(shape_, positions_, 0);
    cuda::upload(std::vector<Real>(fields.displacements.begin(), fields.displacements.end()), u_.data(), stream_);
    cuda::upload(std::vector<Real>(fields.velocities.begin(), fields.velocities.end()), v_.data(), stream_);
  }

  void step(int steps) override { make(steps, true); }
  void step_alone(int steps) override { make(steps, false); }

  Fields fields() override { return {download(u_), download(v_)}; }

  Deviation deviation(int steps) override {
    return spectral::deviation(download(u_), exact(shape_, positions_, steps).displacements);
  }

  double energy() override {
    const cuda::OnDevice on(gpu_.index);
    queue_all_forces(true);
    queue_forces(view(true), sums_.data(), stream_.get());
    proxy::wait(stream_, team_, links_.get());
    Mesh<Real> mesh{shape_, {}, {}, {}, {}, inverse_mass_, {}};
    return spectral::energy(mesh, fields(), download(sums_));
  }

  void damage() override {
    cuda::flip_bit(u_.data(), (count() / 3) * sizeof(Real) + sizeof(Real) - 1, stream_);  // of the exponent
    stream_.synchronize();
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(shape_.points()); }
  std::size_t plane() const { return static_cast<std::size_t>(shape_.plane_points()); }
  Real* planes(std::size_t which) { return planes_.data() + 3 * plane() * which; }

  bool travels(bool with_neighbours) const { return with_neighbours && links_ != nullptr; }

  // Own planes: below, above; then those that neighbours sent. A slab that is alone meets itself.
  SlabView<Real> view(bool with_neighbours) {
    const Real* from_above = travels(with_neighbours) ? planes(2) : nullptr;
    return {properties_.data(), points_.data(), static_cast<int>(count()), Rule<Real>::make(), first_forces_.data(), forces_.data(),
            masses_.data(), element_forces_.data(), planes(0), from_above, planes(3), static_cast<int>(plane())};
  }

  // What is urgent gets the multiprocessors first, and the other packs what it leaves.
  void queue_all_forces(bool with_neighbours) {
    const SlabView<Real> slab = view(with_neighbours);
    if (!travels(with_neighbours)) return queue_pack_forces(slab, packs_, u_.data(), 0, packs_.count(), stream_.get());
    moved_.record(stream_);
    cuda::check(cudaStreamWaitEvent(travel_.get(), moved_.get(), 0), "queueing an exchange");
    queue_pack_forces(slab, packs_, u_.data(), 0, packs_.outer(), travel_.get());
    queue_planes(slab, travel_.get());
    links_->exchange({planes(0), planes(1), planes(3), planes(2)}, 3 * plane() * sizeof(Real), team_.rank(), team_.size(), travel_.get());
    arrived_.record(travel_);
    queue_pack_forces(slab, packs_, u_.data(), packs_.outer(), packs_.count(), stream_.get());
    cuda::check(cudaStreamWaitEvent(stream_.get(), arrived_.get(), 0), "queueing the end of an exchange");
  }

  void make(int steps, bool with_neighbours) {
    const cuda::OnDevice on(gpu_.index);
    for (int i = 0; i < steps; ++i) {
      queue_all_forces(with_neighbours);
      queue_step(view(with_neighbours), static_cast<Real>(time_step()), u_.data(), v_.data(), stream_.get());
    }
    proxy::wait(stream_, team_, links_.get());
  }

  std::vector<double> download(const cuda::DeviceBuffer<Real>& from) {
    const auto values = cuda::download(from.data(), from.count(), stream_);
    return {values.begin(), values.end()};
  }

  hplgpu::Team& team_;
  const cuda::Gpu& gpu_;
  Shape shape_;
  Packs packs_;
  std::vector<Position> positions_;
  std::vector<Real> inverse_mass_;
  cuda::Stream stream_;
  cuda::Stream travel_;
  cuda::Event moved_;
  cuda::Event arrived_;
  cuda::DeviceBuffer<Real> properties_;
  cuda::DeviceBuffer<int> points_;
  cuda::DeviceBuffer<int> first_forces_;
  cuda::DeviceBuffer<int> forces_;
  cuda::DeviceBuffer<Real> masses_;
  cuda::DeviceBuffer<Real> element_forces_;
  cuda::DeviceBuffer<Real> planes_;
  cuda::DeviceBuffer<Real> u_;
  cuda::DeviceBuffer<Real> v_;
  cuda::DeviceBuffer<Real> sums_;
  std::unique_ptr<hplgpu::Links> links_;
};

template <typename Real>
std::unique_ptr<Slab> make(const proxy::Rank& rank, const Shape& shape) {
  std::unique_ptr<CudaSlab<Real>> slab;
  rank.team.together([&] {
    const Mesh<Real> mesh = make_mesh<Real>(shape);
    slab = std::make_unique<CudaSlab<Real>>(rank, mesh, packed(mesh));
  });
  const cuda::OnDevice on(rank.gpu.index);
  slab->join(shape.ranks);
  return slab;
}

}  // namespace

std::unique_ptr<Slab> make_slab(const proxy::Rank& rank, int edge, int layers, bool is_double) {
  const Shape shape{edge, layers, rank.team.size(), rank.team.rank()};
  return is_double ? make<double>(rank, shape) : make<float>(rank, shape);
}

}  // namespace assay::spectral
