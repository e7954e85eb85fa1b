/// @file
/// Where a search for rectangles keeps its numbers, and the kernels that it consists of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/segment/rectangle_kernels.hpp"
#include "gpuimg/segment/rectangle_search.hpp"

namespace gpuimg::detail {

/// A workspace for one search; its first bytes are the number of rectangles found, which starts as 0.
class rectangle_workspace {
 public:
  rectangle_workspace(const rectangle_grid& grid, std::int32_t count) noexcept : grid_(grid) {
    taken_ = take(sizeof(std::int64_t));
    best_ = take(sizeof(found_rectangle) * static_cast<std::size_t>(count));
    corners_ = take(sizeof(ranked_move) * static_cast<std::size_t>(grid.column_pairs()));
    take(sizeof(region_sums) * static_cast<std::size_t>(grid.corners()));
  }

  std::size_t bytes() const noexcept { return bytes_; }
  void place(std::byte* base) noexcept { base_ = base; }

  std::int64_t* count() const noexcept { return reinterpret_cast<std::int64_t*>(base_); }
  found_rectangle* taken() const noexcept { return reinterpret_cast<found_rectangle*>(base_ + taken_); }

  /// Submits the kernels for `count` rectangles: launch(grid, kernel).
  template <noise_model Model, snake_sample T, class Cell, class Launch>
  void submit(const prefix_view<const Cell>& picture, const range_keys* keys, const Model& model, std::int32_t count,
              const Launch& launch) const {
    auto* corners = reinterpret_cast<region_sums*>(base_ + corners_);
    launch(simt::grid_extent{.x = grid_.columns + 1, .y = grid_.rows + 1},
           rectangle_cells_kernel<Cell>{picture, grid_, corners});
    launch(simt::grid_extent{.x = 1}, rectangle_corners_kernel{grid_, corners});
    const rectangle_task<Model, T> task{
        model, grid_, corners, keys, taken(), this->count(), reinterpret_cast<ranked_move*>(base_ + best_)};
    for (std::int32_t k = 0; k < count; ++k) {
      launch(simt::grid_extent{.x = grid_.column_pairs()}, rectangle_search_kernel<Model, T>{task});
      launch(simt::grid_extent{.x = 1}, rectangle_refine_kernel<Model, T, Cell>{task, picture});
    }
  }

 private:
  /// The end of a part that starts at the end of the last.
  std::size_t take(std::size_t size) noexcept {
    constexpr std::size_t line = 256;
    bytes_ += (size + line - 1) / line * line;
    return bytes_;
  }

  rectangle_grid grid_;
  std::size_t bytes_ = 0;
  std::size_t taken_ = 0;
  std::size_t best_ = 0;
  std::size_t corners_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace gpuimg::detail
