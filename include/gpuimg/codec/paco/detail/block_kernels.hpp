/// @file
/// Kernels that code the blocks of a tile, one warp a block: counting, encoding, decoding.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/bitplane_walk.hpp"
#include "gpuimg/codec/bitplane_warp.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::paco::detail {

/// What the kernels know of a tile. Pointers are to memory of where the kernels run.
template <class T>
struct tile_blocks {
  const block_group* groups = nullptr;
  std::int64_t group_count = 0;
  std::int64_t blocks = 0;
  planar_view<T> coefficients;
  int raw_planes = 0;
  int fast_planes = 0;
  codec::coder_features features{};
  int largest_planes = 0;  ///< bound of M, for the size of slabs
};

/// Whether the coder may have to keep lists: features are known at run time only, or have compact refinement.
template <class Features>
constexpr bool needs_lists() {
  if constexpr (std::is_same_v<Features, codec::coder_features>) {
    return true;
  } else {
    return Features::compact_refinement;
  }
}

/// Shared memory of the warp that codes a block.
template <class Shape, int Planes, class Features>
struct block_storage {
  using coder_storage = std::conditional_t<needs_lists<Features>(), codec::compact_warp_block_storage<Shape, Planes>,
                                           codec::warp_block_storage<Shape, Planes>>;
  coder_storage coder;
  std::uint8_t table[Planes * codec::cells_per_row];
};

/// Place in words of a block's slab: enough for the block raw, whatever its coefficients.
GPUIMG_FUNCTION inline std::int64_t slab_of(const block_group& g, const block_rectangle& place, std::int64_t number,
                                            int largest_planes) noexcept {
  const std::int64_t x = place.x - g.area.x;
  const std::int64_t y = place.y - g.area.y;
  const std::int64_t samples = g.first_sample + y * g.area.width + x * place.height;
  return samples * (largest_planes + 1) / 16 + number;
}

/// Words of all slabs of a tile.
constexpr std::int64_t slab_words(std::int64_t samples, std::int64_t blocks, int largest_planes) noexcept {
  return samples * (largest_planes + 1) / 16 + blocks + 1;
}

/// The parameters of a block's walk, M and q yet unknown.
template <class Features, class T>
GPUIMG_FUNCTION codec::block_parameters<Features> parameters_of(const tile_blocks<T>& tile,
                                                                const block_rectangle& place) {
  codec::block_parameters<Features> p;
  p.width = place.width;
  p.height = place.height;
  p.raw_planes = tile.raw_planes;
  p.raw_sign_row = place.height;
  if constexpr (std::is_same_v<Features, codec::coder_features>) { p.features = tile.features; }
  return p;
}

/// Loads a block and settles M, N and q. @returns q.
template <class Shape, class Features, class Warp, class Storage, class T>
GPUIMG_FUNCTION int load_block_of_tile(Warp& warp, Storage& storage, const tile_blocks<T>& tile, const block_group& g,
                                       const block_rectangle& place, codec::block_parameters<Features>& p) {
  const auto* plane =
      gpuimg::detail::advance_bytes(tile.coefficients.data, g.component * tile.coefficients.plane_pitch);
  const image_view<const T> from(plane, tile.coefficients.width, tile.coefficients.height, tile.coefficients.pitch);
  p.planes = codec::load_block<Shape>(
      warp, place.width, place.height, [&](int x, int y) { return from(place.x + x, place.y + y); }, storage.block);
  p.fast_planes = p.planes < tile.fast_planes ? p.planes : tile.fast_planes;
  const int q = codec::choose_raw_sign_rows<Shape>(storage.block, p, warp.rank(), simt::warp_size,
                                                   [&](std::uint32_t n) { return warp.reduce(n, simt::plus{}); });
  p.raw_sign_row = codec::raw_sign_row(place.height, q);
  return q;
}

/// Adds the symbols of one of every `stride` blocks to totals[table][plane][cell][symbol].
template <class Shape, int Planes, class Features, class T>
struct count_blocks_kernel {
  static constexpr int threads = simt::warp_size;
  struct shared_storage {
    typename block_storage<Shape, Planes, Features>::coder_storage coder;
    std::uint32_t counts[Planes * codec::cells_per_row * 2];
  };

  tile_blocks<T> tile;
  std::int64_t stride;
  std::uint64_t* totals;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    const std::int64_t number = counted_block(block.index().x, stride);
    const block_group& g = tile.groups[group_of_block(tile.groups, tile.group_count, number)];
    const block_rectangle place = block_of(g, number, Shape::width, Shape::height);
    auto p = parameters_of<Features>(tile, place);
    load_block_of_tile<Shape>(warp, shared.coder, tile, g, place, p);
    const int used = p.planes * codec::cells_per_row * 2;
    for (int i = warp.rank(); i < used; i += simt::warp_size) { shared.counts[i] = 0; }
    warp.sync();
    if (p.planes == 0) { return; }
    codec::count_block<Shape>(warp, shared.coder, p, shared.counts);
    std::uint64_t* to = totals + static_cast<std::int64_t>(g.table) * set_cells * 2;
    for (int i = warp.rank(); i < used; i += simt::warp_size) {
      if (shared.counts[i] != 0) { simt::atomic_add(to[i], shared.counts[i]); }
    }
  }
};

