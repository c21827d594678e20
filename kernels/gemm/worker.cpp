#include "gemm/worker.hpp"

#include <deque>
#include <optional>

#include "common/cuda/flow.hpp"
#include "common/stop.hpp"

namespace assay::gemm {
namespace {

// Event marks behind every window of a stream of products. Reads the windows' lengths while later ones are still running.
class Windows {
 public:
  Windows(const cuda::Stream& stream, double settling) : stream_(stream), settling_(settling) { mark(); }

  // Behind the products of a window.
  void mark() {
    marks_.emplace_back(stream_.device());
    marks_.back().record(stream_);
  }

  std::size_t under_way() const { return marks_.size() - 1; }
  const std::vector<double>& counted() const { return counted_; }

  // Waits for the oldest window, and returns its seconds. It counts if it began after the settling.
  std::optional<double> read_one() {
    marks_[1].synchronize();
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, marks_[0].get(), marks_[1].get()), "reading a timer");
    const double seconds = milliseconds * 1e-3;
    const bool counts = elapsed_ >= settling_;
    elapsed_ += seconds;
    marks_.pop_front();
    if (!counts) return std::nullopt;
    counted_.push_back(seconds);
    return seconds;
  }

 private:
  const cuda::Stream& stream_;
  double settling_;
  std::deque<cuda::Event> marks_;
  std::vector<double> counted_;
  double elapsed_ = 0;  // until the end of the last window that was read
};

}  // namespace

Worker::Worker(const cuda::Gpu& gpu, Precision precision, std::size_t n, Library library)
    : gpu_(gpu), stream_(gpu.index), operands_(gpu.index, precision, n), multiplier_(operands_, precision, library, stream_) {
  operands_.initialize(stream_);
}

double Worker::seconds_of_one() {
  constexpr double kLongSeconds = 0.005;
  const std::vector<cuda::Flow> flows{{&stream_, [this] { multiplier_.queue(); }}};
  const int timed = cuda::time_unlatched(flows, {1, 0})[0] > kLongSeconds ? 1 : 4;
  return cuda::time_unlatched(flows, {timed, 0})[0] / timed;
}

std::vector<double> Worker::try_all() {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < multiplier_.candidates(); ++i) {
    multiplier_.choose(i);
    seconds.push_back(seconds_of_one());
  }
  return seconds;
}

std::vector<double> Worker::work(const Load& load, const std::function<bool(double)>& add) {
  Windows windows(stream_, load.settling);
  bool is_enough = false;
  while (!is_enough) {
    throw_if_stopped();
    for (int i = 0; i < load.per_window; ++i) multiplier_.queue();
    windows.mark();
    if (windows.under_way() < 2) continue;  // one runs while the next is queued
    if (const auto counted = windows.read_one()) is_enough = add(*counted);
  }
  while (windows.under_way() > 0) {
    if (const auto counted = windows.read_one()) add(*counted);
  }
  return windows.counted();
}

}  // namespace assay::gemm
