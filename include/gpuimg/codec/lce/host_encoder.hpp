/// @file
/// Encodes cubes on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/host_block_encoder.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::lce {

/// Encodes the slabs of a stream, in any order: a cube that is larger than memory passes through slab by slab.
///
/// @code
/// lce::host_encoder encoder(host{}, lce::make_header(width, height, bands, lce::sample_type::u16, options));
/// write(lce::write_header(encoder.header()));
/// for (std::int64_t s = 0; s < encoder.header().slabs(); ++s) {
///   bytes.clear();
///   encoder.encode_slab(s, rows_of_slab, bytes);
///   write(bytes);
/// }
/// @endcode
/// Holds twice the compressed slab besides the caller's samples.
class host_encoder {
 public:
  host_encoder(const host& execution, const stream_header& header)
      : threads_(execution.thread_count()),
        header_(header),
        encoders_(threads_, host_block_encoder(coding_rules(header))),
        strings_(threads_) {}

  const stream_header& header() const noexcept { return header_; }

  /// Appends slab `slab` to `out`. @param rows  the slab's rows: width x header().rows(slab) x bands samples
  /// @throws error invalid_argument, when there is no such slab or `rows` has another size or type
  void encode_slab(std::int64_t slab, const any_cube& rows, std::vector<std::byte>& out) {
    check_slab_rows(header_, slab, rows);
    const block_grid grid = header_.blocks(slab);
    const slab_layout layout(header_, slab);
    const auto groups = static_cast<std::size_t>(header_.groups());
    pieces_.resize(static_cast<std::size_t>(layout.blocks));
    group_bits_.resize(pieces_.size() * groups);
    for (auto& words : strings_) { words.clear(); }
    parallel_for(threads_, layout.blocks, [&](std::int64_t block, unsigned thread) {
      const auto at = static_cast<std::size_t>(block);
      const auto string = encoders_[thread].encode(rows, grid.at(block), group_bits_.data() + at * groups);
      auto& words = strings_[thread];
      pieces_[at] = {thread, words.size(), string.size()};
      words.insert(words.end(), string.begin(), string.end());
    });
    join(slab, layout, out);
  }

 private:
  struct piece {
    unsigned thread;
    std::size_t first;
    std::size_t words;
  };

  /// Puts header, index and strings one after the other.
  void join(std::int64_t slab, const slab_layout& layout, std::vector<std::byte>& out) {
    std::size_t words = 0;
    for (const piece& p : pieces_) { words += p.words; }
    const std::size_t start = out.size();
    out.resize(start + static_cast<std::size_t>(layout.payload) + words * 4);
    std::byte* const to = out.data() + start;
    write_slab_header(to, slab, static_cast<std::int64_t>(words * 4));
    if (!group_bits_.empty()) { std::memcpy(to + layout.groups, group_bits_.data(), group_bits_.size() * 2); }
    std::byte* next = to + layout.payload;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const piece& p = pieces_[i];
      std::memcpy(next, strings_[p.thread].data() + p.first, p.words * 4);
      if (header_.options.block_index) {
        store_little(to + layout.lengths + 4 * i, static_cast<std::uint32_t>(p.words));
      }
      if (header_.options.checksums) { store_little(to + layout.checksums + 4 * i, crc32({next, p.words * 4})); }
      next += p.words * 4;
    }
  }

  unsigned threads_;
  stream_header header_;
  std::vector<host_block_encoder> encoders_;         // one a thread
  std::vector<std::vector<std::uint32_t>> strings_;  // of the blocks that a thread has coded
  std::vector<piece> pieces_;                        // one a block
  std::vector<std::uint16_t> group_bits_;
};

/// Blocks that tell whether zero flags pay: up to 16 of a grid, spread evenly.
struct trial_blocks {
  block_grid grid;

  std::int64_t count() const noexcept { return std::min<std::int64_t>(grid.count(), 16); }
  block_area at(std::int64_t i) const noexcept { return grid.at(i * grid.count() / count()); }
};

/// Rules for a trial of blocks: strings alone.
inline coding_rules trial_rules(const stream_header& header, bool zero_flags) noexcept {
  coding_rules rules(header);
  rules.band_group = 0;
  rules.zero_flags = zero_flags;
  return rules;
}

/// Whether zero flags make streams with this header smaller, as far as a slab tells: codes its trial_blocks with them
/// and without. Without a gain they cost a bit for each block and band.
/// @param rows  slab `slab`, in host memory
inline bool zero_flags_pay(const host& execution, const stream_header& header, std::int64_t slab,
                           const any_cube& rows) {
  check_slab_rows(header, slab, rows);
  const trial_blocks blocks{header.blocks(slab)};
  std::vector<std::size_t> words(static_cast<std::size_t>(2 * blocks.count()));
  parallel_for(execution.thread_count(), 2 * blocks.count(), [&](std::int64_t i, unsigned) {
    host_block_encoder encoder(trial_rules(header, i % 2 != 0));
    words[static_cast<std::size_t>(i)] = encoder.encode(rows, blocks.at(i / 2), nullptr).size();
  });
  std::size_t plain = 0;
  std::size_t flagged = 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    plain += words[i];
    flagged += words[i + 1];
  }
  return flagged < plain;
}

/// The header of the stream of a cube in host memory, with zero flags where they pay in its first slab.
/// @throws error invalid_argument
inline stream_header make_header(const host& execution, const any_cube& cube, const coding_options& options,
                                 interleave origin = interleave::bsq) {
  stream_header header = make_header(cube.width, cube.height, cube.bands, cube.type, options, origin);
  if (options.zero_flags == zero_flag_use::where_they_pay && header.slabs() != 0 &&
      !zero_flags_pay(execution, header, 0, cube.rows(0, header.rows(0)))) {
    header.options.zero_flags = zero_flag_use::off;
  }
  return header;
}

/// The stream of a cube. O(samples); deterministic, whatever the number of threads.
/// @throws error invalid_argument, when the options or the size cannot be
template <class T>
requires cube_sample<std::remove_const_t<T>> std::vector<std::byte> encode(const host& execution,
                                                                           const cube_view<T>& cube,
                                                                           const coding_options& options,
                                                                           interleave origin = interleave::bsq) {
  const any_cube samples(cube);
  host_encoder encoder(execution, make_header(execution, samples, options, origin));
  const auto header = write_header(encoder.header());
  std::vector<std::byte> stream(header.begin(), header.end());
  for (std::int64_t slab = 0; slab < encoder.header().slabs(); ++slab) {
    encoder.encode_slab(slab, samples.rows(encoder.header().first_row(slab), encoder.header().rows(slab)), stream);
  }
  return stream;
}

}  // namespace gpuimg::lce
