// The smallest program of a user: sees the version of the package, and a picture through a view.
#include <cstdint>
#include <cstdio>

#include "every_header.hpp"

std::int64_t count_set(gpuimg::image_view<const std::uint8_t> image);

int main() {
  std::uint8_t samples[] = {0, 1, 2, 0, 3, 4};
  const auto version = gpuimg::header_version();
  std::printf("gpuimg %d.%d.%d\n", version.major, version.minor, version.patch);
  return count_set(gpuimg::image_view<std::uint8_t>(samples, 3, 2)) == 4 ? 0 : 1;
}
