/// @file
/// A picture in parts, shared among a host's threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::filter::detail {

/// A rectangle of a band.
struct picture_part {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t band = 0;
};

/// Calls body(part, thread) for parts of at most part_width x part_height samples of every band of `picture`, from left
/// to right and down; threads as in parallel_for. Parts have at least one sample; the picture may have none.
template <class View, class Body>
void for_each_part(unsigned threads, const View& picture, std::int64_t part_width, std::int64_t part_height,
                   const Body& body) {
  const std::int64_t across = (picture.width + part_width - 1) / part_width;
  const std::int64_t down = (picture.height + part_height - 1) / part_height;
  parallel_for(threads, across * down * picture.bands, [&](std::int64_t index, unsigned thread) {
    const std::int64_t x = index % across * part_width;
    const std::int64_t y = index / across % down * part_height;
    body(picture_part{x, y, std::min(part_width, picture.width - x), std::min(part_height, picture.height - y),
                      index / across / down},
         thread);
  });
}

}  // namespace gpuimg::filter::detail
