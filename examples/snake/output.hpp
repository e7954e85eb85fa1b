/// @file
/// The files that gpuimg-snake writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input.hpp"
#include "search.hpp"

namespace gpuimg::examples {

/// How the union of the contours agrees with a truth.
struct truth_scores {
  double dice = 0;
  double hausdorff = 0;
};

/// Contours, statistics, iterations; valid JSON.
/// @throws error io
void write_json(const std::string& path, const snake_picture& picture, const snake_search& search,
                const snake_findings& found, const std::optional<truth_scores>& scores);

/// Contours as closed paths in pixels.
/// @throws error io
void write_svg(const std::string& path, const snake_picture& picture, const snake_findings& found);

/// A line for each iteration of each snake.
/// @throws error io
void write_trace(const std::string& path, const snake_findings& found);

/// 255 inside of any contour.
std::vector<std::uint8_t> make_mask(const snake_picture& picture, const snake_findings& found);

/// @throws error io
void write_mask(const std::string& path, const snake_picture& picture, const std::vector<std::uint8_t>& mask);

/// The picture in grey with contours in red, starts in blue and the edge of the truth in green, `zoom` times as large.
/// @throws error io
void write_overlay(const std::string& path, const snake_picture& picture, const snake_findings& found,
                   const std::vector<std::uint8_t>& truth, int zoom);

}  // namespace gpuimg::examples
