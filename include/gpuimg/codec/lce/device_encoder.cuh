/// @file
/// Encodes cubes on a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/device_jobs.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/detail/target_namespace.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::lce {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// Encodes slabs that are in device memory into device memory, in stream order: no call waits for the device.
///
/// Keeps a workspace of workspace_bytes(), allocated at the first call and used again. The bytes are those of
/// host_encoder. Not for use by several threads at once.
class device_encoder {
 public:
  device_encoder(const cuda& execution, const stream_header& header)
      : execution_(execution), header_(header), workspace_(execution) {}

  const stream_header& header() const noexcept { return header_; }

  /// Bytes that encoding `cubes` slabs in one launch works in: little more than their samples.
  std::int64_t workspace_bytes(std::int64_t cubes = 1) const noexcept {
    return header_.slabs() == 0 ? 0 : parts(0, cubes).size;
  }

  /// Submits slab `slab`: rows and output are in device memory, output aligned to 4, and so is result.
  /// @param capacity     bytes at output; most_slab_bytes(), or most_stream_bytes() with a header, always suffice
  /// @param with_header  whether the stream's header comes first
  /// @throws error invalid_argument, out_of_memory or device. Too small an output is told by result->overflow.
  void encode_slab(std::int64_t slab, const any_cube& rows, std::byte* output, std::int64_t capacity,
                   encode_result* result, bool with_header = false) {
    const any_cube one[] = {rows};
    std::byte* const outputs[] = {output};
    encode_batch(slab, one, outputs, capacity, result, with_header);
  }

  /// Submits one slab of each of several cubes that share the header, in one launch: small cubes fill a device only
  /// together. `outputs` has a place of `capacity` bytes for each, `results` one result for each in device memory.
  void encode_batch(std::int64_t slab, std::span<const any_cube> cubes, std::span<std::byte* const> outputs,
                    std::int64_t capacity, encode_result* results, bool with_header) {
    gpuimg::detail::check_index("lce: slab", slab, header_.slabs());
    const auto count = static_cast<std::int64_t>(cubes.size());
    if (count == 0) { return; }
    const std::int64_t blocks = header_.blocks(slab).count();
    const encode_workspace at = parts(slab, count);
    workspace_.reserve(static_cast<std::size_t>(at.size));
    jobs_.clear();
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      check(slab, cubes[i], outputs[i]);
      jobs_.push_back(make_encode_job(header_, slab, cubes[i], outputs[i], capacity, results + i, with_header));
      jobs_.back().first_block = blocks * static_cast<std::int64_t>(i);
      jobs_.back().first_word = slot_bytes(header_, slab) / 4 * static_cast<std::int64_t>(i);
    }
    const simt::device_guard guard(execution_.device);
    std::byte* const memory = workspace_.data();
    simt::check_cuda(cudaMemsetAsync(memory + at.states, 0, static_cast<std::size_t>(at.jobs), execution_.stream),
                     "lce: workspace");
    // Pageable memory is copied before the call returns, so that jobs_ may be used again.
    simt::check_cuda(cudaMemcpyAsync(memory + at.jobs, jobs_.data(), jobs_.size() * sizeof(encode_job),
                                     cudaMemcpyHostToDevice, execution_.stream),
                     "lce: jobs");
    submit_encode([this](const simt::grid_extent& grid, const auto& kernel) { simt::launch(execution_, grid, kernel); },
                  coding_rules(header_), reinterpret_cast<const encode_job*>(memory + at.jobs), count, blocks * count,
                  reinterpret_cast<std::uint64_t*>(memory + at.states),
                  reinterpret_cast<std::uint32_t*>(memory + at.slots));
  }

 private:
  encode_workspace parts(std::int64_t slab, std::int64_t cubes) const noexcept {
    return {header_.blocks(slab).count() * cubes, cubes, slot_bytes(header_, slab) * cubes};
  }

  void check(std::int64_t slab, const any_cube& rows, const std::byte* output) const {
    check_slab_rows(header_, slab, rows);
    if (reinterpret_cast<std::uintptr_t>(output) % 4 != 0) {
      throw error(errc::invalid_argument, "lce: the output is not aligned to 4 bytes");
    }
  }

  cuda execution_;
  stream_header header_;
  simt::device_buffer workspace_;
  std::vector<encode_job> jobs_;
};

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::lce
