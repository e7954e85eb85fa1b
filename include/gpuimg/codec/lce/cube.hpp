/// @file
/// A cube whose sample type is known at run time, and how the samples of a block-band are read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::lce {

/// A cube_view without its sample type.
template <class Byte>
struct basic_cube {
  Byte* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 0;
  std::int64_t x_stride = 0;  ///< strides in bytes
  std::int64_t y_stride = 0;
  std::int64_t band_stride = 0;
  sample_type type = sample_type::u16;

  basic_cube() = default;
  template <class T>
  requires cube_sample<std::remove_const_t<T>> &&
      (std::is_const_v<Byte> || !std::is_const_v<T>)basic_cube(const cube_view<T>& view) noexcept
      : data(reinterpret_cast<Byte*>(view.data)),
        width(view.width),
        height(view.height),
        bands(view.bands),
        x_stride(view.x_stride),
        y_stride(view.y_stride),
        band_stride(view.band_stride),
        type(sample_type_of<std::remove_const_t<T>>) {}

  GPUIMG_FUNCTION Byte* at(std::int64_t x, std::int64_t y, std::int64_t band) const noexcept {
    return data + x * x_stride + y * y_stride + band * band_stride;
  }

  /// Rows y .. y + rows - 1.
  basic_cube rows(std::int64_t y, std::int64_t count) const noexcept {
    basic_cube part = *this;
    part.data = at(0, y, 0);
    part.height = count;
    return part;
  }
};

using any_cube = basic_cube<const std::byte>;
using any_mutable_cube = basic_cube<std::byte>;

/// Throws unless `rows` has the samples of a slab.
/// @throws error invalid_argument
inline void check_slab_rows(const stream_header& header, std::int64_t slab, const any_cube& rows) {
  gpuimg::detail::check_index("lce: slab", slab, header.slabs());
  const auto text = [](std::int64_t width, std::int64_t height, std::int64_t bands, sample_type type) {
    return std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(bands) +
           " samples of type " + std::to_string(static_cast<int>(type));
  };
  if (rows.width != header.width || rows.height != header.rows(slab) || rows.bands != header.bands ||
      rows.type != header.type) {
    throw error(errc::invalid_argument, "lce: slab " + std::to_string(slab) + " has " +
                                            text(header.width, header.rows(slab), header.bands, header.type) +
                                            ", not " + text(rows.width, rows.height, rows.bands, rows.type));
  }
}

/// Samples of a block in one band as numbers from 0 on: signed ones plus 32768.
inline void load_block_band(const any_cube& cube, const block_area& area, std::int64_t band, std::uint16_t* to) {
  const auto copy = [&]<class T>(T) {
    for (int row = 0; row < area.height; ++row, to += area.width) {
      const std::byte* from = cube.at(area.x, area.y + row, band);
      if (cube.x_stride == sizeof(T) && sizeof(T) == 2) {
        std::memcpy(to, from, static_cast<std::size_t>(area.width) * 2);
        continue;
      }
      for (int i = 0; i < area.width; ++i, from += cube.x_stride) {
        T sample;
        std::memcpy(&sample, from, sizeof sample);
        to[i] = sample;
      }
    }
  };
  std::uint16_t* const begin = to;
  if (cube.type == sample_type::u8) { return copy(std::uint8_t{}); }
  copy(std::uint16_t{});
  if (cube.type == sample_type::i16) {
    for (std::uint16_t* sample = begin; sample != to; ++sample) { *sample ^= 0x8000; }
  }
}

/// The part of a block that lies in a window of the cube, in the window's coordinates.
struct block_part {
  std::int64_t x;  ///< where the part goes
  std::int64_t y;
  int left;  ///< the part in the block
  int top;
  int width;
  int height;
};

/// Writes the part of a block-band to band `band` of the cube; `stride` is the width of the block.
inline void store_block_band(const any_mutable_cube& cube, const block_part& part, std::int64_t band,
                             const std::uint16_t* samples, int stride) {
  const auto copy = [&]<class T>(T flip) {
    for (int row = 0; row < part.height; ++row) {
      const std::uint16_t* from = samples + (part.top + row) * stride + part.left;
      std::byte* to = cube.at(part.x, part.y + row, band);
      if (cube.x_stride == sizeof(T) && sizeof(T) == 2 && flip == 0) {
        std::memcpy(to, from, static_cast<std::size_t>(part.width) * 2);
        continue;
      }
      for (int i = 0; i < part.width; ++i, to += cube.x_stride) {
        const auto sample = static_cast<T>(from[i] ^ flip);
        std::memcpy(to, &sample, sizeof sample);
      }
    }
  };
  if (cube.type == sample_type::u8) { return copy(std::uint8_t{0}); }
  copy(std::uint16_t{cube.type == sample_type::i16 ? std::uint16_t{0x8000} : std::uint16_t{0}});
}

}  // namespace gpuimg::lce
