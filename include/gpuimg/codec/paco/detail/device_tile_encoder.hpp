/// @file
/// A tile to bytes by kernels. Where they run is the caller's: on a CUDA device (paco/encoder.cuh), or in the emulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/codec/paco/detail/arena.hpp"
#include "gpuimg/codec/paco/detail/block_kernels.hpp"
#include "gpuimg/codec/paco/detail/index_kernels.hpp"
#include "gpuimg/codec/paco/detail/stored_kernels.hpp"
#include "gpuimg/codec/paco/detail/table_kernels.hpp"
#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/codec/sample_kernels.hpp"
#include "gpuimg/codec/wavelet_kernels.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::paco::detail {

/// Planes that a block of coefficients of type T can have.
template <class T>
inline constexpr int plane_capacity = sizeof(T) == 2 ? 16 : codec::largest_plane_count;

/// Room for the inline form of tables, in words of 32 bits.
inline constexpr int table_string_words = most_table_words / 2 + 2;

/// The arrays that a tile's kernels work on.
template <class T>
struct encoder_memory {
  block_group* groups;
  int* chunks;
  fitting_constants* constants;
  std::uint8_t* defaults;
  std::uint32_t* given_string;  ///< inline form of tables that the caller gave
  std::uint32_t* given_words;   ///< its number of 16-bit words
  std::uint8_t* tables;
  fitted_row* rows;
  std::uint32_t* zeroed;  ///< start of what each tile zeroes: totals .. index_string
  std::uint64_t* totals;
  std::uint32_t* table_string;
  std::uint32_t* table_words;
  std::uint32_t* misfit;
  std::uint32_t* checksum;
  std::uint32_t* index_string;
  std::int64_t zeroed_words;
  block_record* records;
  std::uint64_t* places;
  std::uint16_t* fields;
  std::uint64_t* index_at;
  tile_plan* plan;
  std::uint64_t* size;
  T* coefficients;
  std::uint16_t* segment;  ///< room for tile_bound() in the place of the coefficients, free when blocks are gathered
  T* workspace;
  std::uint16_t* slabs;  ///< in the place of the workspace, which is free when blocks are coded
  std::uint64_t bytes;

  encoder_memory(std::byte* base, const stream_header& h, const tile_layout& layout) {
    arena memory(base);
    const auto groups_n = layout.groups.size();
    const auto blocks = static_cast<std::uint64_t>(layout.blocks);
    const int components = h.picture.components;
    const auto samples = static_cast<std::uint64_t>(layout.width * layout.height * components);
    groups = memory.take<block_group>(groups_n);
    chunks = memory.take<int>(layout.chunks.size());
    constants = memory.take<fitting_constants>(1);
    defaults = memory.take<std::uint8_t>(all_cells);
    given_string = memory.take<std::uint32_t>(table_string_words);
    given_words = memory.take<std::uint32_t>(1);
    tables = memory.take<std::uint8_t>(all_cells);
    rows = memory.take<fitted_row>(all_rows);
    const std::uint64_t start = memory.used();
    totals = memory.take<std::uint64_t>(2 * all_cells);
    zeroed = reinterpret_cast<std::uint32_t*>(totals);
    table_string = memory.take<std::uint32_t>(table_string_words);
    table_words = memory.take<std::uint32_t>(1);
    misfit = memory.take<std::uint32_t>(1);
    checksum = memory.take<std::uint32_t>(1);
    index_string = memory.take<std::uint32_t>(blocks * 34 / 32 + 2);
    zeroed_words = static_cast<std::int64_t>((memory.used() - start) / 4);
    records = memory.take<block_record>(blocks);
    places = memory.take<std::uint64_t>(blocks + 1);
    fields = memory.take<std::uint16_t>(groups_n);
    index_at = memory.take<std::uint64_t>(groups_n + 1);
    plan = memory.take<tile_plan>(1);
    size = memory.take<std::uint64_t>(1);
    const std::uint64_t bound = tile_bound(h, layout.width, layout.height);
    coefficients = memory.take<T>(std::max(samples, bound / sizeof(T) + 1));
    segment = reinterpret_cast<std::uint16_t*>(coefficients);
    const auto transform =
        static_cast<std::uint64_t>(codec::wavelet_planes<T>::workspace_size(layout.width, layout.height, components));
    const auto slab = static_cast<std::uint64_t>(slab_words(static_cast<std::int64_t>(samples), layout.blocks,
                                                            largest_planes(h.picture.depth, h.color_transform)));
    workspace = memory.take<T>(std::max(transform, (2 * slab + sizeof(T) - 1) / sizeof(T)));
    slabs = reinterpret_cast<std::uint16_t*>(workspace);
    bytes = memory.used();
  }
};

/// Encodes tiles of one layout.
template <class Codec, class T>
class device_tile_encoder {
 public:
  using shape = typename Codec::block_coder::shape;
  using features = typename Codec::block_coder::features;

  /// `memory` is laid out for `h` and `layout`, which outlive this object; upload() has filled its constants.
  device_tile_encoder(const stream_header& h, const tile_layout& layout, const encode_options& options,
                      const encoder_memory<T>& memory)
      : h_(h), layout_(layout), options_(options), m_(memory) {}

