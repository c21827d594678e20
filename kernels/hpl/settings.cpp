#include "hpl/settings.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "common/program.hpp"

namespace assay::hpl {

Grid grid_of(std::int64_t ranks) {
  Grid grid{1, ranks};
  for (std::int64_t rows = 1; rows * rows <= ranks; ++rows) {
    if (ranks % rows == 0) grid = {rows, ranks / rows};
  }
  return grid;
}

std::int64_t order_for(std::int64_t memory_bytes, double fraction, std::int64_t block) {
  const double elements = fraction * static_cast<double>(memory_bytes) / sizeof(double);
  const auto order = static_cast<std::int64_t>(std::sqrt(std::max(elements, 0.0)));
  return std::max(order / block * block, block);
}

Problem problem_for(const Options& options, std::int64_t memory_bytes, std::int64_t ranks) {
  Problem problem;
  problem.block = options.block;
  problem.order = options.order > 0 ? options.order : order_for(memory_bytes, options.memory_fraction, options.block);
  problem.grid = grid_of(ranks);
  const double matrix = 8.0 * static_cast<double>(problem.order) * static_cast<double>(problem.order);
  if (matrix > 0.95 * static_cast<double>(memory_bytes)) {
    throw CannotRun("a matrix of order " + std::to_string(problem.order) + " does not fit into " + std::to_string(memory_bytes) +
                    " bytes of usable memory");
  }
  return problem;
}

std::string describe(const Problem& problem) {
  return "hpl: N=" + std::to_string(problem.order) + " NB=" + std::to_string(problem.block) + " P=" +
         std::to_string(problem.grid.rows) + " Q=" + std::to_string(problem.grid.columns);
}

std::string input_file(const Problem& problem) {
  std::ostringstream out;
  out << "HPL input file\nwritten by Assay\n"
      << "HPL.out  output file name\n"
      << "8        device out\n"
      << "1        number of problem sizes\n"
      << problem.order << "  Ns\n"
      << "1        number of NBs\n"
      << problem.block << "  NBs\n"
      << "0        PMAP (row-major)\n"
      << "1        number of grids\n"
      << problem.grid.rows << "  Ps\n"
      << problem.grid.columns << "  Qs\n"
      << "16.0     threshold of the residual\n"
      << "1        number of PFACTs\n2  PFACT (right)\n"
      << "1        number of NBMINs\n4  NBMIN\n"
      << "1        number of NDIVs\n2  NDIV\n"
      << "1        number of RFACTs\n1  RFACT (Crout)\n"
      << "1        number of BCASTs\n1  BCAST (1ringM)\n"
      << "1        number of DEPTHs\n1  DEPTH\n"
      << "2        SWAP (mix)\n64  swapping threshold\n"
      << "0        L1 transposed\n0  U transposed\n1  equilibration\n8  memory alignment\n";
  return out.str();
}

}  // namespace assay::hpl
