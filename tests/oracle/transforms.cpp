#include <algorithm>

#include "tests/oracle/color.hpp"
#include "tests/oracle/stream.hpp"

namespace gpuimg::oracle {
namespace {

using color_function = std::array<std::int64_t, 3> (*)(const std::array<std::int64_t, 3>&);

/// Damaged coefficients need not fit, so the result is taken modulo 2^32.
void transform_colors(const stream_header& header, picture& planes, color_function transform) {
  if (!header.color_transform) return;
  std::array<plane*, 3> three = {};
  for (std::size_t i = 0; i < 3; ++i) three[i] = &planes.at(header.color_components[i]);
  for (coordinate y = 0; y < three[0]->height(); ++y) {
    for (coordinate x = 0; x < three[0]->width(); ++x) {
      const auto result = transform({three[0]->at(x, y), three[1]->at(x, y), three[2]->at(x, y)});
      for (std::size_t i = 0; i < 3; ++i) {
        three[i]->at(x, y) = static_cast<std::int32_t>(static_cast<std::uint32_t>(result[i]));
      }
    }
  }
}

}  // namespace

picture forward_transforms(const stream_header& header, picture tile) {
  const std::int64_t shift = level_shift(header.depth, header.is_signed);
  for (plane& component : tile) {
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        component.at(x, y) = static_cast<std::int32_t>(component.at(x, y) - shift);
      }
    }
  }
  transform_colors(header, tile, forward_color);
  for (plane& component : tile) forward_wavelet(component, header.levels);
  return tile;
}

picture inverse_transforms(const stream_header& header, picture coefficients) {
  for (plane& component : coefficients) inverse_wavelet(component, header.levels);
  transform_colors(header, coefficients, inverse_color);
  const std::int64_t shift = level_shift(header.depth, header.is_signed);
  const sample_range range = range_of(header.depth, header.is_signed);
  for (plane& component : coefficients) {
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        const std::int64_t sample = std::clamp(component.at(x, y) + shift, range.low, range.high);
        component.at(x, y) = static_cast<std::int32_t>(sample);
      }
    }
  }
  return coefficients;
}

}  // namespace gpuimg::oracle
