// Prices European call options by simulating their paths on 1, 2, 4 ... GPUs, each GPU its own options, and compares every
// price with the closed form. README.md has the formulas.
#include <algorithm>
#include <cmath>
#include <cstring>
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
#include "montecarlo/kernels.hpp"

namespace {

using namespace assay;
using montecarlo::Call;
using montecarlo::Payoffs;
using montecarlo::Precision;

constexpr std::uint64_t kSeed = 0x1234567890ABCDEFu;
constexpr double kMostStandardErrors = 6;  // random numbers are fixed, so a healthy GPU always gets the same few
constexpr std::size_t kReferenceOptions = 1;
constexpr std::size_t kCommonOptions = 64;  // priced by every GPU, and compared to the last bit

struct Options {
  std::int64_t options = 8192;  // per GPU
  std::int64_t paths = 1 << 20;
  std::int64_t gpus = 0;
  std::vector<std::string> precisions{"fp32", "fp64"};
  double seconds = 0.3;  // per team size and precision
  bool inject_bitflip = false;
};

bool are_identical(const std::vector<Payoffs>& a, const std::vector<Payoffs>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Payoffs)) == 0;
}

class Pricing {
 public:
  Pricing(const std::vector<cuda::Gpu>& gpus, int size, const std::vector<Call>& calls, std::size_t per_gpu, Precision precision,
          std::int64_t paths)
      : team_(gpus, size), per_gpu_(per_gpu), precision_(precision), paths_(paths) {
    std::vector<montecarlo::PathTerms> terms;
    for (const Call& call : calls) terms.push_back(montecarlo::path_terms(call, market_));
    for (std::size_t i = 0; i < team_.size(); ++i) {
      members_.emplace_back(team_.stream(i).device(), terms.size(), per_gpu);
      cuda::upload(terms, members_[i].terms.data(), team_.stream(i));
    }
    calls_ = calls;
  }

  // Seconds per GPU.
  std::vector<double> simulate() {
    return team_.time([&] {
      for (std::size_t i = 0; i < members_.size(); ++i) queue(i, i * per_gpu_, per_gpu_);
    });
  }

  // The last simulate() against the closed form and the host. Returns the L1 norm of the relative error.
  double verify(const std::string& name, bool damage, cuda::Integrity& integrity) {
    double difference = 0;
    double total = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::string where = name + " gpu" + std::to_string(i);
      if (damage) cuda::flip_bit(members_[i].payoffs.data(), per_gpu_ / 2 * sizeof(Payoffs) + 1, team_.stream(i));
      const auto payoffs = cuda::download(members_[i].payoffs.data(), per_gpu_, team_.stream(i));
      double worst = 0;
      for (std::size_t k = 0; k < per_gpu_; ++k) {
        const Call& call = calls_[i * per_gpu_ + k];
        const double exact = montecarlo::closed_form(call, market_);
        const auto estimate = montecarlo::estimate(payoffs[k], static_cast<std::size_t>(paths_), call, market_);
        const double error = std::abs(estimate.price - exact);
        worst = std::max(worst, error / estimate.standard_error);
        difference += error;
        total += exact;
      }
      integrity.expect(where, worst < kMostStandardErrors,
                       "a price is " + std::to_string(worst) + " standard errors from the closed form");
      compare_with_host(where, i, payoffs, integrity);
      queue(i, i * per_gpu_, per_gpu_);
      integrity.expect(where, are_identical(payoffs, cuda::download(members_[i].payoffs.data(), per_gpu_, team_.stream(i))),
                       "the same paths again do not give the same payoffs");
    }
    return difference / total;
  }

  // All GPUs price the same options: the sums have to be the same to the last bit.
  void verify_sameness(const std::string& name, cuda::Integrity& integrity) {
    std::vector<Payoffs> first;
    const std::size_t count = std::min(per_gpu_, kCommonOptions);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      queue(i, 0, count);
      const auto payoffs = cuda::download(members_[i].payoffs.data(), count, team_.stream(i));
      if (first.empty()) first = payoffs;
      integrity.expect(name + " gpu" + std::to_string(i), are_identical(first, payoffs),
                       "payoffs of the same paths differ from those of gpu0");
    }
  }

 private:
  struct Member {
    Member(int device, std::size_t all, std::size_t own) : terms(device, all), payoffs(device, own) {}
    cuda::DeviceBuffer<montecarlo::PathTerms> terms;
    cuda::DeviceBuffer<Payoffs> payoffs;
  };

  void queue(std::size_t i, std::size_t first, std::size_t count) {
    montecarlo::queue_simulation(precision_, members_[i].terms.data() + first, static_cast<std::uint32_t>(first),
                                 static_cast<int>(count), paths_, kSeed, members_[i].payoffs.data(), team_.stream(i));
  }

  void compare_with_host(const std::string& where, std::size_t member, const std::vector<Payoffs>& payoffs,
                         cuda::Integrity& integrity) const {
    const bool wide = precision_ == Precision::Double;
    const double tolerance = wide ? 1e-12 : 1e-5;  // of a sum of a million paths, rounded as the precision does
    for (std::size_t k = 0; k < std::min(kReferenceOptions, per_gpu_); ++k) {
      const std::size_t option = member * per_gpu_ + k;
      const auto terms = montecarlo::path_terms(calls_[option], market_);
      const auto reference = montecarlo::reference_payoffs(terms, static_cast<std::uint32_t>(option),
                                                           static_cast<std::size_t>(paths_), kSeed, wide);
      const double error = std::abs(payoffs[k].sum - reference.sum) / reference.sum;
      integrity.expect(where, error < tolerance,
                       "payoffs differ from the host's by " + std::to_string(error / tolerance) + " tolerances");
    }
  }

  const montecarlo::Market market_;
  cuda::Team team_;
  std::size_t per_gpu_;
  Precision precision_;
  std::int64_t paths_;
  std::vector<Call> calls_;
  std::vector<Member> members_;
};

