// The library's host filters, for files of both compilers.
#pragma once

#include <cstdint>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/median.hpp"

// One result of each engine for small windows.
inline std::vector<std::uint8_t> filter_on_host() {
  constexpr int side = 40;
  std::vector<std::uint8_t> samples(side * side);
  for (std::size_t i = 0; i < samples.size(); ++i) { samples[i] = static_cast<std::uint8_t>(i * i * 7919 / 13); }
  std::vector<std::uint8_t> results(4 * samples.size());
  const gpuimg::image_view<const std::uint8_t> from(samples.data(), side, side);
  const auto to = [&](int i) { return gpuimg::image_view<std::uint8_t>(results.data() + i * side * side, side, side); };
  gpuimg::filter::median<5>(gpuimg::host{}, from, to(0));
  gpuimg::filter::median<11>(gpuimg::host{}, from, to(1));
  gpuimg::filter::rank(gpuimg::host{}, from, to(2), gpuimg::filter::window_size{7, 3}, 2);
  gpuimg::filter::rank(gpuimg::host{}, from, to(3), gpuimg::filter::window_size{7, 3}, 0);
  return results;
}
