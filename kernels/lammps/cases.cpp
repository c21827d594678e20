#include "lammps/cases.hpp"

#include <algorithm>
#include <cmath>

#include "lammps/timed.hpp"

namespace assay::lammps {
namespace {

constexpr std::int64_t kAtoms = 32000;

State per_atom(double temperature, double potential, double total) { return {temperature, potential / kAtoms, total / kAtoms}; }

// Bounds of `bound_of`. The logs print 7 digits at least; of sums of single-precision forces, 100 steps keep fewer.
constexpr double kDouble = 2e-6, kMixed = 1e-4, kNoise = 0.012;

}  // namespace

double deviation(const State& state, const State& reference) {
  const auto relative = [](double value, double of) { return std::abs(value - of) / std::abs(of); };
  const double largest = std::max(relative(state.potential, reference.potential), relative(state.total, reference.total));
  const double all = std::max(largest, relative(state.temperature, reference.temperature));
  const bool finite = std::isfinite(state.temperature + state.potential + state.total);  // max() forgets what is not a number
  return finite ? all : INFINITY;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"lj", "ljRate", "in.lj", 1, false, {{0, {0.7574531, -5.7585055, -4.6223613}}}},
      {"eam", "eamRate", "in.eam", 1, true, {{0, per_atom(801.832, -109957.3, -106640.77)}}},
      // Langevin's noise: each rank draws its own.
      {"chain", "chainRate", "in.chain.scaled", 1, false,
       {{1, {0.9729966, 0.4361122 + 20.507698, 22.40326}}, {4, {0.97145835, 0.43803883 + 20.502691, 22.397872}}}},
      {"rhodopsin", "rhodopsinRate", "in.rhodo.scaled", 2, true, {{0, per_atom(301.0906, -46882.6454, -25290.7364)}}},
  };
  return all;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& c : cases()) names.push_back(c.name);
  return names;
}

std::vector<Case> chosen(const Options& options) {
  std::vector<Case> some;
  for (const auto& c : cases()) {
    if (options.only == "all" || options.only == c.name) some.push_back(c);
  }
  return some;
}

std::int64_t edge(const Case& c, std::int64_t scale) { return std::max<std::int64_t>(1, scale / c.shrink); }

std::int64_t atoms(const Case& c, std::int64_t scale) {
  const std::int64_t n = edge(c, scale);
  return kAtoms * n * n * n;
}

std::int64_t memory_bytes(const Options& options, std::int64_t ranks) {
  std::int64_t largest = 0;
  for (const auto& c : chosen(options)) largest = std::max(largest, atoms(c, options.scale) * (c.name == "rhodopsin" ? 12000 : 2500));
  return (std::int64_t{128} << 20) * ranks + largest;
}

std::int64_t ranks_for(const Options& options, std::int64_t cores, std::int64_t gpus) {
  if (options.ranks > 0) return options.ranks;
  if (gpus == 0) return cores;
  return gpus * std::clamp<std::int64_t>(cores / gpus, 1, 16);
}

Bound bound_of(const Case& c, std::int64_t ranks, bool mixed) {
  for (const auto& reference : c.references) {
    const bool noise = reference.ranks != 0;
    if (!noise || (reference.ranks == ranks && !mixed)) return {reference.state, mixed ? kMixed : kDouble};
  }
  return {c.references.front().state, kNoise};
}

namespace {

// A box of n^3 times 32,000 atoms, and 100 steps, as the input says. Its state is printed for us.
std::string simulate(const Case& c, const std::string& what, std::int64_t n) {
  const std::string size = std::to_string(n);
  std::string text = "print \"assay case " + c.name + " " + what + "\"\n";
  for (const std::string axis : {"x", "y", "z"}) text += "variable " + axis + " delete\nvariable " + axis + " index " + size + "\n";
  const std::string divisor = c.extensive ? "/atoms" : "";
  return text + "include " + c.input + "\n" +
         "print \"assay state $(temp:%.12g) $(pe" + divisor + ":%.12g) $(etotal" + divisor + ":%.12g)\"\n";
}

}  // namespace

std::string driver(const Options& options, const std::string& mark) {
  const auto marked = [&](const std::string& name) { return mark.empty() ? "" : "print \"" + name + "\" file \"" + mark + "\" screen no\n"; };
  std::string text;
  for (const auto& c : chosen(options)) {
    text += simulate(c, "reference", 1) + "clear\n";
    text += simulate(c, "measured", edge(c, options.scale));
    text += "timer timeout " + std::to_string(options.seconds) + " every 5\n";
    text += marked(c.name) + "run 1000000000\n" + marked(kNothingTimed);
    text += "timer timeout off\nprint \"assay end\"\nclear\n";
  }
  return text;
}

}  // namespace assay::lammps
