#include "hpl/settings.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "common/program.hpp"

namespace assay::hpl {
namespace {

TEST(Hpl, GridIsAsSquareAsTheRanksAllow) {
  const auto grid = [](std::int64_t ranks) {
    const Grid g = grid_of(ranks);
    return std::pair(g.rows, g.columns);
  };
  EXPECT_EQ(grid(1), std::pair(1L, 1L));
  EXPECT_EQ(grid(2), std::pair(1L, 2L));
  EXPECT_EQ(grid(12), std::pair(3L, 4L));
  EXPECT_EQ(grid(13), std::pair(1L, 13L));
  EXPECT_EQ(grid(64), std::pair(8L, 8L));
  EXPECT_EQ(grid(96), std::pair(8L, 12L));
}

TEST(Hpl, OrderFillsTheShareOfMemoryInWholeBlocks) {
  // sqrt(0.8 * 64 GiB / 8) = 82,897: 431 blocks of 192.
  EXPECT_EQ(order_for(std::int64_t{64} << 30, 0.8, 192), 431 * 192);
  EXPECT_EQ(order_for(8 * 1000 * 1000, 1.0, 100), 1000);
  EXPECT_EQ(order_for(1000, 0.5, 192), 192) << "at least one block";
}

// HPL reads its input by position: the lines must stand where it looks for them.
TEST(Hpl, InputFileHasEveryLineInItsPlace) {
  std::istringstream input(input_file({9600, 192, {2, 3}}));
  std::vector<std::string> first_words;
  for (std::string line; std::getline(input, line);) first_words.push_back(line.substr(0, line.find(' ')));
  ASSERT_EQ(first_words.size(), 31u);
  EXPECT_EQ(first_words[5], "9600");   // Ns
  EXPECT_EQ(first_words[7], "192");    // NBs
  EXPECT_EQ(first_words[10], "2");     // Ps
  EXPECT_EQ(first_words[11], "3");     // Qs
  EXPECT_EQ(first_words[12], "16.0");  // threshold
}

// Two nodes of 4 GiB hold a matrix of 8 GiB together; the grid comes from the ranks.
TEST(Hpl, ProblemFillsTheMemoryOfAllRanks) {
  Options options;
  options.memory_fraction = 0.5;
  const Problem problem = problem_for(options, std::int64_t{8} << 30, 8);
  EXPECT_EQ(problem.order, 120 * 192) << "sqrt(4 GiB / 8) = 23,170";
  EXPECT_EQ(problem.grid.rows, 2);
  EXPECT_EQ(problem.grid.columns, 4);
}

TEST(Hpl, OrderThatDoesNotFitCannotRun) {
  Options options;
  options.order = 40000;  // 12.8 GB
  EXPECT_THROW(problem_for(options, std::int64_t{8} << 30, 8), CannotRun);
  options.order = 30000;  // 7.2 GB
  EXPECT_EQ(problem_for(options, std::int64_t{8} << 30, 8).order, 30000);
}

}  // namespace
}  // namespace assay::hpl
