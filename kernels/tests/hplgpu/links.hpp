// Broadcasts and sums among the queues of several ranks in one process: all of them meet, and each takes what it needs.
#pragma once

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/hplgpu/backend.hpp"

namespace assay::hplgpu {

class HostLink {
 public:
  explicit HostLink(int ranks) : places_(static_cast<std::size_t>(ranks)) {}

  void broadcast(int rank, int root, void* data, std::size_t bytes) {
    offer(rank, data);
    if (rank != root) std::memcpy(data, places_[static_cast<std::size_t>(root)], bytes);
    meet();
  }

  // Everybody's values, added in the order of ranks.
  std::vector<double> sum(int rank, double* values, std::size_t count) {
    offer(rank, values);
    std::vector<double> total(count);
    for (const void* place : places_) {
      const auto* each = static_cast<const double*>(place);
      for (std::size_t i = 0; i < count; ++i) total[i] += each[i];
    }
    meet();
    return total;
  }

 private:
  void offer(int rank, void* data) {
    {
      const std::lock_guard lock(mutex_);
      places_[static_cast<std::size_t>(rank)] = data;
    }
    meet();
  }

  void meet() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == places_.size()) {
      arrived_ = 0;
      ++generation_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [this, now = generation_] { return generation_ != now; });
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<void*> places_;
  std::size_t arrived_ = 0;
  std::size_t generation_ = 0;
};

class HostLinks {
 public:
  explicit HostLinks(int ranks) : transfer(ranks), compute(ranks) {}
  HostLink transfer;
  HostLink compute;
};

}  // namespace assay::hplgpu
