/// @file
/// Kernels around the block index of a tile: writing and reading it, finding places, gathering the stream.
#pragma once

#include <cstdint>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/paco/detail/block_kernels.hpp"
#include "gpuimg/codec/paco/detail/table_kernels.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::paco::detail {

/// Sets words to a value.
struct fill_words_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  std::uint32_t* words;
  std::int64_t count;
  std::uint32_t value;

  static constexpr simt::grid_extent grid(std::int64_t count) noexcept { return {(count + threads - 1) / threads}; }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t i = block.index().x * threads + block.rank();
    if (i < count) { words[i] = value; }
  }
};

/// Copies words.
struct copy_words_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  const std::uint32_t* from;
  std::uint32_t* to;
  std::int64_t count;

  static constexpr simt::grid_extent grid(std::int64_t count) noexcept { return fill_words_kernel::grid(count); }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t i = block.index().x * threads + block.rank();
    if (i < count) { to[i] = from[i]; }
  }
};

/// What the kernels know of a tile's index.
struct index_form {
  static constexpr int threads = 256;

  const block_group* groups;
  std::int64_t group_count;
  std::int64_t blocks;
  bool fast_planes;
  bool raw_signs;

  /// Places of the groups' blocks in the index, in bits behind the words of the groups, and of the end: to[0 ..
  /// group_count]. A block collective. @returns the words of the index.
  template <class Block>
  GPUIMG_FUNCTION std::uint64_t place_groups(Block& block, const std::uint16_t* fields, std::uint64_t* to) const {
    const std::uint64_t bits = scan(block, group_count, to, [&](std::int64_t i) {
      return static_cast<std::uint64_t>(groups[i].blocks()) *
             group_fields::unpack(fields[i]).block_bits(fast_planes, raw_signs);
    });
    return static_cast<std::uint64_t>(group_count) + codec::words_of_bits(bits);
  }

  /// Places of the blocks' words, and of the end: to[0 .. blocks]. A block collective. @returns the words of all
  /// blocks.
  template <class Block>
  GPUIMG_FUNCTION std::uint64_t place_blocks(Block& block, const block_record* records, std::uint64_t* to) const {
    return scan(block, blocks, to, [&](std::int64_t i) { return std::uint64_t{records[i].words}; });
  }

  /// Place of block `number` of group `g`, in bits as place_groups() has them.
  GPUIMG_FUNCTION std::uint64_t place_of(std::int64_t number, std::int64_t g, const group_fields& f,
                                         const std::uint64_t* places) const {
    return places[g] +
           static_cast<std::uint64_t>(number - groups[g].first_block) * f.block_bits(fast_planes, raw_signs);
  }

 private:
  /// Exclusive prefix sum of value(0 .. count-1) into `to`; entry `count` is the total. @returns the total.
  template <class Block, class Value>
  GPUIMG_FUNCTION static std::uint64_t scan(Block& block, std::int64_t count, std::uint64_t* to, const Value& value) {
    std::uint64_t before = 0;
    for (std::int64_t first = 0; first < count; first += threads) {
      const std::int64_t i = first + block.rank();
      std::uint64_t total = 0;
      const std::uint64_t own = block.exclusive_scan(i < count ? value(i) : 0, simt::plus{}, total);
      if (i < count) { to[i] = before + own; }
      before += total;
    }
    if (block.rank() == 0) { to[count] = before; }
    return before;
  }
};

inline index_form index_of(const stream_header& h, const tile_layout& layout, const block_group* groups) noexcept {
  return {groups, static_cast<std::int64_t>(layout.groups.size()), layout.blocks, h.fast_planes, h.features.raw_signs};
}

/// What a tile's segment turns out to be.
struct tile_plan {
  std::uint64_t index_words = 0;
  std::uint64_t block_words = 0;
  std::uint64_t segment_bytes = 0;  ///< without CRC
  std::uint32_t table_words = 0;
  std::uint32_t stored = 0;
};

