#include "hpl-gpu/benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include "common/cuda/buffer.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/on_all.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "hpl-gpu/progress.hpp"
#include "hpl-gpu/sizing.hpp"
#include "hpl-gpu/world_team.hpp"

namespace assay::hplgpu {
namespace {

constexpr std::size_t kReservedBytes = std::size_t{2} << 30;  // for cuBLAS, NCCL and kernels

Fault fault_of(const std::string& name) {
  if (name == "matrix") return Fault::Matrix;
  if (name == "panel") return Fault::Panel;
  return name == "broadcast" ? Fault::Broadcast : Fault::None;
}

void write(const std::string& path, const std::vector<double>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!out.flush()) throw std::runtime_error("writing the solution to " + path + " failed");
}

}  // namespace

Benchmark::Benchmark(const Options& options, const collectives::World& world, const std::vector<cuda::Gpu>& gpus, Document& doc)
    : options_(options), world_(world), gpus_(gpus), figures_(gpus.size()), doc_(doc) {
  problem_.ranks = world.size() * static_cast<int>(gpus.size());
  problem_.block = options.block;
  choose_problem(doc);
}

void Benchmark::on_all_ranks(const Work& work) const {
  if (world_.size() > 1) {
    WorldTeam team(world_);
    return work(team, 0);
  }
  run_threads(problem_.ranks, [&](Team& team) { work(team, static_cast<std::size_t>(team.rank())); });
}

std::int64_t Benchmark::least_of_all(std::int64_t value) const {
  return static_cast<std::int64_t>(-world_.max(-static_cast<double>(value)));
}

// In operations per second. HPL's is a little lower: the order that follows takes a little longer than was asked.
double Benchmark::slowest_product_rate() const {
  constexpr double kSeconds = 0.5;
  std::vector<double> rates(gpus_.size());
  world_.together([&] { cuda::on_all(gpus_.size(), [&](std::size_t i) { rates[i] = product_rate(gpus_[i], kSeconds); }); });
  return -world_.max(-*std::min_element(rates.begin(), rates.end())) * 1e12;
}

void Benchmark::choose_problem(Document& doc) {
  std::int64_t wanted = options_.order;
  if (wanted == 0 && options_.seconds > 0) {
    wanted = order_for_seconds(options_.seconds, slowest_product_rate() * problem_.ranks, problem_.block);
  }
  const auto bytes_for = [&](std::int64_t order) {
    return static_cast<std::size_t>(System::doubles_for({order, problem_.block, problem_.ranks}, options_.tuning)) * sizeof(double);
  };
  const cuda::BufferSize size{wanted > 0 ? bytes_for(wanted) : gpus_.front().memory_bytes,
                              bytes_for(options_.order > 0 ? options_.order : problem_.block)};
  const cuda::Share share = [&](std::size_t free) {
    return static_cast<std::size_t>(options_.memory_fraction * static_cast<double>(free - std::min(free, kReservedBytes)));
  };
  std::size_t fitting = 0;
  world_.together([&] { fitting = cuda::fit_memory(gpus_, size, share, "a matrix and its panels", doc); });
  const std::int64_t most = least_of_all(static_cast<std::int64_t>(fitting));
  const bool fits = wanted > 0 && static_cast<std::int64_t>(bytes_for(wanted)) <= most;
  problem_.order = fits ? wanted : order_for_memory(most, problem_.block, problem_.ranks, options_.tuning);
}

void Benchmark::run(cuda::Telemetry& telemetry) {
  tell("N=" + std::to_string(problem_.order) + " NB=" + std::to_string(problem_.block) + " on " + std::to_string(problem_.ranks) + " GPUs");
  on_all_ranks([&](Team& team, std::size_t local) { repeat(team, local, telemetry); });
  for (std::size_t i = 0; i < repetitions_.size(); ++i) {
    std::vector<RankFigures> own;
    for (const auto& figures : figures_) own.push_back(figures[i]);
    repetitions_[i].ranks = gather(own);
  }
}

void Benchmark::repeat(Team& team, std::size_t local, cuda::Telemetry& telemetry) {
  const Layout layout{problem_.order, problem_.block, problem_.ranks};
  std::unique_ptr<Backend> backend;
  std::unique_ptr<System> system;
  backend = make_cuda_backend(gpus_[local], team, options_.device);
  team.together([&] { system = std::make_unique<System>(layout, options_.tuning, *backend, team); });
  system->warm_up();
  for (std::int64_t i = 0; i < options_.repetitions; ++i) measure(team, local, *system, *backend, telemetry);
  if (!options_.solution.empty() && team.rank() == 0) {
    write(options_.solution, backend->download(system->solution(), static_cast<std::size_t>(problem_.order)));
  }
}

void Benchmark::measure(Team& team, std::size_t local, System& system, Backend& backend, cuda::Telemetry& telemetry) {
  const bool is_first = team.rank() == 0;
  const Layout layout{problem_.order, problem_.block, problem_.ranks};
  Meter meter(problem_.order);
  system.generate();
  backend.take_phases();
  team.together(throw_if_stopped);
  const double begin = telemetry.now();
  const cuda::Stopwatch watch;
  const auto progress = [&](std::int64_t columns) {
    const auto line = meter.at(columns, watch.seconds());
    if (is_first && line) tell(*line);
  };
  try {
    system.factor(progress, fault_of(options_.fault));
  } catch (const Stopped&) {
    if (is_first) doc_.note("stopped after " + std::to_string(std::lround(100 * meter.done())) + " % of the operations of repetition " +
                            std::to_string(figures_[local].size() + 1) + " of " + std::to_string(options_.repetitions));
    throw;
  }
  system.solve();
  RankFigures figures;
  figures.phases = backend.take_phases();
  figures.seconds = watch.seconds();
  figures.watts = telemetry.averages(begin, telemetry.now())[local].watts.value_or(0);
  figures.multiplied = system.multiplied();
  const double slowest = team.max(figures.seconds);
  const Residual residual = verify(layout, backend, team, system.solution(), system.room());
  figures.differences = static_cast<double>(backend.checksum_differences());
  figures_[local].push_back(figures);
  if (local == 0) repetitions_.push_back({slowest, residual, {}});
}

// Every process has as many ranks as every other.
std::vector<RankFigures> Benchmark::gather(const std::vector<RankFigures>& own) const {
  std::vector<RankFigures> all;
  for (int process = 0; process < world_.size(); ++process) {
    for (const RankFigures& figures : own) {
      std::vector<double> numbers = figures.numbers();
      for (double& number : numbers) number = world_.sum(process == world_.rank() ? number : 0);
      all.push_back(RankFigures::of(numbers.data()));
    }
  }
  return all;
}

void Benchmark::tell(const std::string& line) const {
  if (world_.rank() == 0) std::cerr << "hpl-gpu: " << line << std::endl;
}

}  // namespace assay::hplgpu
