// Into how many ranks mdrun divides a box. It refuses some numbers of them, by rules of 2022 and later that are followed here, so that no node
// is refused for its number of cores. Pure: numbers in, numbers and arguments out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::gromacs {

// Whether mdrun divides a box among so many ranks with forces: from 13 on, it wants no large prime factor.
bool may_share_forces(std::int64_t ranks);

// Whether mdrun finds a placement of so many ranks by itself. From 19 on it gives some of them PME alone, and ends where no number of those
// suits it.
bool places_itself(std::int64_t ranks);

// For an mdrun of one process: all threads, or the most below that for which it finds a placement.
std::vector<std::string> threads_of_one_process(std::int64_t threads);

// For ranks that mpirun started, all of which mdrun has to use: how many of them do PME alone. 0: mdrun chooses, because it can. `edge` is that
// of the box.
std::int64_t pme_ranks(std::int64_t ranks, std::int64_t edge);

}  // namespace assay::gromacs
