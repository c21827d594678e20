// How many cores a CPU program may use.
#pragma once

#include <cstdint>

namespace assay {

// One for each core that the container may use, by its processors and by its quota of time; at least 1.
std::int64_t usable_cores();

}  // namespace assay
