#include "common/args.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "common/exit_codes.hpp"

namespace assay {
namespace {

struct Options {
  std::int64_t count = 4;
  std::int64_t bytes = 4096;
  double seconds = 2;
  bool verbose = false;
  std::string mode = "fast";
  std::string name = "none";
  std::vector<std::string> types = {"fp64"};
  std::vector<std::int64_t> sizes = {1};
};

std::optional<int> parse(Options& options, std::vector<const char*> words) {
  Args args("probe", "a program for this test");
  args.integer("--count", options.count, 1, 8, "how many");
  args.bytes(options.bytes, 1024, std::int64_t{1} << 40, "size of each array");
  args.number("--seconds", options.seconds, 0.5, 60, "how long");
  args.flag("--verbose", options.verbose, "say more");
  args.text("--name", options.name, "any text");
  args.choice("--mode", options.mode, {"fast", "slow"}, "which");
  args.choices("--types", options.types, {"fp64", "fp32"}, "what");
  args.integers("--sizes", options.sizes, 1, 1024, "sizes");
  words.insert(words.begin(), "probe");
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto code = args.parse(static_cast<int>(words.size()), words.data());
  const auto complaint = testing::internal::GetCapturedStderr();
  testing::internal::GetCapturedStdout();
  // Whoever gets exit code 2 must be told why.
  EXPECT_EQ(code == exit_code::kUsage, !complaint.empty()) << complaint;
  return code;
}

TEST(Args, DefaultsStayWithoutOptions) {
  Options options;
  EXPECT_EQ(parse(options, {}), std::nullopt);
  EXPECT_EQ(options.count, 4);
  EXPECT_EQ(options.types, std::vector<std::string>{"fp64"});
}

TEST(Args, ReadsEveryType) {
  Options options;
  EXPECT_EQ(parse(options, {"--count", "8", "--bytes", "1099511627776", "--seconds=0.5", "--verbose", "--mode", "slow", "--name", "node-1.b c",
                            "--types", "fp32,fp64", "--sizes", "2,1024"}),
            std::nullopt);
  EXPECT_EQ(options.count, 8);
  EXPECT_EQ(options.bytes, std::int64_t{1} << 40);
  EXPECT_DOUBLE_EQ(options.seconds, 0.5);
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.mode, "slow");
  EXPECT_EQ(options.name, "node-1.b c");
  EXPECT_EQ(options.types, (std::vector<std::string>{"fp32", "fp64"}));
  EXPECT_EQ(options.sizes, (std::vector<std::int64_t>{2, 1024}));
}

class BadUsage : public testing::TestWithParam<std::string> {};

TEST_P(BadUsage, IsExitCodeTwo) {
  std::istringstream line(GetParam());
  const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  Options options;
  EXPECT_EQ(parse(options, argv), exit_code::kUsage);
}

INSTANTIATE_TEST_SUITE_P(Args, BadUsage,
                         testing::Values("--count 9", "--count 0", "--count 4.5", "--count", "--count 99999999999999999999",
                                         "--bytes 1023", "--bytes 4GiB", "--seconds nan", "--seconds inf", "--mode other", "--types fp64,int8",
                                         "--sizes 4,2048", "--sizes 8,,16", "--sizes ,8", "--sizes 8,", "--sizes=", "--sizes 8,x",
                                         "--types fp64,,fp32", "--types ,", "--types fp64,fp64", "--types fp64 --types fp64", "--sizes 4,8,4",
                                         "--unknown", "stray"));

TEST(Args, HelpAndVersionEndWell) {
  Options options;
  EXPECT_EQ(parse(options, {"--help"}), exit_code::kMeasured);
  EXPECT_EQ(parse(options, {"--version"}), exit_code::kMeasured);
}

}  // namespace
}  // namespace assay
