#include "mpibench/plan.hpp"

#include <algorithm>
#include <utility>

namespace assay::mpibench {

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

std::string part_name(const std::string& host) {
  constexpr std::size_t kMost = 56;
  return host.size() <= kMost ? host : "~" + host.substr(host.size() - kMost + 1);
}

std::vector<Endpoint> endpoints_of(const std::vector<std::string>& host_of_rank) {
  std::vector<Endpoint> hosts;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const Endpoint& host) { return host.name == host_of_rank[rank]; });
    Endpoint& host = known != hosts.end() ? *known : hosts.emplace_back(Endpoint{host_of_rank[rank], {}});
    host.ranks.push_back(static_cast<int>(rank));
  }
  for (Endpoint& host : hosts) host.name = part_name(host.name);
  if (hosts.size() != 1) return hosts;
  std::vector<Endpoint> ranks;
  for (const int rank : hosts.front().ranks) ranks.push_back({hosts.front().name + "#" + std::to_string(rank), {rank}});
  return ranks;
}

std::vector<std::vector<Pair>> pair_rounds(std::size_t endpoints, std::size_t most_rounds, std::size_t most_pairs) {
  std::vector<std::vector<Pair>> rounds;
  std::size_t left = std::max<std::size_t>(most_pairs, 1);
  const std::size_t count = std::min(most_rounds, tournament_rounds(endpoints));
  for (std::size_t round = 0; round < count && left > 0; ++round) {
    auto pairs = tournament_round(endpoints, round);
    pairs.resize(std::min(pairs.size(), left));
    left -= pairs.size();
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

std::vector<Role> roles_of(const std::vector<Pair>& round, const std::vector<Endpoint>& endpoints, int ranks, bool all_ranks,
                           bool is_reversed) {
  std::vector<Role> roles(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < round.size(); ++i) {
    const auto& first = endpoints[round[i].first].ranks;
    const auto& second = endpoints[round[i].second].ranks;
    const std::size_t links = all_ranks ? std::min(first.size(), second.size()) : 1;
    for (std::size_t link = 0; link < links; ++link) {
      roles[static_cast<std::size_t>(first[link])] = {static_cast<int>(i), second[link], !is_reversed};
      roles[static_cast<std::size_t>(second[link])] = {static_cast<int>(i), first[link], is_reversed};
    }
  }
  return roles;
}

std::vector<std::size_t> sweep_sizes(std::size_t most_bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size < most_bytes; size *= 2) sizes.push_back(size);
  sizes.push_back(most_bytes);
  return sizes;
}

std::string directed(const std::string& from, const std::string& to) { return from + "->" + to; }
std::string undirected(const std::string& one, const std::string& other) { return one + "<->" + other; }
std::string size_part(std::size_t bytes) { return std::to_string(bytes) + " B"; }

int window_within(int window, double seconds_of_message, double most_seconds) {
  constexpr int kLeast = 4;
  while (window / 2 >= kLeast && window * seconds_of_message > most_seconds) window /= 2;
  return window;
}

int iterations_within(double seconds_of_one, double sample_seconds) {
  constexpr double kMost = 100000;
  if (!(seconds_of_one > 0)) return static_cast<int>(kMost);
  return static_cast<int>(std::clamp(sample_seconds / seconds_of_one, 1.0, kMost));
}

double allreduce_bus_bandwidth(std::size_t bytes, double seconds, int ranks) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(bytes) / seconds * 1e-9;
}

double alltoall_bus_bandwidth(std::size_t bytes, double seconds, int ranks) {
  return 1.0 * (ranks - 1) / ranks * static_cast<double>(bytes) / seconds * 1e-9;
}

}  // namespace assay::mpibench
