#include "hpl-gpu/cuda_backend.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "common/cuda/buffer.hpp"
#include "common/cuda/flow.hpp"
#include "common/program.hpp"
#include "hpl-gpu/base.hpp"
#include "hpl-gpu/blas.hpp"
#include "hpl-gpu/kernels.hpp"
#include "hpl-gpu/links.hpp"
#include "hpl-gpu/marks.hpp"

namespace assay::hplgpu {
namespace {

// Of high priority: a transfer or a panel that waits for a matrix product to end has to wait long.
class PriorityStream {
 public:
  PriorityStream() {
    int least = 0, greatest = 0;
    cuda::check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading the priorities of streams");
    cuda::check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "creating a stream");
  }
  ~PriorityStream() { cudaStreamDestroy(stream_); }
  PriorityStream(const PriorityStream&) = delete;
  PriorityStream& operator=(const PriorityStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaBackend : public Backend {
 public:
  CudaBackend(const cuda::Gpu& gpu, Team& team, const DeviceTuning& tuning)
      : device_(gpu.index), team_(team), tuning_(tuning), on_(gpu.index), compute_(gpu.index), blas_(compute_.get()), panel_blas_(panel_.get()),
        marks_(gpu.index), panels_(gpu.index), transfers_(gpu.index), waited_(gpu.index), words_(gpu.index, 2) {
    clear(reinterpret_cast<double*>(words_.data()), words_.count());
    if (team.size() > 1) links_ = std::make_unique<Links>(team, static_cast<int>(tuning.channels));
    marks_.add(Phase::Other, compute_.get());
  }

  double* allocate(std::size_t doubles) override {
    memory_.emplace_back(device_, doubles);
    clear(memory_.back().data(), doubles);
    return memory_.back().data();
  }
  std::vector<double> download(const double* from, std::size_t count) override {
    std::vector<double> to(count);
    drain(compute_.get());
    cuda::check(cudaMemcpy(to.data(), from, count * sizeof(double), cudaMemcpyDeviceToHost), "copying from the GPU");
    return to;
  }

  void work_on(Queue queue) override { queue_ = queue; }
  void record(Queue queue, int event) override { cuda::check(cudaEventRecord(event_of(event), stream_of(queue)), "recording an event"); }
  void hold_until(Queue queue, int event) override {
    cuda::check(cudaStreamWaitEvent(stream_of(queue), event_of(event), 0), "queueing a wait");
  }
  void wait_for(int event) override { wait(event_of(event)); }
  void mark(Phase phase) override { (queue_ == Queue::Panel ? panels_ : marks_).add(phase, stream()); }
  Phases take_phases() override {
    drain(compute_.get());
    drain(panel_.get());
    drain(transfer_.get());
    Phases phases;
    marks_.take(phases);
    panels_.take(phases);
    transfers_.take(phases);
    marks_.add(Phase::Other, compute_.get());
    return phases;
  }

  void generate(const Matrix& to, std::int64_t first_column, std::int64_t order) override {
    queue_generate(to, first_column, order, compute_.get());
  }
  void copy(const Matrix& from, const Matrix& to) override {
    constexpr std::int64_t kBytes = sizeof(double);
    cuda::check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.ld * kBytes), from.data, static_cast<std::size_t>(from.ld * kBytes),
                                  static_cast<std::size_t>(to.rows * kBytes), static_cast<std::size_t>(to.columns), cudaMemcpyDeviceToDevice,
                                  stream()),
                "copying columns");
  }
  void clear(double* values, std::size_t count) override {
    cuda::check(cudaMemsetAsync(values, 0, count * sizeof(double), compute_.get()), "clearing memory");
  }
  std::int64_t base_width(std::int64_t rows) const override {
    const std::int64_t width = std::min(base_.width_for(rows, share()), tuning_.most_base);
    if (width == 0) throw CannotRun("a panel of " + std::to_string(rows) + " rows does not fit into the GPU's shared memory");
    return width;
  }
  void factor_columns(const Panel& panel, std::int64_t first, std::int64_t count) override {
    base_.queue(panel, first, count, share(), stream());
    queue_swap_in_panel(panel, first, count, stream());
  }
  void trace_swaps(const Panel& panel) override { queue_trace(panel, stream()); }
  void swap_rows(const Panel& panel, const Matrix& a, const Matrix& top) override { queue_swap(panel, a, top, compute_.get()); }
  void solve_lower(const Matrix& l, const Matrix& b) override;
  void invert_lower(const Matrix& l, const Matrix& to) override {
    queue_identity(to, stream());
    solve_lower(l, to);
  }
  void multiply(const Matrix& c, const Matrix& a, const Matrix& b) override { blas().multiply(c, a, b); }
  void subtract_product(const Matrix& c, const Matrix& a, const Matrix& b) override { blas().subtract_product(c, a, b); }
  void solve_upper(const Matrix& u, double* x) override { blas_.solve_upper(u, x); }
  void subtract_times(const Matrix& a, const double* x, double* y) override { blas_.subtract_times(a, x, y); }
  void add_row_sums(const ColumnRun& columns, std::int64_t order, const double* x, double* products, double* sums) override {
    queue_row_sums(columns, order, x, products, sums, compute_.get());
  }
  void write_checksum(const Panel& panel) override { add_up(panel, panel.checksum()); }
  void compare_checksum(const Panel& panel) override {
    add_up(panel, words_.data());
    queue_compare(words_.data(), panel.checksum(), words_.data() + 1, compute_.get());
  }
  std::int64_t checksum_differences() override {
    drain(compute_.get());
    std::uint64_t count = 0;
    cuda::check(cudaMemcpy(&count, words_.data() + 1, sizeof count, cudaMemcpyDeviceToHost), "copying from the GPU");
    return static_cast<std::int64_t>(count);
  }
  void flip_bit(double* value) override { queue_flip(value, stream()); }

