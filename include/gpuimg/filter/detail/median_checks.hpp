/// @file
/// Checks of what a caller asks of a median, before any work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_options.hpp"

namespace gpuimg::filter::detail {

/// First byte of a picture and the one after its last.
struct byte_range {
  const std::byte* first;
  const std::byte* end;
};

template <class T>
byte_range memory_of(const cube_view<T>& cube) {
  std::int64_t low = 0;
  std::int64_t high = sizeof(T);
  const auto add = [&](std::int64_t stride, std::int64_t count) { (stride < 0 ? low : high) += stride * (count - 1); };
  add(cube.x_stride, cube.width);
  add(cube.y_stride, cube.height);
  add(cube.band_stride, cube.bands);
  const auto* const base = reinterpret_cast<const std::byte*>(cube.data);
  return {base + low, base + high};
}

/// Whether two pictures share memory. Windows side by side of one pitched picture do not.
template <class T>
bool overlap(const cube_view<const T>& a, const cube_view<T>& b) {
  const byte_range first = memory_of(a);
  const byte_range second = memory_of(b);
  const std::less<> before;
  if (!before(first.first, second.end) || !before(second.first, first.end)) { return false; }
  const std::int64_t pitch = a.y_stride;
  const std::int64_t a_row = a.x_stride * (a.width - 1) + static_cast<std::int64_t>(sizeof(T));
  const std::int64_t b_row = b.x_stride * (b.width - 1) + static_cast<std::int64_t>(sizeof(T));
  if (pitch != b.y_stride || pitch <= 0 || a.x_stride < 0 || b.x_stride < 0 || a.bands != 1 || b.bands != 1) {
    return true;
  }
  const std::int64_t shift = (second.first - first.first) % pitch;
  const std::int64_t at = shift < 0 ? shift + pitch : shift;  // where b's rows begin, from where a's do
  return at < a_row || at + b_row > pitch;
}

inline void check_window(const window_size& size) {
  if (size.width < 1 || size.height < 1 || size.width > max_window_side || size.height > max_window_side) {
    throw error(errc::invalid_argument, "median: a window of " + std::to_string(size.width) + "x" +
                                            std::to_string(size.height) + "; sides are 1.." +
                                            std::to_string(max_window_side));
  }
}

inline void check_rank(std::int64_t rank, std::int64_t count) {
  if (rank < 0 || rank >= count) {
    throw error(errc::invalid_argument, "rank: " + std::to_string(rank) + " of a window of " + std::to_string(count) +
                                            " samples; ranks are 0.." + std::to_string(count - 1));
  }
}

/// @returns whether there is anything to do
template <class T>
bool check_pictures(const cube_view<const T>& source, const cube_view<T>& destination,
                    const median_options<T>& options) {
  const auto text = [](const auto& cube) {
    return std::to_string(cube.width) + "x" + std::to_string(cube.height) + "x" + std::to_string(cube.bands);
  };
  if (source.width != destination.width || source.height != destination.height || source.bands != destination.bands) {
    throw error(errc::invalid_argument,
                "median: the source is " + text(source) + ", the destination " + text(destination));
  }
  if (source.width < 0 || source.height < 0 || source.bands < 0) {
    throw error(errc::invalid_argument, "median: a side of " + text(source) + " is negative");
  }
  if (options.iterations < 1) {
    throw error(errc::invalid_argument, "median: " + std::to_string(options.iterations) + " iterations; from 1");
  }
  const auto aligned = [](std::int64_t stride) { return stride % static_cast<std::int64_t>(alignof(T)) == 0; };
  const std::int64_t strides[] = {source.x_stride,      source.y_stride,      source.band_stride,
                                  destination.x_stride, destination.y_stride, destination.band_stride};
  for (const std::int64_t stride : strides) {
    if (!aligned(stride)) {
      throw error(errc::invalid_argument, "median: a pitch of " + std::to_string(stride) +
                                              " bytes is no multiple of the sample's " + std::to_string(alignof(T)));
    }
  }
  if (source.empty()) { return false; }
  if (overlap(source, destination)) {
    throw error(errc::aliased, "median: source and destination share memory; it cannot work in place");
  }
  return true;
}

inline window_frame frame_of(const window_size& size) {
  return {size.width, size.height, size.width / 2, size.height / 2, nullptr, size.width * size.height};
}

/// The frame of a mask.
inline window_frame frame_of(const window_mask& mask) {
  check_window(mask.size);
  window_frame frame = frame_of(mask.size);
  if (mask.mask == nullptr || mask.count < 1 || mask.count > frame.count) {
    throw error(errc::invalid_argument, "rank: a mask of " + std::to_string(mask.count) + " samples in a window of " +
                                            std::to_string(frame.count));
  }
  frame.mask = mask.mask;
  frame.count = mask.count;
  return frame;
}

/// Applies `filter(from, to)` `iterations` times, by way of `between`, so that the last result is in `destination`.
template <class T, class Filter>
void iterate(const cube_view<const T>& source, const cube_view<T>& destination, const cube_view<T>& between,
             int iterations, const Filter& filter) {
  cube_view<const T> from = source;
  for (int left = iterations; left > 0; --left) {
    const cube_view<T>& to = left % 2 == 1 ? destination : between;
    filter(from, to);
    from = to;
  }
}

/// Bytes of the picture between two applications of a filter, a multiple of 16: none for one application.
template <class T>
constexpr std::size_t between_bytes(std::int64_t width, std::int64_t height, std::int64_t bands,
                                    int iterations) noexcept {
  return iterations < 2 ? 0 : (static_cast<std::size_t>(width * height * bands) * sizeof(T) + 15) / 16 * 16;
}

}  // namespace gpuimg::filter::detail
