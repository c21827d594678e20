// What a node is, apart from its GPUs. Each function writes the facts that it can read into the document, the most telling first, and leaves
// out what the kernel does not say or lets only root read.
#pragma once

#include "common/document.hpp"
#include "inventory/tree.hpp"

namespace assay::inventory {

// Processor: model, microcode, sockets, cores, SMT, NUMA domains, governor, turbo.
void tell_processor(const Tree& tree, Document& doc);

// Memory and kernel: size, errors, huge pages, version, boot parameters that matter, automatic NUMA balancing.
void tell_system(const Tree& tree, Document& doc);

// What the firmware says: BIOS version and date, the machine's maker and product; for root, its memory modules and their speed.
void tell_firmware(const Tree& tree, Document& doc);

// Network interfaces with a device of their own, RDMA ports, and network cards on the PCI bus. A pod sees the interfaces of its own network
// only, but all cards and RDMA ports.
void tell_network(const Tree& tree, Document& doc);

}  // namespace assay::inventory
