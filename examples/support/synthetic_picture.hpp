/// @file
/// A picture made by code that codes and filters like a photograph: smooth shading, texture at all scales that is
/// strong in some regions and absent in others, objects with edges, correlated colours and sensor grain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "picture_format.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

/// Makes any row of the picture, in any order; a picture of any height takes memory for some rows only. Integer
/// arithmetic alone: the same samples on every machine and compiler, which tests and benchmarks may rely on. Two
/// pictures of one seed and different sizes agree where both have pixels, but for the alpha component.
class synthetic_picture {
 public:
  /// A picture of `format`: unsigned, any depth, any number of components. Component 0 is made first, others follow
  /// its shapes with their own tint; with has_alpha the last is a ramp from top to bottom.
  /// @throws error invalid_argument for an empty or signed format, or a depth outside of 1..32.
  explicit synthetic_picture(const picture_format& format, std::uint32_t seed = 1) : format_(format), seed_(seed) {
    if (format.width < 1 || format.height < 1 || format.components < 1 || format.depth < 1 || format.depth > 32 ||
        format.is_signed) {
      throw error(errc::invalid_argument, "synthetic_picture: a picture of " + std::to_string(format.width) + "x" +
                                              std::to_string(format.height) + ", " + std::to_string(format.components) +
                                              " components of " + std::to_string(format.depth) +
                                              " bits cannot be made");
    }
    light_.resize(static_cast<std::size_t>(format.width));
    texture_.resize(light_.size());
    tint_.resize(light_.size());
    for (int octave = finest; octave <= coarsest; ++octave) {
      const int size = 1 << octave;
      for (int i = 0; i < size; ++i) ease_.push_back(ease(i, octave));
    }
  }

  const picture_format& format() const noexcept { return format_; }

  /// Writes row `y` (0..height - 1) to the first bytes_per_row() bytes of `row`; O(width * components).
  /// @throws error invalid_argument for a row outside of the picture, buffer_too_small.
  void make_row(std::int64_t y, std::span<std::byte> row) {
    if (y < 0 || y >= format_.height) {
      throw error(errc::invalid_argument,
                  "make_row: row " + std::to_string(y) + " is outside of 0.." + std::to_string(format_.height - 1));
    }
    if (row.size() < static_cast<std::size_t>(format_.bytes_per_row())) {
      throw error(errc::buffer_too_small, "make_row: the buffer has " + std::to_string(row.size()) + " of " +
                                              std::to_string(format_.bytes_per_row()) + " bytes");
    }
    make_light(y);
    for (int component = 0; component < format_.components; ++component) make_component(y, component, row.data());
  }

 private:
  // Octaves of the noise: lattices of 2^2 to 2^9 pixels.
  static constexpr int finest = 2;
  static constexpr int coarsest = 9;

  static constexpr std::uint32_t mix(std::uint32_t value) noexcept {
    value ^= value >> 16;
    value *= 0x7feb352dU;
    value ^= value >> 15;
    value *= 0x846ca68bU;
    return value ^ value >> 16;
  }

  std::uint32_t random(std::uint32_t stream, std::int64_t x, std::int64_t y) const noexcept {
    const auto column = static_cast<std::uint32_t>(x);
    const auto line = static_cast<std::uint32_t>(y);
    return mix(mix(mix(seed_ * 0x9e3779b9U + stream) + line) + column);
  }

  /// 0..4096, with slope 0 at both ends of a cell of 2^octave pixels.
  static constexpr std::int32_t ease(std::int32_t at, int octave) noexcept {
    const std::int64_t t = std::int64_t{at} << (12 - octave);
    return static_cast<std::int32_t>((t * t * (3 * 4096 - 2 * t)) >> 24);
  }

  /// Adds value noise of one octave, in -amplitude..amplitude, to `sums`.
  void add_noise(std::uint32_t stream, int octave, std::int32_t amplitude, std::int64_t y,
                 std::vector<std::int32_t>& sums) const {
    const std::int64_t size = std::int64_t{1} << octave;
    const std::int32_t* weights = ease_.data() + ((1 << octave) - (1 << finest));
    const std::int64_t line = y >> octave;
    const std::int32_t down = weights[y & (size - 1)];
    const auto node = [&](std::int64_t column) {
      const auto above = static_cast<std::int32_t>(random(stream, column, line) >> 20) - 2048;
      const auto below = static_cast<std::int32_t>(random(stream, column, line + 1) >> 20) - 2048;
      return ((above * (4096 - down) + below * down) >> 12) * amplitude >> 11;
    };
    std::int32_t left = node(0);
    for (std::int64_t x0 = 0; x0 < format_.width; x0 += size) {
      const std::int32_t right = node((x0 >> octave) + 1);
      const std::int64_t count = std::min(size, format_.width - x0);
      std::int32_t* sum = sums.data() + x0;
      for (std::int64_t i = 0; i < count; ++i) sum[i] += left + ((right - left) * weights[i] >> 12);
      left = right;
    }
  }

  static constexpr std::int64_t square_root(std::int64_t value) noexcept {
    std::int64_t root = 0;
    for (std::int64_t bit = std::int64_t{1} << 20; bit > 0; bit >>= 1) {
      if ((root + bit) * (root + bit) <= value) root += bit;
    }
    return root;
  }

