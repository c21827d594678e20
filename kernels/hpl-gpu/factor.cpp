#include "hpl-gpu/factor.hpp"

#include <algorithm>

#include "common/stop.hpp"
#include "hpl-gpu/panel.hpp"

namespace assay::hplgpu {
namespace {

// Solving for a block of U row by row is slow on a GPU, so triangles of this order are inverted and the rest is matrix products. Larger
// ones would cost more operations than they save, and lose digits.
constexpr std::int64_t kTriangle = 256;

}  // namespace

System::System(const Layout& layout, const Tuning& tuning, Backend& backend, Team& team)
    : layout_(layout), tuning_(tuning), backend_(backend), team_(team), steps_(steps_of(layout, tuning.tail)) {
  const std::int64_t ld = Panel::leading_dimension(layout.order);
  const std::int64_t columns = layout.columns(team.rank());
  a_ = {backend.allocate(static_cast<std::size_t>(ld * columns)), ld, layout.order, columns};
  const std::int64_t top_ld = Panel::leading_dimension(layout.block);
  tops_ = {backend.allocate(static_cast<std::size_t>(top_ld * tuning.strip)), top_ld, layout.block, tuning.strip};
  inverses_ = {backend.allocate(static_cast<std::size_t>(kTriangle * layout.block)), kTriangle, kTriangle, layout.block};
  for (int i = 0; i < 2; ++i) {
    slots_.push_back({backend.allocate(Panel::doubles(layout.order, layout.block)), 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  }
  x_ = backend.allocate(static_cast<std::size_t>(ld));
  rest_ = backend.allocate(static_cast<std::size_t>(ld));
}

std::int64_t System::doubles_for(const Layout& layout, const Tuning& tuning) {
  const std::int64_t ld = Panel::leading_dimension(layout.order);
  const auto panel = static_cast<std::int64_t>(Panel::doubles(layout.order, layout.block));
  const std::int64_t top = Panel::leading_dimension(layout.block) * tuning.strip;
  return ld * layout.most_columns() + top + kTriangle * layout.block + 2 * panel + 2 * ld;
}

void System::generate() {
  for (const ColumnRun& run : runs_of(layout_, team_.rank())) {
    backend_.generate(a_.part(0, run.local, layout_.order, run.count), run.first, layout_.order);
  }
}

void System::warm_up() {
  generate();
  if (owns(0)) make_panel(0, Queue::Panel);
  share_panel(0);
  receive_panel(0);
  invert_triangles(panel(0));
  const std::int64_t first = local(steps_[0].width);
  update(0, first, std::min(a_.columns, first + tuning_.strip));
  backend_.record(Queue::Compute, slot(0).used);
  solve();
  backend_.wait_for(slot(0).used);
}

// Every step, the owner of the next panel updates that panel's columns first and factors it, so that it is on its way to the others
// while all ranks update what is left.
void System::factor(const Progress& progress, Fault fault) {
  fault_ = fault;
  multiplied_ = 0;
  const std::size_t count = steps_.size();
  if (owns(0)) make_panel(0, Queue::Compute);
  share_panel(0);
  for (std::size_t step = 0; step < count; ++step) {
    damage_before(step);
    receive_panel(step);
    invert_triangles(panel(step));
    const std::int64_t first = local(steps_[step].first + steps_[step].width);
    std::int64_t ahead = 0;
    if (step + 1 < count && owns(step + 1)) {
      ahead = steps_[step + 1].width;
      update(step, first, first + ahead);
      make_panel(step + 1, queue_for_panel(step + 1));
    }
    update(step, first + ahead, a_.columns);
    backend_.record(Queue::Compute, slot(step).used);
    if (step + 1 < count) share_panel(step + 1);
    progress(steps_[step].first);
  }
  backend_.wait_for(slot(count - 1).used);
}

// A panel waits for latencies most of its time, so it is made beside the update, on some of the multiprocessors, where that is long enough.
// Otherwise on all of them, and first.
Queue System::queue_for_panel(std::size_t step) const {
  const auto [first, width] = steps_[step];
  const auto left = static_cast<double>(layout_.order - first) * static_cast<double>(a_.columns - local(first) - width);
  return team_.size() == 1 || left > tuning_.beside ? Queue::Panel : Queue::Compute;
}

void System::make_panel(std::size_t step, Queue queue) {
  const Panel target = panel(step);
  const Matrix columns = a_.part(steps_[step].first, local(steps_[step].first), target.rows, target.width);
  backend_.record(Queue::Compute, slot(step).ready);  // the columns are updated, and nobody uses the panel before the last any more
  backend_.work_on(queue);
  backend_.hold_until(queue, slot(step).ready);
  backend_.hold_until(queue, slot(step).arrived);  // nor is it still being sent
  if (queue == Queue::Panel) backend_.mark(Phase::Other);
  backend_.copy(columns, target.matrix());
  factor_panel(backend_, target);
  backend_.copy(target.matrix().top(target.width), columns.top(target.width));  // U; nobody needs L again
  if (fault_ == Fault::Panel && step == steps_.size() / 2) backend_.flip_bit(target.matrix().at(target.rows - 1, target.width / 2));
  if (team_.size() > 1) backend_.write_checksum(target);
  backend_.record(queue, slot(step).factored);
  backend_.mark(Phase::Panel);
  backend_.work_on(Queue::Compute);
}

// All ranks start together, when the panel is there and so is the room for it: a receiver that waits for a panel on the device takes
// multiprocessors from the update. Nobody runs ahead of the device by more than two steps either, so that progress is told as it is.
void System::share_panel(std::size_t step) {
  backend_.wait_for(owns(step) && team_.size() > 1 ? slot(step).factored : slot(step).used);
  team_.together(throw_if_stopped);
  if (team_.size() == 1) return;
  backend_.broadcast(panel(step), layout_.owner(steps_[step].first));
  backend_.record(Queue::Transfer, slot(step).arrived);
}

void System::receive_panel(std::size_t step) {
  backend_.hold_until(Queue::Compute, owns(step) ? slot(step).factored : slot(step).arrived);
  backend_.mark(Phase::Wait);
  if (owns(step)) return;
  backend_.compare_checksum(panel(step));
  backend_.mark(Phase::Broadcast);
}

void System::update(std::size_t step, std::int64_t first, std::int64_t end) {
  const Panel source = panel(step);
  for (std::int64_t column = first; column < end; column += tuning_.strip) {
    const std::int64_t columns = std::min(tuning_.strip, end - column);
    update_strip(source, a_.part(steps_[step].first, column, source.rows, columns));
  }
}

void System::update_strip(const Panel& panel, const Matrix& strip) {
  const Matrix top = tops_.part(0, 0, panel.width, strip.columns);
  backend_.swap_rows(panel, strip, top);
  backend_.mark(Phase::Swap);
  const Matrix u = strip.top(panel.width);
  solve_top(panel, top, u);
  backend_.mark(Phase::Trsm);
  if (panel.rows > panel.width) {
    backend_.subtract_product(strip.below(panel.width), panel.matrix().below(panel.width), u);
    backend_.mark(Phase::Gemm);
    multiplied_ += 2.0 * static_cast<double>(panel.rows - panel.width) * static_cast<double>(panel.width) * static_cast<double>(strip.columns);
  }
}

void System::invert_triangles(const Panel& panel) {
  for (std::int64_t i = 0; i < panel.width; i += kTriangle) {
    const std::int64_t order = std::min(kTriangle, panel.width - i);
    backend_.invert_lower(panel.matrix().part(i, i, order, order), inverses_.part(0, i, order, order));
  }
  backend_.mark(Phase::Trsm);
}

// u = L^-1 top; top is lost.
void System::solve_top(const Panel& panel, const Matrix& top, const Matrix& u) {
  for (std::int64_t i = 0; i < panel.width; i += kTriangle) {
    const std::int64_t order = std::min(kTriangle, panel.width - i);
    const Matrix solved = u.part(i, 0, order, u.columns);
    backend_.multiply(solved, inverses_.part(0, i, order, order), top.part(i, 0, order, top.columns));
    const std::int64_t below = i + order;
    if (below == panel.width) return;
    backend_.subtract_product(top.below(below), panel.matrix().part(below, i, panel.width - below, order), solved);
  }
}

// Halfway, what a step begins with: an element that is still to be updated, or what a rank received.
void System::damage_before(std::size_t step) {
  if (step != steps_.size() / 2) return;
  if (fault_ == Fault::Matrix && owns(step)) backend_.flip_bit(a_.at(layout_.order - 1, a_.columns - 1));
  if (fault_ != Fault::Broadcast || owns(step)) return;
  const Matrix received = panel(step).matrix();
  backend_.hold_until(Queue::Compute, slot(step).arrived);
  backend_.flip_bit(received.at(received.rows - 1, received.columns / 2));
}

// A rank needs only those elements of x that belong to its own columns. What they add to the rows above is kept where it arises, and
// the owner of the next columns is sent the sum of it.
void System::solve() {
  const auto order = static_cast<std::size_t>(layout_.order);
  const std::int64_t b = layout_.order;
  backend_.clear(x_, order);
  backend_.clear(rest_, order);
  if (layout_.owner(b) == team_.rank()) backend_.copy(a_.part(0, local(b), layout_.order, 1), {rest_, layout_.order, layout_.order, 1});
  for (std::size_t step = steps_.size(); step-- > 0;) {
    const auto [first, width] = steps_[step];
    const int owner = layout_.owner(first);
    if (team_.size() > 1) backend_.sum_to(owner, rest_ + first, static_cast<std::size_t>(width));
    if (owner != team_.rank()) continue;
    const Matrix columns = a_.part(0, local(first), layout_.order, width);
    backend_.copy({rest_ + first, width, width, 1}, {x_ + first, width, width, 1});
    backend_.solve_upper(columns.part(first, 0, width, width), x_ + first);
    if (first > 0) backend_.subtract_times(columns.top(first), x_ + first, rest_);
  }
  if (team_.size() > 1) backend_.sum_to_all(x_, order);
  backend_.mark(Phase::Solve);
}

}  // namespace assay::hplgpu
