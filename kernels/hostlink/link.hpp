// One GPU's link to the host: buffers at both ends and a stream each way.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"

namespace assay::hostlink {

enum class Direction { ToDevice, ToHost };

class Link {
 public:
  // Host buffers on numa_node (HostBuffer::kAnyNode: wherever).
  Link(const cuda::Gpu& gpu, std::size_t bytes, int numa_node);

  const cuda::Gpu& gpu() const { return gpu_; }
  std::size_t bytes() const { return bytes_; }
  bool is_placed() const { return host_source_.is_placed() && host_target_.is_placed(); }

  // Copies the whole pinned buffer.
  cuda::Flow flow(Direction direction) const;

  // Seconds of one blocking copy of pageable memory.
  double pageable_copy_seconds(Direction direction);
  std::size_t pageable_bytes() const { return pageable_.bytes(); }

  // Nanoseconds of one load of host memory by the GPU, of `steps` dependent ones on each of its multiprocessors. Throws when
  // the chase went astray.
  double load_latency_ns(std::uint64_t steps);

  // Before and after the copies of a direction. `damage`: for tests.
  void poison_target(Direction direction);
  void verify_target(Direction direction, const std::string& where, bool damage, cuda::Integrity& integrity);
  void verify_pageable(Direction direction, const std::string& where, bool damage, cuda::Integrity& integrity);

 private:
  cuda::Gpu gpu_;
  std::size_t bytes_;
  cuda::Stream to_device_;
  cuda::Stream to_host_;
  cuda::DeviceBuffer<std::byte> device_source_;
  cuda::DeviceBuffer<std::byte> device_target_;
  cuda::HostBuffer host_source_;
  cuda::HostBuffer host_target_;
  cuda::HostBuffer pageable_;
};

// The links of all GPUs, made at the same time because touching and pinning host memory is slow. node_of says where each
// GPU's host buffers go.
std::vector<std::unique_ptr<Link>> make_links(const std::vector<cuda::Gpu>& gpus, std::size_t bytes,
                                              const std::vector<int>& node_of);

}  // namespace assay::hostlink
