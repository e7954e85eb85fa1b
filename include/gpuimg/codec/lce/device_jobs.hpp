/// @file
/// Prepares the jobs of the encoder's and decoder's kernels and submits them, on whatever runs kernels.
///
/// `Launch` is called as launch(grid, kernel): with simt::launch on a stream, or with simt::emulate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpuimg/codec/lce/decode_kernels.hpp"
#include "gpuimg/codec/lce/encode_kernel.hpp"
#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"
#include "gpuimg/codec/lce/rebuild_kernel.hpp"
#include "gpuimg/codec/lce/slab_index.hpp"

namespace gpuimg::lce {

/// Bytes of the slots of a slab: a little more than its samples.
inline std::int64_t slot_bytes(const stream_header& header, std::int64_t slab) noexcept {
  const block_grid grid = header.blocks(slab);
  return 4 * grid.words_before(grid.count(), header.bands, header.depth());
}

/// Bytes that a slab never exceeds.
inline std::int64_t most_slab_bytes(const stream_header& header, std::int64_t slab) noexcept {
  return slab_layout(header, slab).payload + slot_bytes(header, slab);
}

/// Bytes that a stream never exceeds.
inline std::int64_t most_stream_bytes(const stream_header& header) noexcept {
  const std::int64_t slabs = header.slabs();
  std::int64_t bytes = header_bytes;
  if (slabs > 0) { bytes += (slabs - 1) * most_slab_bytes(header, 0) + most_slab_bytes(header, slabs - 1); }
  return bytes;
}

/// Parts of the encoder's workspace for some jobs, in bytes from its start.
struct encode_workspace {
  std::int64_t states = 0;  ///< to be zeroed, up to `jobs`
  std::int64_t jobs = 0;
  std::int64_t slots = 0;
  std::int64_t size = 0;

  encode_workspace(std::int64_t blocks, std::int64_t job_count, std::int64_t all_slot_bytes) noexcept {
    jobs = align((blocks + 1) * 8);
    slots = jobs + align(job_count * static_cast<std::int64_t>(sizeof(encode_job)));
    size = slots + all_slot_bytes;
  }

  static constexpr std::int64_t align(std::int64_t bytes) noexcept { return (bytes + 255) / 256 * 256; }
};

/// The job of a slab. @param rows  the slab's samples, @param output  its place, both in memory of the device
inline encode_job make_encode_job(const stream_header& header, std::int64_t slab, const any_cube& rows,
                                  std::byte* output, std::int64_t capacity, encode_result* result, bool with_header) {
  encode_job job{
      rows, header.blocks(slab), slab_layout(header, slab), slab, 0, 0, output, capacity, result, with_header, {}};
  const auto bytes = write_header(header);
  std::memcpy(job.header, bytes.data(), bytes.size());
  return job;
}

/// Submits the encoder for `job_count` jobs at `jobs`, whose first_block and first_word are set.
template <class Launch>
void submit_encode(const Launch& launch, const coding_rules& rules, const encode_job* jobs, std::int64_t job_count,
                   std::int64_t blocks, std::uint64_t* states, std::uint32_t* slots) {
  if (rules.depth == 8) {
    launch(simt::grid_extent{.x = blocks}, encode_kernel<std::uint8_t>{rules, jobs, job_count, blocks, states, slots});
  } else {
    launch(simt::grid_extent{.x = blocks}, encode_kernel<std::uint16_t>{rules, jobs, job_count, blocks, states, slots});
  }
}

/// Words of each slot of a trial.
inline std::int64_t trial_slot_words(const stream_header& header) noexcept {
  return most_words(block_samples, header.bands, header.depth());
}

/// Jobs that tell how long the trial_blocks of a slab come out, a result each, and write nothing else.
inline std::vector<encode_job> make_trial_jobs(const stream_header& header, std::int64_t slab, const any_cube& rows,
                                               encode_result* results) {
  const trial_blocks blocks{header.blocks(slab)};
  std::vector<encode_job> jobs;
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const block_area area = blocks.at(i);
    any_cube part = rows;
    part.data = rows.at(area.x, area.y, 0);
    part.width = area.width;
    part.height = area.height;
    encode_job job = make_encode_job(header, slab, part, nullptr, 0, results + i, false);
    job.grid = {area.width, area.height};
    job.layout.blocks = 1;
    job.first_block = i;
    job.first_word = i * trial_slot_words(header);
    jobs.push_back(job);
  }
  return jobs;
}