void measure_precision(const Options& options, const std::string& name, const std::vector<cuda::Gpu>& gpus,
                       const std::vector<Call>& calls, cuda::Integrity& integrity, Document& doc) {
  const Precision precision = name == "fp64" ? Precision::Double : Precision::Single;
  const std::string suffix = name == "fp64" ? "Fp64" : "Fp32";
  const auto per_gpu = static_cast<std::size_t>(options.options);
  Scaling scaling;
  for (const int size : team_sizes(static_cast<int>(gpus.size()))) {
    Pricing pricing(gpus, size, calls, per_gpu, precision, options.paths);
    const StoppingRule rule(6, 100, 0.002, options.seconds);
    const auto rates = cuda::collect_together(static_cast<std::size_t>(size) + 1, rule, [&] {
      const auto seconds = pricing.simulate();
      std::vector<double> samples{static_cast<double>(per_gpu) * size / cuda::slowest(seconds)};
      for (const double each : seconds) samples.push_back(static_cast<double>(per_gpu) / each);
      return samples;
    });
    scaling.add(size, rates.front());
    const std::string where = name + " " + team_name(size);
    const double norm = pricing.verify(where, options.inject_bitflip, integrity);
    pricing.verify_sameness(where, integrity);
    if (size != static_cast<int>(gpus.size())) continue;
    doc.parameter("relativeErrorL1" + suffix, norm);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      doc.measurement("optionsPerGpu" + suffix, "options/s", Better::Higher).add(gpus[i].name(), rates[i + 1]);
    }
  }
  scaling.report(doc, "options" + suffix, "options/s", "scalingEfficiency" + suffix);
}

void measure(const Options& options, Document& doc) {
  cuda::load_kernels_eagerly();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  doc.parameter("paths", options.paths);
  doc.parameter("optionsPerGpu", options.options);
  const auto calls = montecarlo::make_calls(static_cast<std::size_t>(options.options) * gpus.size(), kSeed);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  cuda::Integrity integrity;
  for (const auto& name : options.precisions) measure_precision(options, name, gpus, calls, integrity, doc);
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::int64_t rounds = options.paths / montecarlo::kPathsPerRound;
  Args args("montecarlo", "Monte-Carlo pricing of European options on 1, 2, 4 ... GPUs");
  args.integer("--options", options.options, 1, 1 << 20, "options for each GPU");
  args.integer("--rounds", rounds, 1, 1 << 16, "paths of each option, in units of 16384 (64: 2^20 paths)");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.choices("--precisions", options.precisions, {"fp32", "fp64"}, "precisions of the paths");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one result, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.paths = rounds * montecarlo::kPathsPerRound;
  return run_program("montecarlo", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
