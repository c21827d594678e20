// pic: a gyrokinetic plasma of markers on 1, 2, 4 ... GPUs of this process, or on all processes that mpirun started. README.md of the parent
// folder has the method.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>

#include "common/cuda/pattern.hpp"
#include "pic/cloud.hpp"
#include "proxy/main.hpp"

namespace {

using namespace assay;
using namespace assay::pic;

constexpr int kVerifiedSteps = 100;
constexpr double kEnergyBound = 1e-5;    // of the whole energy, of which the wave has 8e-5
constexpr double kMomentumBound = 1e-6;  // per marker, in units of the thermal velocity

// Of a marker: 8 products of weights, and 24 products that are added up, for the charge; 2 products of weights and 6 operations at each of 16
// corners of the push; and 12 of the step itself.
constexpr double kOperationsPerMarker = 8 + 24 * 2 + 16 * (2 + 6) + 12;
constexpr double kBytesPerMarker = (4 + 4 + 4) * sizeof(float);  // read for the charge, read and written for the push

struct Options {
  std::string edge_length = "64";
  std::int64_t per_cell = 32;
  std::int64_t gpus = 0;
  double seconds = 1;
  bool inject_bitflip = false;

  int edge() const { return std::stoi(edge_length); }  // a power of two: places wrap by its bits
  Grid grid() const { return {edge(), edge(), edge()}; }
  double markers() const { return static_cast<double>(grid().cells()) * static_cast<double>(per_cell); }
};

// What all ranks found together.
struct Findings {
  double wave = 0;         // greatest distance from linear theory
  double charge = 0;       // markers' worth that the grid lacks
  double energy = 0;       // relative change
  double momentum = 0;     // change per marker
  double differences = 0;  // ranks whose second run ended elsewhere than their first
};

// The bits of all markers, in whatever order they lie.
struct Digest {
  std::uint64_t sums[2] = {};

  explicit Digest(const Start& start) {
    const auto bits = [](float a, float b) {
      std::uint32_t words[2];
      std::memcpy(words, &a, sizeof a);
      std::memcpy(words + 1, &b, sizeof b);
      return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
    };
    for (std::size_t i = 0; i < start.x.size(); ++i) {
      const std::uint64_t word = cuda::pattern_word(bits(start.x[i], start.y[i]), cuda::pattern_word(bits(start.z[i], start.v[i]), 1));
      sums[0] += word;
      sums[1] += cuda::pattern_word(word, 2);
    }
  }
  bool operator==(const Digest& other) const { return sums[0] == other.sums[0] && sums[1] == other.sums[1]; }
};

class Member {
 public:
  Member(const Options& options, const proxy::Rank& rank)
      : options_(options), team_(rank.team),
        cloud_(make_cloud(rank, options.grid(), static_cast<int>(options.per_cell))) {}

  Findings verify() {
    Findings findings;
    cloud_->start();
    const Totals before = totals(cloud_->coordinates());
    cloud_->step(1);
    const double energy = before.energy + field_energy();
    cloud_->step(kVerifiedSteps / 2 - 1);
    if (options_.inject_bitflip && team_.rank() == team_.size() - 1) cloud_->damage();
    cloud_->step(kVerifiedSteps - kVerifiedSteps / 2);
    const Start first = cloud_->coordinates();
    const Totals after = totals(first);
    findings.charge = lacking_charge();
    findings.energy = std::abs((after.energy + field_energy()) / energy - 1);
    findings.momentum = std::abs(after.momentum - before.momentum);
    cloud_->start();
    const auto waves = cloud_->waves(kVerifiedSteps);
    const auto expected = theory_on(kVerifiedSteps);
    for (std::size_t i = 0; i < waves.size(); ++i) findings.wave = std::max(findings.wave, std::abs(waves[i] - expected[i]));
    findings.differences = team_.sum(Digest(cloud_->coordinates()) == Digest(first) ? 0 : 1);
    return findings;
  }

  proxy::Part& part() { return *cloud_; }

