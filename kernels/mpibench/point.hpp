// Messages between two ranks, by the methods of the OSU micro-benchmarks.
#pragma once

#include <cstddef>

#include "mpibench/pattern.hpp"
#include "mpibench/plan.hpp"

namespace assay::mpibench {

enum class Traffic {
  PingPong,  // there and back, one message at a time
  OneWay,    // a window of messages from the one who leads, then a short answer
  BothWays,  // each sends the other a window at once
};

class Point {
 public:
  // own: this process's rank. most_bytes: of the longest message.
  Point(Place place, int own, std::size_t most_bytes);

  // Puts the content into what will be sent, and poison into what will be received.
  void prepare(Traffic traffic, const Role& role, std::size_t bytes);

  // Exchanges; seconds by this rank's clock, which include the answer. A rank without a pair returns 0 at once.
  double run(Traffic traffic, const Role& role, std::size_t bytes, const Load& load) const;

  // As many messages as have a place of their own in the buffers: a window of this length touches every place.
  int places(Traffic traffic, std::size_t bytes) const;

  // How many of the places do not hold what the peer sent. damage: for tests.
  int wrong_messages(Traffic traffic, const Role& role, std::size_t bytes, bool damage) const;

 private:
  void ping_pong(const Role& role, std::size_t bytes, int iterations) const;
  void one_way(const Role& role, std::size_t bytes, const Load& load) const;
  void both_ways(const Role& role, std::size_t bytes, const Load& load) const;
  std::size_t offset(std::size_t bytes, int message) const;

  int own_;
  Buffer send_;
  Buffer receive_;
};

}  // namespace assay::mpibench
