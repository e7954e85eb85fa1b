/// @file
/// Where the strings of a slab's blocks are, from the index or, without one, from reading them.
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
#include "gpuimg/codec/lce/host_block_decoder.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::lce {

/// A slab in memory with its index checked.
class slab_index {
 public:
  /// @throws error truncated or corrupt, with the offset in the stream
  slab_index(const stream_header& header, const coding_rules& rules, std::int64_t slab,
             std::span<const std::byte> bytes, std::uint64_t offset)
      : header_(header), layout_(header, slab), bytes_(bytes) {
    const std::int64_t payload = read_slab_header(header, slab, bytes, offset);
    if (bytes.size() < static_cast<std::uint64_t>(layout_.payload + payload)) {
      throw error(errc::truncated,
                  "lce: slab " + std::to_string(slab) + " has " + std::to_string(layout_.payload + payload) +
                      " bytes, " + std::to_string(bytes.size()) + " are left",
                  offset + bytes.size());
    }
    starts_.resize(static_cast<std::size_t>(layout_.blocks) + 1);
    load_groups();
    header.options.block_index ? sum_lengths(payload, offset) : find_blocks(rules, header.blocks(slab), payload);
  }

  /// The words of a block.
  std::span<const std::byte> string(std::int64_t block) const noexcept {
    const auto first = starts_[static_cast<std::size_t>(block)];
    const auto last = starts_[static_cast<std::size_t>(block) + 1];
    return bytes_.subspan(static_cast<std::size_t>(layout_.payload + first), static_cast<std::size_t>(last - first));
  }

  /// Bits of the block's groups of bands; empty without a group index.
  std::span<const std::uint16_t> group_bits(std::int64_t block) const noexcept {
    const auto groups = static_cast<std::size_t>(header_.groups());
    return {group_bits_.data() + static_cast<std::size_t>(block) * groups, groups};
  }

  /// Whether the checksum of a block, if any, is right.
  bool intact(std::int64_t block) const noexcept {
    if (!header_.options.checksums) { return true; }
    return crc32(string(block)) == load_little<std::uint32_t>(bytes_.data() + layout_.checksums + 4 * block);
  }

 private:
  void load_groups() {
    group_bits_.resize(static_cast<std::size_t>(layout_.blocks * header_.groups()));
    if (group_bits_.empty()) { return; }
    std::memcpy(group_bits_.data(), bytes_.data() + layout_.groups, group_bits_.size() * 2);
  }

  void sum_lengths(std::int64_t payload, std::uint64_t offset) {
    std::int64_t sum = 0;
    for (std::int64_t block = 0; block < layout_.blocks; ++block) {
      const std::int64_t place = layout_.lengths + 4 * block;
      sum += std::int64_t{4} * load_little<std::uint32_t>(bytes_.data() + place);
      if (sum > payload) {
        throw error(errc::corrupt, "lce: block " + std::to_string(block) + " leaves the slab's payload",
                    offset + static_cast<std::uint64_t>(place));
      }
      starts_[static_cast<std::size_t>(block) + 1] = sum;
    }
    if (sum != payload) {
      throw error(errc::corrupt,
                  "lce: the blocks have " + std::to_string(sum) + " bytes, the payload " + std::to_string(payload),
                  offset + 8);
    }
  }

  /// Parses one block after the other. What follows a damaged block cannot be found: it gets an empty string.
  void find_blocks(const coding_rules& rules, const block_grid& grid, std::int64_t payload) {
    host_block_decoder decoder(rules);
    const band_range nothing{rules.bands, rules.bands};
    std::int64_t at = 0;
    for (std::int64_t block = 0; block < layout_.blocks; ++block) {
      const auto outcome = decoder.decode(bytes_.data() + layout_.payload + at, (payload - at) / 4, {}, grid.at(block),
                                          nothing, false, [](std::int32_t, const std::uint16_t*) {});
      at = outcome.damaged ? payload : at + (outcome.bits + 31) / 32 * 4;
      starts_[static_cast<std::size_t>(block) + 1] = at;
    }
  }

  stream_header header_;
  slab_layout layout_;
  std::span<const std::byte> bytes_;
  std::vector<std::int64_t> starts_;  // bytes of the payload before a block
  std::vector<std::uint16_t> group_bits_;
};

/// Throws unless the part of the cube that `destination` is to get exists.
/// @throws error invalid_argument
template <class Options>
void check_window(const stream_header& header, const any_mutable_cube& destination, const Options& options) {
  if (destination.type != header.type) {
    throw error(errc::invalid_argument,
                "lce: the stream has samples of type " + std::to_string(static_cast<int>(header.type)) +
                    ", the destination of type " + std::to_string(static_cast<int>(destination.type)));
  }
  gpuimg::detail::check_window(options.x, options.y, destination.width, destination.height, header.width,
                               header.height);
  if (options.first_band < 0 || destination.bands < 0 || options.first_band > header.bands ||
      destination.bands > header.bands - options.first_band) {
    throw error(errc::invalid_argument, "lce: bands " + std::to_string(options.first_band) + " .. " +
                                            std::to_string(options.first_band + destination.bands - 1) +
                                            " of a cube that has " + std::to_string(header.bands));
  }
}

/// The blocks of a slab that a window touches.
class block_window {
 public:
  template <class Options>
  block_window(const stream_header& header, std::int64_t slab, const any_mutable_cube& destination,
               const Options& options) noexcept
      : top_(header.first_row(slab)),
        left_(options.x),
        window_top_(options.y),
        right_(options.x + destination.width),
        bottom_(options.y + destination.height),
        grid_columns_(header.blocks(slab).columns()) {
    const std::int64_t first = std::max<std::int64_t>(window_top_ - top_, 0);
    const std::int64_t last = std::min(bottom_ - top_, header.rows(slab));
    first_row_ = first / block_edge;
    rows_ = last > first ? (last + block_edge - 1) / block_edge - first_row_ : 0;
    first_column_ = left_ / block_edge;
    columns_ = right_ > left_ ? (right_ + block_edge - 1) / block_edge - first_column_ : 0;
  }

  std::int64_t count() const noexcept { return rows_ * columns_; }
  std::int64_t first_row() const noexcept { return first_row_; }        ///< in blocks
  std::int64_t rows() const noexcept { return rows_; }                  ///< in blocks
  std::int64_t first_column() const noexcept { return first_column_; }  ///< in blocks
  std::int64_t columns() const noexcept { return columns_; }            ///< in blocks

  /// The number in the slab of the i-th block of the window.
  std::int64_t block(std::int64_t i) const noexcept {
    return (first_row_ + i / columns_) * grid_columns_ + first_column_ + i % columns_;
  }

  /// What of a block lies in the window.
  block_part part(const block_area& area) const noexcept {
    const std::int64_t y = top_ + area.y;
    const std::int64_t left = std::max(area.x, left_);
    const std::int64_t top = std::max(y, window_top_);
    return {left - left_,
            top - window_top_,
            static_cast<int>(left - area.x),
            static_cast<int>(top - y),
            static_cast<int>(std::min(area.x + area.width, right_) - left),
            static_cast<int>(std::min(y + area.height, bottom_) - top)};
  }

 private:
  std::int64_t top_;
  std::int64_t left_;
  std::int64_t window_top_;
  std::int64_t right_;
  std::int64_t bottom_;
  std::int64_t grid_columns_;
  std::int64_t first_row_;
  std::int64_t rows_;
  std::int64_t first_column_;
  std::int64_t columns_;
};

}  // namespace gpuimg::lce
