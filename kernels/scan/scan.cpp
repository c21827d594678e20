// Exclusive prefix sum of doubles over all GPUs, as if their arrays were one: each sums its own array, learns what comes
// before it, and scans. README.md has the formulas.
#include <iostream>
#include <string>

#include "common/args.hpp"
#include "common/cuda/buffer.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/team.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "common/scaling.hpp"
#include "common/series.hpp"
#include "reduction/kernels.hpp"
#include "scan/kernels.hpp"

namespace {

using namespace assay;

constexpr int kMostGpus = 64;
constexpr int kRepeats = 4;  // scans in one sample

struct Options {
  std::int64_t bytes = std::int64_t{4} << 30;  // per GPU and array
  std::int64_t gpus = 0;
  double seconds = 0.3;  // per team size
  bool inject_bitflip = false;
};

struct Totals {
  double of_member[kMostGpus];
};

class Arrays {
 public:
  Arrays(const std::vector<cuda::Gpu>& gpus, int size, std::size_t count) : team_(gpus, size), count_(count) {
    for (std::size_t i = 0; i < team_.size(); ++i) {
      members_.emplace_back(team_.stream(i), count);
      reduction::queue_series(members_[i].from.data(), count, i * count, team_.stream(i));
      cuda::poison(members_[i].to.data(), members_[i].to.bytes(), team_.stream(i));
    }
    team_.synchronize();
  }

  // Every GPU its own array, from 0. Seconds per GPU for kRepeats.
  std::vector<double> scan_own() {
    return team_.time([&] {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        reduction::queue_add_up(totals_.device()->of_member, 0, members_[i].offset.data(), team_.stream(i));
      }
      for (int n = 0; n < kRepeats; ++n) {
        for (std::size_t i = 0; i < members_.size(); ++i) queue_scan(i);
      }
    });
  }

  // All arrays as one. What comes before a GPU's array must be known before its scan can start, so all but the last GPU read
  // theirs twice. Seconds for kRepeats.
  double scan_all() {
    return cuda::slowest(team_.time([&] {
      for (int n = 0; n < kRepeats; ++n) {
        for (std::size_t i = 0; i + 1 < members_.size(); ++i) {
          members_[i].reducer.queue(members_[i].from.data(), count_, &totals_.device()->of_member[i], team_.stream(i));
        }
        team_.meet();
        for (std::size_t i = 0; i < members_.size(); ++i) {
          reduction::queue_add_up(totals_.device()->of_member, static_cast<int>(i), members_[i].offset.data(), team_.stream(i));
          queue_scan(i);
        }
        team_.meet();
      }
    }));
  }

  // Compares all that the last scan_all() left: sums are exact, so the last bit counts.
  void verify(const std::string& name, bool damage, cuda::Integrity& integrity) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const cuda::Stream& stream = team_.stream(i);
      if (damage) cuda::flip_bit(members_[i].to.data(), count_ / 3 * sizeof(double) + 4, stream);
      const std::string where = name + " gpu" + std::to_string(i);
      const double offset = series::exact_sum(0, i * count_);
      const auto wrong = scan::count_wrong(members_[i].to.data(), count_, i * count_, offset, stream);
      integrity.expect(where, wrong == 0, std::to_string(wrong) + " prefix sums are wrong");
      const auto damaged = reduction::count_damaged(members_[i].from.data(), count_, i * count_, stream);
      integrity.expect(where, damaged == 0, std::to_string(damaged) + " elements are damaged");
    }
  }

 private:
  struct Member {
    Member(const cuda::Stream& stream, std::size_t count)
        : from(stream.device(), count), to(stream.device(), count), offset(stream.device(), 1),
          reducer(stream.device(), stream), scanner(stream.device(), count) {}
    cuda::DeviceBuffer<double> from;
    cuda::DeviceBuffer<double> to;
    cuda::DeviceBuffer<double> offset;
    reduction::Reducer reducer;
    scan::Scanner scanner;
  };

  void queue_scan(std::size_t i) {
    Member& member = members_[i];
    member.scanner.queue(member.from.data(), member.to.data(), member.offset.data(), team_.stream(i));
  }

  cuda::Team team_;
  std::size_t count_;
  std::vector<Member> members_;
  cuda::Mapped<Totals> totals_;
};

std::size_t elements_per_gpu(const Options& options, const std::vector<cuda::Gpu>& gpus, Document& doc) {
  const std::size_t wanted = std::min(static_cast<std::size_t>(options.bytes), series::kMostElements / gpus.size() * sizeof(double));
  const std::size_t bytes = cuda::fit_memory(gpus, {wanted >> 20 << 20, 1 << 20}, cuda::equal_share(2.2), "arrays", doc);
  doc.parameter("bytes", bytes);
  return bytes / sizeof(double);
}

void measure(const Options& options, Document& doc) {
  cuda::load_kernels_eagerly();
  const auto gpus = cuda::open_gpus(options.gpus == 0 ? 0 : std::min<std::int64_t>(options.gpus, kMostGpus));
  cuda::describe(gpus, doc);
  const std::size_t count = elements_per_gpu(options, gpus, doc);
  const double gigabytes = 2 * static_cast<double>(count * sizeof(double)) * kRepeats * 1e-9;  // once read, once written
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off);
  cuda::Integrity integrity;
  Scaling scaling;
  const StoppingRule rule(6, 100, 0.001, options.seconds);
  for (const int size : team_sizes(static_cast<int>(gpus.size()))) {
    Arrays arrays(gpus, size, count);
    if (size == static_cast<int>(gpus.size())) {
      const auto own = cuda::collect_together(gpus.size(), rule, [&] {
        auto samples = arrays.scan_own();
        for (double& sample : samples) sample = gigabytes / sample;
        return samples;
      });
      for (std::size_t i = 0; i < gpus.size(); ++i) {
        doc.measurement("scanPerGpu", "GB/s", Better::Higher).add(gpus[i].name(), own[i]);
      }
    }
    scaling.add(size, cuda::collect(rule, [&] { return gigabytes * size / arrays.scan_all(); }));
    arrays.verify(team_name(size), options.inject_bitflip, integrity);
  }
  scaling.report(doc, "scan", "GB/s");
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("scan", "Exclusive prefix sum of doubles over 1, 2, 4 ... GPUs");
  args.bytes(options.bytes, 16 << 20, std::int64_t{1} << 40, "size of the array on each GPU, in whole MiB");
  args.integer("--gpus", options.gpus, 0, kMostGpus, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one bit of the sums, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("scan", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
