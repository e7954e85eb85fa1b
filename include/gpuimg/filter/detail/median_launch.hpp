/// @file
/// How kernels of medians are launched.
///
/// What launches is a parameter, a CUDA stream or the emulator of tests: launch(grid, kernel) runs a kernel,
/// launch.holds<Kernel>() says whether the device has shared memory enough for it, and launch.scratch(bytes).data() is
/// memory of the device until the owner that scratch() returns ends, in the order of the launches.
#pragma once

#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// The blocks that a picture of width x height x bands takes.
template <class Kernel>
simt::grid_extent tiles_of(const simt::grid_extent& picture, std::int64_t block_height) {
  return {(picture.x + Kernel::block_width - 1) / Kernel::block_width, (picture.y + block_height - 1) / block_height,
          picture.z};
}

/// Sets what all kernels have, and launches.
template <class Launch, class Kernel, class T>
void launch_filter(const Launch& launch, Kernel kernel, const bordered_bands<T>& source,
                   const cube_view<T>& destination, const window_frame& frame, std::int64_t block_height) {
  kernel.source = source;
  kernel.destination = destination;
  kernel.frame = frame;
  launch(tiles_of<Kernel>({destination.width, destination.height, destination.bands}, block_height), kernel);
}

}  // namespace gpuimg::filter::detail
