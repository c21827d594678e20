// All-pairs gravitational N-body in FP64 on 1, 2, 4 ... GPUs: every GPU moves its share of the bodies under the attraction of
// all of them, then sends it to the others. README.md has the formulas.
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
#include "nbody/kernels.hpp"

namespace {

using namespace assay;
using nbody::Body;
using nbody::Vector;

constexpr double kSofteningSquared = 1e-4;
constexpr double kTimeStep = 1e-4;
constexpr std::uint64_t kSeed = 10;
constexpr double kTolerance = 1e-12;  // of an acceleration against the host: rounding is below 1e-14 here
constexpr std::size_t kVerifiedBodies = 48;
constexpr int kMostSlices = 64;
constexpr double kBlocksPerMultiprocessor = 256;

struct Options {
  std::int64_t bodies = 262144;
  std::int64_t gpus = 0;
  double seconds = 0.5;  // per team size
  bool inject_bitflip = false;
};

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Enough thread blocks on every GPU of the largest team that multiprocessors without work at the end cost about 1 %. The
// number does not depend on the team, so that every team adds in the same order.
int choose_slices(std::size_t bodies, const std::vector<cuda::Gpu>& gpus) {
  const double blocks = static_cast<double>(bodies) / nbody::kBodiesPerBlock / static_cast<double>(gpus.size());
  int slices = 1;
  while (slices < kMostSlices && blocks * slices < kBlocksPerMultiprocessor * gpus.front().multiprocessors) slices *= 2;
  return slices;
}

class Simulation {
 public:
  Simulation(const std::vector<cuda::Gpu>& gpus, int size, const std::vector<Body>& initial, int slices)
      : team_(gpus, size), initial_(initial) {
    const std::size_t blocks = initial.size() / nbody::kBodiesPerBlock;
    for (std::size_t i = 0; i < team_.size(); ++i) {
      const std::size_t first = share_begin(blocks, team_.size(), i) * nbody::kBodiesPerBlock;
      const std::size_t end = share_begin(blocks, team_.size(), i + 1) * nbody::kBodiesPerBlock;
      members_.emplace_back(team_.stream(i).device(), nbody::Share{first, end - first, initial.size(), slices});
    }
  }

  void restart() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      cuda::upload(initial_, member.bodies[now_].data(), team_.stream(i));
      const cuda::OnDevice on(team_.stream(i).device());
      cuda::check(cudaMemsetAsync(member.velocities.data(), 0, member.velocities.bytes(), team_.stream(i).get()),
                  "clearing the velocities");
    }
    team_.synchronize();
  }

  // One step of the whole system: seconds until every GPU had all the new positions.
  double step() {
    const auto seconds = team_.time([&] {
      for (std::size_t i = 0; i < members_.size(); ++i) queue_own_bodies(i);
      for (std::size_t i = 0; i < members_.size(); ++i) queue_sending(i);
      team_.meet();
    });
    now_ = 1 - now_;
    return cuda::slowest(seconds);
  }

  // What the accelerations of its own share took a GPU in the last step.
  double own_seconds(std::size_t member) const { return members_[member].timer.seconds(); }

  // Of the last step, in the order of the bodies.
  std::vector<Vector> accelerations() {
    std::vector<Vector> all;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto own = cuda::download(members_[i].accelerations.data(), members_[i].share.targets, team_.stream(i));
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  // As GPU `member` holds them: `before` or after the last step.
  std::vector<Body> bodies(std::size_t member, bool before) {
    return cuda::download(members_[member].bodies[before ? 1 - now_ : now_].data(), initial_.size(), team_.stream(member));
  }

  void damage_one_bit() {
    cuda::flip_bit(members_.back().bodies[now_].data(), initial_.size() / 3 * sizeof(Body) + 1, team_.stream(team_.size() - 1));
  }

  std::size_t size() const { return members_.size(); }
  const nbody::Share& share(std::size_t member) const { return members_[member].share; }

 private:
  struct Member {
    Member(int device, const nbody::Share& own)
        : share(own), timer(device), velocities(device, own.targets + 1), accelerations(device, own.targets + 1),
          partial(device, own.targets * static_cast<std::size_t>(own.slices) + 1) {
      bodies.emplace_back(device, own.sources);
      bodies.emplace_back(device, own.sources);
    }
    nbody::Share share;
    cuda::EventTimer timer;
    std::vector<cuda::DeviceBuffer<Body>> bodies;  // now, and after the step
    cuda::DeviceBuffer<Vector> velocities;
    cuda::DeviceBuffer<Vector> accelerations;
    cuda::DeviceBuffer<Vector> partial;
  };

  void queue_own_bodies(std::size_t i) {
    Member& member = members_[i];
    const Body* bodies = member.bodies[now_].data();
    member.timer.start(team_.stream(i));
    nbody::queue_accelerations(bodies, member.share, kSofteningSquared, member.partial.data(), team_.stream(i));
    member.timer.stop(team_.stream(i));
    nbody::queue_step(bodies, member.share, member.partial.data(), kTimeStep, member.velocities.data(),
                      member.accelerations.data(), member.bodies[1 - now_].data(), team_.stream(i));
  }

  void queue_sending(std::size_t i) {
    Member& member = members_[i];
    const cuda::OnDevice on(team_.stream(i).device());
    for (std::size_t step = 1; step < members_.size(); ++step) {  // each starts with another, so that no link is crowded
      Member& to = members_[(i + step) % members_.size()];
      cuda::check(cudaMemcpyPeerAsync(to.bodies[1 - now_].data() + member.share.first, to.velocities.device(),
                                      member.bodies[1 - now_].data() + member.share.first, member.velocities.device(),
                                      member.share.targets * sizeof(Body), team_.stream(i).get()),
                  "sending positions");
    }
  }

  cuda::Team team_;
  const std::vector<Body>& initial_;
  std::vector<Member> members_;
  std::size_t now_ = 0;
};

