/// @file
/// Decodes cubes on the host, whole or in part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/host_block_decoder.hpp"
#include "gpuimg/codec/lce/slab_index.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::lce {

/// A block that could not be decoded whole.
struct damaged_block {
  std::int64_t slab;
  std::int64_t x;  ///< of its first pixel, in the cube
  std::int64_t y;
  std::int64_t band;     ///< samples of this band and the following ones are lost; the number of bands if none is
  std::uint64_t offset;  ///< of its string, from the start of the stream
  friend bool operator==(const damaged_block&, const damaged_block&) = default;
};

/// Part of a cube, and what to do about damage.
struct decode_options {
  std::int64_t x = 0;  ///< the window's first column
  std::int64_t y = 0;  ///< the window's first row
  std::int64_t first_band = 0;
  bool keep_going = false;  ///< report damaged blocks instead of throwing
};

/// Decodes the slabs of a stream, in any order.
class host_decoder {
 public:
  host_decoder(const host& execution, const stream_header& header)
      : threads_(execution.thread_count()),
        header_(header),
        rules_(header),
        decoders_(threads_, host_block_decoder(rules_)) {}

  const stream_header& header() const noexcept { return header_; }

  /// Decodes the part of a slab that lies in the window: `destination` is the whole window, of which the slab fills
  /// some rows. Bands of the window are options.first_band and those after it.
  /// @param bytes   the slab, from its header on; may go on after it
  /// @param offset  where that is in the stream, for messages
  /// @returns the damaged blocks that touch the window, in raster order
  /// @throws error truncated or corrupt, with the offset; invalid_argument, when the window leaves the cube
  std::vector<damaged_block> decode_slab(std::int64_t slab, std::span<const std::byte> bytes, std::uint64_t offset,
                                         const any_mutable_cube& destination, const decode_options& options = {}) {
    check_window(header_, destination, options);
    gpuimg::detail::check_index("lce: slab", slab, header_.slabs());
    const slab_index index(header_, rules_, slab, bytes, offset);
    const block_grid grid = header_.blocks(slab);
    const block_window window(header_, slab, destination, options);
    const auto first = static_cast<std::int32_t>(options.first_band);
    const band_range range{first, static_cast<std::int32_t>(first + destination.bands)};

    std::vector<damaged_block> damage;
    std::mutex lock;
    parallel_for(threads_, destination.bands == 0 ? 0 : window.count(), [&](std::int64_t i, unsigned thread) {
      const std::int64_t block = window.block(i);
      const block_area area = grid.at(block);
      const block_part part = window.part(area);
      const auto store = [&](std::int32_t band, const std::uint16_t* samples) {
        store_block_band(destination, part, band - first, samples, area.width);
      };
      const auto string = index.string(block);
      block_outcome outcome{0, 0, true};
      if (index.intact(block)) {
        outcome = decoders_[thread].decode(string.data(), static_cast<std::int64_t>(string.size() / 4),
                                           index.group_bits(block), area, range, true, store);
      } else {
        const std::uint16_t nothing[block_samples] = {};
        for (std::int32_t b = range.first; b < range.last; ++b) { store(b, nothing); }
      }
      if (outcome.damaged) {
        const std::lock_guard guard(lock);
        damage.push_back({slab, area.x, header_.first_row(slab) + area.y, outcome.usable,
                          offset + static_cast<std::uint64_t>(string.data() - bytes.data())});
      }
    });
    std::sort(damage.begin(), damage.end(),
              [](const auto& a, const auto& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    if (!damage.empty() && !options.keep_going) { refuse(damage.front(), damage.size()); }
    return damage;
  }

  /// Throws what a damaged block means to a caller that wants none.
  [[noreturn]] static void refuse(const damaged_block& block, std::size_t blocks) {
    throw error(errc::corrupt,
                "lce: the block at (" + std::to_string(block.x) + ", " + std::to_string(block.y) +
                    ") is damaged from band " + std::to_string(block.band) + " on, one of " + std::to_string(blocks),
                block.offset);
  }

 private:
  unsigned threads_;
  stream_header header_;
  coding_rules rules_;
  std::vector<host_block_decoder> decoders_;  // one a thread
};

/// Decodes the window at options.x, options.y, options.first_band with the size of `destination`.
///
/// Slabs outside of the window are passed over. Needs the band before it only as far back as the last restart, and
/// parses from the beginning of that band's index group.
/// @returns damaged blocks, when options.keep_going; their samples are 0 (-32768 for signed ones)
/// @throws error truncated, corrupt or unsupported, with the byte offset; invalid_argument, when the window leaves the
///   cube or the sample type is another
template <cube_sample T>
std::vector<damaged_block> decode(const host& execution, std::span<const std::byte> stream,
                                  const cube_view<T>& destination, const decode_options& options = {}) {
  const stream_header header = read_header(stream);
  const any_mutable_cube samples(destination);
  check_window(header, samples, options);
  host_decoder decoder(execution, header);
  std::vector<damaged_block> damage;
  std::uint64_t offset = header_bytes;
  for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
    const auto rest = stream.subspan(offset);
    const auto payload = read_slab_header(header, slab, rest, offset);
    const auto bytes = static_cast<std::uint64_t>(slab_layout(header, slab).payload + payload);
    if (bytes > rest.size()) {
      throw error(errc::truncated,
                  "lce: slab " + std::to_string(slab) + " has " + std::to_string(bytes) + " bytes, " +
                      std::to_string(rest.size()) + " are left",
                  stream.size());
    }
    const std::int64_t top = header.first_row(slab);
    if (top < options.y + samples.height && top + header.rows(slab) > options.y) {
      const auto found = decoder.decode_slab(slab, rest.first(bytes), offset, samples, options);
      damage.insert(damage.end(), found.begin(), found.end());
    }
    offset += bytes;
  }
  return damage;
}

}  // namespace gpuimg::lce
