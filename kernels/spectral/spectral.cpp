// spectral: elastic waves by spectral elements of order 4, on 1, 2, 4 ... GPUs of this process, or on all processes that mpirun started.
// README.md of the parent folder has the method.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "proxy/main.hpp"
#include "spectral/slab.hpp"

namespace {

using namespace assay;
using namespace assay::spectral;

constexpr int kVerifiedSteps = 200;

struct Options {
  std::int64_t edge = 32;
  std::int64_t layers = 20;
  std::int64_t gpus = 0;
  double seconds = 1;
  std::string precision = "fp32";
  bool inject_bitflip = false;

  bool is_double() const { return precision == "fp64"; }
  std::size_t real_bytes() const { return is_double() ? sizeof(double) : sizeof(float); }
  double epsilon() const { return is_double() ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon(); }
};

// Elements of order 4 converge with the fifth power of the edge; kernels/tests shows that the constant is below 1.
double error_bound(const Shape& shape, const Options& options) {
  const double per_wavelength = std::min(1.0 * shape.edge, 1.0 * shape.layers * shape.ranks / (shape.ranks + 1));
  return std::pow(per_wavelength, -5) + 100 * options.epsilon();
}

// What all ranks found together.
struct Findings {
  double error = 0;
  double bound = 0;
  double drift = 0;          // of the energy, over the verified steps
  double timed_drift = 0;    // over the timed ones
  double differences = 0;    // ranks whose second run ended elsewhere than their first
};

class Member {
 public:
  Member(const Options& options, const proxy::Rank& rank, proxy::Figures& figures)
      : options_(options), team_(rank.team), speaks_(rank.speaks), figures_(figures),
        slab_(make_slab(rank, static_cast<int>(options.edge), static_cast<int>(options.layers), options.is_double())) {}

  Findings verify() {
    Findings findings;
    findings.bound = error_bound(slab_->shape(), options_);
    slab_->start();
    const double before = team_.sum(slab_->energy());
    slab_->step(kVerifiedSteps / 2);
    if (options_.inject_bitflip && team_.rank() == team_.size() - 1) slab_->damage();
    slab_->step(kVerifiedSteps / 2);
    const Deviation own = slab_->deviation(kVerifiedSteps);
    findings.error = std::sqrt(team_.sum(own.error) / team_.sum(own.norm));
    findings.drift = std::abs(team_.sum(slab_->energy()) / before - 1);
    const Fields first = slab_->fields();
    slab_->start();
    slab_->step(kVerifiedSteps);
    const Fields second = slab_->fields();
    findings.differences = team_.sum(first.displacements == second.displacements && first.velocities == second.velocities ? 0 : 1);
    return findings;
  }

  void measure(const std::string& at, const std::vector<std::string>& names, bool is_largest, Findings& findings, Document& doc) {
    slab_->start();
    const double before = team_.sum(slab_->energy());
    const auto timing = proxy::time_steps(team_, *slab_, options_.seconds);
    findings.timed_drift = std::abs(team_.sum(slab_->energy()) / before - 1);
    if (speaks_) figures_.add_team(team_.size(), at, timing, doc);
    if (!is_largest) return;
    slab_->start();
    const auto alone = proxy::time_alone(team_, *slab_, options_.seconds);
    if (speaks_) figures_.add_ranks(names, "PerGpu", alone, doc);
  }

 private:
  const Options& options_;
  hplgpu::Team& team_;
  bool speaks_;
  proxy::Figures& figures_;
  std::unique_ptr<Slab> slab_;
};

void report(const Findings& findings, const std::string& at, const Options& options, Document& doc, cuda::Integrity& integrity) {
  const double energy_bound = options.is_double() ? 1e-10 : 1e-5;
  const auto expect = [&](const std::string& what, double value, double bound) {
    const bool ok = value <= bound;  // not so where it is no number
    integrity.expect(at, ok, what + " is " + proxy::text_of(value) + ", should be at most " + proxy::text_of(bound));
  };
  expect("the error of the wave after " + std::to_string(kVerifiedSteps) + " steps", findings.error, findings.bound);
  expect("the change of the energy over these steps", findings.drift, energy_bound);
  expect("the change of the energy over the timed steps", findings.timed_drift, energy_bound);
  expect("the number of GPUs whose second run differs from the first in some bit", findings.differences, 0);
  doc.parameter("waveError-" + at, proxy::text_of(findings.error));
  doc.parameter("energyDrift-" + at, proxy::text_of(findings.timed_drift));
}

void measure(const Options& options, const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
  const Shape shape{static_cast<int>(options.edge), static_cast<int>(options.layers), 1, 0};
  const Cost cost = cost_of_step(shape, options.real_bytes());
  doc.parameter("elementsPerGpu", shape.elements());
  doc.parameter("pointsPerGpu", shape.points());
  doc.parameter("precision", options.precision);
  doc.parameter("operationsPerStep", cost.operations);
  doc.parameter("bytesPerStep", cost.bytes);
  proxy::Figures figures({"elementSteps", "element-steps/s", 1.0 * shape.elements(), cost.operations, cost.bytes});
  for (const int size : ranks.sizes()) {
    std::cerr << "spectral: " << ranks.name_of(size) << ", " << shape.elements() << " elements on each GPU" << std::endl;
    Findings findings;
    ranks.run(size, [&](const proxy::Rank& rank) {
      Member member(options, rank, figures);
      Findings own = member.verify();
      member.measure(ranks.name_of(size), ranks.rank_names(), ranks.is_largest(size), own, doc);
      if (rank.speaks) findings = own;
    });
    report(findings, ranks.name_of(size), options, doc, integrity);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("spectral", "Elastic waves by spectral elements of order 4 on 1, 2, 4 ... GPUs: a proxy of SPECFEM3D");
  args.integer("--edge", options.edge, 8, 128, "elements along x and y");
  args.integer("--layers", options.layers, 8, 4096, "layers of edge x edge elements on each GPU");
  args.choice("--precision", options.precision, {"fp32", "fp64"}, "of fields and mesh");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one displacement, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const collectives::World world(&argc, &argv);
  return proxy::run_on_gpus("spectral", world, options.gpus, [&](const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
    measure(options, ranks, doc, integrity);
  });
}
