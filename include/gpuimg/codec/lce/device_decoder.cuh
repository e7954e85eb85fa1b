/// @file
/// Decodes cubes on a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/device_jobs.hpp"
#include "gpuimg/codec/lce/device_lanes.cuh"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/detail/target_namespace.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::lce {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// Decodes slabs that are in device memory into device memory, in stream order: decode_slab() does not wait for the
/// device. Keeps a workspace, allocated at the first call and used again: residuals as wide as the samples, and an
/// index. Not for use by several threads at once.
class device_decoder {
 public:
  device_decoder(const cuda& execution, const stream_header& header)
      : execution_(execution), header_(header), workspace_(execution), result_(execution) {}

  const stream_header& header() const noexcept { return header_; }

  /// Bytes that a whole slab is decoded in.
  std::int64_t workspace_bytes() const {
    if (header_.slabs() == 0) { return 0; }
    any_mutable_cube all;
    all.width = header_.width;
    all.height = header_.rows(0);
    all.bands = header_.bands;
    all.type = header_.type;
    return decode_plan(header_, 0, all, {}).workspace.size + result_bytes;
  }

  /// Submits the part of a slab that lies in the window (see host_decoder::decode_slab). `bytes` (aligned to 4) and
  /// `destination` are in device memory.
  /// @throws error invalid_argument, out_of_memory or device. What is wrong with the stream is told by report().
  void decode_slab(std::int64_t slab, const std::byte* bytes, std::int64_t size, const any_mutable_cube& destination,
                   const decode_options& options = {}) {
    check_window(header_, destination, options);
    gpuimg::detail::check_index("lce: slab", slab, header_.slabs());
    if (reinterpret_cast<std::uintptr_t>(bytes) % 4 != 0) {
      throw error(errc::invalid_argument, "lce: the slab is not aligned to 4 bytes");
    }
    plan_.emplace(header_, slab, destination, options);
    if (plan_->empty()) { return; }
    workspace_.reserve(static_cast<std::size_t>(plan_->workspace.size + result_bytes));
    plan_->bind(workspace_.data() + result_bytes, bytes, size, workspace_.template data<decode_result>());
    reported_ = false;
    submit_decode([this](const simt::grid_extent& grid, const auto& kernel) { simt::launch(execution_, grid, kernel); },
                  *plan_, destination, options, header_.first_row(slab));
  }

  /// Submits the download of what report() asks for first. Without it report() does so itself: behind whatever copies
  /// the stream has been given in between.
  void submit_report() {
    if (!plan_ || plan_->empty()) { return; }
    const simt::device_guard guard(execution_.device);
    simt::check_cuda(cudaMemcpyAsync(result_.get(), workspace_.data(), sizeof(decode_result), cudaMemcpyDeviceToHost,
                                     execution_.stream),
                     "lce: report");
    reported_ = true;
  }

  /// Waits for the last slab and says which blocks of the window are damaged.
  /// @param offset  where the slab is in its stream, for messages
  /// @throws error corrupt or truncated, when the slab could not be decoded at all; device
  std::vector<damaged_block> report(std::uint64_t offset) {
    std::vector<damaged_block> damage;
    if (!plan_ || plan_->empty()) { return damage; }
    if (!reported_) { submit_report(); }
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "lce: decoder");
    const decode_result result = *result_.get();
    refuse_fault(result.fault, offset);
    if (result.damaged_blocks == 0) { return damage; }
    const decode_job& job = plan_->job;
    std::vector<std::uint32_t> outcomes(static_cast<std::size_t>(job.layout.blocks));
    std::vector<std::int64_t> starts(outcomes.size() + 1);
    download(outcomes.data(), job.outcomes, outcomes.size() * sizeof outcomes[0]);
    download(starts.data(), job.starts, starts.size() * sizeof starts[0]);
    for (std::int64_t i = 0; i < job.blocks(); ++i) {
      const std::int64_t block = job.block(i);
      const auto at = static_cast<std::size_t>(block);
      if (outcomes[at] == outcome_of(job.rules.bands, true)) { continue; }
      const block_area area = job.grid.at(block);
      damage.push_back({job.slab, area.x, header_.first_row(job.slab) + area.y, outcomes[at] / 2,
                        offset + static_cast<std::uint64_t>(job.layout.payload + 4 * starts[at])});
    }
    return damage;
  }

 private:
  static constexpr std::int64_t result_bytes = 256;

  void download(void* to, const void* from, std::size_t bytes) const {
    const simt::device_guard guard(execution_.device);
    simt::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, execution_.stream), "lce: report");
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "lce: decoder");
  }

  static void refuse_fault(slab_fault fault, std::uint64_t offset) {
    switch (fault) {
      case slab_fault::none: return;
      case slab_fault::magic: throw error(errc::corrupt, "lce: no slab begins here", offset);
      case slab_fault::number: throw error(errc::corrupt, "lce: this is the header of another slab", offset + 4);
      case slab_fault::payload: throw error(errc::truncated, "lce: the payload is longer than the slab", offset + 8);
      case slab_fault::lengths:
        throw error(errc::corrupt, "lce: the blocks' lengths do not sum to the payload", offset + 16);
    }
  }

  cuda execution_;
  stream_header header_;
  simt::device_buffer workspace_;
  std::optional<decode_plan> plan_;
  pinned_value<decode_result> result_;
  bool reported_ = false;
};

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::lce
