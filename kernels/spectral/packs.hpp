// Elements in packs of five, so that 128 threads have a column of 5 x 5 x 5 nodes each: what thread t reads of a pack lies side by side with what
// thread t + 1 does. Host code only, but for the constants.
#pragma once

#include <vector>

#include "spectral/mesh.hpp"

namespace assay::spectral {

inline constexpr int kPack = 5;                  // elements
inline constexpr int kColumns = kEdge * kEdge;   // of an element, along its third direction
inline constexpr int kLayer = kStride;           // threads: the columns of a pack, and three without work

// Numbers per pack of a quantity that every node has: layer by layer of nodes, then by thread.
inline constexpr int kPackNodes = kEdge * kLayer;

// The outer elements fill packs of their own, because they are computed first.
struct Packs {
  int outer_elements;
  int elements;

  ASSAY_HOST_DEVICE int outer() const { return (outer_elements + kPack - 1) / kPack; }
  ASSAY_HOST_DEVICE int count() const { return outer() + (elements - outer_elements + kPack - 1) / kPack; }
  ASSAY_HOST_DEVICE int first_element(int pack) const { return pack < outer() ? pack * kPack : outer_elements + (pack - outer()) * kPack; }
  ASSAY_HOST_DEVICE int end_element(int pack) const {
    const int end = pack < outer() ? outer_elements : elements;
    return first_element(pack) + kPack < end ? first_element(pack) + kPack : end;
  }
};

inline Packs packs_of(const Shape& shape) { return {2 * shape.layer_elements(), shape.elements()}; }

// The mesh as the kernels of columns take it: properties by pack, then quantity, layer and thread; points by pack, then layer and thread; forces
// where columns write them.
template <typename Real>
struct PackedMesh {
  std::vector<Real> properties;
  std::vector<int> points;
  std::vector<int> forces;
};
template <typename Real>
PackedMesh<Real> packed(const Mesh<Real>& mesh);

// The forces of a pack lie here, component c at c * kPackNodes on.
ASSAY_HOST_DEVICE inline std::size_t forces_of_pack(int pack) { return static_cast<std::size_t>(pack) * 3 * kPackNodes; }

}  // namespace assay::spectral
