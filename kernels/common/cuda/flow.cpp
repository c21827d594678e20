#include "common/cuda/flow.hpp"

namespace assay::cuda {
namespace {

std::vector<double> run(Latch* latch, const std::vector<Flow>& flows, Repeats repeats) {
  std::vector<EventTimer> timers;
  for (const auto& flow : flows) timers.emplace_back(flow.stream->device());
  if (latch != nullptr) {
    for (const auto& flow : flows) latch->hold(*flow.stream);
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const OnDevice on(flows[i].stream->device());
    for (int n = 0; n < repeats.lead; ++n) flows[i].enqueue();
    timers[i].start(*flows[i].stream);
    for (int n = 0; n < repeats.timed; ++n) flows[i].enqueue();
    timers[i].stop(*flows[i].stream);
    for (int n = 0; n < repeats.tail; ++n) flows[i].enqueue();
  }
  if (latch != nullptr) latch->release();
  std::vector<double> seconds;
  for (const auto& flow : flows) flow.stream->synchronize();
  if (latch != nullptr) latch->verify_held();
  for (const auto& timer : timers) seconds.push_back(timer.seconds());
  return seconds;
}

}  // namespace

std::vector<double> time_together(Latch& latch, const std::vector<Flow>& flows, Repeats repeats) {
  return run(&latch, flows, repeats);
}

std::vector<double> time_unlatched(const std::vector<Flow>& flows, Repeats repeats) { return run(nullptr, flows, repeats); }

}  // namespace assay::cuda
