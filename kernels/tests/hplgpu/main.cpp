// hplgpu_host N NB Q: hpl-gpu's algorithm on the host, with the report that a GPU's would have. For tests; its speed means nothing.
#include <cstdlib>
#include <iostream>

#include "hpl-gpu/report.hpp"
#include "tests/hplgpu/solver.hpp"

int main(int argc, char** argv) {
  using namespace assay::hplgpu;
  if (argc != 4) {
    std::cerr << "usage: hplgpu_host N NB Q\n";
    return 2;
  }
  const Case which{std::atoll(argv[1]), std::atoll(argv[2]), std::atoi(argv[3]), 16};
  const Outcome outcome = solve(which);
  std::cout << netlib_report({which.order, which.block, which.ranks}, {{outcome.seconds, outcome.residual}});
  return outcome.residual.passed() ? 0 : 1;
}
