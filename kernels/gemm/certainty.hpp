// When GPUs that work at the same time may stop: together, because each is measured beside the others. Host code only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "common/sampling.hpp"

namespace assay::gemm {

class Certainty {
 public:
  // rule: of each GPU's windows.
  Certainty(std::size_t gpus, const StoppingRule& rule) : rules_(gpus, rule) {}

  // Called from the GPUs' threads, window by window.
  void add(std::size_t gpu, double window_seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    rules_[gpu].add(window_seconds, window_seconds);
  }

  // One GPU failed: the others need not wait for it.
  void give_up() {
    const std::lock_guard<std::mutex> lock(mutex_);
    given_up_ = true;
  }

  // Every GPU has enough.
  bool is_enough() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return given_up_ || std::all_of(rules_.begin(), rules_.end(), [](const StoppingRule& rule) { return rule.has_enough(); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<StoppingRule> rules_;
  bool given_up_ = false;
};

}  // namespace assay::gemm
