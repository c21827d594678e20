// LU with partial pivoting over a row of ranks, and the solution by back substitution.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hpl-gpu/backend.hpp"
#include "hpl-gpu/layout.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

struct Tuning {
  std::int64_t strip = 8192;  // columns that are updated at once
  std::int64_t tail = 16;     // as in steps_of()
  // Of several ranks: elements that are left to update on the one that makes a panel, below which it makes the panel first. Beside the update,
  // a panel takes 2.8 times as long, and the others wait for it. Measured on H200s.
  double beside = 1e9;
};

// For tests: damages one bit halfway.
enum class Fault { None, Matrix, Panel, Broadcast };

// Called when a step is done: columns that are factored, of the order.
using Progress = std::function<void(std::int64_t columns)>;

class System {
 public:
  // Takes all the memory that it needs.
  System(const Layout& layout, const Tuning& tuning, Backend& backend, Team& team);

  // A = HPL's matrix, and b beside it.
  void generate();

  // Does a little of everything, so that libraries load what they need and NCCL connects. The matrix is lost.
  void warm_up();

  // A = P L U and y = L^-1 P b: of L, only what the current step needs is kept.
  void factor(const Progress& progress, Fault fault = Fault::None);

  // x = U^-1 y, on every rank.
  void solve();

  const double* solution() const { return x_; }
  double* room() { return slots_[0].data; }  // for two vectors, between two factorizations
  double multiplied() const { return multiplied_; }  // operations of this rank's matrix products outside panels, of the last factor()

  // Doubles that one rank needs, at most.
  static std::int64_t doubles_for(const Layout& layout, const Tuning& tuning);

 private:
  // One panel on its way: its memory is that of every second step.
  struct Slot {
    double* data;
    int ready, factored, arrived, used;  // events
  };
  Slot& slot(std::size_t step) { return slots_[step % 2]; }
  Panel panel(std::size_t step) { return {slot(step).data, layout_.order - steps_[step].first, steps_[step].width}; }
  bool owns(std::size_t step) const { return layout_.owner(steps_[step].first) == team_.rank(); }
  std::int64_t local(std::int64_t column) const { return layout_.local(team_.rank(), column); }

  Queue queue_for_panel(std::size_t step) const;
  void make_panel(std::size_t step, Queue queue);
  void share_panel(std::size_t step);
  void receive_panel(std::size_t step);
  void invert_triangles(const Panel& panel);
  void update(std::size_t step, std::int64_t first, std::int64_t end);
  void update_strip(const Panel& panel, const Matrix& strip);
  void solve_top(const Panel& panel, const Matrix& top, const Matrix& u);
  void damage_before(std::size_t step);

  Layout layout_;
  Tuning tuning_;
  Backend& backend_;
  Team& team_;
  std::vector<Step> steps_;
  Matrix a_;
  Matrix tops_;
  Matrix inverses_;  // of the triangles on the panel's diagonal, side by side
  std::vector<Slot> slots_;
  double* x_;
  double* rest_;
  Fault fault_ = Fault::None;
  double multiplied_ = 0;
};

}  // namespace assay::hplgpu
