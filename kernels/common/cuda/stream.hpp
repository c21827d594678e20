// Streams, events and the timer made of two events: move-only owners.
#pragma once

#include <string>
#include <utility>

#include "common/cuda/error.hpp"

namespace assay::cuda {

// The GPU that this thread chose last; none at first. CUDA itself would say 0 then, and who goes "back" there makes a context on a GPU
// that may be another process's.
inline constexpr int kNoDevice = -1;
inline thread_local int chosen_device = kNoDevice;

inline void choose_device(int device, const std::string& action) {
  check(cudaSetDevice(device), action, device);
  chosen_device = device;
}

// Makes a GPU the current one of this thread for as long as the object lives.
class OnDevice {
 public:
  explicit OnDevice(int device) : previous_(chosen_device) { choose_device(device, "selecting gpu" + std::to_string(device)); }
  ~OnDevice() {
    if (previous_ != kNoDevice) cudaSetDevice(previous_);
    chosen_device = previous_;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int previous_;
};

class Stream {
 public:
  // Urgent: its kernels get multiprocessors before those of streams that are not.
  enum class Priority { Usual, Urgent };
  explicit Stream(int device, Priority priority = Priority::Usual) : device_(device) {
    const OnDevice on(device);
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading the priorities of streams");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority == Priority::Urgent ? greatest : least), "creating a stream");
  }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;

  cudaStream_t get() const { return stream_; }
  int device() const { return device_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "waiting for gpu" + std::to_string(device_)); }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(int device) {
    const OnDevice on(device);
    check(cudaEventCreate(&event_), "creating an event");
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(const Stream& stream) {
    const OnDevice on(stream.device());
    check(cudaEventRecord(event_, stream.get()), "recording an event");
  }
  void synchronize() const { check(cudaEventSynchronize(event_), "waiting for an event"); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Time between two points of one stream, by the GPU's clock (resolution about 0.5 us).
class EventTimer {
 public:
  explicit EventTimer(int device) : start_(device), stop_(device) {}
  void start(const Stream& stream) { start_.record(stream); }
  void stop(const Stream& stream) { stop_.record(stream); }

  // Waits for the stop point.
  double seconds() const {
    stop_.synchronize();
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "reading a timer");
    return milliseconds * 1e-3;
  }

 private:
  Event start_;
  Event stop_;
};

}  // namespace assay::cuda
