/// @file
/// Samples to wavelet input and back, on the host: level shift, reversible colour transform, clamping. Source:
/// docs/paco-format.md section 2; the arithmetic is that of codec/reversible_color.hpp.
///
/// @code
/// // an interleaved 8-bit RGB picture to three planes of coefficients
/// const gpuimg::cube_view<const std::uint8_t> rgb(pixels, width, height, 3, gpuimg::interleave::bip);
/// const gpuimg::codec::sample_format format{.depth = 8, .color_transform = true};
/// gpuimg::codec::load_samples(gpuimg::host{}, rgb, format, planes);
/// @endcode
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gpuimg/codec/reversible_color.hpp"
#include "gpuimg/codec/sample_format.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::codec {

namespace detail {

/// Samples of a row, `stride` bytes apart.
template <class S>
struct strided_row {
  S* first;
  std::int64_t stride;

  S& operator[](std::int64_t x) const noexcept { return *gpuimg::detail::advance_bytes(first, x * stride); }
};

template <class S>
strided_row<S> row_of(const cube_view<S>& cube, std::int64_t y, std::int64_t band) noexcept {
  return {gpuimg::detail::advance_bytes(cube.data, y * cube.y_stride + band * cube.band_stride), cube.x_stride};
}

/// Calls body(row of S) with a pointer when samples are adjacent, which lets the compiler use vectors, else with a
/// strided_row.
template <class S, class Body>
void with_row(const cube_view<S>& cube, std::int64_t y, std::int64_t band, const Body& body) {
  const auto row = row_of(cube, y, band);
  if (row.stride == static_cast<std::int64_t>(sizeof(S))) {
    body(row.first);
  } else {
    body(row);
  }
}

template <class T>
T* row_of(const planar_view<T>& planes, std::int64_t y, std::int64_t band) noexcept {
  return gpuimg::detail::advance_bytes(planes.data, y * planes.pitch + band * planes.plane_pitch);
}

template <class S, class T>
void check_shapes(const cube_view<S>& cube, const planar_view<T>& planes) {
  if (cube.width == planes.width && cube.height == planes.height && cube.bands == planes.planes) { return; }
  const auto text = [](std::int64_t w, std::int64_t h, std::int64_t n) {
    return std::to_string(w) + "x" + std::to_string(h) + "x" + std::to_string(n);
  };
  throw error(errc::invalid_argument, "samples: a picture of " + text(cube.width, cube.height, cube.bands) +
                                          " does not fit planes of " +
                                          text(planes.width, planes.height, planes.planes));
}

/// body(y) for all rows, on threads when that pays.
template <class Body>
void for_sample_rows(const host& execution, std::int64_t height, std::int64_t samples_a_row, const Body& body) {
  if (samples_a_row == 0) { return; }
  constexpr std::int64_t least = 1 << 16;  // samples that pay for a thread
  const std::int64_t rows = std::clamp<std::int64_t>(least / 4 / samples_a_row, 1, 64);
  const auto threads = std::clamp<std::int64_t>(height * samples_a_row / least, 1, execution.thread_count());
  parallel_for(static_cast<unsigned>(threads), (height + rows - 1) / rows, [&](std::int64_t i, unsigned) {
    for (std::int64_t y = i * rows; y < std::min((i + 1) * rows, height); ++y) { body(y); }
  });
}

template <class S, class T>
void load_row(const cube_view<S>& source, const sample_format& format, const planar_view<T>& planes, std::int64_t y) {
  const std::int32_t shift = level_shift(format.depth, std::is_signed_v<S>);
  const std::int64_t n = source.width;
  if (format.color_transform) {
    const auto& c = format.color_components;
    const auto r = row_of(source, y, c[0]);
    const auto g = row_of(source, y, c[1]);
    const auto b = row_of(source, y, c[2]);
    T* const c0 = row_of(planes, y, c[0]);
    T* const c1 = row_of(planes, y, c[1]);
    T* const c2 = row_of(planes, y, c[2]);
    for (std::int64_t x = 0; x < n; ++x) {
      const triple t = reversible_color::forward({r[x] - shift, g[x] - shift, b[x] - shift});
      c0[x] = static_cast<T>(t.c0);
      c1[x] = static_cast<T>(t.c1);
      c2[x] = static_cast<T>(t.c2);
    }
  }
  for (std::int64_t band = 0; band < source.bands; ++band) {
    if (format.transforms(band)) { continue; }
    T* const out = row_of(planes, y, band);
    with_row(source, y, band, [&](const auto& in) {
      for (std::int64_t x = 0; x < n; ++x) { out[x] = static_cast<T>(in[x] - shift); }
    });
  }
}

template <class S, class T>
void store_row(const planar_view<T>& planes, const sample_format& format, const cube_view<S>& destination,
               std::int64_t y) {
  const std::int32_t shift = level_shift(format.depth, std::is_signed_v<S>);
  const int depth = format.depth;
  const auto sample = [=](std::int32_t v) { return static_cast<S>(clamp_sample(v, depth) + shift); };
  const std::int64_t n = destination.width;
  if (format.color_transform) {
    const auto& c = format.color_components;
    const T* const c0 = row_of(planes, y, c[0]);
    const T* const c1 = row_of(planes, y, c[1]);
    const T* const c2 = row_of(planes, y, c[2]);
    const auto r = row_of(destination, y, c[0]);
    const auto g = row_of(destination, y, c[1]);
    const auto b = row_of(destination, y, c[2]);
    for (std::int64_t x = 0; x < n; ++x) {
      const triple t = reversible_color::inverse({c0[x], c1[x], c2[x]});
      r[x] = sample(t.c0);
      g[x] = sample(t.c1);
      b[x] = sample(t.c2);
    }
  }
  for (std::int64_t band = 0; band < destination.bands; ++band) {
    if (format.transforms(band)) { continue; }
    const T* const in = row_of(planes, y, band);
    with_row(destination, y, band, [&](const auto& out) {
      for (std::int64_t x = 0; x < n; ++x) { out[x] = sample(in[x]); }
    });
  }
}

template <class S>
bool row_fits(const cube_view<S>& cube, std::int64_t y, const sample_limits& limits) {
  bool outside = false;
  for (std::int64_t band = 0; band < cube.bands; ++band) {
    with_row(cube, y, band, [&](const auto& in) {
      for (std::int64_t x = 0; x < cube.width; ++x) { outside |= !limits.contain(in[x]); }
    });
  }
  return !outside;
}

/// The first row that holds a sample outside of its range; the height when none does.
template <class S>
std::int64_t first_misfit_row(const host& execution, const cube_view<S>& cube, int depth) {
  check_format<S>({.depth = depth}, cube.bands);
  if (depth == 8 * static_cast<int>(sizeof(S))) { return cube.height; }
  const sample_limits limits = limits_of<S>(depth);
  std::atomic<std::int64_t> first{cube.height};
  for_sample_rows(execution, cube.height, cube.width * cube.bands, [&](std::int64_t y) {
    if (y > first.load(std::memory_order_relaxed) || row_fits(cube, y, limits)) { return; }
    std::int64_t seen = first.load();
    while (y < seen && !first.compare_exchange_weak(seen, y)) {}
  });
  return first.load();
}

}  // namespace detail

