// The backend on a CUDA device. Code-blocks of 64x64 and 32x32 are built for it; the host has the other shapes.
#include <cuda_runtime.h>
#include <string>

#include "codec_backend.hpp"

#include "gpuimg/codec/paco/decoder.cuh"
#include "gpuimg/codec/paco/encoder.cuh"
#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/cuda_memory.cuh"

namespace gpuimg::examples {

int cuda_device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver, no device: not a fault of the next call
    return 0;
  }
  return count;
}

std::unique_ptr<paco_backend> make_cuda_backend(int ordinal, block_size block, const paco::encode_options& options) {
  const int count = cuda_device_count();
  if (ordinal >= count) {
    throw error(errc::device,
                "--device cuda:" + std::to_string(ordinal) + ": there are " + std::to_string(count) + " CUDA devices");
  }
  cudaDeviceProp properties{};
  simt::check_cuda(cudaGetDeviceProperties(&properties, ordinal), "properties of the device");
  const std::string name = "cuda:" + std::to_string(ordinal) + ", " + properties.name;
  const cuda execution{.device = ordinal};
  if (block == block_size{64, 64}) {
    return std::make_unique<codec_backend<photo_codec<64, 64>, cuda>>(execution, name, options);
  }
  if (block == block_size{32, 32}) {
    return std::make_unique<codec_backend<photo_codec<32, 32>, cuda>>(execution, name, options);
  }
  throw error(errc::unsupported, "code-blocks of " + std::to_string(block.width) + "x" + std::to_string(block.height) +
                                     " on a CUDA device; there are 64x64 and 32x32");
}

}  // namespace gpuimg::examples
