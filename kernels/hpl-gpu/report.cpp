#include "hpl-gpu/report.hpp"

#include <cinttypes>
#include <cstdio>

namespace assay::hplgpu {
namespace {

const std::string kDouble(80, '=');
const std::string kSingle(80, '-');

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// The settings that HPL has and this program has not are those that describe what it does.
std::string head(const Problem& problem) {
  return kDouble + "\nHPLinpack 2.0  --  High-Performance Linpack benchmark  --   on GPUs, by Assay\n" + kDouble +
         "\n\nAn explanation of the input/output parameters follows:\n"
         "T/V    : Wall time / encoded variant.\n"
         "N      : The order of the coefficient matrix A.\n"
         "NB     : The partitioning blocking factor.\n"
         "P      : The number of process rows.\n"
         "Q      : The number of process columns.\n"
         "Time   : Time in seconds to solve the linear system.\n"
         "Gflops : Rate of execution for solving the linear system.\n"
         "\nThe following parameter values will be used:\n\n" +
         format("N      : %7" PRId64 " \nNB     : %7" PRId64 " \n", problem.order, problem.block) +
         "PMAP   : Row-major process mapping\n" + format("P      : %7d \nQ      : %7d \n", 1, problem.ranks) +
         "PFACT  :   Right \nNBMIN  :      16 \nNDIV   :       2 \nRFACT  :   Right \nBCAST  :   1ring \nDEPTH  :       1 \n"
         "SWAP   : Spread-roll (long)\nL1     : no-transposed form\nU      : no-transposed form\nEQUIL  : no\n"
         "ALIGN  : 16 double precision words\n\n" +
         kSingle + "\n\n- The matrix A is randomly generated for each test.\n"
         "- The following scaled residual check will be computed:\n"
         "      ||Ax-b||_oo / ( eps * ( || x ||_oo * || A ||_oo + || b ||_oo ) * N )\n" +
         format("- The relative machine precision (eps) is taken to be     %21.6e\n", 1.1102230246251565e-16) +
         format("- Computational tests pass if scaled residuals are less than      %11.1f\n\n", kThreshold);
}

std::string result_lines(const Problem& problem, const Result& result) {
  const Residual& residual = result.residual;
  std::string text = kDouble + "\nT/V                N    NB     P     Q               Time                 Gflops\n" + kSingle + "\n" +
                     format("WR10R2R%1d%12" PRId64 " %5" PRId64 " %5d %5d %18.2f     %18.3e\n", 16, problem.order, problem.block, 1,
                            problem.ranks, result.seconds, operations_of(problem.order) / result.seconds * 1e-9) +
                     kSingle + "\n" +
                     format("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %16.7f ...... %s\n", residual.scaled,
                            residual.passed() ? "PASSED" : "FAILED");
  if (residual.passed()) return text;
  return text + format("||Ax-b||_oo  . . . . . . . . . . . . . . . . . = %18.6f\n", residual.difference) +
         format("||A||_oo . . . . . . . . . . . . . . . . . . . = %18.6f\n", residual.matrix) +
         format("||x||_oo . . . . . . . . . . . . . . . . . . . = %18.6f\n", residual.solution) +
         format("||b||_oo . . . . . . . . . . . . . . . . . . . = %18.6f\n", residual.right_side);
}

}  // namespace

double operations_of(std::int64_t order) {
  const auto n = static_cast<double>(order);
  return (2.0 / 3.0 * n + 1.5) * n * n;
}

std::string netlib_report(const Problem& problem, const std::vector<Result>& results) {
  std::string text = head(problem);
  int passed = 0;
  for (const Result& result : results) {
    text += result_lines(problem, result);
    passed += result.residual.passed() ? 1 : 0;
  }
  const int count = static_cast<int>(results.size());
  return text + kDouble + "\n\n" + format("Finished %6d tests with the following results:\n", count) +
         format("         %6d tests completed and passed residual checks,\n", passed) +
         format("         %6d tests completed and failed residual checks,\n", count - passed) +
         format("         %6d tests skipped because of illegal input values.\n", 0) + kSingle + "\n\nEnd of Tests.\n" + kDouble + "\n";
}

}  // namespace assay::hplgpu
