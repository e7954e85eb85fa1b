/// @file
/// Chooses on a device what depends on the samples, as the host does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpuimg/codec/lce/device_jobs.hpp"
#include "gpuimg/codec/lce/device_lanes.cuh"
#include "gpuimg/codec/lce/host_encoder.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/detail/target_namespace.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::lce {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// Whether zero flags pay: what the host's zero_flags_pay() says, of rows in device memory. Waits for the device.
/// @throws error invalid_argument, out_of_memory or device
inline bool zero_flags_pay(const cuda& execution, const stream_header& header, std::int64_t slab,
                           const any_cube& rows) {
  check_slab_rows(header, slab, rows);
  const simt::device_guard guard(execution.device);
  const std::int64_t count = trial_blocks{header.blocks(slab)}.count();
  const encode_workspace parts(count, count, 4 * trial_slot_words(header) * count);
  const simt::device_buffer memory(execution, static_cast<std::size_t>(parts.size));
  const simt::device_buffer told(execution, static_cast<std::size_t>(count) * sizeof(encode_result));
  const auto jobs = make_trial_jobs(header, slab, rows, told.template data<encode_result>());
  simt::check_cuda(cudaMemcpyAsync(memory.data() + parts.jobs, jobs.data(), jobs.size() * sizeof jobs[0],
                                   cudaMemcpyHostToDevice, execution.stream),
                   "lce: jobs");
  std::uint64_t bytes[2] = {0, 0};
  std::vector<encode_result> results(jobs.size());
  for (const bool flags : {false, true}) {
    simt::check_cuda(
        cudaMemsetAsync(memory.data() + parts.states, 0, static_cast<std::size_t>(parts.jobs), execution.stream),
        "lce: workspace");
    submit_encode([&](const simt::grid_extent& grid, const auto& kernel) { simt::launch(execution, grid, kernel); },
                  trial_rules(header, flags), reinterpret_cast<const encode_job*>(memory.data() + parts.jobs), count,
                  count, reinterpret_cast<std::uint64_t*>(memory.data() + parts.states),
                  reinterpret_cast<std::uint32_t*>(memory.data() + parts.slots));
    simt::check_cuda(
        cudaMemcpyAsync(results.data(), told.data(), told.size(), cudaMemcpyDeviceToHost, execution.stream),
        "lce: results");
    simt::check_cuda(cudaStreamSynchronize(execution.stream), "lce: trial");
    for (const encode_result& result : results) { bytes[flags ? 1 : 0] += result.bytes; }
  }
  return bytes[1] < bytes[0];
}

/// The header of the stream of a cube in host or device memory, with zero flags where they pay in its first slab: the
/// host's make_header().
/// @throws error invalid_argument, out_of_memory or device
inline stream_header make_header(const cuda& execution, const any_cube& cube, const coding_options& options,
                                 interleave origin = interleave::bsq) {
  if (!on_device(cube.data)) { return make_header(host{}, cube, options, origin); }
  stream_header header = make_header(cube.width, cube.height, cube.bands, cube.type, options, origin);
  if (options.zero_flags == zero_flag_use::where_they_pay && header.slabs() != 0 &&
      !zero_flags_pay(execution, header, 0, cube.rows(0, header.rows(0)))) {
    header.options.zero_flags = zero_flag_use::off;
  }
  return header;
}

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::lce
