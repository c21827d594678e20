// What this node is made of: facts about its GPUs, processors, memory, kernel, firmware and network. It measures no speed.
#include <iostream>

#include "common/args.hpp"
#include "common/program.hpp"
#include "inventory/gpus.hpp"
#include "inventory/host.hpp"

int main(int argc, char** argv) {
  assay::Args args("inventory", "Facts about the node: GPUs, processors, memory, kernel, firmware, network");
  if (const auto code = args.parse(argc, argv)) return *code;
  return assay::run_program("inventory", std::cout, std::cerr, [](assay::Document& doc) {
    const assay::inventory::Tree tree;
    assay::inventory::tell_gpus(tree, assay::inventory::read_gpus(), doc);
    assay::inventory::tell_firmware(tree, doc);
    assay::inventory::tell_processor(tree, doc);
    assay::inventory::tell_system(tree, doc);
    assay::inventory::tell_network(tree, doc);
  });
}
