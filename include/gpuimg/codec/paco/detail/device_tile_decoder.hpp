/// @file
/// Bytes to a tile by kernels. Where they run is the caller's: on a CUDA device (paco/decoder.cuh), or in the emulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "gpuimg/codec/paco/detail/arena.hpp"
#include "gpuimg/codec/paco/detail/block_kernels.hpp"
#include "gpuimg/codec/paco/detail/device_tile_encoder.hpp"
#include "gpuimg/codec/paco/detail/index_kernels.hpp"
#include "gpuimg/codec/paco/detail/stored_kernels.hpp"
#include "gpuimg/codec/paco/detail/table_kernels.hpp"
#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/sample_kernels.hpp"
#include "gpuimg/codec/wavelet_kernels.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::paco::detail {

/// What the kernels found wrong.
struct decoder_status {
  std::uint64_t damaged_block;  ///< all ones: none
  std::uint32_t front;          ///< a front_fault
  std::uint32_t unused;
};

/// Starts a tile: nothing is wrong yet.
struct clear_status_kernel {
  static constexpr int threads = simt::warp_size;
  struct shared_storage {};

  decoder_status* status;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() == 0) { *status = {~std::uint64_t{0}, 0, 0}; }
  }
};

/// The arrays that a tile's kernels work on.
template <class T>
struct decoder_memory {
  block_group* groups;
  int* chunks;
  std::uint8_t* defaults;
  std::uint8_t* tables;
  decoder_status* status;
  block_record* records;
  std::uint64_t* places;
  std::uint64_t* index_at;
  T* coefficients;
  T* workspace;
  T* samples;  ///< room for the decoded samples, in the place of what the last kernel does not read
  std::uint64_t bytes;

  decoder_memory(std::byte* base, const stream_header& h, const tile_layout& layout) {
    arena memory(base);
    const auto blocks = static_cast<std::uint64_t>(layout.blocks);
    const int components = h.picture.components;
    groups = memory.take<block_group>(layout.groups.size());
    chunks = memory.take<int>(layout.chunks.size());
    defaults = memory.take<std::uint8_t>(all_cells);
    tables = memory.take<std::uint8_t>(all_cells);
    status = memory.take<decoder_status>(1);
    records = memory.take<block_record>(blocks);
    places = memory.take<std::uint64_t>(blocks + 1);
    index_at = memory.take<std::uint64_t>(layout.groups.size() + 1);
    coefficients = memory.take<T>(static_cast<std::uint64_t>(layout.width * layout.height * components));
    workspace = memory.take<T>(
        static_cast<std::uint64_t>(codec::wavelet_planes<T>::workspace_size(layout.width, layout.height, components)));
    samples = h.levels > 0 ? coefficients : workspace;
    bytes = memory.used();
  }
};

/// Decodes tiles of one layout.
template <class Codec, class T>
class device_tile_decoder {
 public:
  using shape = typename Codec::block_coder::shape;
  using features = typename Codec::block_coder::features;

  /// `memory` is laid out for `h` and `layout`, which outlive this object; upload() has filled its constants.
  device_tile_decoder(const stream_header& h, const tile_layout& layout, const decoder_memory<T>& memory)
      : h_(h), layout_(layout), m_(memory) {}

  /// Copies what does not change from tile to tile: copy(to, from, bytes).
  template <class Copy>
  void upload(const Copy& copy) const {
    const auto defaults = starting_tables(h_);
    copy(m_.groups, layout_.groups.data(), layout_.groups.size() * sizeof(block_group));
    copy(m_.chunks, layout_.chunks.data(), layout_.chunks.size() * sizeof(int));
    copy(m_.defaults, defaults.data(), sizeof(defaults));
  }

  /// Runs the kernels, run(grid, kernel) in order, for a tile of header `t`, whose payload behind that header is at
  /// `words` where they can read it. The tile is written whatever the status, which the caller looks at afterwards.
  template <class S, class Run>
  void decode(const Run& run, const tile_header& t, const std::uint16_t* words, const cube_view<S>& tile) const {
    run(simt::grid_extent{1}, clear_status_kernel{m_.status});
    if (t.stored) {
      run(load_stored_kernel<S>::grid(tile.size()),
          load_stored_kernel<S>{words, t.block_bytes / 2, h_.picture.depth, tile});
      return;
    }
    const int components = h_.picture.components;
    const planar_view<T> coefficients(m_.coefficients, layout_.width, layout_.height, components);
    const codec::wavelet_planes<T> planes(coefficients, m_.workspace, h_.levels);
    read_front(run, t, words);
    const std::uint16_t* block_words = words + (t.table_bytes + t.index_bytes) / 2;
    run(simt::grid_extent{layout_.blocks}, decode_blocks_kernel<shape, plane_capacity<T>, features, T>{
                                               blocks(coefficients), m_.tables, block_words, m_.records, m_.places,
                                               &m_.status->front, &m_.status->damaged_block});
    codec::inverse_cdf_5_3(planes, h_.levels, run);
    run(codec::sample_grid(tile.width, tile.height, tile.bands),
        codec::store_samples_kernel<T, S>{planes.low_pass(0), samples_of(h_), tile});
  }

 private:
  tile_blocks<T> blocks(const planar_view<T>& coefficients) const {
    return {m_.groups,      static_cast<std::int64_t>(layout_.groups.size()),
            layout_.blocks, coefficients,
            h_.raw_planes,  0,
            h_.features,    largest_planes(h_.picture.depth, h_.color_transform)};
  }

  template <class Run>
  void read_front(const Run& run, const tile_header& t, const std::uint16_t* words) const {
    std::uint32_t* fault = &m_.status->front;
    run(copy_words_kernel::grid(all_cells / 4),
        copy_words_kernel{reinterpret_cast<const std::uint32_t*>(m_.defaults),
                          reinterpret_cast<std::uint32_t*>(m_.tables), all_cells / 4});
    if (t.inline_tables) {
      run(simt::grid_extent{1}, read_tables_kernel{words, t.table_bytes / 2, m_.chunks,
                                                   static_cast<int>(layout_.chunks.size()), m_.tables, fault});
    }
    const std::uint16_t* index_words = words + t.table_bytes / 2;
    const index_form index = index_of(h_, layout_, m_.groups);
    run(simt::grid_extent{1}, check_places_kernel{index, index_words, nullptr, m_.index_at, t.index_bytes / 2, fault});
    run(fill_words_kernel::grid(layout_.blocks),
        read_index_kernel{index, index_words, t.index_bytes / 2, largest_planes(h_.picture.depth, h_.color_transform),
                          shape::width, shape::height, m_.index_at, m_.records, fault});
    run(simt::grid_extent{1}, check_places_kernel{index, index_words, m_.records, m_.places, t.block_bytes / 2, fault});
  }

  const stream_header& h_;
  const tile_layout& layout_;
  decoder_memory<T> m_;
};

}  // namespace gpuimg::paco::detail
