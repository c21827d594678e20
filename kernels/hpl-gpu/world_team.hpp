// The ranks of a team that are processes of their own, which mpirun started: one GPU each.
#pragma once

#include "collectives/world.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

class WorldTeam : public Team {
 public:
  explicit WorldTeam(const collectives::World& world) : world_(world) {}
  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  void together(const std::function<void()>& step) override { world_.together(step); }
  double sum(double value) override { return world_.sum(value); }
  double max(double value) override { return world_.max(value); }
  void broadcast_from_first(void* data, std::size_t bytes) override { world_.broadcast_from_first(data, bytes); }

 private:
  const collectives::World& world_;
};

}  // namespace assay::hplgpu
