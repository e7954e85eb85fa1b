/// @file
/// Kernel of rank filters of any window: a thread for each pixel, by window_rank.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Order statistics one by one; the grid's z is the band. O(bits of a sample * window) operations a pixel.
template <ordered_sample T>
struct window_rank_kernel {
  static constexpr int threads = 128;
  static constexpr int block_width = simt::warp_size;
  static constexpr int block_height = threads / simt::warp_size;

  struct shared_storage {};

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  std::int32_t rank = 0;
  nan_policy policy = nan_policy::propagate;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t x = block.index().x * block_width + block.rank() % simt::warp_size;
    const std::int64_t y = block.index().y * block_height + block.warp_rank();
    const std::int64_t band = block.index().z;
    if (x >= destination.width || y >= destination.height) { return; }
    destination(x, y, band) = window_rank(source, frame, rank, policy, x, y, band);
  }
};

}  // namespace gpuimg::filter::detail
