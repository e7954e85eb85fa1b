/// @file
/// The decoder as kernels: find the blocks, check them, parse groups of bands side by side, rebuild blocks band by band
/// (docs/lce-format.md, sections 3 to 6).
///
/// Parsing does not depend on samples and rebuilding not on bits: a thread parses a group of bands into a store of
/// residuals as wide as the samples, then a warp rebuilds a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/lce/band_syntax.hpp"
#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/warp_block.hpp"
#include "gpuimg/codec/ring_bit_reader.hpp"
#include "gpuimg/codec/warp_checksum.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// What is wrong with a slab as a whole.
enum class slab_fault : std::uint32_t { none, magic, number, payload, lengths };

/// What came of a slab; written by the kernels.
struct decode_result {
  slab_fault fault;              ///< unless none, nothing was decoded
  std::uint32_t damaged_blocks;  ///< in the window
};

/// Where the decoder's kernels find everything. All pointers are to device memory.
struct decode_job {
  coding_rules rules;
  block_grid grid;
  slab_layout layout;
  std::int64_t slab;
  const std::byte* bytes;  ///< the slab; aligned to 4
  std::int64_t size;       ///< of it
  bool has_lengths;
  bool has_checksums;
  std::int64_t groups;  ///< of the group index; 0 without one

  std::int64_t first_block_row;  ///< of the window
  std::int64_t block_rows;
  std::int64_t first_column;
  std::int64_t columns;
  std::int32_t parse_from;    ///< bands: the first that is parsed,
  std::int32_t rebuild_from;  ///< the first that is rebuilt,
  std::int32_t first_band;    ///< the first that is stored,
  std::int32_t last_band;     ///< and the end of all

  std::int64_t* starts;     ///< words of the payload before each block, and of all
  std::uint32_t* outcomes;  ///< one for each block of the grid, see outcome_of()
  std::uint32_t* heads;     ///< one for each parsed block-band
  void* residuals;          ///< samples of parsed block-bands, as wide as the cube's
  decode_result* result;

  GPUIMG_FUNCTION std::int64_t blocks() const noexcept { return block_rows * columns; }
  GPUIMG_FUNCTION std::int64_t block(std::int64_t i) const noexcept {
    return (first_block_row + i / columns) * grid.columns() + first_column + i % columns;
  }
  GPUIMG_FUNCTION std::int64_t parsed_bands() const noexcept { return last_band - parse_from; }

  /// Where the residuals of a block's parsed bands begin; one band follows the other.
  template <class T>
  GPUIMG_FUNCTION T* residuals_of(std::int64_t block) const noexcept {
    const std::int64_t before = grid.samples_before(block) - grid.samples_before(first_block_row * grid.columns());
    return static_cast<T*>(residuals) + before * parsed_bands();
  }
  GPUIMG_FUNCTION std::uint32_t* heads_of(std::int64_t i) const noexcept { return heads + i * parsed_bands(); }

  GPUIMG_FUNCTION const std::uint32_t* payload() const noexcept {
    return reinterpret_cast<const std::uint32_t*>(bytes + layout.payload);
  }
  GPUIMG_FUNCTION const std::uint32_t* string(std::int64_t block) const noexcept { return payload() + starts[block]; }
  GPUIMG_FUNCTION std::int64_t words(std::int64_t block) const noexcept { return starts[block + 1] - starts[block]; }

  GPUIMG_FUNCTION const std::uint16_t* group_bits(std::int64_t block) const noexcept {
    return reinterpret_cast<const std::uint16_t*>(bytes + layout.groups) + block * groups;
  }
};

/// An outcome says which bands of a block are lost, in a number whose minimum counts: 2 b when those from b on are,
/// and 2 bands + 1 when the block is sound. 2 bands: damaged, but nothing is lost.
GPUIMG_FUNCTION constexpr std::uint32_t outcome_of(std::int32_t usable, bool sound) noexcept {
  return 2 * static_cast<std::uint32_t>(usable) + (sound ? 1 : 0);
}

