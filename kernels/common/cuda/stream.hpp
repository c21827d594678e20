// Streams, events and the timer made of two events: move-only owners.
#pragma once

#include <utility>

#include "common/cuda/error.hpp"

namespace assay::cuda {

// Makes a GPU the current one of this thread for as long as the object lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&previous_), "reading the current device");
    check(cudaSetDevice(device), "selecting gpu" + std::to_string(device), device);
  }
  ~OnDevice() { cudaSetDevice(previous_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int previous_ = 0;
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
