#include "mpibench/sampler.hpp"

#include <algorithm>

#include "common/stop.hpp"

namespace assay::mpibench {
namespace {

constexpr std::size_t kLeastSamples = 6;  // the fewest whose extremes are a 95 % interval of the median
constexpr std::size_t kMostSamples = 100;
constexpr double kMostSampleSeconds = 0.01;
constexpr double kSamplesInBudget = 20;
constexpr double kWindowsInBudget = 8;  // on a slow link the window is shortened rather than the number of samples

class Sampler {
 public:
  Sampler(const World& world, const std::vector<Role>& roles, const Sampling& sampling, const Exchange& exchange)
      : world_(world), roles_(roles), sampling_(sampling), exchange_(exchange) {
    int pairs = 0;
    for (const Role& role : roles) pairs = std::max(pairs, role.pair + 1);
    loads_.resize(static_cast<std::size_t>(pairs));
  }

  // Every pair has its own load, or a fast one would be timed over too short a while beside a slow one. The first exchange of
  // all makes the connections, which is not timed.
  void choose_loads() {
    pair_seconds();
    auto seconds = pair_seconds();
    for (std::size_t pair = 0; pair < seconds.size(); ++pair) {
      loads_[pair].window = window_within(sampling_.window, seconds[pair], sampling_.budget_seconds / kWindowsInBudget);
    }
    seconds = pair_seconds();
    const double sample_seconds = std::min(kMostSampleSeconds, sampling_.budget_seconds / kSamplesInBudget);
    for (std::size_t pair = 0; pair < seconds.size(); ++pair) loads_[pair].iterations = iterations_within(seconds[pair], sample_seconds);
  }

  std::vector<Sampled> run() {
    const StoppingRule rule(kLeastSamples, kMostSamples, sampling_.relative_width, sampling_.budget_seconds);
    std::vector<StoppingRule> rules(world_.is_first() ? loads_.size() : 0, rule);
    const auto wants_more = [](const StoppingRule& one) { return one.wants_more(); };
    while (world_.from_first(std::any_of(rules.begin(), rules.end(), wants_more))) {
      world_.together(throw_if_stopped);
      const double start = MPI_Wtime();
      const auto seconds = pair_seconds();
      const double cost = MPI_Wtime() - start;
      for (std::size_t pair = 0; pair < rules.size(); ++pair) {
        rules[pair].add(seconds[pair] / loads_[pair].iterations / loads_[pair].window, cost);
      }
    }
    std::vector<Sampled> sampled;
    for (std::size_t pair = 0; pair < rules.size(); ++pair) {
      sampled.push_back({rules[pair].summary(), loads_[pair].window, rules[pair].is_steady()});
    }
    return sampled;
  }

 private:
  // One exchange of all pairs at once, with their loads. By pair, on the first rank.
  std::vector<double> pair_seconds() {
    std::vector<Load> loads(world_.is_first() ? roles_.size() : 0);
    for (std::size_t rank = 0; rank < loads.size(); ++rank) {
      if (roles_[rank].pair >= 0) loads[rank] = loads_[static_cast<std::size_t>(roles_[rank].pair)];
    }
    const Load load = world_.scatter(loads);
    world_.barrier();
    const auto all = world_.gather(exchange_(roles_[static_cast<std::size_t>(world_.rank())], load));
    std::vector<double> seconds(world_.is_first() ? loads_.size() : 0);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (!roles_[rank].leads) continue;
      double& slowest = seconds[static_cast<std::size_t>(roles_[rank].pair)];
      slowest = std::max(slowest, all[rank]);
    }
    return seconds;
  }

  const World& world_;
  const std::vector<Role>& roles_;
  const Sampling& sampling_;
  const Exchange& exchange_;
  std::vector<Load> loads_;  // of the pairs; kept by the first rank
};

}  // namespace

std::vector<Sampled> sample(const World& world, const std::vector<Role>& roles, const Sampling& sampling, const Exchange& exchange) {
  Sampler sampler(world, roles, sampling, exchange);
  sampler.choose_loads();
  return sampler.run();
}

}  // namespace assay::mpibench