/// Parts of the decoder's workspace, in bytes from its start.
struct decode_workspace {
  std::int64_t starts = 0;
  std::int64_t outcomes = 0;
  std::int64_t heads = 0;
  std::int64_t residuals = 0;
  std::int64_t size = 0;
};

/// A slab's job, not yet bound to memory.
struct decode_plan {
  decode_job job;
  decode_workspace workspace;

  /// The part of `slab` that lies in a window of the cube: options and the size of `destination` tell which.
  decode_plan(const stream_header& header, std::int64_t slab, const any_mutable_cube& destination,
              const decode_options& options)
      : job{coding_rules(header),
            header.blocks(slab),
            slab_layout(header, slab),
            slab,
            nullptr,
            0,
            header.options.block_index,
            header.options.checksums,
            header.groups(),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            nullptr,
            nullptr,
            nullptr,
            nullptr,
            nullptr} {
    const block_window window(header, slab, destination, options);
    job.first_block_row = window.first_row();
    job.block_rows = window.rows();
    job.first_column = window.first_column();
    job.columns = window.columns();
    job.first_band = static_cast<std::int32_t>(options.first_band);
    job.last_band = static_cast<std::int32_t>(options.first_band + destination.bands);
    const std::int32_t restart = header.options.restart;
    job.rebuild_from = restart == 0 ? 0 : job.first_band / restart * restart;
    job.parse_from = job.groups == 0 ? 0 : job.rebuild_from / header.options.band_group * header.options.band_group;

    const auto align = encode_workspace::align;
    const std::int64_t first = job.first_block_row * job.grid.columns();
    const std::int64_t last = first + job.block_rows * job.grid.columns();
    const std::int64_t stored = job.grid.samples_before(last) - job.grid.samples_before(first);
    workspace.outcomes = align((job.layout.blocks + 1) * 8);
    workspace.heads = workspace.outcomes + align(job.layout.blocks * 4);
    workspace.residuals = workspace.heads + align(job.blocks() * job.parsed_bands() * 4);
    workspace.size = workspace.residuals + stored * job.parsed_bands() * bytes_of(header.type);
  }

  bool empty() const noexcept { return job.blocks() == 0 || job.first_band == job.last_band; }

  /// Where the kernels work; all in memory of the device. `memory` is aligned to 256 and `bytes` to 4.
  void bind(std::byte* memory, const std::byte* bytes, std::int64_t size, decode_result* result) noexcept {
    job.starts = reinterpret_cast<std::int64_t*>(memory + workspace.starts);
    job.outcomes = reinterpret_cast<std::uint32_t*>(memory + workspace.outcomes);
    job.heads = reinterpret_cast<std::uint32_t*>(memory + workspace.heads);
    job.residuals = memory + workspace.residuals;
    job.bytes = bytes;
    job.size = size;
    job.result = result;
  }
};

/// Submits the decoder for a bound plan. @param slab_row  the slab's first row in the cube
template <class Launch>
void submit_decode(const Launch& launch, const decode_plan& plan, const any_mutable_cube& destination,
                   const decode_options& options, std::int64_t slab_row) {
  const decode_job& job = plan.job;
  launch(simt::grid_extent{}, locate_kernel{job});
  if (job.has_checksums) { launch(simt::grid_extent{.x = job.blocks()}, checksum_kernel{job}); }
  const auto rest = [&]<class T>(T) {
    const parse_kernel<T> parse{job};
    launch(simt::grid_extent{.x = parse.grid_size()}, parse);
    launch(simt::grid_extent{.x = job.blocks()}, rebuild_kernel<T>{job, destination, options.x, options.y - slab_row});
  };
  destination.type == sample_type::u8 ? rest(std::uint8_t{}) : rest(std::uint16_t{});
}

}  // namespace gpuimg::lce
