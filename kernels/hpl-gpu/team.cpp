#include "hpl-gpu/team.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

namespace assay::hplgpu {
namespace {

class Meeting {
 public:
  explicit Meeting(int ranks) : values_(static_cast<std::size_t>(ranks)), errors_(static_cast<std::size_t>(ranks)) {}

  // Waits for all ranks. What they brought can be read until they meet again.
  void meet() {
    std::unique_lock lock(mutex_);
    if (broken_) throw Abandoned();
    if (++arrived_ == values_.size()) {
      arrived_ = 0;
      ++generation_;
      all_here_.notify_all();
      return;
    }
    const std::size_t now = generation_;
    all_here_.wait(lock, [&] { return generation_ != now || broken_; });
    if (generation_ == now) throw Abandoned();
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    all_here_.notify_all();
  }

  bool is_broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
  }

  std::vector<double>& values() { return values_; }
  std::vector<std::exception_ptr>& errors() { return errors_; }
  void*& shared() { return shared_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<double> values_;
  std::vector<std::exception_ptr> errors_;
  void* shared_ = nullptr;
  std::size_t arrived_ = 0;
  std::size_t generation_ = 0;
  bool broken_ = false;
};

class ThreadTeam : public Team {
 public:
  ThreadTeam(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.values().size()); }
  bool is_broken() const override { return meeting_.is_broken(); }

  void together(const std::function<void()>& step) override {
    std::exception_ptr& own = meeting_.errors()[static_cast<std::size_t>(rank_)];
    own = nullptr;
    try {
      step();
    } catch (...) {
      own = std::current_exception();
    }
    meeting_.meet();
    std::exception_ptr first;
    for (const auto& error : meeting_.errors()) {
      if (error && !first) first = error;
    }
    meeting_.meet();
    if (first) std::rethrow_exception(first);
  }

  double sum(double value) override {
    return over_all(value, [](double a, double b) { return a + b; });
  }

  double max(double value) override {
    return over_all(value, [](double a, double b) { return std::max(a, b); });
  }

  void broadcast_from_first(void* data, std::size_t bytes) override {
    if (rank_ == 0) meeting_.shared() = data;
    meeting_.meet();
    if (rank_ != 0) std::memcpy(data, meeting_.shared(), bytes);
    meeting_.meet();
  }

 private:
  template <typename Combine>
  double over_all(double value, Combine combine) {
    auto& values = meeting_.values();
    values[static_cast<std::size_t>(rank_)] = value;
    meeting_.meet();
    double result = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) result = combine(result, values[i]);
    meeting_.meet();
    return result;
  }

  Meeting& meeting_;
  int rank_;
};

// The first error that is a rank's own.
void rethrow_cause(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr any;
  for (const auto& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const Abandoned&) {
      any = error;
    }
  }
  if (any) std::rethrow_exception(any);
}

}  // namespace

void run_threads(int ranks, const std::function<void(Team&)>& work) {
  Meeting meeting(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadTeam team(meeting, rank);
        work(team);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        meeting.give_up();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  rethrow_cause(errors);
}

}  // namespace assay::hplgpu
