#include "tests/hplgpu/backend.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>

#include "hpl-gpu/checksum.hpp"
#include "hpl-gpu/generator.hpp"
#include "hpl-gpu/permutation.hpp"
#include "tests/hplgpu/links.hpp"
#include "tests/hplgpu/queue.hpp"

namespace assay::hplgpu {
namespace {

std::uint64_t checksum_of(const Panel& panel) {
  std::uint64_t sum = 0;
  const auto count = static_cast<std::size_t>(panel.ld() * panel.width);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, panel.data + i, sizeof word);
    sum += checksum_term(word, i);
  }
  return sum;
}

// The first of the largest from `row` down. A value that is not a number is never the largest.
std::int64_t pivot_row(const Matrix& a, std::int64_t row, std::int64_t column) {
  std::int64_t best = row;
  double most = -1;
  for (std::int64_t i = row; i < a.rows; ++i) {
    if (std::abs(*a.at(i, column)) > most) {
      most = std::abs(*a.at(i, column));
      best = i;
    }
  }
  return best;
}

void factor(const Panel& panel, std::int64_t first, std::int64_t count) {
  const Matrix a = panel.matrix();
  for (std::int64_t j = first; j < first + count; ++j) {
    const std::int64_t pivot = pivot_row(a, j, j);
    panel.pivots()[j] = static_cast<std::int32_t>(pivot);
    if (pivot != j) {
      for (std::int64_t column = 0; column < a.columns; ++column) std::swap(*a.at(j, column), *a.at(pivot, column));
    }
    for (std::int64_t i = j + 1; i < a.rows; ++i) *a.at(i, j) /= *a.at(j, j);
    for (std::int64_t column = j + 1; column < first + count; ++column) {
      for (std::int64_t i = j + 1; i < a.rows; ++i) *a.at(i, column) -= *a.at(i, j) * *a.at(j, column);
    }
  }
}

void swap(const Panel& panel, const Matrix& a, const Matrix& top) {
  for (std::int64_t column = 0; column < a.columns; ++column) {
    for (std::int64_t i = 0; i < panel.width; ++i) *top.at(i, column) = *a.at(panel.top_from()[i], column);
    for (std::int64_t i = 0; i < panel.width; ++i) {
      if (panel.pivots()[i] >= panel.width) *a.at(panel.pivots()[i], column) = *a.at(panel.pivot_from()[i], column);
    }
  }
}

void solve_unit_lower(const Matrix& l, const Matrix& b) {
  for (std::int64_t column = 0; column < b.columns; ++column) {
    for (std::int64_t i = 0; i < l.rows; ++i) {
      for (std::int64_t k = i + 1; k < l.rows; ++k) *b.at(k, column) -= *l.at(k, i) * *b.at(i, column);
    }
  }
}

template <typename Value>
void fill(const Matrix& to, Value value) {
  for (std::int64_t column = 0; column < to.columns; ++column) {
    for (std::int64_t row = 0; row < to.rows; ++row) *to.at(row, column) = value(row, column);
  }
}

void subtract(const Matrix& c, const Matrix& a, const Matrix& b) {
  for (std::int64_t column = 0; column < c.columns; ++column) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const double factor = *b.at(k, column);
      const double* const from = a.at(0, k);
      double* const to = c.at(0, column);
      for (std::int64_t i = 0; i < c.rows; ++i) to[i] -= from[i] * factor;
    }
  }
}

class HostBackend : public Backend {
 public:
  HostBackend(std::shared_ptr<HostLinks> links, int rank, std::int64_t base_width, int transfer_milliseconds)
      : links_(std::move(links)), rank_(rank), base_width_(base_width), transfer_delay_(transfer_milliseconds), last_mark_(Clock::now()), last_panel_mark_(last_mark_) {}

  double* allocate(std::size_t doubles) override {
    memory_.emplace_back(doubles);
    return memory_.back().data();
  }
  std::vector<double> download(const double* from, std::size_t count) override {
    compute_.drain();
    return {from, from + count};
  }

  void work_on(Queue queue) override { current_ = &queue_of(queue); }
  void record(Queue queue, int event) override { events_.record(queue_of(queue), event); }
  void hold_until(Queue queue, int event) override { events_.hold(queue_of(queue), event); }
  void wait_for(int event) override { events_.wait(event); }
  void mark(Phase phase) override {
    current_->add([this, phase, last = current_ == &panel_ ? &last_panel_mark_ : &last_mark_] {
      const auto now = Clock::now();
      const std::lock_guard lock(phases_mutex_);
      phases_[phase] += std::chrono::duration<double>(now - *last).count();
      *last = now;
    });
  }
  Phases take_phases() override {
    compute_.drain();
    panel_.drain();
    transfer_.drain();
    return std::exchange(phases_, Phases{});
  }