/// Fields of each group, a warp a group.
struct group_fields_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  const block_group* groups;
  std::int64_t group_count;
  const block_record* records;
  std::uint16_t* fields;

  static constexpr simt::grid_extent grid(std::int64_t groups) noexcept {
    return {(groups + threads / simt::warp_size - 1) / (threads / simt::warp_size)};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t i = block.index().x * (threads / simt::warp_size) + block.warp_rank();
    if (i >= group_count) { return; }
    auto warp = block.warp();
    std::uint32_t smallest = 31;
    std::uint32_t largest = 0;
    std::uint32_t longest = 0;
    bool raw = false;
    const std::int64_t end = groups[i].first_block + groups[i].blocks();
    for (std::int64_t b = groups[i].first_block + warp.rank(); b < end; b += simt::warp_size) {
      const block_record r = records[b];
      smallest = r.planes < smallest ? r.planes : smallest;
      largest = r.planes > largest ? r.planes : largest;
      longest = r.words > longest ? r.words : longest;
      raw = raw || r.raw;
    }
    smallest = warp.reduce(smallest, simt::minimum{});
    largest = warp.reduce(largest, simt::maximum{});
    longest = warp.reduce(longest, simt::maximum{});
    raw = warp.any(raw);
    if (warp.rank() == 0) {
      const group_fields f{static_cast<int>(smallest), simt::bit_width(largest - smallest), simt::bit_width(longest),
                           raw};
      fields[i] = f.pack();
    }
  }
};

/// Places of the groups' fields in the index, in bits, and of the blocks' words; with `plan`, what the segment comes
/// to. One block.
struct place_blocks_kernel {
  static constexpr int threads = index_form::threads;
  struct shared_storage {};

  index_form index;
  const std::uint16_t* fields;
  const block_record* records;
  std::uint64_t* index_at;  ///< of each group, from the end of the group words; one more entry for the end
  std::uint64_t* places;    ///< of each block, in words
  tile_plan* plan;
  const std::uint32_t* table_words;
  std::uint64_t stored_bytes;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::uint64_t index_words = index.place_groups(block, fields, index_at);
    const std::uint64_t block_words = index.place_blocks(block, records, places);
    if (block.rank() != 0) { return; }
    tile_plan p;
    p.table_words = *table_words;
    p.index_words = index_words;
    p.block_words = block_words;
    const std::uint64_t coded = 2 * (p.table_words + p.index_words + p.block_words);
    // The host's rule: blocks that alone reach the stored size are not even given an index.
    p.stored = coded >= stored_bytes ? 1 : 0;
    p.segment_bytes = segment_header_bytes + tile_header_bytes + (p.stored != 0 ? stored_bytes : coded);
    *plan = p;
  }
};

/// Writes the blocks' fields into the index's bit string, which is zeroed.
struct write_index_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  index_form index;
  const std::uint16_t* fields;
  const block_record* records;
  const std::uint64_t* index_at;
  std::uint32_t* words;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t b = block.index().x * threads + block.rank();
    if (b >= index.blocks) { return; }
    const std::int64_t g = group_of_block(index.groups, index.group_count, b);
    const group_fields f = group_fields::unpack(fields[g]);
    std::uint64_t at = index.place_of(b, g, f, index_at);
    const auto put = [&](std::uint32_t value, int n) {
      codec::deposit_bits(words, at, value, n);
      at += static_cast<std::uint64_t>(n);
    };
    f.write(records[b], index.fast_planes, index.raw_signs, put);
  }
};

/// Writes a coded tile's segment: headers, tables, index by block 0, code-blocks by a block each.
struct gather_kernel {
  static constexpr int threads = 128;
  struct shared_storage {};

