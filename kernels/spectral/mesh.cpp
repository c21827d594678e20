#include "spectral/mesh.hpp"

#include <cmath>

namespace assay::spectral {
namespace {

using Matrix = std::array<Position, 3>;  // by row

constexpr double kTwoPi = 6.283185307179586477;
constexpr double kCourant = 0.3;  // of the shortest distance per time of the faster wave

// Where the point of the undeformed slab goes, and how that changes with the point. The deformation has the period of the slab.
struct Deformed {
  Position to;
  Matrix gradient;  // d to_a / d from_c
};

Deformed deform(const Position& from, const Shape& shape) {
  constexpr Position kAmplitude = {kDeformation, -0.7 * kDeformation, 0.9 * kDeformation};
  const Position k = {kTwoPi / shape.edge, kTwoPi / shape.edge, kTwoPi / shape.layers};
  Position sine, cosine;
  for (int c = 0; c < 3; ++c) {
    sine[c] = std::sin(k[c] * from[c]);
    cosine[c] = k[c] * std::cos(k[c] * from[c]);
  }
  const double product = sine[0] * sine[1] * sine[2];
  const Position slope = {cosine[0] * sine[1] * sine[2], sine[0] * cosine[1] * sine[2], sine[0] * sine[1] * cosine[2]};
  Deformed result{};
  for (int a = 0; a < 3; ++a) {
    result.to[a] = from[a] + kAmplitude[a] * product;
    for (int c = 0; c < 3; ++c) result.gradient[a][c] = (a == c ? 1 : 0) + kAmplitude[a] * slope[c];
  }
  return result;
}

double determinant(const Matrix& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

Matrix inverse(const Matrix& m) {
  const double scale = 1 / determinant(m);
  Matrix result{};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
      result[r][c] = (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) * scale;
    }
  }
  return result;
}

struct Place {
  int x, y, z;
};

// The lowest layer, the topmost, then the others.
Place place_of(int element, const Shape& shape) {
  const int layer = element / shape.layer_elements();
  return {element % shape.edge, element / shape.edge % shape.edge, layer == 0 ? 0 : layer == 1 ? shape.layers - 1 : layer - 1};
}

// Numbers the points, and fills what belongs to the nodes.
template <typename Real>
class Builder {
 public:
  explicit Builder(const Shape& shape) : mesh_{shape, {}, {}, {}, {}, {}, {}}, numbers_(static_cast<std::size_t>(shape.points()), -1) {
    const auto points = static_cast<std::size_t>(shape.points());
    mesh_.positions.resize(points);
    mass_.resize(points);
    mesh_.points.resize(static_cast<std::size_t>(shape.elements()) * kStride);
    mesh_.properties.resize(static_cast<std::size_t>(shape.elements()) * kQuantities * kStride);
    next_ = 2 * shape.plane_points();
  }

  Mesh<Real> build() {
    for (int element = 0; element < mesh_.shape.elements(); ++element) {
      for (int node = 0; node < kNodes; ++node) add(element, node);
    }
    share_planes();
    for (const double mass : mass_) mesh_.inverse_mass.push_back(static_cast<Real>(1 / mass));
    list_forces();
    return std::move(mesh_);
  }

