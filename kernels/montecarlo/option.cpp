#include "montecarlo/option.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace assay::montecarlo {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLog2E = 1.44269504088896340736;

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Box and Muller: two normals from a radius in (0, 1) and a turn in [-1/2, 1/2).
struct Normals {
  double first, second;
};
Normals box_muller(double uniform, double turn) {
  const double radius = std::sqrt(-2 * std::log(uniform));
  return {radius * std::cos(2 * kPi * turn), radius * std::sin(2 * kPi * turn)};
}

double uniform23(std::uint32_t word) { return (static_cast<double>(word >> 9) + 0.5) * 0x1p-23; }
double turn23(std::uint32_t word) { return static_cast<double>(word >> 9) * 0x1p-23 - 0.5; }
std::uint64_t bits53(std::uint32_t high, std::uint32_t low) { return ((std::uint64_t{high} << 32) | low) >> 11; }
double uniform53(std::uint32_t high, std::uint32_t low) { return (static_cast<double>(bits53(high, low)) + 0.5) * 0x1p-53; }
double turn53(std::uint32_t high, std::uint32_t low) { return static_cast<double>(bits53(high, low)) * 0x1p-53 - 0.5; }

}  // namespace

double closed_form(const Call& call, const Market& market) {
  const double deviation = market.volatility * std::sqrt(call.years);
  const double d1 = (std::log(call.spot / call.strike) +
                     (market.rate + 0.5 * market.volatility * market.volatility) * call.years) / deviation;
  const double discount = std::exp(-market.rate * call.years);
  return call.spot * normal_distribution(d1) - call.strike * discount * normal_distribution(d1 - deviation);
}

PathTerms path_terms(const Call& call, const Market& market) {
  const double drift = (market.rate - 0.5 * market.volatility * market.volatility) * call.years;
  return {drift * kLog2E + std::log2(call.spot), market.volatility * std::sqrt(call.years) * kLog2E, call.strike};
}

Estimate estimate(const Payoffs& payoffs, std::size_t paths, const Call& call, const Market& market) {
  const double n = static_cast<double>(paths);
  const double mean = payoffs.sum / n;
  const double variance = std::max(0.0, payoffs.sum_of_squares / n - mean * mean);
  const double discount = std::exp(-market.rate * call.years);
  return {discount * mean, discount * std::sqrt(variance / n)};
}

Payoffs reference_payoffs(const PathTerms& terms, std::uint32_t option, std::size_t paths, std::uint64_t seed, bool wide) {
  Payoffs payoffs;
  const auto add = [&](double normal) {
    const double payoff = std::max(std::exp2(terms.drift + terms.scale * normal) - terms.strike, 0.0);
    payoffs.sum += payoff;
    payoffs.sum_of_squares += payoff * payoff;
  };
  const std::size_t paths_per_draw = wide ? 2 : 4;
  for (std::size_t draw = 0; draw < paths / paths_per_draw; ++draw) {
    const Words r = philox(static_cast<std::uint32_t>(draw), option, 0, 0, static_cast<std::uint32_t>(seed),
                           static_cast<std::uint32_t>(seed >> 32));
    if (wide) {
      const Normals pair = box_muller(uniform53(r.word[0], r.word[1]), turn53(r.word[2], r.word[3]));
      add(pair.first);
      add(pair.second);
    } else {
      for (int i = 0; i < 4; i += 2) {
        const Normals pair = box_muller(uniform23(r.word[i]), turn23(r.word[i + 1]));
        add(pair.first);
        add(pair.second);
      }
    }
  }
  return payoffs;
}

std::vector<Call> make_calls(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  };
  std::vector<Call> calls(count);
  for (Call& call : calls) {
    const double spot = between(5, 50);
    call = {spot, spot * between(0.8, 1.4), between(1, 5)};
  }
  return calls;
}

}  // namespace assay::montecarlo
