// gpuquick: what is judged of a node's GPUs by gpustream, p2p, hostlink, collectives and gemm, in one process. README.md of the parent folder
// has the order, and what it saves.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "collectives/figures.hpp"
#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/program.hpp"
#include "gemm/products.hpp"
#include "gpustream/bandwidth.hpp"
#include "hostlink/copies.hpp"
#include "p2p/links.hpp"

namespace {

using assay::Document;
namespace collectives = assay::collectives;
namespace cuda = assay::cuda;
namespace gemm = assay::gemm;
namespace gpustream = assay::gpustream;
namespace hostlink = assay::hostlink;
namespace p2p = assay::p2p;

constexpr std::size_t kMebibyte = 1 << 20;
constexpr std::size_t kArrayBytes = 2048 * kMebibyte;  // of each of the three arrays, as in gpustream
constexpr std::size_t kLinkBytes = 512 * kMebibyte;    // of each buffer, as in p2p
constexpr std::size_t kHostBytes = 256 * kMebibyte;    // as in hostlink

struct Options {
  std::int64_t gpus = 0;
  std::int64_t message_bytes = std::int64_t{8} << 30;
  gemm::Plan products;
  bool inject_bitflip = false;
};

// How long each phase took, in the document's parameter `phaseSeconds`.
class Phases {
 public:
  void end(const std::string& name) {
    const double now = watch_.seconds();
    char text[64];
    std::snprintf(text, sizeof text, "%s%s %.2f", text_.empty() ? "" : ", ", name.c_str(), now - began_);
    text_ += text;
    began_ = now;
  }
  const std::string& text() const { return text_; }

 private:
  cuda::Stopwatch watch_;
  double began_ = 0;
  std::string text_;
};

class Program {
 public:
  Program(const Options& options, const std::vector<cuda::Gpu>& gpus, Document& doc)
      : options_(options), gpus_(gpus), doc_(doc), world_(nullptr, nullptr), telemetry_(gpus, cuda::Telemetry::Sampling::On) {
    messages_.sizes = {options.message_bytes};
    messages_.inject_bitflip = options.inject_bitflip;
  }

  // Memory and links come first, because the products heat the GPUs. What the last two need is made while the products' clocks settle.
  void run(Phases& phases) {
    measure_memory();
    phases.end("memory");
    telemetry_.sample(cuda::Telemetry::Sampling::Off);
    measure_links();
    phases.end("links");
    telemetry_.sample(cuda::Telemetry::Sampling::On);
    measure_products();
    phases.end("products");
    telemetry_.sample(cuda::Telemetry::Sampling::Off);
    measure_host();
    phases.end("host");
    if (ranks_) measure_collectives();
    phases.end("collectives");
    telemetry_.report(doc_);
    integrity_.report(doc_);
  }

 private:
  void measure_memory() {
    const std::size_t bytes = gpustream::fit_arrays(kArrayBytes, gpus_, doc_);
    doc_.parameter("arrayBytes", bytes);
    gpustream::Plan plan;
    plan.inject_bitflip = options_.inject_bitflip;
    const double begin = telemetry_.now();
    gpustream::Bandwidth(plan, gpus_, bytes, doc_, integrity_).run(gpustream::Precision::Fp64, gpustream::Kernel::Triad, gpustream::Kernel::Triad);
    gpustream::report_peak_at_clock(gpus_, telemetry_.averages(begin, telemetry_.now()), doc_);
  }

  // Of one GPU: that it has no peer.
  void measure_links() {
    const std::size_t bytes = p2p::fit_buffers(kLinkBytes, gpus_, doc_);
    doc_.parameter("linkBytes", bytes);
    p2p::Plan plan;
    plan.modes = {"write", "read", "bidirectional"};
    plan.inject_bitflip = options_.inject_bitflip;
    p2p::Node node(gpus_, bytes);
    p2p::Links(plan, node, doc_, integrity_).run();
  }

  void measure_products() {
    const bool has_peers = gpus_.size() > 1;
    const std::size_t message_bytes = has_peers ? collectives::fit_buffers(messages_, gpus_, world_, doc_) : 0;
    const auto make_ranks = [&] { ranks_ = std::make_unique<collectives::Ranks>(world_, gpus_, message_bytes); };
    const auto make_links = [&] { host_links_ = hostlink::make_near_links(gpus_, kHostBytes); };
    const bool has_room = is_free(2 * message_bytes + kBesideRanks);
    gemm::describe(options_.products, doc_);
    gemm::Products products(options_.products, gpus_, telemetry_, doc_, integrity_);
    products.run(gemm::Precision::Fp64, has_peers && has_room ? make_ranks : std::function<void()>{});
    products.run(gemm::Precision::Fp32, make_links);
    products.run(gemm::Precision::Fp16);
    if (has_peers && !ranks_) make_ranks();
  }

  bool is_free(std::size_t bytes) const {
    return std::all_of(gpus_.begin(), gpus_.end(), [&](const cuda::Gpu& gpu) { return cuda::free_bytes(gpu.index) >= bytes; });
  }

  void measure_host() {
    doc_.parameter("hostBytes", kHostBytes);
    hostlink::Plan plan;
    plan.inject_bitflip = options_.inject_bitflip;
    hostlink::Copies(plan, host_links_, doc_, integrity_).each_alone();
    host_links_.clear();
  }

  void measure_collectives() {
    collectives::describe(messages_, *ranks_, world_, doc_);
    collectives::Figures(messages_, world_, *ranks_, ranks_->most_bytes(), doc_, integrity_).run();
    ranks_.reset();
  }

  // What products, NCCL and the host's links take beside the buffers of the collectives.
  static constexpr std::size_t kBesideRanks = 6144 * kMebibyte;

  const Options& options_;
  const std::vector<cuda::Gpu>& gpus_;
  Document& doc_;
  collectives::World world_;
  collectives::Plan messages_;
  cuda::Integrity integrity_;
  cuda::Telemetry telemetry_;
  std::unique_ptr<collectives::Ranks> ranks_;
  hostlink::Links host_links_;
};

void measure(const Options& options, Document& doc) {
  gemm::forbid_emulation();
  Phases phases;
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  phases.end("start");
  Program(options, gpus, doc).run(phases);
  phases.end("end");
  doc.parameter("phaseSeconds", phases.text());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.products.window_seconds = 0.05;
  options.products.tolerance = 0.002;
  assay::Args args("gpuquick", "Memory, links, matrix products and NCCL's operations of all GPUs, in one process");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--message-bytes", options.message_bytes, 1 << 20, std::int64_t{1} << 40, "size of NCCL's messages");
  args.integer("--n", options.products.n, 128, 65536, "order of the matrices, rounded down to a multiple of 16");
  args.number("--seconds", options.products.seconds, 0.1, 80, "most seconds of each product; clocks settle in the first half");
  args.number("--tolerance", options.products.tolerance, 0, 0.1, "a product ends earlier once the median of every GPU is known as closely as this");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage what is verified, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.products.n -= options.products.n % 16;
  options.products.inject_bitflip = options.inject_bitflip;
  return assay::run_program("gpuquick", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
