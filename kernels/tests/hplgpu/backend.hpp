// The backend without a GPU: plain loops, for tests. Its two queues are threads, so that a missing event is found here too.
#pragma once

#include <memory>

#include "hpl-gpu/backend.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

// What the ranks of one process use to reach each other. Of the transfer queue and the compute queue, each has its own.
class HostLinks;
std::shared_ptr<HostLinks> make_host_links(int ranks);

// base_width: of panels. transfer_milliseconds: how late a broadcast is sent, so that whoever does not wait for it is found.
std::unique_ptr<Backend> make_host_backend(std::shared_ptr<HostLinks> links, int rank, std::int64_t base_width, int transfer_milliseconds = 0);

}  // namespace assay::hplgpu