  tile_plan* plan;
  const std::uint32_t* table_string;
  const std::uint16_t* fields;
  std::int64_t group_count;
  const std::uint32_t* index_string;
  const block_group* groups;
  const block_record* records;
  const std::uint64_t* places;
  const std::uint16_t* slabs;
  int largest_planes;
  int block_width;
  int block_height;
  std::uint64_t tile_index;
  bool crc;
  std::uint16_t* out;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const tile_plan p = *plan;
    if (block.index().x == 0) { write_front(block, p); }
    if (p.stored != 0 || block.index().x == 0) { return; }
    const std::int64_t number = block.index().x - 1;
    const block_group& g = groups[group_of_block(groups, group_count, number)];
    const block_rectangle place = block_of(g, number, block_width, block_height);
    const std::uint16_t* from = slabs + slab_of(g, place, number, largest_planes);
    std::uint16_t* to = out + front_words + p.table_words + p.index_words + places[number];
    const std::uint32_t words = records[number].words;
    for (std::uint32_t i = static_cast<std::uint32_t>(block.rank()); i < words; i += threads) { to[i] = from[i]; }
  }

  static constexpr std::uint64_t front_words = (segment_header_bytes + tile_header_bytes) / 2;

 private:
  template <class Block>
  GPUIMG_FUNCTION void write_front(Block& block, const tile_plan& p) const {
    const bool coded = p.stored == 0;
    if (block.rank() == 0) {
      put(0, tile_type, 4);
      put(4, crc ? 1 : 0, 4);
      put(8, p.segment_bytes - segment_header_bytes, 8);
      put(16, tile_index, 8);
      put(24, coded ? 0 : 1, 1, coded && p.table_words > 0 ? 1 : 0);
      put(26, 0, 2);
      put(28, coded ? 2 * p.table_words : 0, 4);
      put(32, coded ? 2 * p.index_words : 0, 8);
      put(40, coded ? 2 * p.block_words : p.segment_bytes - 2 * front_words, 8);
    }
    if (!coded) { return; }
    std::uint16_t* tables = out + front_words;
    for (std::uint32_t i = static_cast<std::uint32_t>(block.rank()); i < p.table_words; i += threads) {
      tables[i] = half(table_string, i);
    }
    std::uint16_t* index = tables + p.table_words;
    for (std::int64_t i = block.rank(); i < static_cast<std::int64_t>(p.index_words); i += threads) {
      index[i] = i < group_count ? fields[i] : half(index_string, static_cast<std::uint64_t>(i - group_count));
    }
  }

  /// Word i of a string kept as words of 32 bits.
  GPUIMG_FUNCTION static std::uint16_t half(const std::uint32_t* string, std::uint64_t i) {
    return static_cast<std::uint16_t>(string[i / 2] >> (16 * (i % 2)));
  }
  /// Stores an integer of `bytes` (2, 4 or 8) bytes, or two single ones.
  GPUIMG_FUNCTION void put(int at, std::uint64_t value, int bytes, std::uint64_t second = 0) const {
    if (bytes == 1) { value |= second << 8; }
    for (int i = 0; 2 * i < bytes; ++i) { out[at / 2 + i] = static_cast<std::uint16_t>(value >> (16 * i)); }
  }
};

/// Reads the records of a decoder's blocks. Any fault is noted, and nothing is trusted then.
struct read_index_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  index_form index;
  const std::uint16_t* words;  ///< the whole index
  std::uint64_t word_count;    ///< at least group_count (checked on the host)
  int largest_planes;
  int block_width;
  int block_height;
  const std::uint64_t* index_at;
  block_record* records;
  std::uint32_t* fault;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t b = block.index().x * threads + block.rank();
    if (b >= index.blocks) { return; }
    const std::int64_t g = group_of_block(index.groups, index.group_count, b);
    const std::uint16_t word = words[g];
    const group_fields f = group_fields::unpack(word);
    std::uint64_t at = index.place_of(b, g, f, index_at);
    const std::uint16_t* string = words + index.group_count;
    const std::uint64_t string_words = word_count - static_cast<std::uint64_t>(index.group_count);
    const auto take = [&](int n) {
      const std::uint32_t v = codec::read_bits(string, string_words, at, n);
      at += static_cast<std::uint64_t>(n);
      return v;
    };
    block_record r = f.read(index.fast_planes, index.raw_signs, take);
    const auto raw_words = [&] {
      const block_rectangle place = block_of(index.groups[g], b, block_width, block_height);
      return raw_block_words(place.width, place.height, r.planes);
    };
    const bool options = r.fast_planes != 0 || r.raw_sign_rows != 0;
    const bool sound = (word >> 14) == 0 && f.planes_bits <= 5 && r.planes <= largest_planes &&
                       r.fast_planes <= r.planes &&
                       (r.planes > 0 || (r.words == 0 && !r.raw && r.raw_sign_rows == 0)) &&
                       (!r.raw || (!options && r.words == raw_words()));
    if (!sound) {
      simt::atomic_max(*fault, static_cast<std::uint32_t>(front_fault::index));
      r = {};
    }
    records[b] = r;
  }
};

/// The decoder's places: of the groups in the index (before read_index_kernel) or of the blocks (after it), with the
/// check that they fill what the tile's header says. One block.
struct check_places_kernel {
  static constexpr int threads = index_form::threads;
  struct shared_storage {};

  index_form index;
  const std::uint16_t* words;
  const block_record* records;  ///< null: the groups' places
  std::uint64_t* to;
  std::uint64_t expected;  ///< words
  std::uint32_t* fault;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::uint64_t found =
        records == nullptr ? index.place_groups(block, words, to) : index.place_blocks(block, records, to);
    if (block.rank() == 0 && found != expected) {
      simt::atomic_max(*fault, static_cast<std::uint32_t>(front_fault::index));
    }
  }
};

}  // namespace gpuimg::paco::detail
