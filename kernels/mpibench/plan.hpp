// Who exchanges with whom, how much, and what is made of the times. Pure: no MPI, so that it is tested on one process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/tournament.hpp"

namespace assay::mpibench {

// A place that messages go between: a host, with all ranks on it.
struct Endpoint {
  std::string name;
  std::vector<int> ranks;
};

// The name of a host as it stands in a part: of a very long one the end, where names differ, behind a tilde. Two of them, ranks
// and an arrow fit into the 128 characters that the name of a part may have.
std::string part_name(const std::string& host);

// One per host, in the order of their first ranks. Ranks that all share one host are endpoints of their own, "node-1#0",
// "node-1#1": a single machine can be measured too.
std::vector<Endpoint> endpoints_of(const std::vector<std::string>& host_of_rank);

// "node-1.rack.example" is node-1: Kubernetes names nodes either way, MPI and the kernel do not agree on it.
std::string short_name(const std::string& host);

// The first rounds of a tournament of the endpoints: at most that many rounds, and pairs over all rounds; always one pair.
std::vector<std::vector<Pair>> pair_rounds(std::size_t endpoints, std::size_t most_rounds, std::size_t most_pairs);

// What one rank does in a round. A rank without a pair waits.
struct Role {
  int pair = -1;
  int peer = -1;
  bool leads = false;  // sends first, and its clock counts
};

// The roles of all ranks. The first rank of each endpoint takes part, or as many of its ranks as both have. is_reversed: the
// second endpoint leads.
std::vector<Role> roles_of(const std::vector<Pair>& round, const std::vector<Endpoint>& endpoints, int ranks, bool all_ranks,
                           bool is_reversed);

// 1, 2, 4 ... up to most_bytes, which is always the last.
std::vector<std::size_t> sweep_sizes(std::size_t most_bytes);

std::string directed(const std::string& from, const std::string& to);      // "a->b"
std::string undirected(const std::string& one, const std::string& other);  // "a<->b"
std::string size_part(std::size_t bytes);                                  // "65536 B"

// How much one sample does.
struct Load {
  int window = 1;      // messages under way at once
  int iterations = 1;  // windows, ping-pongs or operations one after the other
};

// The window of a bandwidth test: as asked for, halved (not below 4) while one window would take longer than `most_seconds`.
int window_within(int window, double seconds_of_message, double most_seconds);

// How often an operation is repeated so that a sample takes about `sample_seconds`.
int iterations_within(double seconds_of_one, double sample_seconds);

// What the busiest link carries per second, in GB/s, by the best algorithm without help from the network: nccl-tests' factors.
double allreduce_bus_bandwidth(std::size_t bytes, double seconds, int ranks);  // bytes: the buffer of one rank
double alltoall_bus_bandwidth(std::size_t bytes, double seconds, int ranks);   // bytes: all that one rank sends, to itself too

}  // namespace assay::mpibench