  /// Copies what does not change from tile to tile: copy(to, from, bytes).
  template <class Copy>
  void upload(const Copy& copy) const {
    static constexpr fitting_constants constants{};
    auto defaults = starting_tables(h_);
    if (options_.choice == table_choice::given) {
      const auto rows = rows_of(layout_, constants.ladder, *options_.tables, defaults);
      std::vector<std::uint16_t> words;
      const bool sent = write_tables(layout_, rows, words);
      if (sent) { apply_rows(constants.ladder, rows, defaults); }
      const std::uint32_t count = sent ? static_cast<std::uint32_t>(words.size()) : 0;
      copy(m_.given_words, &count, sizeof(count));
      words.resize(2 * table_string_words);
      copy(m_.given_string, words.data(), words.size() * sizeof(words[0]));
    }
    copy(m_.groups, layout_.groups.data(), layout_.groups.size() * sizeof(block_group));
    copy(m_.chunks, layout_.chunks.data(), layout_.chunks.size() * sizeof(int));
    copy(m_.constants, &constants, sizeof(constants));
    copy(m_.defaults, defaults.data(), sizeof(defaults));
  }

  /// Runs the kernels, run(grid, kernel) in order, for a tile whose samples they can read; the segment goes to `out`,
  /// of tile_bound() bytes, its size to memory.size, and memory.misfit becomes 1 where a sample does not fit the depth.
  template <class S, class Run>
  void encode(const Run& run, const cube_view<const S>& tile, std::int64_t index, std::uint16_t* out) const {
    const int components = h_.picture.components;
    const planar_view<T> coefficients(m_.coefficients, layout_.width, layout_.height, components);
    const codec::wavelet_planes<T> planes(coefficients, m_.workspace, h_.levels);
    run(fill_words_kernel::grid(m_.zeroed_words), fill_words_kernel{m_.zeroed, m_.zeroed_words, 0});
    run(codec::sample_grid(tile.width, tile.height, tile.bands),
        codec::load_samples_kernel<S, T>{tile, samples_of(h_), planes.low_pass(0), m_.misfit});
    codec::forward_cdf_5_3(planes, run);
    choose_tables(run, coefficients);
    run(simt::grid_extent{layout_.blocks}, encode_blocks_kernel<shape, plane_capacity<T>, features, T>{
                                               blocks(coefficients), m_.tables, m_.slabs, m_.records});
    finish(run, tile, index, out);
  }

 private:
  tile_blocks<T> blocks(const planar_view<T>& coefficients) const {
    return {m_.groups,      static_cast<std::int64_t>(layout_.groups.size()),
            layout_.blocks, coefficients,
            h_.raw_planes,  options_.fast_planes,
            h_.features,    largest_planes(h_.picture.depth, h_.color_transform)};
  }

  template <class Run>
  void choose_tables(const Run& run, const planar_view<T>& coefficients) const {
    run(copy_words_kernel::grid(all_cells / 4),
        copy_words_kernel{reinterpret_cast<const std::uint32_t*>(m_.defaults),
                          reinterpret_cast<std::uint32_t*>(m_.tables), all_cells / 4});
    if (options_.choice == table_choice::standard) { return; }
    if (options_.choice == table_choice::given) {
      run(copy_words_kernel::grid(table_string_words),
          copy_words_kernel{m_.given_string, m_.table_string, table_string_words});
      run(simt::grid_extent{1}, copy_words_kernel{m_.given_words, m_.table_words, 1});
      return;
    }
    const std::int64_t stride = counting_stride(layout_.blocks);
    const auto chunks = static_cast<int>(layout_.chunks.size());
    run(simt::grid_extent{counted_blocks(layout_.blocks)},
        count_blocks_kernel<shape, plane_capacity<T>, features, T>{blocks(coefficients), stride, m_.totals});
    run(fit_rows_kernel::grid(chunks),
        fit_rows_kernel{m_.constants, m_.totals, stride, m_.chunks, chunks, m_.tables, m_.rows});
    run(simt::grid_extent{1},
        write_tables_kernel{m_.constants, m_.chunks, chunks, m_.tables, m_.rows, m_.table_string, m_.table_words});
  }

  template <class S, class Run>
  void finish(const Run& run, const cube_view<const S>& tile, std::int64_t index, std::uint16_t* out) const {
    const index_form form = index_of(h_, layout_, m_.groups);
    const std::uint64_t stored = stored_bytes(h_, tile.width, tile.height);
    run(group_fields_kernel::grid(form.group_count),
        group_fields_kernel{m_.groups, form.group_count, m_.records, m_.fields});
    run(simt::grid_extent{1},
        place_blocks_kernel{form, m_.fields, m_.records, m_.index_at, m_.places, m_.plan, m_.table_words, stored});
    run(fill_words_kernel::grid(layout_.blocks),
        write_index_kernel{form, m_.fields, m_.records, m_.index_at, m_.index_string});
    run(simt::grid_extent{layout_.blocks + 1},
        gather_kernel{m_.plan, m_.table_string, m_.fields, form.group_count, m_.index_string, m_.groups, m_.records,
                      m_.places, m_.slabs, largest_planes(h_.picture.depth, h_.color_transform), shape::width,
                      shape::height, static_cast<std::uint64_t>(index), options_.crc, out});
    run(store_as_they_are_kernel<S>::grid(stored),
        store_as_they_are_kernel<S>{m_.plan, tile, h_.picture.depth, out + gather_kernel::front_words});
    if (options_.crc) {
      run(checksum_kernel::grid(tile_bound(h_, tile.width, tile.height)), checksum_kernel{m_.plan, out, m_.checksum});
    }
    run(simt::grid_extent{1}, finish_segment_kernel{m_.plan, m_.checksum, options_.crc, out, m_.size});
  }

  const stream_header& h_;
  const tile_layout& layout_;
  const encode_options& options_;
  encoder_memory<T> m_;
};

}  // namespace gpuimg::paco::detail
