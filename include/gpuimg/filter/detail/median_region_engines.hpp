/// @file
/// Rank filters by the order of regions: which tiles for which window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_launch.hpp"
#include "gpuimg/filter/detail/median_region_kernel.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/median_options.hpp"

namespace gpuimg::filter::detail {

/// Kernels of samples of type T, from the least region to the greatest; median_policy.hpp has what was measured.
template <ordered_sample T>
struct region_kernels {
  static constexpr std::size_t key_bytes = sizeof(typename sample_order<T>::key_type);

  /// A kernel with all of a multiprocessor's shared memory.
  template <class Places, int Wide, int Runs, int Rows>
  static auto largest() {
    using filter = region_filter<T, Places, Wide, Runs, Rows>;
    constexpr int counters = filter::sorter::counter_words * static_cast<int>(sizeof(std::uint32_t));
    return median_region_kernel<T, Places, Wide, Runs, Rows, (228000 - counters) / filter::cell_bytes / 8 * 8>{};
  }

  /// Calls with(kernel) with each kernel in turn until one returns true. @returns whether one did
  template <class With>
  static bool try_each(const With& with) {
    if (with(median_region_kernel<T, narrow_places, 1, 2, 8, 1096>{}) ||   // to 11 x 11
        with(median_region_kernel<T, narrow_places, 2, 2, 16, 4648>{}) ||  // to 23 x 23
        with(median_region_kernel<T, narrow_places, 2, 4, 16, 9608>{})) {  // to 35 x 35
      return true;
    }
    if constexpr (key_bytes == 1) {
      return false;  // histograms of columns come before
    } else if constexpr (key_bytes > 2) {
      return with(median_region_kernel<T, narrow_places, 2, 4, 16, 13000>{}) ||  // to 51 x 51
             with(median_region_kernel<T, narrow_places, 2, 8, 8, 16384>{}) ||   // to 65 x 65
             with(largest<byte_places, 2, 4, 16>());                             // to 102 x 102 of 32 bits
    } else {
      return with(median_region_kernel<T, narrow_places, 2, 8, 8, 16384>{}) ||  // to 65 x 65
             with(largest<byte_places, 2, 8, 8>()) ||                           // to 124 x 124 of 16 bits
             with(largest<byte_places, 1, 16, 4>());                            // to 141 x 141
    }
  }

  using unshared = median_workspace_kernel<T, word_places, 2, 8, 16>;  // to 268 x 268
};

/// How region_kernels::unshared filters a picture.
struct workspace_plan {
  std::int64_t blocks = 0;  ///< 0: it cannot
  std::size_t bytes = 0;
};

/// Never more than 16 bytes a pixel.
template <ordered_sample T>
workspace_plan plan_workspace(const simt::grid_extent& picture, const window_frame& frame) {
  using kernel = typename region_kernels<T>::unshared;
  constexpr std::int64_t most_blocks = 132;  // one on each multiprocessor of an H200; twice as many miss its L2 more
  constexpr std::int64_t few = 8;            // then bisection is as quick
  if (!kernel::fits(frame, std::int64_t{1} << 30)) { return {}; }
  const std::int64_t region = kernel::region_bytes(frame);
  const std::int64_t tiles = tiles_of<kernel>(picture, kernel::block_height).size();
  const std::int64_t blocks = std::min({most_blocks, tiles, 16 * picture.size() / region});
  if (blocks < std::min(few, tiles)) { return {}; }
  return {blocks, static_cast<std::size_t>(blocks * region)};
}

/// Bytes of workspace that one application of a filter takes on a device.
template <ordered_sample T>
std::size_t region_workspace_size(const simt::grid_extent& picture, const window_frame& frame) {
  if (region_kernels<T>::try_each([&](auto kernel) { return kernel.fits(frame); })) { return 0; }
  return plan_workspace<T>(picture, frame).bytes;
}

/// Filters once, if a kernel can take the window. @returns whether
/// @param workspace  region_workspace_size() bytes, or null
template <class Launch, ordered_sample T>
bool filter_by_regions(const Launch& launch, const bordered_bands<T>& source, const cube_view<T>& destination,
                       const window_frame& frame, std::int32_t rank, nan_policy policy, std::byte* workspace) {
  const auto parameters = [&](auto& kernel) {
    kernel.rank = rank;
    kernel.policy = policy;
  };
  const bool shared = region_kernels<T>::try_each([&](auto kernel) {
    if (!kernel.fits(frame) || !launch.template holds<decltype(kernel)>()) { return false; }
    parameters(kernel);
    launch_filter(launch, kernel, source, destination, frame, kernel.block_height);
    return true;
  });
  if (shared) { return true; }
  const simt::grid_extent picture{destination.width, destination.height, destination.bands};
  const workspace_plan plan = plan_workspace<T>(picture, frame);
  if (plan.blocks == 0) { return false; }
  typename region_kernels<T>::unshared kernel{};
  parameters(kernel);
  auto own = launch.scratch(workspace == nullptr ? plan.bytes : 0);
  kernel.workspace = workspace == nullptr ? own.data() : workspace;
  kernel.tiles = tiles_of<decltype(kernel)>(picture, kernel.block_height);
  kernel.source = source;
  kernel.destination = destination;
  kernel.frame = frame;
  launch({.x = plan.blocks}, kernel);
  return true;
}

}  // namespace gpuimg::filter::detail
