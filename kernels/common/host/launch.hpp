// What this process may use of its node, and what an mpirun that started it told it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// Hardware threads that this process may use, by its affinity and by its container's quota of time; at least 1.
std::int64_t usable_processors();

// Of Open MPI and of MPICH; nothing where no launcher started this process.
std::optional<std::int64_t> launched_rank();
// Ranks on all nodes, and those on this one; 1 where no launcher tells.
std::int64_t launched_ranks();
std::int64_t launched_ranks_here();
// The variables by which a launcher speaks to its ranks, as Command::without takes them: a program that is no rank must not see them.
std::vector<std::string> launcher_variables();

// An mpirun of so many ranks within this container, each on a core of its own, without the network; the program and its arguments follow. Open
// MPI keeps its shared memory in `folder`.
std::vector<std::string> mpirun_here(std::int64_t ranks, const std::filesystem::path& folder);

}  // namespace assay
