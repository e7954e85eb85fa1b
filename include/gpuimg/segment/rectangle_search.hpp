/// @file
/// The most likely rectangle of a picture: where a region snake may start when nobody says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/segment/detail/rectangle_grid.hpp"
#include "gpuimg/segment/detail/snake_checks.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/prefix_image.hpp"

namespace gpuimg {

/// How rectangles are searched.
struct rectangle_search {
  std::int32_t columns = 32;  ///< of the grid, 1..255; fewer for narrow pictures
  std::int32_t rows = 32;     ///< of the grid, 1..255; fewer for low pictures
  std::int32_t count = 1;     ///< rectangles wanted, 1..4096
};

namespace detail {

/// @throws error invalid_argument
inline void check_rectangle_search(const rectangle_search& s) {
  const auto check = [](const char* name, std::int32_t value, std::int32_t high) {
    if (value < 1 || value > high) {
      throw error(errc::invalid_argument, std::string("find_rectangles: ") + name + " is " + std::to_string(value) +
                                              ", not 1.." + std::to_string(high));
    }
  };
  check("columns", s.columns, 255);
  check("rows", s.rows, 255);
  check("count", s.count, 4096);
}

/// The criterion of a rectangle.
template <noise_model Model, class Cell>
struct rectangle_criterion {
  prefix_view<const Cell> picture;
  Model model;
  double unit;
  region_sums total;

  GPUIMG_FUNCTION double operator()(const rectangle& r) const noexcept {
    return criterion(model, rectangle_sums(picture, r), total, unit);
  }
};

/// Searches a prefix image.
template <noise_model Model, class Cell>
std::vector<found_rectangle> search_rectangles(const host& execution, const prefix_view<const Cell>& picture,
                                               const Model& model, double unit, const rectangle_search& search) {
  const rectangle_grid grid = make_rectangle_grid(picture.width, picture.height, search.columns, search.rows);
  std::vector<region_sums> corners(static_cast<std::size_t>(grid.corners()));
  for (std::int32_t j = 1; j <= grid.rows; ++j) {
    for (std::int32_t i = 1; i <= grid.columns; ++i) {
      corners[static_cast<std::size_t>(grid.corner(i, j))] =
          corners[static_cast<std::size_t>(grid.corner(i, j - 1))] +
          rectangle_sums(picture, {0, grid.y(j - 1), grid.x(i), grid.y(j) - grid.y(j - 1)});
    }
  }
  const region_sums total = corners.back();
  std::vector<found_rectangle> taken;
  for (std::int32_t k = 0; k < search.count; ++k) {
    std::vector<ranked_move> best(execution.thread_count(), {impossible, grid.rectangles()});
    parallel_for(execution.thread_count(), grid.column_pairs(), [&](std::int64_t pair, unsigned thread) {
      for (std::int64_t r = pair * grid.row_pairs(); r < (pair + 1) * grid.row_pairs(); ++r) {
        const grid_rectangle cells = grid.at(r);
        const double value = criterion(model, grid.sums(corners.data(), cells), total, unit);
        if (!(value < best[thread].criterion)) { continue; }
        const rectangle area = grid.area(cells);
        if (is_free(area, taken.data(), k)) { best[thread] = {value, r}; }
      }
    });
    ranked_move winner = best.front();
    for (const auto& b : best) { winner = better_move{}(winner, b); }
    if (winner.criterion == impossible) { break; }
    taken.push_back(refine_rectangle({grid.area(grid.at(winner.node)), winner.criterion}, grid, taken.data(), k,
                                     rectangle_criterion<Model, Cell>{picture, model, unit, total}));
  }
  return taken;
}

}  // namespace detail

/// The most likely rectangles of a picture, best first, none of which overlaps a better one: all rectangles of a grid
/// are tried, and the sides of the best are moved in ever smaller steps. Fewer than asked for when there is no room
/// left. A picture without a valid pixel has none.
///
/// Each is the best with all of the rest as background; the criterion compares them, it does not say how many targets
/// there are.
/// @param mask  as for snakes
/// @throws error invalid_argument for a picture that snakes refuse, or a search that is out of range
/// Complexity: O(pixels + count (columns rows)^2 / 4).
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> std::vector<found_rectangle> find_rectangles(
    const host& execution, const image_view<T>& image, const rectangle_search& search = {},
    const image_view<const std::uint8_t>& mask = {}, const Model& model = {}) {
  using sample = std::remove_const_t<T>;
  const image_view<const sample> picture = image;
  detail::check_snake_picture(picture, mask);
  detail::check_rectangle_search(search);
  return detail::with_cell<Model, sample>(mask.data != nullptr, image.width, [&]<class Cell>() {
    const auto prefix = make_prefix_image<Model, Cell>(execution, picture, mask);
    const prefix_view<const Cell> view = prefix.view();
    return detail::search_rectangles(execution, view, model, 1 / prefix.encoding().scale, search);
  });
}

}  // namespace gpuimg
