// gpuquick: what is judged of a node's GPUs by gpustream, p2p, hostlink, collectives and gemm, in one process. README.md of the parent folder
// has the order, and what it saves.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "collectives/figures.hpp"
#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/on_all.hpp"
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
constexpr std::size_t kMostGpusInFull = 4;             // eight have too many parts for a termination message
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
    messages_.tolerance = 0.03;
    messages_.least_iterations = 1;
    messages_.only_bus = true;
    messages_.inject_bitflip = options.inject_bitflip;
  }

  // Memory and links come first, because the products heat the GPUs.
  void run(Phases& phases) {
    measure_memory();
    phases.end("memory");
    telemetry_.sample(cuda::Telemetry::Sampling::Off);
    measure_links();
    phases.end("links");
    prepare();
    phases.end("preparations");
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
    if (gpus_.size() > kMostGpusInFull) doc_.shorten();
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

  // What takes long and needs no GPU of its own, at the same time: the host's buffers, NCCL's ranks, and the code of the products. Beside the
  // products themselves it would take longer, because it waits for them again and again.
  void prepare() {
    const bool has_peers = gpus_.size() > 1;
    const std::size_t message_bytes = has_peers ? collectives::fit_buffers(messages_, gpus_, world_, doc_) : 0;
    const std::vector<std::function<void()>> tasks{
        [&] { host_links_ = hostlink::make_near_links(gpus_, kHostBytes); },
        [&] { gemm::warm_up(gpus_, {gemm::Precision::Fp64, gemm::Precision::Fp32, gemm::Precision::Fp16}, options_.products); },
        [&] {
          if (has_peers) ranks_ = std::make_unique<collectives::Ranks>(world_, gpus_, message_bytes);
        }};
    cuda::on_all(tasks.size(), [&](std::size_t i) { tasks[i](); });
  }

  void measure_products() {
    gemm::describe(options_.products, doc_);
    gemm::Products products(options_.products, gpus_, telemetry_, doc_, integrity_);
    products.run(gemm::Precision::Fp64, {0.1, kSteady});
    products.run(gemm::Precision::Fp32, {0.05, 0.004, 0.25});
    products.run(gemm::Precision::Fp16, {0.1, kSteady});
  }

  void measure_host() {
    doc_.parameter("hostBytes", kHostBytes);
    hostlink::Plan plan;
    plan.inject_bitflip = options_.inject_bitflip;
    plan.tolerance = 0.006;
    hostlink::Copies(plan, host_links_, doc_, integrity_).each_alone();
    host_links_.clear();
  }

  void measure_collectives() {
    collectives::describe(messages_, *ranks_, world_, doc_);
    collectives::Figures(messages_, world_, *ranks_, ranks_->most_bytes(), doc_, integrity_).run();
    static_cast<void>(ranks_.release());  // to part from them takes 0.25 s, and the process ends now
  }

  // At the power limit clocks swing with a period of a second: two of the products end early only on GPUs that do not reach it. The third, FP32,
  // hardly does, and settles sooner.
  static constexpr double kSteady = 0.005;

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
  assay::Args args("gpuquick", "Memory, links, matrix products and NCCL's operations of all GPUs, in one process");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--message-bytes", options.message_bytes, 1 << 20, std::int64_t{1} << 40, "size of NCCL's messages");
  args.integer("--n", options.products.n, 128, 65536, "order of the matrices, rounded down to a multiple of 16");
  args.number("--seconds", options.products.seconds, 0.1, 80, "most seconds of each product; clocks settle in the first half");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage what is verified, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.products.n -= options.products.n % 16;
  options.products.inject_bitflip = options.inject_bitflip;
  const int code = assay::run_program("gpuquick", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
  std::cout.flush();
  std::_Exit(code);  // NCCL's threads may still be at work: nothing is taken down beneath them
}