  void generate(const Matrix& to, std::int64_t first_column, std::int64_t order) override {
    compute_.add([=] {
      for (std::int64_t column = 0; column < to.columns; ++column) {
        auto state = state_at(0, static_cast<std::uint64_t>(first_column + column), static_cast<std::uint64_t>(order));
        for (std::int64_t i = 0; i < to.rows; ++i, state = kOneStep.from(state)) *to.at(i, column) = number_of(state);
      }
    });
  }
  void copy(const Matrix& from, const Matrix& to) override {
    current_->add([=] {
      for (std::int64_t column = 0; column < to.columns; ++column) std::copy_n(from.at(0, column), to.rows, to.at(0, column));
    });
  }
  void clear(double* values, std::size_t count) override {
    compute_.add([=] { std::fill_n(values, count, 0.0); });
  }
  std::int64_t base_width(std::int64_t) const override { return base_width_; }
  void factor_columns(const Panel& panel, std::int64_t first, std::int64_t count) override {
    current_->add([=] { factor(panel, first, count); });
  }
  void trace_swaps(const Panel& panel) override {
    current_->add([=] {
      const auto width = static_cast<std::int32_t>(panel.width);
      for (std::int32_t i = 0; i < width; ++i) {
        panel.top_from()[i] = source_of(i, panel.pivots(), width);
        panel.pivot_from()[i] = source_of(panel.pivots()[i], panel.pivots(), width);
      }
    });
  }
  void swap_rows(const Panel& panel, const Matrix& a, const Matrix& top) override {
    compute_.add([=] { swap(panel, a, top); });
  }
  void solve_lower(const Matrix& l, const Matrix& b) override {
    current_->add([=] { solve_unit_lower(l, b); });
  }
  void invert_lower(const Matrix& l, const Matrix& to) override {
    compute_.add([=] {
      fill(to, [](std::int64_t row, std::int64_t column) { return row == column ? 1.0 : 0.0; });
      solve_unit_lower(l, to);
    });
  }
  void multiply(const Matrix& c, const Matrix& a, const Matrix& b) override {
    compute_.add([=] {
      fill(c, [&](std::int64_t row, std::int64_t column) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.columns; ++k) sum += *a.at(row, k) * *b.at(k, column);
        return sum;
      });
    });
  }
  void subtract_product(const Matrix& c, const Matrix& a, const Matrix& b) override {
    current_->add([=] { subtract(c, a, b); });
  }
  void solve_upper(const Matrix& u, double* x) override {
    compute_.add([=] {
      for (std::int64_t i = u.rows; i-- > 0;) {
        x[i] /= *u.at(i, i);
        for (std::int64_t k = 0; k < i; ++k) x[k] -= *u.at(k, i) * x[i];
      }
    });
  }
  void subtract_times(const Matrix& a, const double* x, double* y) override {
    compute_.add([=] { subtract({y, a.rows, a.rows, 1}, a, {const_cast<double*>(x), a.columns, a.columns, 1}); });
  }
  void add_row_sums(const ColumnRun& columns, std::int64_t order, const double* x, double* products, double* sums) override {
    compute_.add([=] {
      for (std::int64_t j = 0; j < columns.count; ++j) {
        auto state = state_at(0, static_cast<std::uint64_t>(columns.first + j), static_cast<std::uint64_t>(order));
        for (std::int64_t i = 0; i < order; ++i, state = kOneStep.from(state)) {
          products[i] += number_of(state) * x[j];
          sums[i] += std::abs(number_of(state));
        }
      }
    });
  }
  void write_checksum(const Panel& panel) override {
    current_->add([=] { *panel.checksum() = checksum_of(panel); });
  }
  void compare_checksum(const Panel& panel) override {
    compute_.add([=, this_backend = this] { this_backend->differences_ += *panel.checksum() == checksum_of(panel) ? 0 : 1; });
  }
  std::int64_t checksum_differences() override {
    compute_.drain();
    return differences_;
  }
  void flip_bit(double* value) override {
    current_->add([=] {
      std::uint64_t word = 0;
      std::memcpy(&word, value, sizeof word);
      word ^= std::uint64_t{1} << 51;
      std::memcpy(value, &word, sizeof word);
    });
  }

  void broadcast(const Panel& panel, int root) override {
    transfer_.add([=, this_backend = this] {
      std::this_thread::sleep_for(this_backend->transfer_delay_);
      this_backend->links_->transfer.broadcast(this_backend->rank_, root, panel.data, panel.bytes());
    });
  }
  void sum_to(int root, double* values, std::size_t count) override { queue_sum(values, count, rank_ == root); }
  void sum_to_all(double* values, std::size_t count) override { queue_sum(values, count, true); }

 private:
  using Clock = std::chrono::steady_clock;

  HostQueue& queue_of(Queue queue) { return queue == Queue::Compute ? compute_ : queue == Queue::Panel ? panel_ : transfer_; }
  void queue_sum(double* values, std::size_t count, bool keeps) {
    compute_.add([=, this_backend = this] {
      const auto total = this_backend->links_->compute.sum(this_backend->rank_, values, count);
      if (keeps) std::copy(total.begin(), total.end(), values);
    });
  }

  std::shared_ptr<HostLinks> links_;
  int rank_;
  std::int64_t base_width_;
  std::chrono::milliseconds transfer_delay_;
  std::vector<std::vector<double>> memory_;
  HostEvents events_;
  std::mutex phases_mutex_;
  Phases phases_;
  Clock::time_point last_mark_;
  Clock::time_point last_panel_mark_;
  std::int64_t differences_ = 0;
  HostQueue compute_;
  HostQueue panel_;
  HostQueue transfer_;
  HostQueue* current_ = &compute_;
};

}  // namespace

std::shared_ptr<HostLinks> make_host_links(int ranks) { return std::make_shared<HostLinks>(ranks); }

std::unique_ptr<Backend> make_host_backend(std::shared_ptr<HostLinks> links, int rank, std::int64_t base_width, int transfer_milliseconds) {
  return std::make_unique<HostBackend>(std::move(links), rank, base_width, transfer_milliseconds);
}

}  // namespace assay::hplgpu
