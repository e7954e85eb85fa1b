#include "add_kernel.cuh"
#include "host_filters.hpp"

void add_in_first(gpuimg::image_view<int> image, int addend) { add_on_device(image, addend); }

std::vector<std::uint8_t> filter_in_first() { return filter_on_host(); }