  void broadcast(const Panel& panel, int root) override {
    transfers_.add(Phase::Other, transfer_.get());
    links_->broadcast(panel.data, panel.bytes(), root, transfer_.get());
    transfers_.add(Phase::Broadcast, transfer_.get());
  }
  void sum_to(int root, double* values, std::size_t count) override { links_->sum_to(root, values, count, compute_.get()); }
  void sum_to_all(double* values, std::size_t count) override { links_->sum_to_all(values, count, compute_.get()); }

 private:
  cudaStream_t stream_of(Queue queue) const {
    return queue == Queue::Compute ? compute_.get() : queue == Queue::Panel ? panel_.get() : transfer_.get();
  }
  cudaStream_t stream() const { return stream_of(queue_); }
  BaseCase::Share share() const { return queue_ == Queue::Panel ? BaseCase::Share::Some : BaseCase::Share::All; }
  Blas& blas() { return queue_ == Queue::Panel ? panel_blas_ : blas_; }

  cudaEvent_t event_of(int number) {
    while (static_cast<int>(events_.size()) <= number) events_.emplace_back(device_);
    return events_[static_cast<std::size_t>(number)].get();
  }

  void drain(cudaStream_t stream) {
    cuda::check(cudaEventRecord(waited_.get(), stream), "recording an event");
    wait(waited_.get());
  }

  // Looks now and then whether there is still something to wait for.
  void wait(cudaEvent_t event) {
    for (;;) {
      const cudaError_t code = cudaEventQuery(event);
      if (code != cudaErrorNotReady) return cuda::check(code, "waiting for gpu" + std::to_string(device_));
      cudaGetLastError();
      if (team_.is_broken()) {
        if (links_) links_->abort();
        throw Abandoned();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  void add_up(const Panel& panel, std::uint64_t* sum) {
    cuda::check(cudaMemsetAsync(sum, 0, sizeof *sum, stream()), "clearing a checksum");
    queue_checksum(panel.data, static_cast<std::size_t>(panel.ld() * panel.width), sum, stream());
  }

  int device_;
  Team& team_;
  DeviceTuning tuning_;
  cuda::OnDevice on_;
  cuda::Stream compute_;
  PriorityStream panel_;
  PriorityStream transfer_;
  Queue queue_ = Queue::Compute;
  Blas blas_;
  Blas panel_blas_;  // with memory of its own: both work at the same time
  BaseCase base_;
  Marks marks_;
  Marks panels_;
  Marks transfers_;
  cuda::Event waited_;
  cuda::DeviceBuffer<std::uint64_t> words_;  // a checksum, and how many differed
  std::deque<cuda::DeviceBuffer<double>> memory_;
  std::deque<cuda::Event> events_;
  std::unique_ptr<Links> links_;
};

// For few columns, cuBLAS would start more small kernels than this recursion.
void CudaBackend::solve_lower(const Matrix& l, const Matrix& b) {
  if (l.rows <= kMostTriangle) return queue_small_solve(l, b, stream());
  const std::int64_t half = (l.rows / 2 + kMostTriangle - 1) / kMostTriangle * kMostTriangle;
  solve_lower(l.part(0, 0, half, half), b.top(half));
  blas().subtract_product(b.below(half), l.part(half, 0, l.rows - half, half), b.top(half));
  solve_lower(l.part(half, half, l.rows - half, l.rows - half), b.below(half));
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const cuda::Gpu& gpu, Team& team, const DeviceTuning& tuning) {
  return std::make_unique<CudaBackend>(gpu, team, tuning);
}

double product_rate(const cuda::Gpu& gpu, double seconds) {
  constexpr std::int64_t kRows = 16384, kColumns = 8192, kDepth = 1024;
  constexpr int kProducts = 5;
  const cuda::OnDevice on(gpu.index);
  const cuda::Stream stream(gpu.index);
  Blas blas(stream.get());
  cuda::DeviceBuffer<double> memory(gpu.index, static_cast<std::size_t>(kRows * kColumns + (kRows + kColumns) * kDepth));
  const Matrix c{memory.data(), kRows, kRows, kColumns};
  const Matrix a{c.at(0, kColumns), kRows, kRows, kDepth};
  const Matrix b{a.at(0, kDepth), kDepth, kDepth, kColumns};
  for (const Matrix& each : {c, a, b}) queue_generate(each, 0, each.rows, stream.get());
  cuda::EventTimer timer(gpu.index);
  double last = 0;  // counts: by then, the clock has settled
  for (const cuda::Stopwatch watch; last == 0 || watch.seconds() < seconds;) {
    timer.start(stream);
    for (int i = 0; i < kProducts; ++i) blas.subtract_product(c, a, b);
    timer.stop(stream);
    last = timer.seconds();
  }
  return 2.0 * kRows * kColumns * kDepth * kProducts / last * 1e-12;
}

}  // namespace assay::hplgpu
