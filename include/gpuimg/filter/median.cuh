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
/// more than one iteration and for windows beyond about 100 x 100, and only if median_options::workspace is null.
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

/// Launches on a stream; see median_launch.hpp.
class stream_launcher {
 public:
  explicit stream_launcher(const cuda& execution) noexcept : execution_(execution) {}

  template <class Kernel>
  void operator()(const simt::grid_extent& grid, const Kernel& kernel) const {
    simt::launch(execution_, grid, kernel);
  }
  template <class Kernel>
  bool holds() const {
    return simt::fits_shared_memory<Kernel>(execution_);
  }
  simt::device_buffer scratch(std::size_t bytes) const { return simt::device_buffer(execution_, bytes); }

 private:
  const cuda& execution_;
};

/// What is left of the workspace beside the picture between applications; null if there is none.
template <class T>
std::byte* workspace_beside(const cube_view<T>& picture, const median_options<T>& options) {
  if (options.workspace == nullptr) { return nullptr; }
  return options.workspace + between_bytes<T>(picture.width, picture.height, picture.bands, options.iterations);
}

/// Runs a rank filter of any window once.
template <ordered_sample T>
void filter_any(const cuda& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                const window_frame& frame, std::int32_t rank, const median_options<T>& options) {
  filter_on_device(stream_launcher(execution), source, destination, frame, rank, options,
                   workspace_beside(destination, options));
}

/// Runs a compiled rank filter once.
template <int Width, int Height, int Rank, ordered_sample T>
void filter_compiled(const cuda& execution, compiled_rank<Width, Height, Rank>, const bordered_bands<T>& source,
                     const cube_view<T>& destination, const median_options<T>& options) {
  filter_compiled_on_device<Width, Height, Rank>(stream_launcher(execution), source, destination, options,
                                                 workspace_beside(destination, options));
}

/// Checks, then calls once(source, destination) for each iteration.
template <ordered_sample T, class Once>
void filter_bands(const cuda& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                  const median_options<T>& options, const Once& once) {
  if (!check_pictures(source.cube, destination, options)) { return; }
  simt::device_buffer own(execution);
  std::byte* room = options.workspace;
  if (options.iterations > 1 && room == nullptr) {
    own.reserve(between_bytes<T>(destination.width, destination.height, destination.bands, options.iterations));
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

namespace gpuimg::filter {

/// As for a host; windows that the shared memory of a multiprocessor is too small for, beyond 141 x 141 (102 x 102 of
/// 32-bit samples), take up to 16 bytes a sample more. Devices with less shared memory than 228 KB may allocate beside.
template <ordered_sample T>
std::size_t filter_workspace_size(const cuda&, std::int64_t width, std::int64_t height, std::int64_t bands,
                                  const window_size& size, int iterations = 1) {
  detail::check_window(size);
  return detail::between_bytes<T>(width, height, bands, iterations) +
         detail::device_workspace_size<T>({width, height, bands}, detail::frame_of(size));
}

}  // namespace gpuimg::filter

#endif
