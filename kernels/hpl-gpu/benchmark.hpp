// A whole run of hpl-gpu on the ranks of this process, or of all processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/world.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/document.hpp"
#include "hpl-gpu/figures.hpp"
#include "hpl-gpu/options.hpp"
#include "hpl-gpu/report.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

struct Repetition {
  double seconds = 0;  // the slowest rank's
  Residual residual;
  std::vector<RankFigures> ranks;
};

class Benchmark {
 public:
  Benchmark(const Options& options, const collectives::World& world, const std::vector<cuda::Gpu>& gpus, Document& doc);

  // Factors and verifies as often as it was asked to. Progress goes to stderr.
  void run(cuda::Telemetry& telemetry);

  const Problem& problem() const { return problem_; }
  const std::vector<Repetition>& repetitions() const { return repetitions_; }

 private:
  using Work = std::function<void(Team& team, std::size_t local)>;
  void on_all_ranks(const Work& work) const;
  void choose_problem(Document& doc);
  double slowest_product_rate() const;
  std::int64_t least_of_all(std::int64_t value) const;
  void repeat(Team& team, std::size_t local, cuda::Telemetry& telemetry);
  void measure(Team& team, std::size_t local, System& system, Backend& backend, cuda::Telemetry& telemetry);
  std::vector<RankFigures> gather(const std::vector<RankFigures>& own) const;
  void tell(const std::string& line) const;

  const Options& options_;
  const collectives::World& world_;
  const std::vector<cuda::Gpu>& gpus_;
  Problem problem_{};
  std::vector<Repetition> repetitions_;
  std::vector<std::vector<RankFigures>> figures_;  // by local rank and repetition
  Document& doc_;
};

}  // namespace assay::hplgpu