/// Checks the slab and finds its blocks. Grid: one block.
struct locate_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  decode_job job;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    std::int64_t payload = 0;
    slab_fault fault = check_slab(payload);
    if (fault == slab_fault::none) {
      if (job.has_lengths) {
        fault = sum_lengths(block, payload);
      } else if (block.rank() == 0) {
        walk_blocks(payload);
      }
    }
    if (block.rank() == 0) { *job.result = {fault, 0}; }
    for (std::int64_t i = block.rank(); i < job.layout.blocks; i += threads) {
      job.outcomes[i] = outcome_of(job.rules.bands, true);
    }
  }

 private:
  GPUIMG_FUNCTION slab_fault check_slab(std::int64_t& payload) const {
    const auto* fields = reinterpret_cast<const std::uint32_t*>(job.bytes);
    if (job.size < job.layout.payload) { return slab_fault::payload; }
    if (fields[0] != 0x42414C53u) { return slab_fault::magic; }
    if (fields[1] != static_cast<std::uint32_t>(job.slab)) { return slab_fault::number; }
    payload = static_cast<std::int64_t>(fields[2] | std::uint64_t{fields[3]} << 32);
    return payload < 0 || payload % 4 != 0 || payload > job.size - job.layout.payload ? slab_fault::payload
                                                                                      : slab_fault::none;
  }

  template <class Block>
  GPUIMG_FUNCTION slab_fault sum_lengths(Block& block, std::int64_t payload) const {
    const auto* lengths = reinterpret_cast<const std::uint32_t*>(job.bytes + job.layout.lengths);
    std::uint64_t sum = 0;
    for (std::int64_t base = 0; base < job.layout.blocks; base += threads) {
      const std::int64_t i = base + block.rank();
      const std::uint64_t own = i < job.layout.blocks ? lengths[i] : 0;
      std::uint64_t total = 0;
      const std::uint64_t before = block.exclusive_scan(own, simt::plus{}, total);
      if (i < job.layout.blocks) { job.starts[i] = static_cast<std::int64_t>(sum + before); }
      sum += total;
    }
    if (block.rank() == 0) { job.starts[job.layout.blocks] = static_cast<std::int64_t>(sum); }
    return 4 * sum == static_cast<std::uint64_t>(payload) ? slab_fault::none : slab_fault::lengths;
  }

  /// Without an index a thread reads one block after the other: slow, and right.
  GPUIMG_FUNCTION void walk_blocks(std::int64_t payload) const {
    std::int64_t at = 0;
    const std::int64_t end = payload / 4;
    for (std::int64_t i = 0; i < job.layout.blocks; ++i) {
      job.starts[i] = at;
      const int count = job.grid.at(i).samples();
      codec::register_bit_reader reader(job.payload() + at, end - at);
      bool sound = true;
      for (std::int32_t b = 0; sound && b < job.rules.bands; ++b) {
        sound = pass_band(reader, count, job.rules.is_restart(b)) && reader.position() <= (end - at) * 32;
      }
      at = sound ? at + (reader.position() + 31) / 32 : end;
    }
    job.starts[job.layout.blocks] = at;
  }

  GPUIMG_FUNCTION bool pass_band(codec::register_bit_reader& reader, int count, bool restart) const {
    const band_head head = read_band_head(reader, job.rules, restart);
    if (head.form == band_form::raw) {
      for (int j = 0; j < count; ++j) { read_plain(reader, job.rules.depth); }
    } else if (head.form == band_form::restart || head.form == band_form::coded) {
      if (restart) { read_plain(reader, job.rules.depth); }
      value_parser parser;
      parser.read_codes(reader, count, restart, head.grouped != 0, [](int, int, std::uint32_t) {});
      return !parser.beyond(job.rules.mapped_limit());
    }
    return head.form != band_form::damaged;
  }
};

/// Compares the checksum of each block of the window with its string. Grid: job.blocks().
struct checksum_kernel {
  static constexpr int threads = simt::warp_size;
  struct shared_storage {};

  decode_job job;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (job.result->fault != slab_fault::none) { return; }
    auto warp = block.warp();
    const std::int64_t own = job.block(block.index().x);
    const std::uint32_t crc = codec::warp_crc32(warp, job.string(own), job.words(own));
    const auto* expected = reinterpret_cast<const std::uint32_t*>(job.bytes + job.layout.checksums);
    if (warp.rank() == 0 && crc != expected[own]) { job.outcomes[own] = outcome_of(0, false); }
  }
};

/// Writes a thread's values eight at a time.
template <class T>
class residual_writer {
 public:
  GPUIMG_FUNCTION explicit residual_writer(T* to) noexcept : to_(to) {}

  /// Value base + i of `count`, in ascending order; zeros follow up to a multiple of eight.
  GPUIMG_FUNCTION void put(int base, int i, int count, std::uint32_t value) noexcept {
    constexpr int in_word = static_cast<int>(4 / sizeof(T));
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    const std::uint32_t part = (value & (0xFFFFFFFFu >> (32 - bits))) << (bits * (i % in_word));
    std::uint32_t& word = group_.words[i % 8 / in_word];
    word = i % in_word == 0 ? part : word | part;
    if (i % 8 == 7 && base + i - 7 < count) { *reinterpret_cast<group*>(to_ + base + i / 8 * 8) = group_; }
  }

  /// Zeros for all of `count` values.
  GPUIMG_FUNCTION void clear(int count) const noexcept {
    for (int base = 0; base < count; base += 8) { *reinterpret_cast<group*>(to_ + base) = group{}; }
  }

 private:
  struct alignas(8 * sizeof(T)) group {
    std::uint32_t words[2 * sizeof(T)];
  };
  T* to_;
  group group_{};
};