/// Shifts the samples of `source`, transforms three components when `format` says so, and writes `planes`, one for each
/// component. Samples must fit the depth (samples_fit()); values wrap modulo T.
///
/// Any strides; planes and picture have the same size. O(samples).
/// @throws error invalid_argument, when the format is none for this picture or the sizes differ
template <picture_sample S, coefficient_store T>
void load_samples(const host& execution, const cube_view<S>& source, const sample_format& format,
                  const planar_view<T>& planes) {
  check_format<S>(format, source.bands);
  detail::check_shapes(source, planes);
  detail::for_sample_rows(execution, source.height, source.width * source.bands,
                          [&](std::int64_t y) { detail::load_row(source, format, planes, y); });
}

/// The inverse of load_samples(): values outside of the depth's range, which only damaged streams have, are clamped.
/// @throws error invalid_argument, when the format is none for this picture or the sizes differ
template <coefficient_store T, picture_sample S>
void store_samples(const host& execution, const planar_view<T>& planes, const sample_format& format,
                   const cube_view<S>& destination) {
  check_format<S>(format, destination.bands);
  detail::check_shapes(destination, planes);
  detail::for_sample_rows(execution, destination.height, destination.width * destination.bands,
                          [&](std::int64_t y) { detail::store_row(planes, format, destination, y); });
}

/// Whether all samples of `cube` lie in the range of `depth` bits. O(samples), O(1) when the depth is that of the type.
/// @throws error invalid_argument, when `depth` is 0 or above the bits of S
template <picture_sample S>
bool samples_fit(const host& execution, const cube_view<S>& cube, int depth) {
  return detail::first_misfit_row(execution, cube, depth) == cube.height;
}

/// Throws when a sample of `cube` lies outside of the range of `depth` bits.
/// @throws error invalid_argument; the message names the first one, in raster order of its row
template <picture_sample S>
void check_samples(const host& execution, const cube_view<S>& cube, int depth) {
  const std::int64_t y = detail::first_misfit_row(execution, cube, depth);
  if (y == cube.height) { return; }
  const sample_limits limits = limits_of<S>(depth);
  for (std::int64_t band = 0; band < cube.bands; ++band) {
    for (std::int64_t x = 0; x < cube.width; ++x) {
      const int value = cube(x, y, band);
      if (limits.contain(value)) { continue; }
      throw error(errc::invalid_argument,
                  "sample " + std::to_string(value) + " at (" + std::to_string(x) + ", " + std::to_string(y) +
                      ") of component " + std::to_string(band) + " is outside of " + std::to_string(limits.low) + ".." +
                      std::to_string(limits.high) + ", the range of " + std::to_string(depth) + " bits");
    }
  }
}

}  // namespace gpuimg::codec
