// The frame of main() of a proxy on GPUs.
#pragma once

#include <functional>
#include <iostream>
#include <sstream>
#include <string>

#include "collectives/own_gpus.hpp"
#include "common/args.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/team.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "proxy/figures.hpp"
#include "proxy/gpu_ranks.hpp"

namespace assay::proxy {

// The first process speaks for all, so what is wrong elsewhere has to be in its document too.
inline void hear_others(const collectives::World& world, Document& doc) {
  const auto hear = [&](const std::string& check, const std::string& complaint) {
    const std::string elsewhere = world.first_complaint(world.rank() == 0 ? "" : complaint);
    if (!elsewhere.empty()) doc.check(check, false, elsewhere);
  };
  hear("otherProcesses", doc.first_failure());
  for (const char* check : {"undisturbed", "comparable"}) hear(check, doc.complaint_of(check));
}

// Measures, and verifies, with each number of ranks.
using Measure = std::function<void(const GpuRanks& ranks, Document& doc, cuda::Integrity& integrity)>;

inline void measure_on_gpus(const collectives::World& world, std::int64_t gpus_wanted, const Measure& measure, Document& doc) {
  cuda::load_kernels_eagerly();
  const auto gpus = collectives::own_gpus(gpus_wanted, world);
  cuda::describe(gpus, doc);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On, world.size() > 1);
  cuda::Integrity integrity;
  measure(GpuRanks(world, gpus), doc, integrity);
  telemetry.report(doc);
  integrity.report(doc);
  hear_others(world, doc);
}

inline int run_on_gpus(const std::string& program, const collectives::World& world, std::int64_t gpus_wanted, const Measure& measure) {
  std::ostringstream document;
  bool is_complete = false;
  const int code = run_program(program, document, std::cerr, [&](Document& doc) {
    measure_on_gpus(world, gpus_wanted, measure, doc);
    is_complete = true;
  });
  if (world.rank() == 0) std::cout << document.str() << std::flush;
  if (!is_complete) world.abandon(code);
  return code;
}

}  // namespace assay::proxy
