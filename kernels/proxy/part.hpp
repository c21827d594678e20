// One rank's part of a problem that all ranks step together: the frame of the programs that stand in for an application.
#pragma once

namespace assay::proxy {

class Part {
 public:
  virtual ~Part() = default;

  // The state at time 0.
  virtual void start() = 0;

  // Makes time steps, and waits for their end. All ranks make as many.
  virtual void step(int steps) = 0;

  // Does as much work as `steps` steps do, without the neighbours. The state is worth nothing afterwards.
  virtual void step_alone(int steps) = 0;
};

}  // namespace assay::proxy
