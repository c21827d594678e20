#include "spectral/packs.hpp"

namespace assay::spectral {
namespace {

// Where a node lies among the numbers of its pack.
struct Seat {
  int pack;
  int at;
};

Seat seat_of(const Packs& packs, int element, int node) {
  const bool is_outer = element < packs.outer_elements;
  const int number = is_outer ? element : element - packs.outer_elements;
  const int pack = number / kPack + (is_outer ? 0 : packs.outer());
  return {pack, node / kColumns * kLayer + number % kPack * kColumns + node % kColumns};
}

}  // namespace

template <typename Real>
PackedMesh<Real> packed(const Mesh<Real>& mesh) {
  const Packs packs = packs_of(mesh.shape);
  const auto nodes = static_cast<std::size_t>(packs.count()) * kPackNodes;
  PackedMesh<Real> result{std::vector<Real>(nodes * kQuantities), std::vector<int>(nodes), mesh.forces};
  for (int element = 0; element < mesh.shape.elements(); ++element) {
    for (int node = 0; node < kNodes; ++node) {
      const Seat seat = seat_of(packs, element, node);
      const auto begin = static_cast<std::size_t>(seat.pack) * kPackNodes, at = static_cast<std::size_t>(seat.at);
      const auto from = static_cast<std::size_t>(element) * kStride;
      result.points[begin + at] = mesh.points[from + static_cast<std::size_t>(node)];
      for (std::size_t q = 0; q < kQuantities; ++q) {
        result.properties[begin * kQuantities + q * kPackNodes + at] =
            mesh.properties[from * kQuantities + q * kStride + static_cast<std::size_t>(node)];
      }
    }
  }
  for (int& force : result.forces) {
    const int element = force / static_cast<int>(forces_of(1)), node = force % static_cast<int>(forces_of(1));
    const Seat seat = seat_of(packs, element, node);
    force = static_cast<int>(forces_of_pack(seat.pack)) + seat.at;
  }
  return result;
}

template PackedMesh<float> packed(const Mesh<float>&);
template PackedMesh<double> packed(const Mesh<double>&);

}  // namespace assay::spectral