/// Encodes every block into its slab and records it.
template <class Shape, int Planes, class Features, class T>
struct encode_blocks_kernel {
  static constexpr int threads = simt::warp_size;
  using shared_storage = block_storage<Shape, Planes, Features>;

  tile_blocks<T> tile;
  const std::uint8_t* tables;
  std::uint16_t* slabs;
  block_record* records;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    const std::int64_t number = block.index().x;
    const block_group& g = tile.groups[group_of_block(tile.groups, tile.group_count, number)];
    const block_rectangle place = block_of(g, number, Shape::width, Shape::height);
    auto p = parameters_of<Features>(tile, place);
    const int q = load_block_of_tile<Shape>(warp, shared.coder, tile, g, place, p);
    block_record r;
    if (p.planes > 0) {
      const std::uint8_t* table = tables + static_cast<std::int64_t>(g.table) * set_cells;
      for (int i = warp.rank(); i < p.planes * codec::cells_per_row; i += simt::warp_size) {
        shared.table[i] = table[i];
      }
      warp.sync();
      std::uint16_t* slab = slabs + slab_of(g, place, number, tile.largest_planes);
      const std::uint32_t raw_words = raw_block_words(place.width, place.height, p.planes);
      r.words = codec::encode_block<Shape>(warp, shared.coder, p, shared.table, slab, raw_words);
      r.planes = static_cast<std::uint8_t>(p.planes);
      if (r.words < raw_words) {
        r.fast_planes = static_cast<std::uint8_t>(p.fast_planes);
        r.raw_sign_rows = static_cast<std::uint8_t>(q);
      } else {
        r.words = raw_words;
        r.raw = true;
        write_raw(warp, shared.coder.block, p, slab);
      }
    }
    if (warp.rank() == 0) { records[number] = r; }
  }

 private:
  /// Each lane gathers words of its own.
  template <class Warp, class BlockPlanes, class Parameters>
  GPUIMG_FUNCTION static void write_raw(Warp& warp, const BlockPlanes& block, const Parameters& p,
                                        std::uint16_t* words) {
    const int bits = p.planes + 1;
    const int total = p.width * p.height * bits;
    for (int w = warp.rank(); 16 * w < total; w += simt::warp_size) {
      std::uint32_t word = 0;
      for (int i = 0; i < 16 && 16 * w + i < total; ++i) {
        const int sample = (16 * w + i) / bits;
        const int plane = (16 * w + i) % bits;
        const int x = sample % p.width;
        const int y = sample / p.width;
        const auto& masks = plane < p.planes ? block.magnitude[plane] : block.sign;
        word |= ((masks.row[y][x % Shape::columns] >> (x / Shape::columns)) & 1u) << i;
      }
      words[w] = static_cast<std::uint16_t>(word);
    }
  }
};

/// Decodes every block from `words` at its place. *damaged becomes the number of the first damaged block, if there is
/// one.
template <class Shape, int Planes, class Features, class T>
struct decode_blocks_kernel {
  static constexpr int threads = simt::warp_size;
  using shared_storage = block_storage<Shape, Planes, Features>;

  tile_blocks<T> tile;
  const std::uint8_t* tables;
  const std::uint16_t* words;
  const block_record* records;
  const std::uint64_t* places;
  const std::uint32_t* index_fault;  ///< not 0: the records are not to be trusted, nothing is done
  std::uint64_t* damaged;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    if (*index_fault != 0) { return; }
    auto warp = block.warp();
    const std::int64_t number = block.index().x;
    const block_group& g = tile.groups[group_of_block(tile.groups, tile.group_count, number)];
    const block_rectangle place = block_of(g, number, Shape::width, Shape::height);
    const block_record r = records[number];
    const std::uint16_t* own = words + places[number];
    auto* plane = gpuimg::detail::advance_bytes(tile.coefficients.data, g.component * tile.coefficients.plane_pitch);
    const image_view<T> to(plane, tile.coefficients.width, tile.coefficients.height, tile.coefficients.pitch);
    const auto put = [&](int x, int y, std::int32_t v) { to(place.x + x, place.y + y) = static_cast<T>(v); };
    if (r.raw) {
      const int bits = r.planes + 1;
      for (int i = warp.rank(); i < place.width * place.height; i += simt::warp_size) {
        const std::uint32_t v =
            codec::read_bits(own, r.words, static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(bits), bits);
        const auto m = static_cast<std::int32_t>(v & codec::low_bits(r.planes));
        put(i % place.width, i / place.width, (v >> r.planes) != 0 ? -m : m);
      }
      return;
    }
    auto p = parameters_of<Features>(tile, place);
    p.planes = r.planes;
    p.fast_planes = r.fast_planes;
    p.raw_sign_row = codec::raw_sign_row(place.height, r.raw_sign_rows);
    const std::uint8_t* table = tables + static_cast<std::int64_t>(g.table) * set_cells;
    for (int i = warp.rank(); i < p.planes * codec::cells_per_row; i += simt::warp_size) { shared.table[i] = table[i]; }
    warp.sync();
    if (!codec::decode_block<Shape>(warp, shared.coder, p, shared.table, own, r.words) && warp.rank() == 0) {
      simt::atomic_min(*damaged, static_cast<std::uint64_t>(number));
    }
    warp.sync();
    codec::store_block<Shape>(warp, place.width, place.height, p.planes, shared.coder.block, put);
  }
};

}  // namespace gpuimg::paco::detail
