// What hpl-gpu tells of a run.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hpl-gpu/document.hpp"

namespace assay::hplgpu {
namespace {

RankFigures rank(double product_rate, double wait) {
  RankFigures figures;
  figures.phases[Phase::Gemm] = 30;
  figures.phases[Phase::Wait] = wait;
  figures.multiplied = product_rate * 1e12 * 30;
  figures.seconds = 33;
  figures.watts = 690;
  return figures;
}

Repetition repetition(double seconds, const std::vector<RankFigures>& ranks) { return {seconds, {1e-12, 260, 11, 0.5, 0.004}, ranks}; }

struct Told {
  nlohmann::json document;
  int code;

  const nlohmann::json& part(const std::string& measurement, const std::string& at) const {
    static const nlohmann::json none;
    for (const auto& each : document["measurements"]) {
      if (each["name"] != measurement) continue;
      for (const auto& part : each["parts"]) {
        if (part["at"] == at) return part;
      }
    }
    return none;
  }
  std::string message_of(const std::string& check) const {
    for (const auto& each : document["checks"]) {
      if (each["name"] == check) return (each["ok"] ? "ok: " : "not ok: ") + each.value("message", "");
    }
    return "no such check";
  }
};

Told tell(const Problem& problem, const std::vector<Repetition>& repetitions, const std::string& prefix = "gpu") {
  std::vector<std::string> names;
  for (int i = 0; i < problem.ranks; ++i) names.push_back(prefix + std::to_string(i));
  Document doc("hpl-gpu");
  report_figures(problem, repetitions, names, prefix == "gpu" ? "node" : "all", doc);
  report_checks(repetitions, names, doc);
  std::ostringstream out;
  const int code = doc.finish(out);
  return {nlohmann::json::parse(out.str()), code};
}

TEST(HplGpuDocument, HasRateOfAllAndOfEachGpu) {
  const Told told = tell({182272, 1024, 2}, {repetition(40, {rank(50, 1), rank(51, 2)}), repetition(42, {rank(50, 1), rank(51, 2)}),
                                             repetition(41, {rank(50, 1), rank(51, 2)})});
  EXPECT_EQ(told.code, 0);
  const double rate = operations_of(182272) / 41 * 1e-12;
  EXPECT_NEAR(told.part("hpl", "node")["value"], rate, 0.01);
  EXPECT_NEAR(told.part("hplPerGpu", "node")["value"], rate / 2, 0.01);
  EXPECT_EQ(told.part("hplPerGpu", "node")["samples"], 3);
  EXPECT_NEAR(told.part("hplPerWatt", "node")["value"], 1e3 * rate / 1380, 0.01);
  EXPECT_NEAR(told.part("hplEnergy", "node")["value"], 1380 * 41, 1);
  EXPECT_NEAR(told.part("products", "gpu1")["value"], 51, 1e-6);
  EXPECT_NEAR(told.part("waitTime", "gpu0")["value"], 1, 1e-9);
  EXPECT_EQ(told.message_of("residual"), "ok: the scaled residual is 0.004, allowed are less than 16");
  EXPECT_EQ(told.message_of("dataIntegrity"), "ok: ");
  EXPECT_FALSE(told.document.contains("notes"));
}

TEST(HplGpuDocument, NamesTheSlowGpu) {
  const Told told = tell({182272, 1024, 3}, {repetition(50, {rank(51, 5), rank(42, 0), rank(50.5, 5)})});
  EXPECT_EQ(told.document["notes"][0], "gpu1 multiplied at 42.0 TFLOP/s, the median of all at 50.5: the others wait for it");
}

TEST(HplGpuDocument, NamesNoGpuAfterAMoment) {
  Repetition brief = repetition(0.3, {rank(51, 5), rank(42, 0), rank(50.5, 5)});
  for (RankFigures& each : brief.ranks) {
    each.phases[Phase::Gemm] *= 0.001;
    each.multiplied *= 0.001;
  }
  const Told told = tell({8192, 1024, 3}, {brief});
  EXPECT_FALSE(told.document.contains("notes")) << told.document;
}

TEST(HplGpuDocument, SaysWhoReceivedWrongData) {
  Repetition damaged = repetition(50, {rank(51, 0), rank(51, 0)});
  damaged.ranks[1].differences = 2;
  damaged.residual.scaled = 1e9;
  const Told told = tell({182272, 1024, 2}, {repetition(50, {rank(51, 0), rank(51, 0)}), damaged});
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.message_of("dataIntegrity"), "not ok: gpu1 received 2 panels otherwise than they were sent");
  EXPECT_EQ(told.message_of("residual"), "not ok: the scaled residual is 1e+09, allowed are less than 16");
}

TEST(HplGpuDocument, AResidualThatIsNoNumberFails) {
  Repetition broken = repetition(50, {rank(51, 0)});
  broken.residual.scaled = std::numeric_limits<double>::quiet_NaN();
  const Told told = tell({129024, 1024, 1}, {broken, repetition(50, {rank(51, 0)})});
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.message_of("residual"), "not ok: the scaled residual is nan, allowed are less than 16");
  EXPECT_EQ(told.message_of("dataIntegrity"), "no such check") << "one GPU sends nothing";
}

TEST(HplGpuDocument, PowerThatOneGpuDoesNotTellIsLeftOut) {
  Repetition one = repetition(50, {rank(51, 0), rank(51, 0)});
  one.ranks[0].watts = 0;
  EXPECT_TRUE(tell({182272, 1024, 2}, {one}).part("hplPerWatt", "node").is_null());
}

TEST(HplGpuDocument, PhasesOfManyRanksAreThoseOfTheSlowest) {
  std::vector<RankFigures> ranks(64, rank(50, 1));
  ranks[17].phases[Phase::Wait] = 7;
  const Told told = tell({1031168, 1024, 64}, {repetition(255, ranks)}, "rank");
  EXPECT_NEAR(told.part("waitTime", "all")["value"], 7, 1e-9);
  EXPECT_TRUE(told.part("waitTime", "rank17").is_null());
  EXPECT_NEAR(told.part("products", "rank63")["value"], 50, 1e-6);
}

}  // namespace
}  // namespace assay::hplgpu
