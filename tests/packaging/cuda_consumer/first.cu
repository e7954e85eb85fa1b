#include "add_kernel.cuh"

void add_in_first(gpuimg::image_view<int> image, int addend) { add_on_device(image, addend); }
