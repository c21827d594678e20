// Solves one problem on the host's backend, every rank a thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hpl-gpu/factor.hpp"
#include "hpl-gpu/verify.hpp"
#include "tests/hplgpu/backend.hpp"

namespace assay::hplgpu {

struct Case {
  std::int64_t order;
  std::int64_t block;
  int ranks;
  std::int64_t base = 4;
  Tuning tuning = {48, 0, 0};
  Fault fault = Fault::None;
  int transfer_milliseconds = 0;
};

struct Outcome {
  std::vector<double> x;
  Residual residual;
  double differences = 0;
  std::vector<std::int64_t> progress;
  double multiplied = 0;
  double seconds = 0;
};

inline Outcome solve(const Case& which) {
  Outcome outcome;
  const auto links = make_host_links(which.ranks);
  run_threads(which.ranks, [&](Team& team) {
    const Layout layout{which.order, which.block, which.ranks};
    const auto backend = make_host_backend(links, team.rank(), which.base, which.transfer_milliseconds);
    System system(layout, which.tuning, *backend, team);
    system.warm_up();
    system.generate();
    backend->take_phases();
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::int64_t> progress;
    system.factor([&](std::int64_t columns) { progress.push_back(columns); }, which.fault);
    system.solve();
    backend->take_phases();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const Residual residual = verify(layout, *backend, team, system.solution(), system.room());
    const double differences = team.sum(static_cast<double>(backend->checksum_differences()));
    const double multiplied = team.sum(system.multiplied());
    const double seconds = team.max(took.count());
    if (team.rank() > 0) return;
    outcome = {backend->download(system.solution(), static_cast<std::size_t>(which.order)), residual, differences, progress, multiplied, seconds};
  });
  return outcome;
}

}  // namespace assay::hplgpu
