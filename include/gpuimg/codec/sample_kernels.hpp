/// @file
/// Samples to wavelet input and back, as kernels; the same values as load_samples() and store_samples() of
/// codec/sample_transform.hpp. Source: docs/paco-format.md section 2.
///
/// @code
/// const gpuimg::codec::load_samples_kernel<std::uint8_t, std::int16_t> kernel{rgb, format, planes};
/// gpuimg::simt::launch(execution, gpuimg::codec::sample_grid(rgb.width, rgb.height, rgb.bands), kernel);
/// @endcode
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/codec/reversible_color.hpp"
#include "gpuimg/codec/sample_format.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

namespace detail {

/// How the kernels of this file share a picture among thread blocks. A thread takes all bands of its group of bands, so
/// that interleaved samples are read while their line is in the cache.
struct sample_tile {
  static constexpr int threads = 256;
  static constexpr int width = 64;
  static constexpr int height = 16;
  static constexpr int rows_a_step = threads / width;
  static constexpr int bands = 16;
};

/// Brings the calling thread's pixels from load(x, y, band) to store(x, y, band, value), three components of each
/// through `transform` when `format` says so.
template <simt::block_group Block, class Transform, class Load, class Store>
GPUIMG_FUNCTION void bring_pixels(Block& block, std::int64_t width, std::int64_t height, std::int64_t bands,
                                  const sample_format& format, const Transform& transform, const Load& load,
                                  const Store& store) {
  using tile = sample_tile;
  const simt::grid_index index = block.index();
  const std::int64_t x = index.x * tile::width + block.rank() % tile::width;
  const std::int64_t top = index.y * tile::height + block.rank() / tile::width;
  const std::int64_t first = index.z * tile::bands;
  const std::int64_t end = first + tile::bands < bands ? first + tile::bands : bands;
  if (x >= width) { return; }
  const auto& c = format.color_components;
  const auto bring = [&](std::int64_t y) {
    if (format.color_transform && first == 0) {
      const triple t = transform(triple{load(x, y, c[0]), load(x, y, c[1]), load(x, y, c[2])});
      store(x, y, c[0], t.c0);
      store(x, y, c[1], t.c1);
      store(x, y, c[2], t.c2);
    }
    for (std::int64_t band = first; band < end; ++band) {
      if (!format.transforms(band)) { store(x, y, band, load(x, y, band)); }
    }
  };
  for (int step = 0; step < tile::height; step += tile::rows_a_step) {
    const std::int64_t y = top + step;
    if (y < height) { bring(y); }
  }
}

/// Sample (x, y) of a plane.
template <class T>
GPUIMG_FUNCTION T& at(const planar_view<T>& planes, std::int64_t x, std::int64_t y, std::int64_t band) noexcept {
  return gpuimg::detail::advance_bytes(planes.data, y * planes.pitch + band * planes.plane_pitch)[x];
}

}  // namespace detail

/// The grid of the kernels of this file.
constexpr simt::grid_extent sample_grid(std::int64_t width, std::int64_t height, std::int64_t bands) noexcept {
  using tile = detail::sample_tile;
  return {(width + tile::width - 1) / tile::width, (height + tile::height - 1) / tile::height,
          (bands + tile::bands - 1) / tile::bands};
}

/// Writes the planes of `source`: shifted, three components transformed when `format` says so. Sizes agree, the format
/// is one that check_format() lets pass.
template <picture_sample S, coefficient_store T>
struct load_samples_kernel {
  static constexpr int threads = detail::sample_tile::threads;
  static constexpr int min_blocks_per_sm = 6;  // latency is hidden by warps, not by unrolling
  struct shared_storage {};

  cube_view<const S> source;
  sample_format format;
  planar_view<T> planes;
  std::uint32_t* misfit = nullptr;  ///< becomes 1 when a sample lies outside of the depth's range; null: nobody looks

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int32_t shift = level_shift(format.depth, std::is_signed_v<S>);
    const sample_limits limits = limits_of<S>(format.depth);
    bool outside = false;
    const auto load = [&](std::int64_t x, std::int64_t y, std::int64_t band) {
      const std::int32_t sample = source(x, y, band);
      outside |= !limits.contain(sample);
      return sample - shift;
    };
    const auto store = [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int32_t value) {
      detail::at(planes, x, y, band) = static_cast<T>(value);
    };
    const auto transform = [](const triple& t) { return reversible_color::forward(t); };
    detail::bring_pixels(block, source.width, source.height, source.bands, format, transform, load, store);
    if (outside && misfit != nullptr) { simt::atomic_or(*misfit, 1); }
  }
};

/// The inverse of load_samples_kernel; values outside of the depth's range are clamped.
template <coefficient_store T, picture_sample S>
struct store_samples_kernel {
  static constexpr int threads = detail::sample_tile::threads;
  static constexpr int min_blocks_per_sm = 6;  // latency is hidden by warps, not by unrolling
  struct shared_storage {};

  planar_view<const T> planes;
  sample_format format;
  cube_view<S> destination;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int32_t shift = level_shift(format.depth, std::is_signed_v<S>);
    const auto load = [&](std::int64_t x, std::int64_t y, std::int64_t band) -> std::int32_t {
      return detail::at(planes, x, y, band);
    };
    const auto store = [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int32_t value) {
      destination(x, y, band) = static_cast<S>(clamp_sample(value, format.depth) + shift);
    };
    const auto transform = [](const triple& t) { return reversible_color::inverse(t); };
    detail::bring_pixels(block, destination.width, destination.height, destination.bands, format, transform, load,
                         store);
  }
};

}  // namespace gpuimg::codec
