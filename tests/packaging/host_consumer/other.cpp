#include <atomic>
#include <cstdint>

#include "every_header.hpp"

std::int64_t count_set(gpuimg::image_view<const std::uint8_t> image) {
  std::atomic<std::int64_t> count{0};
  gpuimg::parallel_for(2, image.height, [&](std::int64_t y, unsigned) {
    for (std::int64_t x = 0; x < image.width; ++x) { count += image(x, y) != 0 ? 1 : 0; }
  });
  return count;
}
