/// @file
/// Which kernel takes which window. What launches a kernel is a parameter: a CUDA stream, or the emulator of tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_checks.hpp"
#include "gpuimg/filter/detail/median_count_kernel.hpp"
#include "gpuimg/filter/detail/median_direct_kernel.hpp"
#include "gpuimg/filter/detail/median_histogram_kernel.hpp"
#include "gpuimg/filter/detail/median_tile_kernel.hpp"
#include "gpuimg/filter/detail/median_window_kernel.hpp"
#include "gpuimg/filter/median_options.hpp"
#include "gpuimg/filter/median_policy.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// The grid of a kernel whose blocks have `width` x `height` pixels.
template <class T>
simt::grid_extent grid_of(const cube_view<T>& picture, std::int64_t width, std::int64_t height) {
  return {(picture.width + width - 1) / width, (picture.height + height - 1) / height, picture.bands};
}

/// Whether 16 bytes may be accessed at every 16th byte of every row.
template <class T>
bool is_wide(const cube_view<T>& picture) {
  return picture.x_stride == static_cast<std::int64_t>(sizeof(T)) && picture.y_stride % 16 == 0 &&
         picture.band_stride % 16 == 0 && reinterpret_cast<std::uintptr_t>(picture.data) % 16 == 0;
}

/// Sets what all kernels have, and launches.
template <class Launch, class Kernel, class T>
void launch_filter(const Launch& launch, Kernel kernel, const bordered_bands<T>& source,
                   const cube_view<T>& destination, const window_frame& frame, std::int64_t block_height) {
  kernel.source = source;
  kernel.destination = destination;
  kernel.frame = frame;
  launch(grid_of(destination, Kernel::block_width, block_height), kernel);
}

/// Histograms of columns, with rows enough to a block, and blocks enough for the device.
template <class Kernel, class Launch, class T>
void launch_histograms(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                       const window_frame& frame, std::int32_t rank) {
  Kernel kernel{};
  kernel.rank = rank;
  constexpr std::int64_t blocks = 1024;  // some times as many as a device runs at once
  const std::int64_t strips = grid_of(destination, Kernel::block_width, 1).x * destination.bands;
  const std::int64_t rows = destination.height * strips / blocks;
  kernel.block_rows = static_cast<std::int32_t>(std::clamp<std::int64_t>(rows, 8, 64));
  launch_filter(launch, kernel, source, destination, frame, kernel.block_rows);
}

/// Runs a rank filter of any window once.
template <class Launch, ordered_sample T>
void filter_on_device(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                      const window_frame& frame, std::int32_t rank, const median_options<T>& options) {
  if constexpr (sizeof(T) == 1) {
    using narrow = column_histogram_kernel<T, 256, 1, 384>;
    using wide = column_histogram_kernel<T, 256, 2, 768>;
    if (frame.mask == nullptr && frame.height <= narrow::max_height && frame.width <= wide::max_width) {
      if (frame.width <= narrow::max_width) {
        launch_histograms<narrow>(launch, source, destination, frame, rank);
      } else {
        launch_histograms<wide>(launch, source, destination, frame, rank);
      }
      return;
    }
  }
  const auto launch_with_rank = [&](auto kernel) {
    kernel.rank = rank;
    kernel.policy = options.nan;
    launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
  };
  using small = window_count_kernel<T, 64 * 1024>;
  using large = window_count_kernel<T, 200 * 1024>;
  if (small::fits(frame)) {
    launch_with_rank(small{});
  } else if (large::fits(frame)) {
    launch_with_rank(large{});
  } else {
    launch_with_rank(window_rank_kernel<T>{});
  }
}

/// Runs a compiled rank filter once.
template <int Width, int Height, int Rank, class Launch, ordered_sample T>
void filter_compiled_on_device(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                               const median_options<T>& options) {
  using policy = column_policy<sizeof(T), Width, Height>;
  const window_frame frame = frame_of(window_size{Width, Height});
  if constexpr (Width == 3 && Height == 3 && Rank == 4 && has_register_window<T>) {
    if (is_wide(source.cube)) {
      median_3x3_kernel<T> kernel{};
      kernel.policy = options.nan;
      kernel.wide_source = true;
      kernel.wide_destination = is_wide(destination);
      launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
      return;
    }
  }
  if constexpr (policy::available) {
    median_tile_kernel<T, typename policy::shape, Rank, policy::tiles_x, policy::tiles_y, policy::blocks_per_sm,
                       policy::keep>
        kernel{};
    kernel.policy = options.nan;
    launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
  } else {
    filter_on_device(launch, source, destination, frame, Rank, options);
  }
}

}  // namespace gpuimg::filter::detail
