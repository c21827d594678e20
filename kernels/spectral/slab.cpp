#include "spectral/slab.hpp"

#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"

namespace assay::spectral {
namespace {

constexpr int kChannels = 4;  // thread blocks of an exchange: it is short, and the elements need the rest

template <typename Real>
class CudaSlab : public Slab {
 public:
  // is_packed: properties, points and forces are those of the packed mesh.
  CudaSlab(const proxy::Rank& rank, const Mesh<Real>& mesh, bool is_packed, bool is_deep)
      : team_(rank.team), gpu_(rank.gpu), shape_(mesh.shape), is_packed_(is_packed), is_deep_(is_deep), packs_(packs_of(shape_)),
        positions_(mesh.positions), inverse_mass_(mesh.inverse_mass),
        stream_(gpu_.index), travel_(gpu_.index, cuda::Stream::Priority::Urgent), planes_ready_(gpu_.index), arrived_(gpu_.index),
        properties_(gpu_.index, mesh.properties.size()), points_(gpu_.index, mesh.points.size()),
        first_forces_(gpu_.index, mesh.first_forces.size()), forces_(gpu_.index, mesh.forces.size()),
        masses_(gpu_.index, mesh.inverse_mass.size()),
        element_forces_(gpu_.index, is_packed ? forces_of_pack(packs_.count()) : forces_of(shape_.elements())),
        planes_(gpu_.index, 12 * plane()), u_(gpu_.index, 3 * count()), v_(gpu_.index, 3 * count()), sums_(gpu_.index, 3 * count()) {
    cuda::upload(mesh.properties, properties_.data(), stream_);
    cuda::upload(mesh.points, points_.data(), stream_);
    cuda::upload(mesh.first_forces, first_forces_.data(), stream_);
    cuda::upload(mesh.forces, forces_.data(), stream_);
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

  // Own planes: below, above; then those that neighbours sent. A slab that is alone meets itself.
  SlabView<Real> view(bool with_neighbours) {
    const bool is_alone = !with_neighbours || links_ == nullptr;
    const Real* from_above = is_alone ? (is_packed_ ? nullptr : planes(0)) : planes(2);
    return {{properties_.data(), points_.data(), static_cast<int>(count())}, Rule<Real>::make(), first_forces_.data(), forces_.data(),
            masses_.data(), element_forces_.data(), planes(0), from_above, planes(is_alone ? 1 : 3), static_cast<int>(plane()),
            is_packed_ ? kPackNodes : kStride};
  }

  // Forces of the outer layers travel while those of the others are computed.
  void queue_all_forces(bool with_neighbours) {
    if (is_packed_) return queue_all_packs(with_neighbours && links_ != nullptr);
    const SlabView<Real> slab = view(with_neighbours);
    const int outer = 2 * shape_.layer_elements();
    queue_element_forces(slab, u_.data(), 0, outer, gpu_.multiprocessors, stream_.get());
    queue_planes(slab, stream_.get());
    const bool travels = with_neighbours && links_ != nullptr;
    if (travels) {
      planes_ready_.record(stream_);
      cuda::check(cudaStreamWaitEvent(travel_.get(), planes_ready_.get(), 0), "queueing an exchange");
      links_->exchange({planes(0), planes(1), planes(3), planes(2)}, 3 * plane() * sizeof(Real), team_.rank(), team_.size(), travel_.get());
      arrived_.record(travel_);
    }
    queue_element_forces(slab, u_.data(), outer, shape_.elements(), gpu_.multiprocessors, stream_.get());
    if (travels) cuda::check(cudaStreamWaitEvent(stream_.get(), arrived_.get(), 0), "queueing the end of an exchange");
  }

  // What is urgent gets the multiprocessors first, and the other packs what it leaves.
  void queue_all_packs(bool travels) {
    const SlabView<Real> slab = view(travels);
    if (!travels) return queue_pack_forces(slab, packs_, u_.data(), 0, packs_.count(), is_deep_, stream_.get());
    planes_ready_.record(stream_);
    cuda::check(cudaStreamWaitEvent(travel_.get(), planes_ready_.get(), 0), "queueing an exchange");
    queue_pack_forces(slab, packs_, u_.data(), 0, packs_.outer(), is_deep_, travel_.get());
    queue_planes(slab, travel_.get());
    links_->exchange({planes(0), planes(1), planes(3), planes(2)}, 3 * plane() * sizeof(Real), team_.rank(), team_.size(), travel_.get());
    arrived_.record(travel_);
    queue_pack_forces(slab, packs_, u_.data(), packs_.outer(), packs_.count(), is_deep_, stream_.get());
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
  bool is_packed_;
  bool is_deep_;
  Packs packs_;
  std::vector<Position> positions_;
  std::vector<Real> inverse_mass_;
  cuda::Stream stream_;
  cuda::Stream travel_;
  cuda::Event planes_ready_;
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
Mesh<Real> mesh_of(const Shape& shape, bool is_packed) {
  Mesh<Real> mesh = make_mesh<Real>(shape);
  if (!is_packed) return mesh;
  PackedMesh<Real> pack = packed(mesh);
  mesh.properties = std::move(pack.properties);
  mesh.points = std::move(pack.points);
  mesh.forces = std::move(pack.forces);
  return mesh;
}

template <typename Real>
std::unique_ptr<Slab> make(const proxy::Rank& rank, const Shape& shape, bool is_packed, bool is_deep) {
  std::unique_ptr<CudaSlab<Real>> slab;
  rank.team.together([&] { slab = std::make_unique<CudaSlab<Real>>(rank, mesh_of<Real>(shape, is_packed), is_packed, is_deep); });
  const cuda::OnDevice on(rank.gpu.index);
  slab->join(shape.ranks);
  return slab;
}

}  // namespace

std::unique_ptr<Slab> make_slab(const proxy::Rank& rank, int edge, int layers, bool is_double, bool is_packed, bool is_deep) {
  const Shape shape{edge, layers, rank.team.size(), rank.team.rank()};
  if (is_double) return make<double>(rank, shape, is_packed, is_deep);
  return make<float>(rank, shape, is_packed, is_deep);
}

}  // namespace assay::spectral
