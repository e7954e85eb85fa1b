/// @file
/// The picture, masks and polygons that gpuimg-snake reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/polygon.hpp"

namespace gpuimg::examples {

/// One plane of a picture, and which of its pixels count.
struct snake_picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool is_u8 = false;
  std::vector<std::uint8_t> bytes;  ///< when is_u8
  std::vector<float> reals;         ///< else: exact for samples of up to 24 bits
  std::vector<std::uint8_t> valid;  ///< empty: all

  image_view<const std::uint8_t> mask() const {
    return valid.empty() ? image_view<const std::uint8_t>{}
                         : image_view<const std::uint8_t>{valid.data(), width, height};
  }
  /// The sample at a position, for drawing.
  double sample(std::size_t i) const { return is_u8 ? bytes[i] : static_cast<double>(reals[i]); }
};

/// What of a file becomes the plane.
struct picture_choice {
  int component = -1;             ///< -1: the luma of RGB, else the first
  std::optional<double> no_data;  ///< samples of this value do not count
};

/// Reads a picture; pixels of opacity 0 do not count.
/// @throws error as picture_reader, invalid_argument for a component that is not there
snake_picture read_snake_picture(const std::string& path, const picture_choice& choice);

/// Values of a label picture that mean the target.
struct label_range {
  double low = 1;
  double high = 4294967295.0;
};

/// "3" or "1..127".
/// @throws error invalid_argument
label_range parse_labels(const std::string& text);

/// Reads a mask: 255 where the picture's first component is in the range.
/// @throws error invalid_argument when it is not width x height
std::vector<std::uint8_t> read_mask(const std::string& path, std::int64_t width, std::int64_t height,
                                    const label_range& labels = {});

/// Reads a polygon: two integers a line, x and y.
/// @throws error io, corrupt
polygon read_polygon(const std::string& path);

/// The box around each value but 0 of a label picture, in ascending order of values.
/// @throws error invalid_argument when it is not width x height
std::vector<rectangle> read_label_boxes(const std::string& path, std::int64_t width, std::int64_t height);

/// The rectangle with its sides moved outwards, as far as the picture goes.
rectangle grown(const rectangle& r, std::int32_t by, std::int64_t width, std::int64_t height);

/// "x,y,w,h" as a rectangle.
/// @throws error invalid_argument
rectangle parse_rectangle(const std::string& text);

}  // namespace gpuimg::examples