 private:
  void add(int element, int node) {
    const Shape& shape = mesh_.shape;
    const Place place = place_of(element, shape);
    const int corner[3] = {place.x, place.y, place.z};
    const int local[3] = {node % kEdge, node / kEdge % kEdge, node / (kEdge * kEdge)};
    Position from;
    double weight = 1;
    for (int c = 0; c < 3; ++c) {
      from[c] = corner[c] + (kPoints[local[c]] + 1) / 2;
      weight *= kWeights[local[c]];
    }
    const Deformed deformed = deform(from, shape);
    const int across = shape.edge * kOrder;
    const int point = number_of((place.x * kOrder + local[0]) % across, (place.y * kOrder + local[1]) % across, place.z * kOrder + local[2]);
    mesh_.points[static_cast<std::size_t>(element) * kStride + static_cast<std::size_t>(node)] = point;
    keep_position(point, deformed.to);

    Real* properties = mesh_.properties.data() + static_cast<std::size_t>(element) * kQuantities * kStride + node;
    const Matrix back = inverse(deformed.gradient);
    for (int d = 0; d < 3; ++d) {
      for (int c = 0; c < 3; ++c) properties[(3 * d + c) * kStride] = static_cast<Real>(2 * back[d][c]);  // xi runs over 2 in an edge of 1
    }
    const double jacobian = determinant(deformed.gradient) / 8;
    properties[9 * kStride] = static_cast<Real>(jacobian);
    properties[10 * kStride] = static_cast<Real>(kLambda);
    properties[11 * kStride] = static_cast<Real>(kMu);
    mass_[static_cast<std::size_t>(point)] += weight * jacobian;
  }

  // Nodes of several elements are the same point, and images of it are as good.
  void keep_position(int point, Position position) {
    position[2] += 1.0 * mesh_.shape.layers * mesh_.shape.rank;
    mesh_.positions[static_cast<std::size_t>(point)] = position;
  }

  int number_of(int x, int y, int z) {
    const Shape& shape = mesh_.shape;
    const int across = shape.edge * kOrder;
    const int in_plane = y * across + x;
    if (z == 0) return in_plane;
    if (z == shape.layers * kOrder) return shape.plane_points() + in_plane;
    int& number = numbers_[static_cast<std::size_t>(z) * static_cast<std::size_t>(shape.plane_points()) + static_cast<std::size_t>(in_plane)];
    if (number < 0) number = next_++;
    return number;
  }

  // Slabs are deformed alike, so a slab's topmost plane has the masses that the slab below adds to the lowest.
  void share_planes() {
    const auto plane = static_cast<std::size_t>(mesh_.shape.plane_points());
    for (std::size_t i = 0; i < plane; ++i) mass_[i] = mass_[plane + i] = mass_[i] + mass_[plane + i];
  }

  void list_forces() {
    std::vector<int> entries(static_cast<std::size_t>(mesh_.count()) + 1, 0);
    each_node([&](std::size_t point, int) { ++entries[point + 1]; });
    for (std::size_t i = 1; i < entries.size(); ++i) entries[i] += entries[i - 1];
    mesh_.first_forces = entries;
    mesh_.forces.resize(static_cast<std::size_t>(entries.back()));
    each_node([&](std::size_t point, int force) { mesh_.forces[static_cast<std::size_t>(entries[point]++)] = force; });
  }

  template <typename Visit>
  void each_node(Visit visit) const {
    for (int element = 0; element < mesh_.shape.elements(); ++element) {
      for (int node = 0; node < kNodes; ++node) {
        visit(static_cast<std::size_t>(mesh_.points[static_cast<std::size_t>(element) * kStride + static_cast<std::size_t>(node)]),
              static_cast<int>(forces_of(element)) + node);
      }
    }
  }

  Mesh<Real> mesh_;
  std::vector<int> numbers_;
  std::vector<double> mass_;
  int next_ = 0;
};

}  // namespace

template <typename Real>
double Mesh<Real>::volume_share(int point) const {
  return point < 2 * shape.plane_points() ? 0.5 : 1;  // the other half is counted by the neighbour
}

template <typename Real>
Mesh<Real> make_mesh(const Shape& shape) {
  return Builder<Real>(shape).build();
}

double time_step() {
  const double shortest = (1 - kInner) / 2 * (1 - 4 * kDeformation);
  return kCourant * shortest / std::sqrt(kLambda + 2 * kMu);
}

template struct Mesh<float>;
template struct Mesh<double>;
template Mesh<float> make_mesh(const Shape&);
template Mesh<double> make_mesh(const Shape&);

}  // namespace assay::spectral
