// FP64 matrix multiplication by OpenBLAS on the node and on each socket: C = A B, square, random operands.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "common/args.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/pinning.hpp"
#include "common/program.hpp"
#include "common/sampling.hpp"
#include "dgemm/verify.hpp"

namespace {

using namespace assay;
using namespace assay::dgemm;

constexpr std::uint64_t kSeedA = 1, kSeedB = 2, kSeedX = 3;

struct Options {
  std::int64_t n = 0;
  double seconds = 10;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of C = A B.
double multiply(const Matrix& a, const Matrix& b, Matrix& c) {
  const auto size = static_cast<blasint>(a.n());
  const auto start = std::chrono::steady_clock::now();
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0, a.data(), size, b.data(), size, 0.0,
              c.data(), size);
  return seconds_since(start);
}

double flops(std::size_t n) {
  const auto order = static_cast<double>(n);
  return 2 * order * order * order;
}

// The largest order, in steps of 512, of which ten products fit into the time at the rate that a small one reaches.
std::size_t order_for(double seconds) {
  constexpr std::size_t kProbe = 1024, kStep = 512, kLargest = 16384;
  const Matrix a = Matrix::random(kProbe, kSeedA), b = Matrix::random(kProbe, kSeedB);
  Matrix c(kProbe);
  const double probe = std::min({multiply(a, b, c), multiply(a, b, c), multiply(a, b, c)});
  std::size_t n = kProbe;
  while (n < kLargest && 10 * probe * flops(n + kStep) / flops(kProbe) < seconds) n += kStep;
  return n;
}

StoppingRule sample(const Matrix& a, const Matrix& b, Matrix& c, double budget_seconds) {
  StoppingRule rule(6, 100, 0.005, budget_seconds);
  while (rule.wants_more()) {
    const double seconds = multiply(a, b, c);
    rule.add(flops(a.n()) / seconds / 1e9, seconds);
  }
  return rule;
}

void use(const Topology& topology, const Place& place) {
  pin_team(topology, place);
  openblas_set_num_threads(static_cast<int>(place.cpus.size()));
}

std::vector<Place> places_of(const Topology& topology) {
  std::vector<Place> places = {topology.node()};
  const auto sockets = topology.sockets();
  if (sockets.size() > 1) places.insert(places.end(), sockets.begin(), sockets.end());
  return places;
}

Verdict measure_place(const Place& place, std::size_t n, double budget_seconds, Document& doc) {
  std::cerr << "dgemm: " << place.name << ", " << place.cpus.size() << " threads, n=" << n << std::endl;
  const Matrix a = Matrix::random(n, kSeedA), b = Matrix::random(n, kSeedB);
  Matrix c(n);
  const StoppingRule rule = sample(a, b, c, budget_seconds);
  doc.measurement("dgemm", "GFLOP/s", Better::Higher).add(place.name, rule.summary());
  if (!rule.is_steady()) doc.note(place.name + ": the rate never became steady");
  return verify(a, b, c, kSeedX);
}

void measure(const Options& options, Document& doc) {
  if (openblas_get_parallel() != OPENBLAS_OPENMP) {
    throw CannotRun("OpenBLAS was built without OpenMP: its threads cannot be pinned to a socket");
  }
  const Topology topology;
  const auto places = places_of(topology);
  const double budget = options.seconds / static_cast<double>(places.size());
  use(topology, places.back());  // the smallest place sets the order, which is the same for all
  const std::size_t n = options.n > 0 ? static_cast<std::size_t>(options.n) : order_for(budget);
  if (3.0 * sizeof(double) * static_cast<double>(n * n) > static_cast<double>(usable_memory_bytes())) {
    throw CannotRun("three matrices of order " + std::to_string(n) + " do not fit into the usable memory");
  }
  doc.parameter("n", n);
  doc.parameter("threads", places.front().cpus.size());
  doc.parameter("blas", std::string("OpenBLAS ") + openblas_get_corename());
  if (const auto quota = cpu_quota(); quota && *quota < static_cast<double>(places.front().cpus.size())) {
    doc.note("the container's CPU quota is below its number of cores: the threads are throttled");
  }

  Verdict worst;
  for (const Place& place : places) {
    use(topology, place);
    const Verdict verdict = measure_place(place, n, budget, doc);
    if (!(verdict.error < worst.error)) worst = verdict;
  }
  char message[64];
  std::snprintf(message, sizeof message, "worst relative error %.1e, at most %.1e", worst.error, worst.tolerance);
  doc.check("dataIntegrity", worst.ok(), message);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("dgemm", "FP64 matrix multiplication by OpenBLAS on the node and on each socket.");
  args.integer("--n", options.n, 0, 65536, "order of the matrices; 0: as large as --seconds allows");
  args.number("--seconds", options.seconds, 0.1, 600, "sampling time, shared by all places");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("dgemm", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
