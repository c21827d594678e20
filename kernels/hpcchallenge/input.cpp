#include "hpcchallenge/input.hpp"

namespace assay::hpcchallenge {

std::string input_file(const hpl::Problem& problem) {
  // hpcc reads the lines after HPL's by their number: one between them, then for orders and for block sizes how many there are, and which.
  return hpl::input_file(problem) +
         "##### PTRANS\n"
         "0        number of additional problem sizes\n" + std::to_string(problem.order) + "  Ns\n" +
         "0        number of additional block sizes\n" + std::to_string(problem.block) + "  NBs\n";
}

}  // namespace assay::hpcchallenge
