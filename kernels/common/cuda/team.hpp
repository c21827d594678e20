// GPUs that work on one problem together: a stream on each, meeting points between them, and the time the whole took.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/cuda/device.hpp"
#include "common/cuda/latch.hpp"
#include "common/cuda/stream.hpp"

namespace assay::cuda {

// Call it before open_gpus(): kernels are then loaded with the context, not at their first launch, which would wait for a
// held latch.
inline void load_kernels_eagerly() { setenv("CUDA_MODULE_LOADING", "EAGER", 1); }

class Team {
 public:
  // The first `size` of these GPUs.
  Team(const std::vector<Gpu>& gpus, int size) {
    for (int i = 0; i < size; ++i) {
      const int device = gpus[static_cast<std::size_t>(i)].index;
      streams_.emplace_back(device);
      arrived_.emplace_back(device);
      timers_.emplace_back(device);
    }
    for (const Stream& from : streams_) {
      for (const Stream& to : streams_) {
        if (from.device() != to.device()) link(from.device(), to.device());
      }
    }
  }

  std::size_t size() const { return streams_.size(); }
  const Stream& stream(std::size_t member) const { return streams_[member]; }

  // Whether every member reaches the memory of every other; otherwise copies between them pass through the host.
  bool is_linked() const { return linked_; }

  // What is queued on any stream from here on starts after all that was queued on all of them before.
  void meet() {
    if (size() == 1) return;
    for (std::size_t i = 0; i < size(); ++i) arrived_[i].record(streams_[i]);
    for (std::size_t i = 0; i < size(); ++i) {
      const OnDevice on(streams_[i].device());
      for (std::size_t other = 0; other < size(); ++other) {
        if (other != i) check(cudaStreamWaitEvent(streams_[i].get(), arrived_[other].get(), 0), "queueing a meeting point");
      }
    }
  }

  // `queue` queues work on the streams; all start together. Seconds until each member was done; the whole took the largest.
  // Copies through the host may block it, so without links the launches are inside the time.
  template <typename Queue>
  std::vector<double> time(Queue queue) {
    if (linked_) {
      for (const Stream& stream : streams_) latch_.hold(stream);
    }
    for (std::size_t i = 0; i < size(); ++i) timers_[i].start(streams_[i]);
    queue();
    for (std::size_t i = 0; i < size(); ++i) timers_[i].stop(streams_[i]);
    if (linked_) latch_.release();
    synchronize();
    if (linked_) latch_.verify_held();
    std::vector<double> seconds;
    for (const EventTimer& timer : timers_) seconds.push_back(timer.seconds());
    return seconds;
  }

  void synchronize() const {
    for (const Stream& stream : streams_) stream.synchronize();
  }

 private:
  void link(int from, int to) {
    int reachable = 0;
    check(cudaDeviceCanAccessPeer(&reachable, from, to), "asking for peer access");
    if (reachable == 0) {
      linked_ = false;
      return;
    }
    const OnDevice on(from);
    const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
      return;
    }
    check(code, "enabling peer access from gpu" + std::to_string(from) + " to gpu" + std::to_string(to));
  }

  std::vector<Stream> streams_;
  std::vector<Event> arrived_;
  std::vector<EventTimer> timers_;
  Latch latch_;
  bool linked_ = true;
};

inline double slowest(const std::vector<double>& seconds) { return *std::max_element(seconds.begin(), seconds.end()); }

// Host to device and back for small data of a program's set-up and verification. Waits.
template <typename T>
void upload(const std::vector<T>& from, T* to, const Stream& stream) {
  check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream.get()), "copying to the GPU");
  stream.synchronize();
}

template <typename T>
std::vector<T> download(const T* from, std::size_t count, const Stream& stream) {
  std::vector<T> to(count);
  check(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()), "copying from the GPU");
  stream.synchronize();
  return to;
}

}  // namespace assay::cuda
