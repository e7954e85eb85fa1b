/// @file
/// Runs a kernel on a CUDA device.
///
/// @code
/// const gpuimg::cuda execution{.stream = stream};
/// gpuimg::simt::launch(execution, {.x = 8}, scale_kernel{data, 1000, 2.0f});
/// @endcode
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/simt/launch.cuh needs a CUDA compiler"
#else

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <string>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_group.cuh"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/detail/target_namespace.cuh"
#include "gpuimg/simt/grid.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt {
namespace detail {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// Dynamic shared memory of a block.
template <block_kernel Kernel>
struct block_memory {
  typename Kernel::shared_storage storage;
  block_scratch<Kernel::threads> scratch;
};

/// Threads that a multiprocessor of the target holds at most.
constexpr int resident_threads() {
#if !defined(__CUDA_ARCH__)
  return 2048;
#elif __CUDA_ARCH__ == 750
  return 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
  return 1536;
#else
  return 2048;
#endif
}

/// The second launch bound; 0 leaves it to the compiler. ptxas refuses more blocks than a multiprocessor holds.
template <block_kernel Kernel>
constexpr int min_blocks() {
  if constexpr (requires { Kernel::min_blocks_per_sm; }) {
    return std::min<int>(Kernel::min_blocks_per_sm, resident_threads() / Kernel::threads);
  } else {
    return 0;
  }
}

/// Where the blocks of one launch stand in the grid that was asked for.
struct grid_window {
  grid_extent grid;
  std::int64_t first;  ///< linear number of the launch's first block; negative: CUDA's grid has the same shape
};

__device__ inline grid_index locate(const grid_window& window) {
  if (window.first < 0) { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  const std::int64_t block = window.first + blockIdx.x;
  const std::int64_t row = block / window.grid.x;
  return {block % window.grid.x, row % window.grid.y, row / window.grid.y};
}

/// The one CUDA kernel: calls the function object.
template <block_kernel Kernel>
__global__ void __launch_bounds__(Kernel::threads, min_blocks<Kernel>())
    run_kernel(const __grid_constant__ Kernel kernel, const __grid_constant__ grid_window window) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  static_assert(alignof(block_memory<Kernel>) <= 128, "shared_storage: alignment above 128 bytes");
  auto& memory = *reinterpret_cast<block_memory<Kernel>*>(shared_bytes);
  cuda_block<Kernel::threads> block(memory.scratch, locate(window), window.grid);
  kernel(block, memory.storage);
}

/// Bytes of shared memory that every kernel may have.
inline constexpr std::size_t always_shared = 48 * 1024;

/// Bytes of shared memory that a block may have on a device.
inline std::size_t most_shared(int device) {
  int limit = 0;
  check_cuda(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory limit");
  return static_cast<std::size_t>(limit);
}

/// Lets `run_kernel<Kernel>` have its shared memory where that is more than every kernel may have.
template <block_kernel Kernel>
void allow_shared_memory(int device) {
  constexpr std::size_t bytes = sizeof(block_memory<Kernel>);
  if constexpr (bytes > always_shared) {
    const std::size_t limit = most_shared(device);
    if (bytes > limit) {
      throw error(errc::unsupported, "launch: the kernel needs " + std::to_string(bytes) +
                                         " bytes of shared memory a block; device " + std::to_string(device) + " has " +
                                         std::to_string(limit));
    }
    check_cuda(cudaFuncSetAttribute(run_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "launch: " + std::to_string(bytes) + " bytes of shared memory");
  }
}

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace detail

inline namespace GPUIMG_TARGET_NAMESPACE {

/// Whether the device of `execution` has shared memory enough for a block of a kernel.
/// @throws error device
template <block_kernel Kernel>
bool fits_shared_memory(const cuda& execution) {
  constexpr std::size_t bytes = sizeof(detail::block_memory<Kernel>);
  return bytes <= detail::always_shared || bytes <= detail::most_shared(execution.device);
}

/// Submits `kernel` for every block of `grid` to the stream of `execution`; does not wait for it.
///
/// A grid of any shape below 2^63 blocks is one launch for each 2^31 - 1 blocks, an empty one none. Leaves the current
/// device as it was.
/// @throws error invalid_argument, when the grid is not one; unsupported, when the kernel needs more shared memory
///   than the device has; device, when the launch fails.
template <block_kernel Kernel>
void launch(const cuda& execution, const grid_extent& grid, const Kernel& kernel) {
  check_grid(grid);
  if (grid.size() == 0) { return; }
  const device_guard guard(execution.device);
  detail::allow_shared_memory<Kernel>(execution.device);

  cudaLaunchConfig_t config{};
  config.blockDim = dim3(Kernel::threads);
  config.dynamicSmemBytes = sizeof(detail::block_memory<Kernel>);
  config.stream = execution.stream;
  const auto submit = [&](const detail::grid_window& window) {
    check_cuda(cudaLaunchKernelEx(&config, detail::run_kernel<Kernel>, kernel, window), "launch");
  };

  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // blocks along x
  constexpr std::int64_t most_rows = 65535;                                // blocks along y, and along z
  if (grid.x <= most && grid.y <= most_rows && grid.z <= most_rows) {
    config.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    submit({grid, -1});
    return;
  }
  for (std::int64_t first = 0; first < grid.size(); first += most) {
    config.gridDim = dim3(static_cast<unsigned>(std::min(most, grid.size() - first)));
    submit({grid, first});
  }
}

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::simt

#endif
