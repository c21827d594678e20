#include "md/slabs.hpp"

#include <cmath>
#include <cstring>

#include "common/cuda/pattern.hpp"
#include "common/scaling.hpp"

namespace assay::md {
namespace {

constexpr std::uint64_t kSeed = 10;
constexpr std::size_t kVerifiedAtoms = 64;
constexpr double kForceTolerance = 1e-12;  // of the sum of the magnitudes of the pair forces on an atom
constexpr double kSumTolerance = 1e-11;    // of the sum of the magnitudes of all forces

}  // namespace

Slabs::Member::Member(int device, int atoms)
    : listed_at(device, static_cast<std::size_t>(atoms)), velocities(device, static_cast<std::size_t>(atoms)),
      forces(device, static_cast<std::size_t>(atoms)), entries(device, list_entries(atoms)),
      counts(device, static_cast<std::size_t>(atoms)), totals(device, static_cast<std::size_t>(atoms / kAtomsPerBlock)) {
  positions.emplace_back(device, static_cast<std::size_t>(atoms + 2 * kAtomsPerBand));
  positions.emplace_back(device, static_cast<std::size_t>(atoms + 2 * kAtomsPerBand));
}

Slabs::Slabs(const std::vector<cuda::Gpu>& gpus, int size, int layers)
    : team_(gpus, size), layers_(layers), atoms_(atoms_per_slab(layers)) {
  for (std::size_t i = 0; i < team_.size(); ++i) {
    const cuda::Stream& stream = team_.stream(i);
    prepare_kernels(stream.device());
    Member& member = members_.emplace_back(stream.device(), atoms_);
    const auto initial = initial_positions(static_cast<int>(i), layers, kSeed);
    cuda::upload(initial, member.positions[now_].data(), stream);
    cuda::upload(initial, member.listed_at.data(), stream);
    const cuda::OnDevice on(stream.device());
    cuda::check(cudaMemsetAsync(member.velocities.data(), 0, member.velocities.bytes(), stream.get()), "clearing velocities");
  }
  team_.synchronize();
  queue_halos(now_);
  for (std::size_t i = 0; i < team_.size(); ++i) {
    queue_neighbours(members_[i].positions[now_].data(), layers_, members_[i].list(), team_.stream(i));
  }
  team_.synchronize();
}

void Slabs::queue_step(double kick, double drift, bool keep_forces) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    md::queue_step(member.positions[now_].data(), layers_, member.list(), kick, drift, member.velocities.data(),
                   member.positions[1 - now_].data(), keep_forces ? member.forces.data() : nullptr, team_.stream(i));
  }
}

// Each GPU fetches the topmost band of the slab below and the lowest band of the slab above.
void Slabs::queue_halos(std::size_t buffer) {
  team_.meet();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const cuda::Stream& stream = team_.stream(i);
    const cuda::OnDevice on(stream.device());
    const auto fetch = [&](std::size_t from, int first, int to) {
      cuda::check(cudaMemcpyPeerAsync(members_[i].positions[buffer].data() + to, stream.device(),
                                      members_[from].positions[buffer].data() + first, team_.stream(from).device(),
                                      kAtomsPerBand * sizeof(Vector), stream.get()),
                  "fetching a halo");
    };
    fetch((i + members_.size() - 1) % members_.size(), atoms_ - kAtomsPerBand, atoms_);
    fetch((i + 1) % members_.size(), 0, atoms_ + kAtomsPerBand);
  }
}

double Slabs::run(int steps) {
  return cuda::slowest(team_.time([&] {
    for (int n = 0; n < steps; ++n) {
      queue_step(at_rest_ ? kTimeStep / 2 : kTimeStep, kTimeStep, false);
      at_rest_ = false;
      now_ = 1 - now_;
      queue_halos(now_);
    }
  }));
}

std::vector<double> Slabs::evaluate_forces(int repeats) {
  return team_.time([&] {
    for (int n = 0; n < repeats; ++n) queue_step(0, 0, false);
  });
}

void Slabs::stop() {
  queue_step(kTimeStep / 2, 0, true);
  at_rest_ = true;
  team_.synchronize();
}

Totals Slabs::totals() {
  Totals sum{0, 0, 0, 0};
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    queue_totals(member.positions[now_].data(), member.listed_at.data(), layers_, member.list(), member.velocities.data(),
                 member.totals.data(), team_.stream(i));
    for (const Totals& block : cuda::download(member.totals.data(), member.totals.count(), team_.stream(i))) {
      sum = {sum.energy + block.energy, sum.listed + block.listed, sum.inside + block.inside, sum.strays + block.strays};
    }
  }
  return sum;
}

std::vector<std::vector<Vector>> Slabs::forces() {
  std::vector<std::vector<Vector>> all;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    all.push_back(cuda::download(members_[i].forces.data(), static_cast<std::size_t>(atoms_), team_.stream(i)));
  }
  return all;
}

void Slabs::compare_with_host(const std::string& name, const std::vector<std::vector<Vector>>& forces,
                              cuda::Integrity& integrity) {
  std::vector<std::vector<Vector>> positions;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    positions.push_back(cuda::download(members_[i].positions[now_].data(), static_cast<std::size_t>(atoms_), team_.stream(i)));
  }
  for (std::size_t k = 0; k < kVerifiedAtoms; ++k) {
    // Spread over the slabs, each time from the lowest atom to the highest, so that halos are in the sample.
    const std::size_t slab = k % members_.size();
    const std::size_t samples = (kVerifiedAtoms - 1) / members_.size();
    const std::size_t atom = share_begin(static_cast<std::size_t>(atoms_ - 1), std::max<std::size_t>(samples, 1),
                                         std::min(k / members_.size(), samples));
    const auto reference = reference_force(positions, layers_, static_cast<int>(slab), static_cast<int>(atom));
    const Vector& force = forces[slab][atom];
    const double error = std::hypot(force.x - reference.force.x, force.y - reference.force.y, force.z - reference.force.z);
    integrity.expect(name + " gpu" + std::to_string(slab), error < kForceTolerance * reference.scale,
                     "the force on an atom differs from the host's by " +
                         std::to_string(error / (kForceTolerance * reference.scale)) + " tolerances");
  }
}

void Slabs::verify(const std::string& name, bool damage, cuda::Integrity& integrity) {
  if (damage) {
    cuda::flip_bit(members_.back().forces.data(), members_.back().forces.bytes() / 3 + 1, team_.stream(team_.size() - 1));
  }
  const auto first = forces();
  compare_with_host(name, first, integrity);

  Vector sum{0, 0, 0};
  double magnitudes = 0;
  for (const auto& slab : first) {
    for (const Vector& force : slab) {
      sum = {sum.x + force.x, sum.y + force.y, sum.z + force.z};
      magnitudes += std::abs(force.x) + std::abs(force.y) + std::abs(force.z);
    }
  }
  integrity.expect(name, std::hypot(sum.x, sum.y, sum.z) < kSumTolerance * magnitudes, "the forces do not add up to zero");

  queue_step(0, 0, true);
  const auto again = forces();
  for (std::size_t i = 0; i < first.size(); ++i) {
    integrity.expect(name + " gpu" + std::to_string(i),
                     std::memcmp(first[i].data(), again[i].data(), first[i].size() * sizeof(Vector)) == 0,
                     "forces evaluated again are not the same to the last bit");
  }
}

}  // namespace assay::md