  /// Adds `change` from `first` to `last`, which are in 1/16 pixel: the end pixels get their share.
  void add_span(std::int64_t first, std::int64_t last, std::int32_t change) {
    const std::int64_t begin = std::max<std::int64_t>(first >> 4, 0);
    const std::int64_t end = std::min<std::int64_t>((last + 15) >> 4, format_.width);
    for (std::int64_t x = begin; x < end; ++x) {
      const std::int64_t covered = std::min(last, 16 * x + 16) - std::max(first, 16 * x);
      light_[static_cast<std::size_t>(x)] += static_cast<std::int32_t>(change * covered >> 4);
    }
  }

  /// Discs and upright boxes, at most one in each cell of 2^octave pixels and inside of it.
  void add_objects(std::uint32_t stream, int octave, std::int64_t y) {
    const std::int64_t size = std::int64_t{1} << octave;
    const std::int64_t line = y >> octave;
    for (std::int64_t column = 0; column * size < format_.width; ++column) {
      const std::uint32_t what = random(stream, column, line);
      if ((what & 3U) == 0) continue;
      const std::int64_t radius = 2 * size + static_cast<std::int64_t>((what >> 8 & 0xffU) * 5 * size / 256);
      const std::int64_t room = 8 * size - radius;
      const std::uint32_t where = mix(what);
      const auto offset = [room](std::uint32_t part) {
        return static_cast<std::int64_t>(part & 0xffU) * room / 128 - room;
      };
      const std::int64_t x_centre = 16 * column * size + 8 * size + offset(where);
      const std::int64_t distance = 16 * (y - line * size) + 8 - 8 * size - offset(where >> 8);
      if (distance <= -radius || distance >= radius) continue;
      const bool is_disc = (what & 4U) != 0;
      const std::int64_t half = is_disc ? square_root(radius * radius - distance * distance) : radius * 5 / 8;
      const auto change = static_cast<std::int32_t>(where >> 17) - 16384;
      add_span(x_centre - half, x_centre + half, change * 2 / 3);
    }
  }

  /// What all components share, in 0..65535 before clamping.
  void make_light(std::int64_t y) {
    // Brighter, then darker again, every 8192 rows.
    const auto shade = static_cast<std::int32_t>((y & 4096) == 0 ? y & 4095 : 4095 - (y & 4095));
    std::fill(light_.begin(), light_.end(), 28000 + shade);
    std::fill(texture_.begin(), texture_.end(), 0);
    add_noise(1, 9, 14000, y, light_);
    add_noise(2, 8, 9000, y, light_);
    add_noise(3, 7, 4000, y, light_);
    add_objects(4, 9, y);
    add_objects(5, 7, y);
    std::fill(tint_.begin(), tint_.end(), 0);
    add_noise(6, 8, 4096, y, tint_);
    add_noise(7, 6, 3000, y, texture_);
    add_noise(8, 5, 2600, y, texture_);
    add_noise(9, 4, 2400, y, texture_);
    add_noise(10, 3, 2200, y, texture_);
    add_noise(11, 2, 1800, y, texture_);
    for (std::size_t x = 0; x < light_.size(); ++x) {
      // Half of the area is smooth; elsewhere the texture grows with the mask.
      light_[x] += texture_[x] * std::clamp(tint_[x] + 512, 128, 4096) >> 11;
    }
  }

  void make_component(std::int64_t y, int component, std::byte* row) {
    const bool is_alpha = format_.has_alpha && component == format_.components - 1;
    const auto stream = static_cast<std::uint32_t>(16 + 4 * component);
    if (is_alpha) {
      std::fill(tint_.begin(), tint_.end(),
                static_cast<std::int32_t>(65535 - 65535 * y / std::max<std::int64_t>(format_.height - 1, 1)));
    } else {
      std::copy(light_.begin(), light_.end(), tint_.begin());
      if (component > 0) {
        add_noise(stream, 9, 6000, y, tint_);
        add_noise(stream + 1, 6, 900, y, tint_);
      }
    }
    switch (format_.bytes_per_sample()) {
      case 1: store<std::uint8_t>(y, component, is_alpha, row); break;
      case 2: store<std::uint16_t>(y, component, is_alpha, row); break;
      default: store<std::uint32_t>(y, component, is_alpha, row); break;
    }
  }

  /// Adds the grain, some 1.5 steps of an 8-bit sample, and cuts to the depth.
  template <class T>
  void store(std::int64_t y, int component, bool is_alpha, std::byte* row) const {
    const auto stream = static_cast<std::uint32_t>(18 + 4 * component);
    const std::uint32_t line = mix(mix(seed_ * 0x9e3779b9U + stream) + static_cast<std::uint32_t>(y));
    const int cut = 32 - format_.depth;
    T* sample = reinterpret_cast<T*>(row) + component;
    for (std::int64_t x = 0; x < format_.width; ++x) {
      const std::uint32_t noise = mix(line + static_cast<std::uint32_t>(x));
      std::int32_t value = tint_[static_cast<std::size_t>(x)];
      if (!is_alpha) {
        // The sum of two bytes: a triangle from -255 to 255.
        value += (static_cast<std::int32_t>(noise & 0xffU) - static_cast<std::int32_t>(noise >> 8 & 0xffU)) * 5 / 2;
      }
      const auto clamped = static_cast<std::uint32_t>(std::clamp(value, 0, 65535));
      *sample = static_cast<T>((clamped << 16 | noise >> 16) >> cut);
      sample += format_.components;
    }
  }

  picture_format format_;
  std::uint32_t seed_;
  std::vector<std::int32_t> ease_;   // of each octave, one after another
  std::vector<std::int32_t> light_;  // a row each
  std::vector<std::int32_t> texture_;
  std::vector<std::int32_t> tint_;
};

}  // namespace gpuimg::examples
