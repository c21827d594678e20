#include "gemm/blas.hpp"

#include <array>
#include <stdexcept>

namespace assay::gemm {
namespace {

constexpr std::size_t kWorkspaceBytes = 64UL << 20;
constexpr int kMostCandidates = 8;

void check(cublasStatus_t status, const std::string& action) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // Without memory for its own, cuBLAS says that it cannot start.
  const bool is_for_memory = status == CUBLAS_STATUS_ALLOC_FAILED || (status == CUBLAS_STATUS_NOT_INITIALIZED && cuda::is_full());
  cuda::fail(action + ": " + cublasGetStatusString(status), is_for_memory);
}

struct Types {
  cudaDataType_t operand;
  cudaDataType_t product;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

Types types_of(Precision precision) {
  switch (precision) {
    case Precision::Fp64: return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case Precision::Fp32: return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Precision::Tf32: return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
    case Precision::Bf16: return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Precision::Fp16: return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Precision::Fp8: return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  }
  throw std::logic_error("unknown precision");
}

// alpha and beta in both of the formats that the library may read them in.
struct Scalars {
  double one_fp64 = 1, zero_fp64 = 0;
  float one_fp32 = 1, zero_fp32 = 0;
  const void* one(Precision p) const { return p == Precision::Fp64 ? static_cast<const void*>(&one_fp64) : &one_fp32; }
  const void* zero(Precision p) const { return p == Precision::Fp64 ? static_cast<const void*>(&zero_fp64) : &zero_fp32; }
};
const Scalars kScalars;

}  // namespace

std::string library_version() {
  const std::size_t version = cublasLtGetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

struct Multiplier::Lt {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t operand = nullptr;
  cublasLtMatrixLayout_t product = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates> found{};
  int count = 0;

  Lt(Precision precision, std::size_t n, bool a_is_transposed) {
    const Types types = types_of(precision);
    check(cublasLtCreate(&handle), "starting cuBLASLt");
    check(cublasLtMatmulDescCreate(&operation, types.compute, types.scale), "describing a product");
    const cublasOperation_t op_a = a_is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    check(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a), "describing a product");
    if (precision == Precision::Fp8) {
      const int8_t fast = 1;  // what inference and training use, and what the peak is quoted for
      check(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast), "describing a product");
    }
    const auto order = static_cast<std::uint64_t>(n);
    check(cublasLtMatrixLayoutCreate(&operand, types.operand, order, order, static_cast<std::int64_t>(n)), "describing a matrix");
    check(cublasLtMatrixLayoutCreate(&product, types.product, order, order, static_cast<std::int64_t>(n)), "describing a matrix");
    check(cublasLtMatmulPreferenceCreate(&preference), "describing a preference");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes,
                                               sizeof kWorkspaceBytes), "describing a preference");
    check(cublasLtMatmulAlgoGetHeuristic(handle, operation, operand, operand, product, product, preference, kMostCandidates,
                                         found.data(), &count), "asking cuBLASLt for algorithms (" + name_of(precision) + ")");
    if (count == 0) throw std::runtime_error("cuBLASLt has no algorithm for " + name_of(precision));
  }

  ~Lt() {
    if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
    if (product != nullptr) cublasLtMatrixLayoutDestroy(product);
    if (operand != nullptr) cublasLtMatrixLayoutDestroy(operand);
    if (operation != nullptr) cublasLtMatmulDescDestroy(operation);
    if (handle != nullptr) cublasLtDestroy(handle);
  }
};

Multiplier::Multiplier(Operands& operands, Precision precision, Library library, const cuda::Stream& stream)
    : operands_(operands), precision_(precision), stream_(stream), workspace_(stream.device(), kWorkspaceBytes) {
  const cuda::OnDevice on(stream.device());
  const bool is_lt_only = precision == Precision::Fp8;  // cuBLAS itself has no FP8
  if (library == Library::Any || is_lt_only) lt_ = std::make_unique<Lt>(precision, operands.n(), operands.a_is_transposed());
  if (is_lt_only) return;
  check(cublasCreate(&direct_), "starting cuBLAS");
  check(cublasSetStream(direct_, stream.get()), "setting cuBLAS's stream");
  check(cublasSetMathMode(direct_, CUBLAS_DEFAULT_MATH), "setting cuBLAS's math mode");
  check(cublasSetWorkspace(direct_, workspace_.data(), workspace_.bytes()), "setting cuBLAS's workspace");
}

Multiplier::~Multiplier() {
  if (direct_ != nullptr) cublasDestroy(direct_);
}

std::size_t Multiplier::candidates() const {
  return (direct_ != nullptr ? 1 : 0) + (lt_ ? static_cast<std::size_t>(lt_->count) : 0);
}

std::string Multiplier::algorithm() const {
  if (is_direct()) return "cuBLAS";
  std::string name = "Lt";
  for (const auto attribute : {CUBLASLT_ALGO_CONFIG_ID, CUBLASLT_ALGO_CONFIG_TILE_ID, CUBLASLT_ALGO_CONFIG_STAGES_ID,
                               CUBLASLT_ALGO_CONFIG_SPLITK_NUM}) {
    std::int32_t value = 0;
    check(cublasLtMatmulAlgoConfigGetAttribute(&lt_->found[lt_index()].algo, attribute, &value, sizeof value, nullptr),
          "reading an algorithm's number");
    name += (name == "Lt" ? "" : "/") + std::to_string(value);
  }
  return name;
}

void Multiplier::queue() {
  const cuda::OnDevice on(stream_.device());
  const Types types = types_of(precision_);
  const void* one = kScalars.one(precision_);
  const void* zero = kScalars.zero(precision_);
  if (!is_direct()) {
    check(cublasLtMatmul(lt_->handle, lt_->operation, one, operands_.a(), lt_->operand, operands_.b(), lt_->operand, zero,
                         operands_.c(), lt_->product, operands_.c(), lt_->product, &lt_->found[lt_index()].algo,
                         workspace_.data(), workspace_.bytes(), stream_.get()),
          "multiplying " + name_of(precision_) + " matrices");
    return;
  }
  const int n = static_cast<int>(operands_.n());
  check(cublasGemmEx(direct_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one, operands_.a(), types.operand, n, operands_.b(),
                     types.operand, n, zero, operands_.c(), types.product, n, types.compute, CUBLAS_GEMM_DEFAULT),
        "multiplying " + name_of(precision_) + " matrices");
}

}  // namespace assay::gemm
