/// @file
/// Which kernel takes which window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_checks.hpp"
#include "gpuimg/filter/detail/median_count_kernel.hpp"
#include "gpuimg/filter/detail/median_histogram_kernel.hpp"
#include "gpuimg/filter/detail/median_launch.hpp"
#include "gpuimg/filter/detail/median_region_engines.hpp"
#include "gpuimg/filter/detail/median_strip_kernel.hpp"
#include "gpuimg/filter/detail/median_tile_kernel.hpp"
#include "gpuimg/filter/detail/median_window_kernel.hpp"
#include "gpuimg/filter/median_options.hpp"
#include "gpuimg/filter/median_policy.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Whether 16 bytes may be accessed at every 16th byte of every row.
template <class T>
bool is_wide(const cube_view<T>& picture) {
  return picture.x_stride == static_cast<std::int64_t>(sizeof(T)) && picture.y_stride % 16 == 0 &&
         picture.band_stride % 16 == 0 && reinterpret_cast<std::uintptr_t>(picture.data) % 16 == 0;
}

/// Histograms of columns, for narrow and for wide windows.
template <ordered_sample T>
struct histogram_kernels {
  /// Calls with(kernel) with each kernel in turn until one returns true. @returns whether one did
  template <class With>
  static bool try_each(const With& with) {
    return with(column_histogram_kernel<T, 256, 1, 384>{}) || with(column_histogram_kernel<T, 256, 2, 768>{});
  }
};

/// Histograms of columns, with rows enough to a block, and blocks enough for the device.
template <class Launch, class Kernel, class T>
void launch_histograms(const Launch& launch, Kernel kernel, const bordered_bands<T>& source,
                       const cube_view<T>& destination, const window_frame& frame, std::int32_t rank) {
  kernel.rank = rank;
  constexpr std::int64_t blocks = 1024;  // some times as many as a device runs at once
  const std::int64_t strips = (destination.width + Kernel::block_width - 1) / Kernel::block_width * destination.bands;
  const std::int64_t rows = destination.height * strips / blocks;
  kernel.block_rows = static_cast<std::int32_t>(std::clamp<std::int64_t>(rows, 8, 64));
  launch_filter(launch, kernel, source, destination, frame, kernel.block_rows);
}

/// Bytes of workspace that one application of a filter takes on a device that has shared memory for every kernel.
template <ordered_sample T>
std::size_t device_workspace_size(const simt::grid_extent& picture, const window_frame& frame) {
  if constexpr (sizeof(T) == 1) {
    if (histogram_kernels<T>::try_each([&](auto kernel) { return kernel.fits(frame); })) { return 0; }
  }
  return region_workspace_size<T>(picture, frame);
}

/// Runs a rank filter of any window once.
/// @param workspace  device_workspace_size() bytes, or null
template <class Launch, ordered_sample T>
void filter_on_device(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                      const window_frame& frame, std::int32_t rank, const median_options<T>& options,
                      std::byte* workspace) {
  if constexpr (sizeof(T) == 1) {
    const bool done = histogram_kernels<T>::try_each([&](auto kernel) {
      if (!kernel.fits(frame) || !launch.template holds<decltype(kernel)>()) { return false; }
      launch_histograms(launch, kernel, source, destination, frame, rank);
      return true;
    });
    if (done) { return; }
  }
  const simt::grid_extent picture{destination.width, destination.height, destination.bands};
  std::byte* const room = device_workspace_size<T>(picture, frame) == 0 ? nullptr : workspace;
  if (filter_by_regions(launch, source, destination, frame, rank, options.nan, room)) { return; }
  const auto launch_with_rank = [&](auto kernel) {
    kernel.rank = rank;
    kernel.policy = options.nan;
    launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
  };
  using small = window_count_kernel<T, 64 * 1024>;
  using large = window_count_kernel<T, 200 * 1024>;
  if (small::fits(frame) && launch.template holds<small>()) {
    launch_with_rank(small{});
  } else if (large::fits(frame) && launch.template holds<large>()) {
    launch_with_rank(large{});
  } else {
    launch_with_rank(window_rank_kernel<T>{});
  }
}

/// Runs a compiled rank filter once.
template <int Width, int Height, int Rank, class Launch, ordered_sample T>
void filter_compiled_on_device(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                               const median_options<T>& options, std::byte* workspace) {
  using policy = column_policy<sizeof(T), Width, Height>;
  const window_frame frame = frame_of(window_size{Width, Height});
  if constexpr (strip_policy<T, Width, Height>::available) {
    if (is_wide(source.cube)) {
      median_strip_kernel<T, Width, Height, Rank> kernel{};
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
    if (launch.template holds<decltype(kernel)>()) {
      kernel.policy = options.nan;
      launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
      return;
    }
  }
  filter_on_device(launch, source, destination, frame, Rank, options, workspace);
}

}  // namespace gpuimg::filter::detail
