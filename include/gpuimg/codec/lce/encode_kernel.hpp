/// @file
/// The encoder as a kernel: one warp predicts, quantises, codes and packs a block, finds its place and moves it there
/// (docs/lce-format.md, sections 3, 4 and 7).
///
/// Writes the bytes of host_encoder. Residuals never leave registers; a block's string goes through a slot of its
/// longest size in the workspace, because its place is known only when all blocks before it are coded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/warp_block_encoder.hpp"
#include "gpuimg/codec/look_back.hpp"
#include "gpuimg/codec/warp_checksum.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// What became of a slab; written by the kernel.
struct encode_result {
  std::uint64_t bytes;     ///< of the slab, or of the stream when the header was written too
  std::uint64_t overflow;  ///< not 0: the output was too small, and its contents are of no use
};

/// One slab of one cube.
struct encode_job {
  any_cube rows;  ///< the samples, in device memory
  block_grid grid;
  slab_layout layout;
  std::int64_t slab;         ///< its number in its stream
  std::int64_t first_block;  ///< blocks of the launch before this job
  std::int64_t first_word;   ///< words of the workspace before this job
  std::byte* output;         ///< aligned to 4
  std::int64_t capacity;     ///< bytes at output
  encode_result* result;
  bool with_header;  ///< begin with the stream's header
  std::uint32_t header[header_bytes / 4];
};

/// Encodes the blocks of all jobs, which share a sample type and rules. Grid: blocks() thread blocks.
template <class T>
struct encode_kernel {
  static constexpr int threads = simt::warp_size;
  using shared_storage = typename warp_block_encoder<T>::shared_storage;

  coding_rules rules;
  const encode_job* jobs;
  std::int64_t job_count;
  std::int64_t blocks;    ///< of all jobs
  std::uint64_t* states;  ///< zeroed: one word for each block, and a counter
  std::uint32_t* slots;   ///< the workspace

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    const std::int64_t number = codec::take_number(warp, states[blocks]);
    const encode_job& job = find_job(number);
    const std::int64_t own = number - job.first_block;
    const block_area area = job.grid.at(own);
    const std::int64_t head = job.with_header ? static_cast<std::int64_t>(header_bytes) : 0;
    std::byte* const slab = job.output + head;
    const bool index_fits = head + job.layout.payload <= job.capacity;

    std::uint32_t* const slot = slots + job.first_word + job.grid.words_before(own, rules.bands, rules.depth);
    const std::int64_t groups = rules.band_group == 0 ? 0 : (rules.bands + rules.band_group - 1) / rules.band_group;
    auto* const group_bits =
        index_fits && groups != 0 ? reinterpret_cast<std::uint16_t*>(slab + job.layout.groups) + own * groups : nullptr;
    warp_block_encoder<T> encoder(rules, shared);
    const std::int64_t words = encoder.encode(warp, job.rows, area, slot, group_bits);
    const auto before = static_cast<std::int64_t>(
        codec::look_back(states).exclusive_sum(warp, static_cast<std::uint64_t>(words), number, job.first_block));

    const std::int64_t start = head + job.layout.payload + 4 * before;
    const bool fits = index_fits && start + 4 * words <= job.capacity;
    if (fits) {
      auto* const to = reinterpret_cast<std::uint32_t*>(job.output + start);
      copy_words(warp, slot, to, words);
      write_index(warp, job, own, slot, words, slab);
    }
    if (own == 0 && job.with_header && index_fits && warp.rank() < static_cast<int>(header_bytes / 4)) {
      reinterpret_cast<std::uint32_t*>(job.output)[warp.rank()] = job.header[warp.rank()];
    }
    if (own + 1 == job.layout.blocks && warp.rank() == 0) {
      if (fits) { finish_slab(job, slab, before + words, groups); }
      job.result->bytes = static_cast<std::uint64_t>(start + 4 * words);
      job.result->overflow = fits ? 0 : 1;  // the last block ends where the slab does
    }
  }

 private:
  /// Many loads are under way at once: one after the other they would take as long as the coding.
  template <class Warp>
  GPUIMG_FUNCTION static void copy_words(Warp& warp, const std::uint32_t* from, std::uint32_t* to, std::int64_t count) {
    constexpr int at_once = 16;
    for (std::int64_t base = warp.rank(); base < count; base += at_once * simt::warp_size) {
      std::uint32_t words[at_once];
      GPUIMG_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t i = base + k * simt::warp_size;
        words[k] = i < count ? from[i] : 0;
      }
      GPUIMG_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t i = base + k * simt::warp_size;
        if (i < count) { to[i] = words[k]; }
      }
    }
  }

  GPUIMG_FUNCTION const encode_job& find_job(std::int64_t number) const {
    std::int64_t low = 0;
    for (std::int64_t high = job_count; high - low > 1;) {
      const std::int64_t middle = low + (high - low) / 2;
      (jobs[middle].first_block <= number ? low : high) = middle;
    }
    return jobs[low];
  }

  template <class Warp>
  GPUIMG_FUNCTION void write_index(Warp& warp, const encode_job& job, std::int64_t own, const std::uint32_t* slot,
                                   std::int64_t words, std::byte* slab) const {
    if (warp.rank() == 0 && job.layout.checksums != job.layout.lengths) {
      reinterpret_cast<std::uint32_t*>(slab + job.layout.lengths)[own] = static_cast<std::uint32_t>(words);
    }
    if (job.layout.groups != job.layout.checksums) {
      const std::uint32_t crc = codec::warp_crc32(warp, slot, words);
      if (warp.rank() == 0) { reinterpret_cast<std::uint32_t*>(slab + job.layout.checksums)[own] = crc; }
    }
  }

  GPUIMG_FUNCTION static void finish_slab(const encode_job& job, std::byte* slab, std::int64_t words,
                                          std::int64_t groups) {
    auto* const fields = reinterpret_cast<std::uint32_t*>(slab);
    fields[0] = 0x42414C53u;  // "SLAB"
    fields[1] = static_cast<std::uint32_t>(job.slab);
    fields[2] = static_cast<std::uint32_t>(4 * words);
    fields[3] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(4 * words) >> 32);
    if (job.layout.blocks * groups % 2 != 0) {
      reinterpret_cast<std::uint16_t*>(slab + job.layout.groups)[job.layout.blocks * groups] = 0;
    }
  }
};

}  // namespace gpuimg::lce
