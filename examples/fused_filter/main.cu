// gpuimg-fused-filter: one kernel of one's own against two calls of the library, on a device: same result? what time?
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <exception>
#include <vector>

#include "median_then_convolve.hpp"

#include "gpuimg/filter/convolution.cuh"
#include "gpuimg/filter/median.cuh"
#include "gpuimg/simt/launch.cuh"

namespace {

using namespace gpuimg;

/// Milliseconds of a call, the mean of twenty.
template <class Work>
float time_of(const Work& work) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  simt::check_cuda(cudaEventCreate(&begin), "event");
  simt::check_cuda(cudaEventCreate(&end), "event");
  work();
  simt::check_cuda(cudaEventRecord(begin), "event");
  for (int i = 0; i < 20; ++i) { work(); }
  simt::check_cuda(cudaEventRecord(end), "event");
  simt::check_cuda(cudaEventSynchronize(end), "filters");
  float milliseconds = 0;
  simt::check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "event");
  static_cast<void>(cudaEventDestroy(begin));
  static_cast<void>(cudaEventDestroy(end));
  return milliseconds / 20;
}

int run() {
  constexpr std::int64_t side = 4096;
  std::vector<float> noise(static_cast<std::size_t>(side * side));
  std::uint32_t state = 1;
  for (float& v : noise) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) / 65536;
  }
  const gpuimg::cuda execution{};
  const std::size_t bytes = noise.size() * sizeof(float);
  const simt::device_buffer memory(execution, 4 * bytes);
  const auto picture = [&](std::size_t i) {
    return image_view<float>(memory.data<float>() + i * noise.size(), side, side);
  };
  simt::check_cuda(cudaMemcpy(picture(0).data, noise.data(), bytes, cudaMemcpyHostToDevice), "upload");
  const image_view<const float> source = picture(0);

  filter::static_kernel<float, 5, 5> smooth;
  for (float& c : smooth.coefficients) { c = 1.0f / 25; }
  examples::median_then_convolve_kernel kernel{{source, filter::border::reflect}, picture(3), {}};
  for (int i = 0; i < 25; ++i) { kernel.coefficients[i] = smooth.coefficients[i]; }

  const float two = time_of([&] {
    filter::median<3, 3>(execution, source, picture(1));
    filter::correlate(execution, picture(1), picture(2), smooth);
  });
  const float one = time_of([&] { simt::launch(execution, kernel.grid(), kernel); });

  std::vector<float> expected(noise.size());
  std::vector<float> actual(noise.size());
  simt::check_cuda(cudaMemcpy(expected.data(), picture(2).data, bytes, cudaMemcpyDeviceToHost), "download");
  simt::check_cuda(cudaMemcpy(actual.data(), picture(3).data, bytes, cudaMemcpyDeviceToHost), "download");
  std::printf("4096 x 4096, f32: median<3, 3> then correlate 5x5 %.3f ms; one kernel %.3f ms; results are %s\n",
              static_cast<double>(two), static_cast<double>(one), expected == actual ? "equal" : "DIFFERENT");
  return expected == actual ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "gpuimg-fused-filter: %s\n", problem.what());
    return 1;
  }
}