// The last step's accelerations of some bodies of every share against the host, and the same positions on every GPU.
void verify(Simulation& simulation, std::size_t bodies, const std::string& name, cuda::Integrity& integrity) {
  const auto before = simulation.bodies(0, true);
  const auto accelerations = simulation.accelerations();
  double worst = 0;
  for (std::size_t k = 0; k < kVerifiedBodies; ++k) {
    const std::size_t i = share_begin(bodies, kVerifiedBodies, k) + k % 7;
    if (i >= bodies) continue;
    worst = std::max(worst, nbody::relative_error(accelerations[i],
                                                  nbody::reference_acceleration(before, i, kSofteningSquared)));
  }
  integrity.expect(name, worst < kTolerance,
                   "an acceleration differs from the host's by " + std::to_string(worst / kTolerance) + " tolerances");
  const auto after = simulation.bodies(0, false);
  for (std::size_t i = 1; i < simulation.size(); ++i) {
    const auto other = simulation.bodies(i, false);
    integrity.expect(name + " gpu" + std::to_string(i),
                     std::memcmp(after.data(), other.data(), after.size() * sizeof(Body)) == 0,
                     "positions differ from those on gpu0");
  }
}

bool are_identical(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vector)) == 0;
}

void measure(const Options& options, Document& doc) {
  cuda::load_kernels_eagerly();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const auto bodies = static_cast<std::size_t>(options.bodies);
  const auto initial = nbody::initial_bodies(bodies, round_up(bodies, kMostSlices * nbody::kBodiesPerBlock), kSeed);
  const int slices = choose_slices(initial.size(), gpus);
  doc.parameter("bodies", options.bodies);
  doc.parameter("flopsPerInteraction", nbody::kFlopsPerInteraction);

  const double flops = nbody::flops(static_cast<double>(bodies), 1);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  cuda::Integrity integrity;
  Scaling scaling;
  std::vector<Vector> first_accelerations;
  for (const int size : team_sizes(static_cast<int>(gpus.size()))) {
    Simulation simulation(gpus, size, initial, slices);
    simulation.restart();
    simulation.step();
    if (size == 1) first_accelerations = simulation.accelerations();

    const StoppingRule rule(6, 50, 0.002, options.seconds);
    const auto rates = cuda::collect_together(static_cast<std::size_t>(size) + 1, rule, [&] {
      std::vector<double> sample{flops / simulation.step() * 1e-12};
      for (std::size_t i = 0; i < simulation.size(); ++i) {
        const double own = static_cast<double>(simulation.share(i).targets) / static_cast<double>(initial.size());
        sample.push_back(flops * own / simulation.own_seconds(i) * 1e-12);
      }
      return sample;
    });
    scaling.add(size, rates.front());
    if (size == static_cast<int>(gpus.size())) {
      for (std::size_t i = 0; i < gpus.size(); ++i) {
        doc.measurement("nbodyPerGpu", "TFLOP/s", Better::Higher).add(gpus[i].name(), rates[i + 1]);
      }
    }
    verify(simulation, bodies, team_name(size), integrity);

    simulation.restart();
    if (options.inject_bitflip) simulation.damage_one_bit();
    simulation.step();
    integrity.expect(team_name(size), are_identical(simulation.accelerations(), first_accelerations),
                     "the first step repeated is not the same to the last bit");
  }
  scaling.report(doc, "nbody", "TFLOP/s");
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("nbody", "All-pairs N-body in FP64 on 1, 2, 4 ... GPUs");
  args.integer("--bodies", options.bodies, 4096, 16'000'000, "number of bodies (1024000: the size of the classic benchmark)");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each number of GPUs");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one position, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("nbody", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
