/// @file
/// What a region snake refuses, and how its numbers are turned into a result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/detail/snake_machine.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"
#include "gpuimg/segment/snake_parameters.hpp"

namespace gpuimg::detail {

/// @throws error invalid_argument naming the first parameter that is out of range
inline void check_snake_parameters(const snake_parameters& p) {
  const auto refuse = [](const char* name, const std::string& value, const char* range) {
    throw error(errc::invalid_argument, std::string("snake: ") + name + " is " + value + ", not " + range);
  };
  const auto check = [&](const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) {
      refuse(name, std::to_string(value), (std::to_string(low) + ".." + std::to_string(high)).c_str());
    }
  };
  check("first_step", p.first_step, 0, max_snake_side);
  if (p.longest_edge != 0) { check("longest_edge", p.longest_edge, 2, max_snake_side); }
  check("max_iterations", p.max_iterations, 1, 1 << 20);
  check("max_passes", p.max_passes, 1, 1 << 20);
  check("max_nodes", p.max_nodes, 3, 1 << 24);
  if (!(p.threshold >= 0) || !std::isfinite(p.threshold)) {
    refuse("threshold", std::to_string(p.threshold), "a finite number of at least 0");
  }
}

/// The start with its window filled in and its nodes in positive order.
/// @throws error invalid_argument when it does not fit into the picture or max_nodes
inline snake_start checked_start(const snake_start& start, std::int64_t width, std::int64_t height,
                                 const snake_parameters& parameters) {
  snake_start result = start;
  const auto text = [](const rectangle& r) {
    return std::to_string(r.width) + "x" + std::to_string(r.height) + " at (" + std::to_string(r.x) + ", " +
           std::to_string(r.y) + ")";
  };
  auto& window = result.window;
  if (window == rectangle{}) { window = {0, 0, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)}; }
  if (window.empty() || window.x < 0 || window.y < 0 || std::int64_t{window.x} + window.width > width ||
      std::int64_t{window.y} + window.height > height) {
    throw error(errc::invalid_argument, "snake: the window " + text(window) + " is empty or leaves the picture of " +
                                            std::to_string(width) + "x" + std::to_string(height));
  }
  if (result.nodes.size() < 3 || result.nodes.size() > static_cast<std::size_t>(parameters.max_nodes)) {
    throw error(errc::invalid_argument, "snake: the initial polygon has " + std::to_string(result.nodes.size()) +
                                            " nodes, not 3.." + std::to_string(parameters.max_nodes));
  }
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    const point& p = result.nodes[i];
    if (!inside(window, p)) {
      throw error(errc::invalid_argument, "snake: node " + std::to_string(i) + " (" + std::to_string(p.x) + ", " +
                                              std::to_string(p.y) + ") is outside of the window " + text(window));
    }
  }
  if (doubled_area(result.nodes) < 0) { std::reverse(result.nodes.begin(), result.nodes.end()); }
  return result;
}

inline snake_result to_result(const snake_outcome& outcome, const sample_encoding& encoding) {
  snake_result result;
  result.criterion = outcome.criterion == impossible ? 0 : outcome.criterion;
  result.target = to_statistics(outcome.target, encoding);
  result.background = to_statistics(outcome.total - outcome.target, encoding);
  result.iterations = outcome.iterations;
  result.passes = outcome.passes;
  result.crossings = outcome.crossings;
  result.reason = outcome.reason;
  return result;
}

/// Calls body.template operator()<Cell>() with the smallest cell for the samples and the mask.
template <noise_model Model, snake_sample T, class Body>
decltype(auto) with_cell(bool masked, std::int64_t width, const Body& body) {
  if constexpr (all_samples_valid<Model, T>) {
    using cell = std::conditional_t<sizeof(T) == 1, compact_cell, wide_cell>;
    if (!masked && width <= cell::max_width) { return body.template operator()<cell>(); }
  }
  return body.template operator()<masked_cell>();
}

}  // namespace gpuimg::detail
