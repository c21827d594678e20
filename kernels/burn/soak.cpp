#include "burn/soak.hpp"

#include <algorithm>

#include "common/cuda/team.hpp"
#include "common/stop.hpp"

namespace assay::burn {
namespace {

constexpr double kWindowSeconds = 0.25;
constexpr std::size_t kMostProductsInWindow = 256;
constexpr std::size_t kPatternUnit = std::size_t{1} << 20;

}  // namespace

Soak::Soak(const cuda::Gpu& gpu, const Load& load)
    : gpu_(gpu), load_(load), stream_(gpu.index), operands_(gpu.index, load.precision, load.n),
      multiplier_(operands_, load.precision, gemm::Library::Direct, stream_), reference_(gpu.index, operands_.c_bytes()),
      found_(gpu.index, 1), found_in_memory_(gpu.index, 1) {
  for (std::size_t i = 0; i < kMostProductsInWindow; ++i) timers_.emplace_back(gpu.index);
  operands_.initialize(stream_);
  for (auto* found : {&found_, &found_in_memory_}) cuda::upload(std::vector<cuda::Mismatch>{kNothingFound}, found->data(), stream_);
  multiplier_.queue();
  residual_ = operands_.residual(stream_);
  reference_checksum_ = operands_.checksum(stream_);
  {
    const cuda::OnDevice on(gpu.index);
    cuda::check(cudaMemcpyAsync(reference_.data(), operands_.c(), reference_.bytes(), cudaMemcpyDeviceToDevice, stream_.get()),
                "keeping the first product");
  }
  seconds_per_product_ = multiply(1, false);
  const auto free = static_cast<double>(cuda::free_bytes(gpu.index));
  const std::size_t bytes = static_cast<std::size_t>(free * load.memory_fraction) / kPatternUnit * kPatternUnit;
  if (bytes > 0) memory_ = std::make_unique<MemorySweep>(gpu.index, bytes, stream_);
  stream_.synchronize();
}

double Soak::multiply(std::size_t count, bool damage) {
  const cuda::OnDevice on(gpu_.index);
  for (std::size_t i = 0; i < count; ++i) {
    timers_[i].start(stream_);
    multiplier_.queue();
    timers_[i].stop(stream_);
    if (damage && i == 0) cuda::flip_bit(operands_.c(), reference_.bytes() / 3, stream_);
    queue_comparison(operands_.c(), reference_.data(), reference_.bytes(), found_.data(), stream_);
  }
  if (memory_) memory_->queue_slice(found_in_memory_.data(), stream_);
  stream_.synchronize();
  double seconds = 0;
  for (std::size_t i = 0; i < count; ++i) seconds += timers_[i].seconds();
  products_ += count;
  return seconds;
}

void Soak::run(const cuda::Telemetry& clock, double start) {
  const double operations = gemm::operations(static_cast<double>(load_.n));
  const double wanted = std::max(1.0, std::min(kWindowSeconds, load_.seconds / 12) / seconds_per_product_);
  const std::size_t count = std::min(kMostProductsInWindow, static_cast<std::size_t>(wanted));
  while (clock.now() - start < load_.seconds && !stop_requested()) {
    const double begin = clock.now() - start;
    const double seconds = multiply(count, load_.inject_bitflip && windows_.empty());
    windows_.push_back({begin, clock.now() - start, operations * static_cast<double>(count) / seconds * 1e-12});
  }
}

void Soak::verify(cuda::Integrity& integrity) {
  integrity.expect(gpu_.name() + " first product", residual_ < gemm::tolerance(load_.precision, static_cast<double>(load_.n)),
                   "does not fit its operands");
  const auto found = cuda::download(found_.data(), 1, stream_).front();
  integrity.expect(gpu_.name() + " repetitions", found);
  if (!memory_) return;
  if (load_.inject_bitflip) memory_->damage(stream_);
  memory_->queue_all(found_in_memory_.data(), stream_);
  integrity.expect(gpu_.name() + " memory", cuda::download(found_in_memory_.data(), 1, stream_).front());
}

}  // namespace assay::burn
