// The entry point of gpu_tests: where there is no device it says so and exits with 77, which ctest counts as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    const char* reason = status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status);
    std::printf("skipped: all gpu tests (%s)\n", reason);
    return 77;
  }
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) { std::printf("device: %s\n", properties.name); }
  return doctest::Context(argc, argv).run();
}
