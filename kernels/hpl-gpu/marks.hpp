// Timed points of a stream: what lies between two of them was one phase.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "common/cuda/stream.hpp"
#include "hpl-gpu/phases.hpp"

namespace assay::hplgpu {

class Marks {
 public:
  explicit Marks(int device) : device_(device) {}

  // What was queued since the last mark was this phase.
  void add(Phase phase, cudaStream_t stream) {
    if (used_ == events_.size()) events_.emplace_back(device_);
    cuda::check(cudaEventRecord(events_[used_++].get(), stream), "marking a phase");
    phases_.push_back(phase);
  }

  // Adds up, and forgets, all marks. They must have passed.
  void take(Phases& into) {
    for (std::size_t i = 1; i < used_; ++i) {
      float milliseconds = 0;
      cuda::check(cudaEventElapsedTime(&milliseconds, events_[i - 1].get(), events_[i].get()), "reading a phase's time");
      into[phases_[i]] += milliseconds * 1e-3;
    }
    used_ = 0;
    phases_.clear();
  }

 private:
  int device_;
  std::deque<cuda::Event> events_;
  std::vector<Phase> phases_;
  std::size_t used_ = 0;
};

}  // namespace assay::hplgpu
