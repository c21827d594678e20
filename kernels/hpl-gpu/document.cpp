#include "hpl-gpu/document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace assay::hplgpu {
namespace {

using Figure = std::function<double(const Repetition&)>;

Summary over(const std::vector<Repetition>& repetitions, const Figure& figure) {
  std::vector<double> values;
  for (const Repetition& each : repetitions) values.push_back(figure(each));
  return summarize(values);
}

double watts_of(const Repetition& repetition) {
  double watts = 0;
  for (const RankFigures& rank : repetition.ranks) watts += rank.watts;
  return watts;
}

bool knows_power(const std::vector<Repetition>& repetitions) {
  return std::all_of(repetitions.begin(), repetitions.end(), [](const Repetition& repetition) {
    return std::all_of(repetition.ranks.begin(), repetition.ranks.end(), [](const RankFigures& rank) { return rank.watts > 0; });
  });
}

void report_rates(const Problem& problem, const std::vector<Repetition>& repetitions, const std::string& whole, Document& doc) {
  const double operations = operations_of(problem.order);
  const auto rate = [&](const Repetition& each) { return operations / each.seconds * 1e-12; };
  const auto add = [&](const std::string& name, const std::string& unit, Better better, const Figure& figure) {
    doc.measurement(name, unit, better).add(whole, over(repetitions, figure));
  };
  add("hplPerGpu", "TFLOP/s", Better::Higher, [&](const Repetition& each) { return rate(each) / problem.ranks; });
  add("hpl", "TFLOP/s", Better::Higher, rate);
  add("hplTime", "s", Better::Lower, [](const Repetition& each) { return each.seconds; });
  if (!knows_power(repetitions)) return;
  add("hplPerWatt", "GFLOP/s/W", Better::Higher, [&](const Repetition& each) { return 1e3 * rate(each) / watts_of(each); });
  add("hplEnergy", "J", Better::Lower, [](const Repetition& each) { return watts_of(each) * each.seconds; });
}

// The longest of any rank, where there are many.
void report_phases(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, const std::string& whole, Document& doc) {
  for (std::size_t phase = 0; phase < kPhases.size(); ++phase) {
    Measurement& measurement = doc.measurement(kPhaseNames[phase], "s", Better::Lower);
    const auto seconds = [&](const RankFigures& rank) { return rank.phases[kPhases[phase]]; };
    if (names.size() > kMostRanksInPhases) {
      measurement.add(whole, over(repetitions, [&](const Repetition& each) {
                        double most = 0;
                        for (const RankFigures& rank : each.ranks) most = std::max(most, seconds(rank));
                        return most;
                      }));
      continue;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      measurement.add(names[i], over(repetitions, [&](const Repetition& each) { return seconds(each.ranks[i]); }));
    }
  }
}

// Products that took less say nothing about a GPU: on healthy ones, those of N = 8192 are 7 % apart.
constexpr double kTellingSeconds = 0.2;

void report_products(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, Document& doc) {
  std::vector<double> rates;
  double seconds = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Summary summary = over(repetitions, [i](const Repetition& each) { return each.ranks[i].product_rate(); });
    doc.measurement("products", "TFLOP/s", Better::Higher).add(names[i], summary);
    rates.push_back(summary.value);
    seconds = std::max(seconds, over(repetitions, [i](const Repetition& each) { return each.ranks[i].phases[Phase::Gemm]; }).value);
  }
  if (names.size() < 2 || seconds < kTellingSeconds) return;
  for (const std::string& sentence : slow_ranks(names, rates)) doc.note(sentence);
}

// Names the ranks: what a link or a memory damaged, its neighbours did not see.
void check_transfers(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, Document& doc) {
  if (names.size() < 2) return;
  std::string message;
  for (std::size_t i = 0; i < names.size(); ++i) {
    double differences = 0;
    for (const Repetition& each : repetitions) differences = std::max(differences, each.ranks[i].differences);
    if (differences == 0) continue;
    message += (message.empty() ? "" : "; ") + names[i] + " received " + std::to_string(static_cast<long>(differences)) +
               " panels otherwise than they were sent";
  }
  doc.check("dataIntegrity", message.empty(), message);
}

void check_residuals(const std::vector<Repetition>& repetitions, Document& doc) {
  double greatest = 0;
  bool passed = true;
  for (const Repetition& each : repetitions) {
    if (!each.residual.passed()) passed = false;
    // What is no number is the worst, and stays.
    if (!std::isnan(greatest) && !(each.residual.scaled <= greatest)) greatest = each.residual.scaled;
  }
  char text[96];
  std::snprintf(text, sizeof text, "the scaled residual is %.4g, allowed are less than %.0f", greatest, kThreshold);
  doc.check("residual", passed, text);
}

}  // namespace

void report_figures(const Problem& problem, const std::vector<Repetition>& repetitions, const std::vector<std::string>& names,
                    const std::string& whole, Document& doc) {
  report_rates(problem, repetitions, whole, doc);
  report_products(repetitions, names, doc);
  report_phases(repetitions, names, whole, doc);
}

void report_checks(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, Document& doc) {
  check_transfers(repetitions, names, doc);
  check_residuals(repetitions, doc);
}

}  // namespace assay::hplgpu
