/// @file
/// A rectangle of numbers with checked access, for the oracles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/error.hpp"

namespace gpuimg::oracle {

/// Position or extent along one axis.
using coordinate = std::int64_t;

/// width x height values in raster order.
template <class Value>
class grid {
 public:
  grid() = default;
  grid(coordinate width, coordinate height, Value value = Value())
      : width_(width), height_(height), values_(static_cast<std::size_t>(width * height), value) {}

  coordinate width() const { return width_; }
  coordinate height() const { return height_; }

  bool contains(coordinate x, coordinate y) const { return x >= 0 && x < width_ && y >= 0 && y < height_; }

  Value& at(coordinate x, coordinate y) { return values_.at(place(x, y)); }
  const Value& at(coordinate x, coordinate y) const { return values_.at(place(x, y)); }

  bool operator==(const grid&) const = default;

 private:
  std::size_t place(coordinate x, coordinate y) const {
    if (!contains(x, y)) throw error(errc::invalid_argument, "oracle: position outside of the grid");
    return static_cast<std::size_t>(y * width_ + x);
  }

  coordinate width_ = 0;
  coordinate height_ = 0;
  std::vector<Value> values_;
};

/// Samples or coefficients of one component.
using plane = grid<std::int32_t>;

/// A rectangle inside a plane.
struct rectangle {
  coordinate x = 0;
  coordinate y = 0;
  coordinate width = 0;
  coordinate height = 0;

  bool empty() const { return width == 0 || height == 0; }
  bool operator==(const rectangle&) const = default;
};

/// The values of a plane inside a rectangle.
inline plane crop(const plane& source, const rectangle& area) {
  plane result(area.width, area.height);
  for (coordinate y = 0; y < area.height; ++y) {
    for (coordinate x = 0; x < area.width; ++x) result.at(x, y) = source.at(area.x + x, area.y + y);
  }
  return result;
}

/// Writes `source` into `destination`, its top left corner at (x, y).
inline void paste(const plane& source, plane& destination, coordinate left, coordinate top) {
  for (coordinate y = 0; y < source.height(); ++y) {
    for (coordinate x = 0; x < source.width(); ++x) destination.at(left + x, top + y) = source.at(x, y);
  }
}

/// Quotient rounded up, of a non-negative and a positive number.
constexpr coordinate divide_up(coordinate dividend, coordinate divisor) { return (dividend + divisor - 1) / divisor; }

/// How many bits a number needs: 0 for 0, 1 for 1, 2 for 2 and 3, ...
constexpr int bits_of(std::uint64_t number) {
  int bits = 0;
  while (number > 0) {
    number = number / 2;
    ++bits;
  }
  return bits;
}

}  // namespace gpuimg::oracle