/// Parses the window's blocks, one group of bands a thread. Grid: enough blocks for tasks().
template <class T>
struct parse_kernel {
  static constexpr int threads = simt::warp_size;
  using bit_reader = codec::ring_bit_reader<threads>;
  struct shared_storage {
    typename bit_reader::storage ring;
  };

  decode_job job;

  GPUIMG_FUNCTION static std::int64_t groups(const decode_job& job) noexcept {
    return job.groups == 0 ? 1 : (job.last_band - job.parse_from + job.rules.band_group - 1) / job.rules.band_group;
  }
  GPUIMG_FUNCTION std::int64_t tasks() const noexcept { return job.blocks() * groups(job); }
  std::int64_t grid_size() const noexcept { return (tasks() + threads - 1) / threads; }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const std::int64_t task = block.index().x * threads + block.rank();
    if (task >= tasks() || job.result->fault != slab_fault::none) { return; }
    const std::int64_t i = task / groups(job);
    const std::int64_t own = job.block(i);
    const auto group = static_cast<std::int32_t>(task % groups(job));
    const std::int32_t first = job.parse_from + group * job.rules.band_group;
    const std::int32_t next = first + job.rules.band_group;
    const std::int32_t last = job.groups == 0 || next > job.last_band ? job.last_band : next;
    const std::uint32_t outcome = parse(shared, block.rank(), i, own, first, last);
    if (outcome != outcome_of(job.rules.bands, true)) { simt::atomic_min(job.outcomes[own], outcome); }
  }

 private:
  GPUIMG_FUNCTION std::uint32_t parse(shared_storage& shared, int thread, std::int64_t i, std::int64_t own,
                                      std::int32_t first, std::int32_t last) const {
    const std::int64_t words = job.words(own);
    const std::int64_t start = job.groups == 0 ? 0 : bits_before(own, first / job.rules.band_group);
    const int count = job.grid.at(own).samples();
    bit_reader reader(shared.ring, thread, job.string(own), words, start);
    T* to = job.template residuals_of<T>(own) + (first - job.parse_from) * padded_samples(count);
    std::uint32_t* heads = job.heads_of(i) - job.parse_from;
    for (std::int32_t b = first; b < last; ++b, to += padded_samples(count)) {
      const band_head head = parse_band(reader, count, job.rules.is_restart(b), to);
      heads[b] = head.pack();
      if (head.form == band_form::damaged || reader.position() > words * 32) { return outcome_of(b, false); }
    }
    const bool group_is_whole = last == job.rules.bands || (job.groups != 0 && last % job.rules.band_group == 0);
    if (job.groups != 0 && group_is_whole &&
        reader.position() - start != job.group_bits(own)[first / job.rules.band_group]) {
      return outcome_of(last, false);
    }
    return outcome_of(job.rules.bands, last != job.rules.bands || ends(reader, words));
  }

  /// In whole words of 32 bits: a string ends in less than a word of zeros.
  GPUIMG_FUNCTION static bool ends(const bit_reader& reader, std::int64_t words) {
    const std::int64_t left = words * 32 - reader.position();
    return left < 32 && (left == 0 || static_cast<std::uint32_t>(reader.peek_word()) == 0);
  }

  GPUIMG_FUNCTION std::int64_t bits_before(std::int64_t own, std::int64_t group) const {
    const std::uint16_t* bits = job.group_bits(own);
    std::int64_t sum = 0;
    for (std::int64_t g = 0; g < group; ++g) { sum += bits[g]; }
    return sum;
  }

  GPUIMG_FUNCTION band_head parse_band(bit_reader& reader, int count, bool restart, T* to) const {
    band_head head = read_band_head(reader, job.rules, restart);
    residual_writer<T> writer(to);
    if (head.form == band_form::raw) {
      for (int base = 0; base < count; base += 8) {
        reader.reserve();
        GPUIMG_UNROLL
        for (int k = 0; k < 8; ++k) {
          writer.put(base, k, count, base + k < count ? read_plain(reader, job.rules.depth) : 0);
        }
      }
    } else if (head.form == band_form::restart || head.form == band_form::coded) {
      const std::uint32_t first = restart ? read_plain(reader, job.rules.depth) : 0;
      value_parser parser;
      parser.read_codes(reader, count, restart, head.grouped != 0, [&](int base, int i, std::uint32_t value) {
        const bool plain = restart && base + i == 0;
        writer.put(base, i, count, plain ? first : static_cast<std::uint32_t>(codec::unmap_signed(value)));
      });
      if (parser.beyond(job.rules.mapped_limit())) { head.form = band_form::damaged; }
    } else if (head.form == band_form::skipped) {
      writer.clear(count);  // for whoever rebuilds, a band as any other
    }
    return head;
  }
};

}  // namespace gpuimg::lce
