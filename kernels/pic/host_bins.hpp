// Markers by cell in the host's memory.
#pragma once

#include <algorithm>
#include <vector>

#include "pic/bins.hpp"
#include "pic/theory.hpp"

namespace assay::pic {

struct HostBins {
  std::vector<Marker> markers;
  std::vector<unsigned> counts;
  std::vector<Marker> spilled;
  std::vector<unsigned> spills{0};

  HostBins(const Grid& grid, int capacity, std::size_t most_spilled)
      : markers(static_cast<std::size_t>(grid.cells()) * static_cast<std::size_t>(capacity)), counts(static_cast<std::size_t>(grid.cells())),
        spilled(most_spilled) {}

  Bins view(int capacity) {
    return {markers.data(), counts.data(), capacity, spilled.data(), spills.data(), static_cast<unsigned>(spilled.size())};
  }

  void fill(const Grid& grid, int capacity, const Start& start) {
    const Bins bins = view(capacity);
    for (std::size_t i = 0; i < start.x.size(); ++i) {
      const Marker marker{start.x[i], start.y[i], start.z[i], start.v[i]};
      const int cell = cell_of(grid, home_of(grid, marker));
      const unsigned slot = counts[static_cast<std::size_t>(cell)]++;
      if (slot < static_cast<unsigned>(capacity)) {
        markers[bins.place(cell, static_cast<int>(slot))] = marker;
      } else {
        spilled.at(spills[0]++) = marker;
      }
    }
  }

  Start coordinates(const Grid& grid, int capacity) {
    const Bins bins = view(capacity);
    Start start;
    const auto add = [&](const Marker& marker) {
      start.x.push_back(marker.x);
      start.y.push_back(marker.y);
      start.z.push_back(marker.z);
      start.v.push_back(marker.v);
    };
    for (int cell = 0; cell < grid.cells(); ++cell) {
      for (int slot = 0; slot < bins.held(cell); ++slot) add(markers[bins.place(cell, slot)]);
    }
    const std::size_t spilled_count = std::min<std::size_t>(spills[0], spilled.size());
    std::for_each(spilled.begin(), spilled.begin() + static_cast<std::ptrdiff_t>(spilled_count), add);
    return start;
  }
};

}  // namespace assay::pic
