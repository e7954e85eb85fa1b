/// @file
/// Medians and other order statistics of windows on CUDA devices: with this header the functions of
/// gpuimg/filter/median.hpp take a gpuimg::cuda.
///
/// @code
/// const gpuimg::cuda execution{.stream = stream};
/// gpuimg::image_view<const std::uint8_t> noisy(device_samples, width, height, pitch);
/// gpuimg::image_view<std::uint8_t> clean(device_result, width, height, pitch);
/// gpuimg::filter::median<5, 5>(execution, noisy, clean, gpuimg::filter::border::reflect);
/// @endcode
///
/// Pictures, and masks, are in device memory, and are used in the order of the stream. Memory is taken only for
/// more than one iteration, and only if median_options::workspace is null.
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/filter/median.cuh needs a CUDA compiler"
#else

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_device.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::filter::detail {

/// Launches on a stream.
inline auto on_stream(const cuda& execution) {
  return [&execution](const simt::grid_extent& grid, const auto& kernel) { simt::launch(execution, grid, kernel); };
}

/// Runs a rank filter of any window once.
template <ordered_sample T>
void filter_any(const cuda& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                const window_frame& frame, std::int32_t rank, const median_options<T>& options) {
  filter_on_device(on_stream(execution), source, destination, frame, rank, options);
}

/// Runs a compiled rank filter once.
template <int Width, int Height, int Rank, ordered_sample T>
void filter_compiled(const cuda& execution, compiled_rank<Width, Height, Rank>, const bordered_bands<T>& source,
                     const cube_view<T>& destination, const median_options<T>& options) {
  filter_compiled_on_device<Width, Height, Rank>(on_stream(execution), source, destination, options);
}

/// Checks, then calls once(source, destination) for each iteration.
template <ordered_sample T, class Once>
void filter_bands(const cuda& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                  const median_options<T>& options, const Once& once) {
  if (!check_pictures(source.cube, destination, options)) { return; }
  simt::device_buffer own(execution);
  std::byte* room = options.workspace;
  if (options.iterations > 1 && room == nullptr) {
    own.reserve(filter_workspace_size<T>(destination.width, destination.height, destination.bands, options.iterations));
    room = own.data();
  }
  const cube_view<T> between(reinterpret_cast<T*>(room), destination.width, destination.height, destination.bands,
                             interleave::bsq);
  iterate(source.cube, destination, between, options.iterations,
          [&](const cube_view<const T>& from, const cube_view<T>& to) {
            once(bordered_bands<T>{from, source.mode, source.value}, to);
          });
}

}  // namespace gpuimg::filter::detail

#endif
