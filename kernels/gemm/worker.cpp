#include "gemm/worker.hpp"

#include <deque>

#include "common/cuda/flow.hpp"
#include "common/stop.hpp"

namespace assay::gemm {
namespace {

// Event marks behind every window of a stream of products. Reads the windows' lengths while later ones are still running.
class Windows {
 public:
  Windows(const cuda::Stream& stream, double settling) : stream_(stream), settling_(settling) { mark(); }

  void mark() {
    marks_.emplace_back(stream_.device());
    marks_.back().record(stream_);
  }

  std::size_t under_way() const { return marks_.size() - 1; }
  double elapsed() const { return elapsed_; }  // until the end of the last window that was read
  const std::vector<double>& counted() const { return counted_; }

  // Waits for the oldest window. It counts if it began after the settling.
  void read_one() {
    marks_[1].synchronize();
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, marks_[0].get(), marks_[1].get()), "reading a timer");
    if (elapsed_ >= settling_) counted_.push_back(milliseconds * 1e-3);
    elapsed_ += milliseconds * 1e-3;
    marks_.pop_front();
  }

 private:
  const cuda::Stream& stream_;
  double settling_;
  std::deque<cuda::Event> marks_;
  std::vector<double> counted_;
  double elapsed_ = 0;
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

std::vector<double> Worker::work(int per_window, double window_seconds, double settling, double counted) {
  constexpr std::size_t kFewest = 6;
  Windows windows(stream_, settling);
  const auto queued_until = [&] { return windows.elapsed() + static_cast<double>(windows.under_way()) * window_seconds; };
  while (queued_until() < settling + counted || windows.counted().size() < kFewest) {
    throw_if_stopped();
    for (int i = 0; i < per_window; ++i) multiplier_.queue();
    windows.mark();
    if (windows.under_way() > 1) windows.read_one();  // one runs while the next is queued
  }
  while (windows.under_way() > 0) windows.read_one();
  return windows.counted();
}

}  // namespace assay::gemm
