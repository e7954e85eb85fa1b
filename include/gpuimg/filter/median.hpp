/// @file
/// Medians and other order statistics of windows, on a host. gpuimg/filter/median.cuh has the same functions for a
/// CUDA device.
///
/// @code
/// gpuimg::image_view<const std::uint8_t> noisy(samples.data(), width, height);
/// gpuimg::image_view<std::uint8_t> clean(result.data(), width, height);
/// gpuimg::filter::median<5, 5>(gpuimg::host{}, noisy, clean, gpuimg::filter::border::reflect);
/// gpuimg::filter::median(gpuimg::host{}, noisy, clean, {31, 31});
/// gpuimg::filter::rank(gpuimg::host{}, noisy, clean, {3, 3}, 0);          // erosion
/// gpuimg::filter::rank(gpuimg::host{}, noisy, clean, cross, cross.count / 2);
/// @endcode
///
/// All are exact: the result is one of the window's samples, and equal, bit for bit, on every execution and engine.
/// Pictures are views of one band (image_view), of planes (planar_view) or of any strides (cube_view: interleaved
/// samples too); bands are filtered one by one. Pitched and cropped views are honoured, and nothing is written outside
/// of the destination. An empty picture is valid.
///
/// Samples are integers of 8, 16, 32 or 64 bits, float, double, or binary16. Of floating-point samples -0 is less
/// than +0; NaN follows median_options::nan.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_checks.hpp"
#include "gpuimg/filter/detail/median_host_bisection.hpp"
#include "gpuimg/filter/detail/median_host_extremes.hpp"
#include "gpuimg/filter/detail/median_host_histogram.hpp"
#include "gpuimg/filter/detail/median_host_rows.hpp"
#include "gpuimg/filter/detail/median_host_tiles.hpp"
#include "gpuimg/filter/detail/median_host_windows.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/median_options.hpp"
#include "gpuimg/filter/median_policy.hpp"