 private:
  // Means over the markers of all ranks.
  struct Totals {
    double momentum = 0;
    double energy = 0;
  };
  Totals totals(const Start& start) {
    Totals sum;
    for (const double v : start.v) {
      sum.momentum += v;
      sum.energy += v * v / 2;
    }
    const double markers = options_.markers() * team_.size();
    return {team_.sum(sum.momentum) / markers, team_.sum(sum.energy) / markers};
  }

  // Per marker, of a density of 1: half the mean square of the force, which is the field.
  double field_energy() {
    const auto forces = cloud_->forces();
    double sum = 0;
    for (const Force& force : forces) sum += 0.5 * (force.x * force.x + force.y * force.y + force.z * force.z);
    return sum / static_cast<double>(forces.size());
  }

  // In whole numbers: the sum over all nodes has more bits than a double.
  double lacking_charge() {
    const auto markers = static_cast<std::uint64_t>(options_.markers() * team_.size());
    std::uint64_t lacking = markers * kChargeOfMarker;
    for (const double charge : cloud_->charge()) lacking -= static_cast<std::uint64_t>(charge);
    return std::abs(static_cast<double>(static_cast<std::int64_t>(lacking))) / static_cast<double>(kChargeOfMarker);
  }

  const Options& options_;
  hplgpu::Team& team_;
  std::unique_ptr<Cloud> cloud_;
};

void report(const Findings& findings, double wave_bound, const std::string& at, Document& doc, cuda::Integrity& integrity) {
  const auto expect = [&](const std::string& what, double value, double bound) {
    const bool ok = value <= bound;  // not so where it is no number
    integrity.expect(at, ok, what + " is " + proxy::text_of(value) + ", should be at most " + proxy::text_of(bound));
  };
  expect("the distance of the wave from linear theory", findings.wave, wave_bound);
  expect("the charge that the grid lacks, in markers", findings.charge, 0);
  expect("the change of the energy", findings.energy, kEnergyBound);
  expect("the change of the momentum per marker", findings.momentum, kMomentumBound);
  expect("the number of GPUs whose second run differs from the first in some bit", findings.differences, 0);
  doc.parameter("waveError-" + at, proxy::text_of(findings.wave));
  doc.parameter("energyDrift-" + at, proxy::text_of(findings.energy));
  doc.parameter("momentumDrift-" + at, proxy::text_of(findings.momentum));
}

void measure(const Options& options, const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
  const double markers = options.markers();
  doc.parameter("markersPerGpu", markers);
  doc.parameter("cells", options.grid().cells());
  proxy::Figures figures({"particleSteps", "particle-steps/s", markers, markers * kOperationsPerMarker, markers * kBytesPerMarker});
  for (const int size : ranks.sizes()) {
    std::cerr << "pic: " << ranks.name_of(size) << ", " << markers * 1e-6 << " million markers on each GPU" << std::endl;
    Findings findings;
    ranks.run(size, [&](const proxy::Rank& rank) {
      Member member(options, rank);
      const Findings own = member.verify();
      const auto timing = proxy::time_steps(rank.team, member.part(), options.seconds);
      if (rank.speaks) figures.add_team(size, ranks.name_of(size), timing, doc);
      if (rank.speaks) findings = own;
      if (!ranks.is_largest(size)) return;
      const auto alone = proxy::time_alone(rank.team, member.part(), options.seconds);
      if (rank.speaks) figures.add_ranks(ranks.rank_names(), "PerGpu", alone, doc);
    });
    report(findings, wave_bound(options.grid(), static_cast<int>(options.per_cell), size), ranks.name_of(size), doc, integrity);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("pic", "A gyrokinetic plasma of markers in a periodic box on 1, 2, 4 ... GPUs: a proxy of ORB5");
  args.choice("--edge", options.edge_length, {"32", "64", "128"}, "cells along each edge of the grid");
  args.integer("--per-cell", options.per_cell, 1, 1024, "markers in each cell, on each GPU");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one velocity, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const collectives::World world(&argc, &argv);
  return proxy::run_on_gpus("pic", world, options.gpus, [&](const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
    measure(options, ranks, doc, integrity);
  });
}
