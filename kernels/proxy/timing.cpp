#include "proxy/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "common/stop.hpp"

namespace assay::proxy {
namespace {

constexpr double kSampleSeconds = 0.05;  // starting and waiting for a sample takes tens of microseconds
constexpr int kFirstSteps = 5;
constexpr int kMostSteps = 5000;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Timing time(hplgpu::Team& team, double seconds, const std::function<void(int)>& make) {
  const StoppingRule rule(8, 200, 0.002, seconds);
  Timing timing{std::vector<StoppingRule>(static_cast<std::size_t>(team.size()), rule), rule};
  make(1);  // whatever is done once only
  const double first = team.max(seconds_of([&] { make(kFirstSteps); }));
  timing.steps = std::clamp(static_cast<int>(std::ceil(kSampleSeconds / first * kFirstSteps)), 1, kMostSteps);
  while (!timing.slowest.has_enough()) {
    team.together(throw_if_stopped);
    const auto all = team.gather(seconds_of([&] { make(timing.steps); }));
    const double slowest = *std::max_element(all.begin(), all.end());
    timing.slowest.add(slowest / timing.steps, slowest);
    for (std::size_t i = 0; i < all.size(); ++i) timing.ranks[i].add(all[i] / timing.steps, slowest);
  }
  return timing;
}

}  // namespace

Timing time_steps(hplgpu::Team& team, Part& part, double seconds) {
  return time(team, seconds, [&](int steps) { part.step(steps); });
}

Timing time_alone(hplgpu::Team& team, Part& part, double seconds) {
  return time(team, seconds, [&](int steps) { part.step_alone(steps); });
}

}  // namespace assay::proxy
