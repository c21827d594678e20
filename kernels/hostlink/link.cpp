#include "hostlink/link.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "common/cuda/chase.hpp"
#include "common/cuda/on_all.hpp"

namespace assay::hostlink {
namespace {

constexpr std::size_t kPageableBytes = 64UL << 20;
constexpr std::size_t kRingBytes = 2UL << 20;
using Kind = cuda::HostBuffer::Kind;

std::uint64_t seed_of(const cuda::Gpu& gpu, Direction direction) {
  return 1000 + 2 * static_cast<std::uint64_t>(gpu.index) + (direction == Direction::ToHost ? 1 : 0);
}

}  // namespace

Link::Link(const cuda::Gpu& gpu, std::size_t bytes, int numa_node)
    : gpu_(gpu),
      bytes_(bytes),
      to_device_(gpu.index),
      to_host_(gpu.index),
      device_source_(gpu.index, bytes),
      device_target_(gpu.index, bytes),
      host_source_(bytes, Kind::Pinned, numa_node),
      host_target_(bytes, Kind::Pinned, numa_node),
      pageable_(std::min(bytes, kPageableBytes), Kind::Pageable, numa_node) {
  cuda::fill_pattern(device_source_.data(), bytes, seed_of(gpu, Direction::ToHost), to_host_);
  cuda::fill_pattern(host_source_.data(), bytes, seed_of(gpu, Direction::ToDevice), to_device_);
  to_host_.synchronize();
  to_device_.synchronize();
}

cuda::Flow Link::flow(Direction direction) const {
  const bool to_device = direction == Direction::ToDevice;
  const cuda::Stream& stream = to_device ? to_device_ : to_host_;
  void* target = const_cast<std::byte*>(to_device ? device_target_.data() : host_target_.data());
  const void* source = to_device ? host_source_.data() : device_source_.data();
  const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  return {&stream, [=, &stream, bytes = bytes_] {
            cuda::check(cudaMemcpyAsync(target, source, bytes, kind, stream.get()), "copying between host and GPU");
          }};
}

double Link::pageable_copy_seconds(Direction direction) {
  const cuda::OnDevice on(gpu_.index);
  const bool to_device = direction == Direction::ToDevice;
  const cuda::Stream& stream = to_device ? to_device_ : to_host_;
  if (to_device) std::memcpy(pageable_.data(), host_source_.data(), pageable_.bytes());
  const cuda::Stopwatch watch;
  if (to_device) {
    cuda::check(cudaMemcpyAsync(device_target_.data(), pageable_.data(), pageable_.bytes(), cudaMemcpyHostToDevice, stream.get()),
                "copying pageable memory to the GPU");
  } else {
    cuda::check(cudaMemcpyAsync(pageable_.data(), device_source_.data(), pageable_.bytes(), cudaMemcpyDeviceToHost, stream.get()),
                "copying to pageable memory");
  }
  stream.synchronize();
  return watch.seconds();
}

double Link::load_latency_ns(std::uint64_t steps) {
  cuda::Mapped<cuda::Chased> chased;
  cuda::queue_chase_setup(host_target_.data(), kRingBytes, to_device_);
  cuda::queue_chase(host_target_.data(), kRingBytes, steps, gpu_.multiprocessors, chased.device(), to_device_);
  to_device_.synchronize();
  if (chased.host().astray != 0) throw std::runtime_error("the pointer chase went astray");
  return static_cast<double>(chased.host().nanoseconds) / static_cast<double>(steps * gpu_.multiprocessors);
}

void Link::poison_target(Direction direction) {
  const bool to_device = direction == Direction::ToDevice;
  const cuda::Stream& stream = to_device ? to_device_ : to_host_;
  cuda::poison(to_device ? device_target_.data() : host_target_.data(), bytes_, stream);
  stream.synchronize();
}

void Link::verify_target(Direction direction, const std::string& where, bool damage, cuda::Integrity& integrity) {
  const bool to_device = direction == Direction::ToDevice;
  std::byte* target = to_device ? device_target_.data() : host_target_.data();
  if (damage) cuda::flip_bit(target, bytes_ / 3, to_device_);
  integrity.expect(where + " " + gpu_.name(), cuda::compare_pattern(target, bytes_, seed_of(gpu_, direction), to_device_));
}

void Link::verify_pageable(Direction direction, const std::string& where, bool damage, cuda::Integrity& integrity) {
  if (direction == Direction::ToHost) {
    std::memcpy(host_target_.data(), pageable_.data(), pageable_.bytes());
    if (damage) host_target_.data()[pageable_.bytes() / 3] ^= std::byte{0x10};
  } else if (damage) {
    cuda::flip_bit(device_target_.data(), pageable_.bytes() / 3, to_device_);
  }
  const void* target = direction == Direction::ToHost ? host_target_.data() : device_target_.data();
  integrity.expect(where + " " + gpu_.name(),
                   cuda::compare_pattern(target, pageable_.bytes(), seed_of(gpu_, direction), to_device_));
}

std::vector<std::unique_ptr<Link>> make_links(const std::vector<cuda::Gpu>& gpus, std::size_t bytes,
                                              const std::vector<int>& node_of) {
  std::vector<std::unique_ptr<Link>> links(gpus.size());
  cuda::on_all(gpus.size(), [&](std::size_t i) { links[i] = std::make_unique<Link>(gpus[i], bytes, node_of[i]); });
  return links;
}

}  // namespace assay::hostlink
