#include "stencil/exchange.hpp"

namespace assay::stencil {

Exchange ring_exchange(int, int) { return {}; }

}  // namespace assay::stencil
