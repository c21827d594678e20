// Owners of device and host memory. Plain allocations only: managed memory is never used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/cuda/error.hpp"
#include "common/cuda/stream.hpp"

namespace assay::cuda {

template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer(int device, std::size_t count) : device_(device), count_(count) {
    const OnDevice on(device);
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)),
          "allocating " + std::to_string(count * sizeof(T)) + " bytes on gpu" + std::to_string(device));
    data_ = static_cast<T*>(memory);
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  int device() const { return device_; }

 private:
  int device_;
  std::size_t count_;
  T* data_ = nullptr;
};

// Host memory whose pages sit on one NUMA node, page-locked for all GPUs or left pageable.
class HostBuffer {
 public:
  enum class Kind { Pinned, Pageable };
  static constexpr int kAnyNode = -1;

  // numa_node: kAnyNode leaves the placement to the kernel. Where the kernel refuses the node, is_placed() is false.
  HostBuffer(std::size_t bytes, Kind kind, int numa_node = kAnyNode);
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool is_placed() const { return placed_; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
  bool pinned_ = false;
  bool placed_ = true;
};

// One value that a kernel and the host both see: page-locked, mapped, valid on every GPU.
template <typename T>
class Mapped {
 public:
  explicit Mapped(T initial = T{}) {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable), "allocating a mapped value");
    value_ = new (memory) T(initial);
  }
  ~Mapped() { cudaFreeHost(value_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  volatile T& host() { return *value_; }

  // With unified addressing the host pointer is valid on every GPU.
  T* device() { return value_; }

 private:
  T* value_ = nullptr;
};

// Bytes that can be allocated on the GPU now.
std::size_t free_bytes(int device);

}  // namespace assay::cuda
