/// @file
/// The entry point of gpu_tests: where there is no device it says how many tests it leaves out and exits with 77, which
/// ctest counts as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The number of tests that the command line selects, as doctest reports it.
std::string count_tests(int argc, char** argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  arguments.push_back("--count");
  arguments.push_back("--no-colors");
  std::ostringstream report;
  doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
  context.setCout(&report);
  context.run();
  const std::string text = report.str();
  const auto last = text.find_last_of("0123456789");
  if (last == std::string::npos) { return "all"; }
  const auto first = text.find_last_not_of("0123456789", last) + 1;
  return text.substr(first, last - first + 1);
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    const char* reason = status == cudaSuccess ? "none found" : cudaGetErrorString(status);
    std::printf("no CUDA device: %s tests skipped (%s)\n", count_tests(argc, argv).c_str(), reason);
    return 77;
  }
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) { std::printf("device: %s\n", properties.name); }
  return doctest::Context(argc, argv).run();
}
