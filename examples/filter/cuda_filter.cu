#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>

#include "apply.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/filter/convolution.cuh"
#include "gpuimg/filter/median.cuh"
#include "gpuimg/simt/cuda_memory.cuh"

namespace gpuimg::examples {

namespace {

template <class S>
void filter_samples(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, const gpuimg::cuda& execution) {
  const simt::device_guard guard(execution.device);
  const simt::device_buffer source(execution, in.size());
  const simt::device_buffer target(execution, out.size());
  const simt::device_buffer room(execution, job.iterations > 1 ? out.size() : 0);
  simt::check_cuda(cudaMemcpyAsync(source.data(), in.data(), in.size(), cudaMemcpyHostToDevice, execution.stream),
                   "copy to the device");
  apply_all<S>(execution, job, pixels(static_cast<const S*>(source.data<S>()), format),
               pixels(target.data<S>(), format), pixels(room.data<S>(), format));
  simt::check_cuda(cudaMemcpyAsync(out.data(), target.data(), out.size(), cudaMemcpyDeviceToHost, execution.stream),
                   "copy from the device");
  simt::check_cuda(cudaStreamSynchronize(execution.stream), "filter");
}

}  // namespace

int cuda_device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void filter_on_cuda(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, int device) {
  if (format.is_signed || format.depth > 16) {
    throw error(errc::unsupported, "on a device samples have up to 16 bits and no sign; --device host takes others");
  }
  const gpuimg::cuda execution{.device = device};
  const auto run = format.bytes_per_sample() == 1 ? filter_samples<std::uint8_t> : filter_samples<std::uint16_t>;
  run(job, format, in, out, execution);
}

}  // namespace gpuimg::examples