namespace gpuimg::filter {

namespace detail {

/// A rank filter whose window is known to the compiler.
template <int Width, int Height, int Rank>
struct compiled_rank {};

/// Samples of a window of bytes up to which bisection is quicker than histograms: 85 against 30 megapixels/s at 21
/// samples, 24 against 31 at 225 (one core, SSE2).
inline constexpr std::int32_t host_bisection_limit = 150;

/// Runs a rank filter of any window once.
template <ordered_sample T>
void filter_any(const host& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                const window_frame& frame, std::int32_t rank, const median_options<T>& options) {
  const unsigned threads = execution.thread_count();
  const bool whole = frame.mask == nullptr;
  if (whole && (rank == 0 || rank == frame.count - 1)) {
    host_extreme_filter<T>(source, destination, frame, rank != 0, options.nan).run(threads);
    return;
  }
  if constexpr (sizeof(T) == 1) {
    if (whole && frame.count > host_bisection_limit && frame.count <= host_histogram_filter<T>::max_count) {
      host_histogram_filter<T>(source, destination, frame, rank).run(threads);
      return;
    }
  }
  if constexpr (sizeof(T) <= 2 && !sample_order<T>::has_nan) {
    if (frame.count <= host_bisection_filter<T>::max_count) {
      host_bisection_filter<T>(source, destination, frame, rank).run(threads);
      return;
    }
  }
  host_window_filter<T>(source, destination, frame, rank, options.nan).run(threads);
}

/// Runs a compiled rank filter once.
template <int Width, int Height, int Rank, ordered_sample T>
void filter_compiled(const host& execution, compiled_rank<Width, Height, Rank>, const bordered_bands<T>& source,
                     const cube_view<T>& destination, const median_options<T>& options) {
  using policy = column_policy<sizeof(T), Width, Height>;
  const window_frame frame = frame_of(window_size{Width, Height});
  const unsigned threads = execution.thread_count();
  if constexpr (few_in_row<Width, Height>) {
    host_row_filter<T, Width, Height, Rank>(source, destination, frame, options.nan).run(threads);
  } else if constexpr (policy::available) {
    host_tile_filter<T, typename policy::shape, Rank>(source, destination, frame, options.nan).run(threads);
  } else {
    filter_any(execution, source, destination, frame, Rank, options);
  }
}

/// Checks, then calls once(source, destination) for each iteration.
template <ordered_sample T, class Once>
void filter_bands(const host&, const bordered_bands<T>& source, const cube_view<T>& destination,
                  const median_options<T>& options, const Once& once) {
  if (!check_pictures(source.cube, destination, options)) { return; }
  std::vector<T> own;
  if (options.iterations > 1 && options.workspace == nullptr) {
    own.resize(static_cast<std::size_t>(destination.size()));
  }
  T* const room = own.empty() ? reinterpret_cast<T*>(options.workspace) : own.data();
  const cube_view<T> between(room, destination.width, destination.height, destination.bands, interleave::bsq);
  iterate(source.cube, destination, between, options.iterations,
          [&](const cube_view<const T>& from, const cube_view<T>& to) {
            once(bordered_bands<T>{from, source.mode, source.value}, to);
          });
}

/// The compiled engine of an odd square window, if there is one, or the one for any window.
template <int Side, class Execution, ordered_sample T>
void median_of_square(const Execution& execution, const bordered_bands<T>& source, const cube_view<T>& destination,
                      const window_frame& frame, const median_options<T>& options) {
  if constexpr (Side > max_compiled_side<sizeof(T)>) {
    filter_any(execution, source, destination, frame, median_rank(frame.count), options);
  } else if (frame.width == Side && frame.height == Side) {
    filter_compiled(execution, compiled_rank<Side, Side, median_rank(Side * Side)>{}, source, destination, options);
  } else {
    median_of_square<Side + 2>(execution, source, destination, frame, options);
  }
}

/// Every band of a view, read-only.
template <class View>
auto bands_of(const View& view) {
  return cube_view<const typename View::value_type>(view);
}

}  // namespace detail

/// A view of ordered samples: image_view, planar_view or cube_view.
template <class View>
concept picture_view = requires(const View& view) {
  requires ordered_sample<typename View::value_type>;
  detail::bands_of(view);
};

/// Bytes for median_options::workspace, where a picture of width x height x bands samples is filtered with a window of
/// some size: one picture for more than one iteration; nothing for one.
template <ordered_sample T>
std::size_t filter_workspace_size(const host&, std::int64_t width, std::int64_t height, std::int64_t bands,
                                  const window_size&, int iterations = 1) {
  return detail::between_bytes<T>(width, height, bands, iterations);
}

/// Rank `Rank` (0 is the minimum, Width * Height - 1 the maximum) of every window of Width x Height samples.
///
/// @param execution    host, or cuda with gpuimg/filter/median.cuh; a cuda call returns before the work is done
/// @param source       picture to read
/// @param destination  picture of the same size and samples, which must not share memory with the source
/// @param mode         how the picture goes on beyond its edges
/// @throws error invalid_argument for sizes or pitches that do not fit, aliased, out_of_memory, device
template <int Width, int Height, int Rank, class Execution, picture_view Source, picture_view Destination>
void rank(const Execution& execution, const Source& source, const Destination& destination,
          border mode = border::reflect, const median_options<typename Destination::value_type>& options = {}) {
  static_assert(Width > 0 && Height > 0 && Width <= max_window_side && Height <= max_window_side);
  static_assert(Rank >= 0 && Rank < Width * Height);
  using sample = typename Destination::value_type;
  filter_bands(execution, detail::bordered_bands<sample>{detail::bands_of(source), mode, options.border_value},
               cube_view<sample>(destination), options,
               [&](const detail::bordered_bands<sample>& from, const cube_view<sample>& to) {
                 filter_compiled(execution, detail::compiled_rank<Width, Height, Rank>{}, from, to, options);
               });
}

/// Median of every window of Width x Height samples; of an even number of samples, the upper of the two in the middle.
/// Else as rank.
template <int Width, int Height = Width, class Execution, picture_view Source, picture_view Destination>
void median(const Execution& execution, const Source& source, const Destination& destination,
            border mode = border::reflect, const median_options<typename Destination::value_type>& options = {}) {
  rank<Width, Height, median_rank(Width * Height)>(execution, source, destination, mode, options);
}

/// Median of every window of a size that is known at run time, sides 1..max_window_side. Odd squares up to
/// max_compiled_side are as quick as with median<Width, Height>; see median_policy.hpp.
template <class Execution, picture_view Source, picture_view Destination>
void median(const Execution& execution, const Source& source, const Destination& destination, const window_size& size,
            border mode = border::reflect, const median_options<typename Destination::value_type>& options = {}) {
  using sample = typename Destination::value_type;
  detail::check_window(size);
  const detail::window_frame frame = detail::frame_of(size);
  filter_bands(execution, detail::bordered_bands<sample>{detail::bands_of(source), mode, options.border_value},
               cube_view<sample>(destination), options,
               [&](const detail::bordered_bands<sample>& from, const cube_view<sample>& to) {
                 detail::median_of_square<3>(execution, from, to, frame, options);
               });
}

/// Rank 0..width * height - 1 of every window of a size that is known at run time; else as median.
/// @throws error invalid_argument, when the rank is out of range
template <class Execution, picture_view Source, picture_view Destination>
void rank(const Execution& execution, const Source& source, const Destination& destination, const window_size& size,
          std::int32_t wanted, border mode = border::reflect,
          const median_options<typename Destination::value_type>& options = {}) {
  using sample = typename Destination::value_type;
  detail::check_window(size);
  const detail::window_frame frame = detail::frame_of(size);
  detail::check_rank(wanted, frame.count);
  filter_bands(execution, detail::bordered_bands<sample>{detail::bands_of(source), mode, options.border_value},
               cube_view<sample>(destination), options,
               [&](const detail::bordered_bands<sample>& from, const cube_view<sample>& to) {
                 filter_any(execution, from, to, frame, wanted, options);
               });
}

/// Rank 0..count - 1 of the samples under a mask; else as median. O(window) operations a pixel, times the bits of a
/// sample on a device.
/// @throws error invalid_argument, when the rank or the mask is out of range
template <class Execution, picture_view Source, picture_view Destination>
void rank(const Execution& execution, const Source& source, const Destination& destination, const window_mask& mask,
          std::int32_t wanted, border mode = border::reflect,
          const median_options<typename Destination::value_type>& options = {}) {
  using sample = typename Destination::value_type;
  const detail::window_frame frame = detail::frame_of(mask);
  detail::check_rank(wanted, frame.count);
  filter_bands(execution, detail::bordered_bands<sample>{detail::bands_of(source), mode, options.border_value},
               cube_view<sample>(destination), options,
               [&](const detail::bordered_bands<sample>& from, const cube_view<sample>& to) {
                 filter_any(execution, from, to, frame, wanted, options);
               });
}

}  // namespace gpuimg::filter
