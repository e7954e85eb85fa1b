/// @file
/// Bytes to a tile, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/bitplane_host.hpp"
#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/codec/sample_transform.hpp"
#include "gpuimg/codec/wavelet_transform.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::paco::detail {

/// Decodes tiles whose coefficients are of type T. Keeps its memory from tile to tile.
template <class Codec, class T>
class host_tile_decoder {
 public:
  using shape = typename Codec::block_coder::shape;

  /// Decodes the payload of a TILE segment, which starts at `offset` of the stream, into `tile`.
  template <class S>
  void decode(const host& execution, const stream_header& h, std::span<const std::byte> payload, std::int64_t index,
              std::uint64_t offset, const cube_view<S>& tile) {
    const tile_header t = read_tile_front(h, payload, index, offset, tile.width, tile.height);
    if (t.stored) {
      load_stored_samples(h, payload.subspan(tile_header_bytes), tile);
      return;
    }
    if (layout_.width != tile.width || layout_.height != tile.height || !(header_ == h)) {
      layout_ = layout_tile(h, tile.width, tile.height);
      header_ = h;
    }
    const auto threads = execution.thread_count();
    while (coders_.size() < threads) { coders_.push_back(std::make_unique<codec::host_block_coder<shape>>()); }

    auto rest = payload.subspan(tile_header_bytes);
    std::uint64_t at = offset + tile_header_bytes;
    const auto part = [&](std::uint64_t bytes) {
      const auto p = rest.first(static_cast<std::size_t>(bytes));
      rest = rest.subspan(static_cast<std::size_t>(bytes));
      return p;
    };
    tables_ = starting_tables(h);
    if (t.inline_tables) { read_tables(layout_, part(t.table_bytes), at, tables_); }
    at += t.table_bytes;
    read_index(h, layout_, part(t.index_bytes), t.block_bytes, at, records_);
    at += t.index_bytes;
    decode_blocks(threads, rest, at);

    const planar_view<T> planes(coefficients_.data(), tile.width, tile.height, h.picture.components);
    for (int c = 0; c < h.picture.components; ++c) { codec::inverse_cdf_5_3(execution, planes.plane(c), h.levels); }
    codec::store_samples(execution, planes, samples_of(h), tile);
  }

  /// Bytes of memory held.
  std::uint64_t workspace_bytes() const noexcept {
    return coefficients_.capacity() * sizeof(T) + records_.capacity() * sizeof(block_record) +
           places_.capacity() * sizeof(std::uint64_t) + coders_.size() * sizeof(codec::host_block_coder<shape>) +
           layout_.groups.capacity() * sizeof(block_group);
  }

 private:
  void decode_blocks(unsigned threads, std::span<const std::byte> bytes, std::uint64_t offset) {
    renew(coefficients_, static_cast<std::uint64_t>(layout_.width * layout_.height * header_.picture.components));
    renew(places_, records_.size());
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      places_[i] = place;
      place += 2 * std::uint64_t{records_[i].words};
    }
    constexpr std::int64_t blocks_per_part = 16;
    const std::int64_t parts = (layout_.blocks + blocks_per_part - 1) / blocks_per_part;
    std::atomic<std::int64_t> damaged{-1};
    parallel_for(threads, parts, [&](std::int64_t part, unsigned thread) {
      const std::int64_t end = std::min(layout_.blocks, (part + 1) * blocks_per_part);
      std::vector<std::uint16_t> words;
      auto group = group_of(layout_, part * blocks_per_part);
      for (std::int64_t number = part * blocks_per_part; number < end; ++number) {
        while (number >= group->first_block + group->blocks()) { ++group; }
        const block_record& r = records_[static_cast<std::size_t>(number)];
        words.resize(r.words);
        if (r.words > 0) {
          std::memcpy(words.data(), bytes.data() + places_[static_cast<std::size_t>(number)], 2 * words.size());
        }
        if (!decode_block(*coders_[thread], *group, number, r, words)) {
          // The first damaged block in the stream's order, whatever the threads' order.
          std::int64_t seen = damaged.load();
          while ((seen < 0 || number < seen) && !damaged.compare_exchange_weak(seen, number)) {}
        }
      }
    });
    if (const std::int64_t number = damaged.load(); number >= 0) {
      refuse_block(records_, static_cast<std::uint64_t>(number), offset);
    }
  }

  bool decode_block(codec::host_block_coder<shape>& coder, const block_group& g, std::int64_t number,
                    const block_record& r, std::span<const std::uint16_t> words) {
    const block_rectangle place = block_of(g, number, shape::width, shape::height);
    const image_view<T> to(
        coefficients_.data() + static_cast<std::ptrdiff_t>(g.component * layout_.width * layout_.height), layout_.width,
        layout_.height);
    const auto put = [&](int x, int y, std::int32_t v) { to(place.x + x, place.y + y) = static_cast<T>(v); };
    if (r.raw) {
      coder.read_raw(place.width, place.height, r.planes, words, put);
      return true;
    }
    codec::block_parameters<> p = parameters_of(header_, place, r.planes, r.fast_planes);
    p.raw_sign_row = codec::raw_sign_row(place.height, r.raw_sign_rows);
    const std::uint8_t* table =
        tables_[static_cast<std::size_t>(g.table / table_sets)].data() + g.table % table_sets * set_cells;
    const bool sound = coder.decode(p, table, words);
    coder.store(place.width, place.height, r.planes, put);
    return sound;
  }

  stream_header header_;
  tile_layout layout_;
  std::vector<T> coefficients_;
  std::array<class_table, table_classes> tables_{};
  std::vector<block_record> records_;
  std::vector<std::uint64_t> places_;
  std::vector<std::unique_ptr<codec::host_block_coder<shape>>> coders_;
};

}  // namespace gpuimg::paco::detail
