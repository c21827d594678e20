// The crystal on a team of GPUs: one slab on each, with the halo that it needs of its neighbours.
#pragma once

#include <string>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/team.hpp"
#include "md/kernels.hpp"

namespace assay::md {

class Slabs {
 public:
  Slabs(const std::vector<cuda::Gpu>& gpus, int size, int layers);

  // Makes `steps` steps of the integrator, halos exchanged after each. Seconds until all GPUs were done.
  double run(int steps);

  // Every GPU evaluates its forces `repeats` times, without exchange and without moving anything. Seconds per GPU.
  std::vector<double> evaluate_forces(int repeats);

  // Ends the run: velocities are brought to the time of the positions, and forces are kept for verify().
  void stop();

  Totals totals();

  // After stop(): forces of a sample of atoms against the host, the sum of all forces, and the same evaluation again.
  void verify(const std::string& name, bool damage, cuda::Integrity& integrity);

  std::size_t size() const { return members_.size(); }

 private:
  struct Member {
    Member(int device, int atoms);
    std::vector<cuda::DeviceBuffer<Vector>> positions;  // now, and after the step
    cuda::DeviceBuffer<Vector> listed_at;
    cuda::DeviceBuffer<Vector> velocities;
    cuda::DeviceBuffer<Vector> forces;
    cuda::DeviceBuffer<std::uint16_t> entries;
    cuda::DeviceBuffer<int> counts;
    cuda::DeviceBuffer<Totals> totals;
    NeighbourList list() { return {entries.data(), counts.data()}; }
  };

  void queue_step(double kick, double drift, bool keep_forces);
  void queue_halos(std::size_t buffer);
  void compare_with_host(const std::string& name, const std::vector<std::vector<Vector>>& forces, cuda::Integrity& integrity);
  std::vector<std::vector<Vector>> forces();

  cuda::Team team_;
  int layers_;
  int atoms_;
  std::vector<Member> members_;
  std::size_t now_ = 0;
  bool at_rest_ = true;  // velocities belong to the time of the positions, not to half a step before
};

}  // namespace assay::md
