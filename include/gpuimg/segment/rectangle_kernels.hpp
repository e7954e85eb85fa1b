/// @file
/// Kernels that find the most likely rectangle of a picture. See find_rectangles.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/detail/rectangle_grid.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/prefix_kernels.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg {

/// Sums of each cell of the grid, by a warp each, into the cell's lower right corner; others of the border are zeroed.
/// Grid: columns + 1 along x, rows + 1 along y.
template <class Cell>
struct rectangle_cells_kernel {
  static constexpr int threads = 32;
  struct shared_storage {};

  prefix_view<const Cell> picture;
  detail::rectangle_grid grid;
  region_sums* corners;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const auto i = static_cast<std::int32_t>(block.index().x);
    const auto j = static_cast<std::int32_t>(block.index().y);
    region_sums sums;
    if (i != 0 && j != 0) {
      const rectangle cell = grid.area({i - 1, i, j - 1, j});
      sums = rectangle_sums(picture, cell, {}, block.rank(), threads);
    }
    auto warp = block.warp();
    sums = {warp.reduce(sums.count, simt::plus{}), warp.reduce(sums.sum, simt::plus{}),
            warp.reduce(sums.square, simt::plus{})};
    if (block.rank() == 0) { corners[grid.corner(i, j)] = sums; }
  }
};

/// Adds cells up: each corner gets the sums of all that is above it and to its left. One block.
struct rectangle_corners_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  detail::rectangle_grid grid;
  region_sums* corners;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    for (std::int32_t i = block.rank(); i <= grid.columns; i += threads) {
      for (std::int32_t j = 1; j <= grid.rows; ++j) { corners[grid.corner(i, j)] += corners[grid.corner(i, j - 1)]; }
    }
    block.sync();
    for (std::int32_t j = block.rank(); j <= grid.rows; j += threads) {
      for (std::int32_t i = 1; i <= grid.columns; ++i) { corners[grid.corner(i, j)] += corners[grid.corner(i - 1, j)]; }
    }
  }
};

/// What the two kernels that follow share.
template <noise_model Model, snake_sample T>
struct rectangle_task {
  Model model;
  detail::rectangle_grid grid;
  const region_sums* corners;
  const range_keys* keys;  ///< read when needs_range<Model, T>
  found_rectangle* taken;  ///< rectangles found so far
  std::int64_t* count;     ///< of them
  detail::ranked_move* best;

  /// Units of the picture in a code.
  GPUIMG_FUNCTION double unit() const noexcept {
    sample_range range;
    if constexpr (needs_range<Model, T>) { range = keys->range(); }
    return 1 / make_encoding<Model, T>(range, std::int64_t{grid.width} * grid.height).scale;
  }
  GPUIMG_FUNCTION region_sums total() const noexcept { return corners[grid.corners() - 1]; }
};

/// The best free rectangle of each pair of columns, by a block each along x.
template <noise_model Model, snake_sample T>
struct rectangle_search_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  rectangle_task<Model, T> task;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const auto& grid = task.grid;
    const double unit = task.unit();
    const region_sums total = task.total();
    const std::int64_t pairs = grid.row_pairs();
    detail::ranked_move best{impossible, grid.rectangles()};
    for (std::int64_t r = block.rank(); r < pairs; r += threads) {
      const std::int64_t number = block.index().x * pairs + r;
      const auto cells = grid.at(number);
      const double value = criterion(task.model, grid.sums(task.corners, cells), total, unit);
      if (value < best.criterion && detail::is_free(grid.area(cells), task.taken, *task.count)) {
        best = {value, number};
      }
    }
    best = block.reduce(best, detail::better_move{});
    if (block.rank() == 0) { task.best[block.index().x] = best; }
  }
};

/// Takes the best of all pairs of columns, moves its sides to where they fit best, and adds it to the list. One block.
template <noise_model Model, snake_sample T, class Cell>
struct rectangle_refine_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  rectangle_task<Model, T> task;
  prefix_view<const Cell> picture;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const auto& grid = task.grid;
    detail::ranked_move best{impossible, grid.rectangles()};
    for (std::int64_t i = block.rank(); i < grid.column_pairs(); i += threads) {
      best = detail::better_move{}(best, task.best[i]);
    }
    best = block.reduce(best, detail::better_move{});
    if (best.criterion == impossible) { return; }
    const std::int64_t count = *task.count;
    const auto found = detail::refine_rectangle({grid.area(grid.at(best.node)), best.criterion}, grid, task.taken,
                                                count, value_of<Block>{*this, block, task.unit(), task.total()});
    block.sync();
    if (block.rank() == 0) {
      task.taken[count] = found;
      *task.count = count + 1;
    }
  }

 private:
  /// The criterion of a rectangle, by all threads.
  template <class Block>
  struct value_of {
    const rectangle_refine_kernel& kernel;
    Block& block;
    double unit;
    region_sums total;

    GPUIMG_FUNCTION double operator()(const rectangle& r) const {
      const region_sums mine = rectangle_sums(kernel.picture, r, {}, block.rank(), threads);
      const region_sums sums{block.reduce(mine.count, simt::plus{}), block.reduce(mine.sum, simt::plus{}),
                             block.reduce(mine.square, simt::plus{})};
      return criterion(kernel.task.model, sums, total, unit);
    }
  };
};

}  // namespace gpuimg
