// Built by the host compiler: functions of .cu files are called with the library's public types. Without a device the
// program checks that they link and that a failure arrives as gpuimg::error.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "host_filters.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"

void add_in_first(gpuimg::image_view<int> image, int addend);
void add_in_second(gpuimg::image_view<int> image, int addend);
std::vector<std::uint8_t> filter_in_first();

int main() {
  if (filter_in_first() != filter_on_host()) {
    std::puts("the compilers disagree on a host's filters");
    return EXIT_FAILURE;
  }
  std::array<int, 300> samples{};
  const gpuimg::image_view<int> image(samples.data(), 100, 3);
  try {
    add_in_first(image, 1);
    add_in_second(image, 20);
  } catch (const gpuimg::error& e) {
    std::printf("no device ran: %s\n", e.what());
    return e.code() == gpuimg::errc::device ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  for (const int sample : samples) {
    if (sample != 21) {
      std::printf("a sample is %d, not 21\n", sample);
      return EXIT_FAILURE;
    }
  }
  std::puts("both libraries ran their own kernels");
}
