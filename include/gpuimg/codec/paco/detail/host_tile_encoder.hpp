/// @file
/// A tile to bytes, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpuimg/codec/bitplane_host.hpp"
#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/codec/sample_transform.hpp"
#include "gpuimg/codec/wavelet_transform.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::paco::detail {

/// Encodes tiles whose coefficients are of type T. Keeps its memory from tile to tile.
template <class Codec, class T>
class host_tile_encoder {
 public:
  using shape = typename Codec::block_coder::shape;

  /// Writes the tile's segment to `out`. @returns its size.
  template <class S>
  std::uint64_t encode(const host& execution, const stream_header& h, const encode_options& options,
                       cube_view<const S> tile, std::int64_t index, std::span<std::byte> out) {
    prepare(execution, h, tile);

    tables_ = starting_tables(h);
    table_words_.clear();
    const bool inline_tables = choose_tables(options);
    if (!inline_tables) { table_words_.clear(); }

    const std::uint64_t limit = stored_bytes(h, tile.width, tile.height);
    renew(records_, static_cast<std::uint64_t>(layout_.blocks));
    byte_sink sink(out);
    const auto start = sink.take(segment_header_bytes + tile_header_bytes);
    tile_header t;
    t.index = static_cast<std::uint64_t>(index);
    // The blocks go to `out` at once, behind the tables; they move up by the index when its size is known.
    const std::uint64_t table_bytes = 2 * table_words_.size();
    const std::uint64_t block_limit = limit - std::min(limit, table_bytes);
    const auto space = out.subspan(sink.size());
    const auto blocks = space.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(table_bytes, space.size())));
    t.block_bytes = encode_blocks(options, block_limit, blocks);
    if (t.block_bytes < block_limit) {
      index_words_.clear();
      write_index(h, layout_, records_, index_words_);
      t.index_bytes = 2 * index_words_.size();
    }
    t.inline_tables = inline_tables;
    t.table_bytes = table_bytes;
    t.stored = t.table_bytes + t.index_bytes + t.block_bytes >= limit;
    if (t.stored) {
      t = {.index = t.index, .stored = true, .block_bytes = limit};
      store_samples_as_they_are(tile, h.picture.depth, sink);
    } else {
      sink.put_words(table_words_);
      const auto rest = sink.take(t.index_bytes + t.block_bytes);
      std::memmove(rest.data() + t.index_bytes, rest.data(), static_cast<std::size_t>(t.block_bytes));
      byte_sink(rest).put_words(index_words_);
    }
    const segment_header s{tile_type, options.crc, false, sink.size() - segment_header_bytes};
    write_segment_header(start.data(), s);
    write_tile_header(start.data() + segment_header_bytes, t);
    if (options.crc) {
      const std::uint32_t crc = crc32(out.first(sink.size()));
      store_little(sink.take(4).data(), crc);
    }
    return sink.size();
  }

  /// Counts the symbols that coding the tile would code: [class][set][plane][cell][symbol]. For training tables.
  template <class S>
  const std::vector<std::uint64_t>& count(const host& execution, const stream_header& h, const encode_options& options,
                                          cube_view<const S> tile) {
    prepare(execution, h, tile);
    return count_symbols(options, 1);
  }

  /// Bytes of memory held.
  std::uint64_t workspace_bytes() const noexcept {
    std::uint64_t bytes = coefficients_.capacity() * sizeof(T) + records_.capacity() * sizeof(block_record) +
                          workers_.size() * sizeof(worker) + layout_.groups.capacity() * sizeof(block_group);
    for (const auto& w : workers_) { bytes += 2 * w->words.capacity(); }
    return bytes;
  }

 private:
  struct worker {
    codec::host_block_coder<shape> coder;
    std::vector<std::uint32_t> counts = std::vector<std::uint32_t>(2 * set_cells);
    std::vector<std::uint64_t> totals;
    std::vector<std::uint16_t> words;  ///< of the part in work
  };

  image_view<T> plane(int component) {
    return {coefficients_.data() + static_cast<std::ptrdiff_t>(component * layout_.width * layout_.height),
            layout_.width, layout_.height};
  }

  /// Lays the tile out and fills the coefficients.
  template <class S>
  void prepare(const host& execution, const stream_header& h, const cube_view<const S>& tile) {
    if (layout_.width != tile.width || layout_.height != tile.height || !(header_ == h)) {
      layout_ = layout_tile(h, tile.width, tile.height);
      header_ = h;
    }
    threads_ = execution.thread_count();
    while (workers_.size() < threads_) { workers_.push_back(std::make_unique<worker>()); }
    transform(execution, tile);
  }

  template <class S>
  void transform(const host& execution, const cube_view<const S>& tile) {
    renew(coefficients_, static_cast<std::uint64_t>(tile.width * tile.height * header_.picture.components));
    const planar_view<T> planes(coefficients_.data(), tile.width, tile.height, header_.picture.components);
    codec::load_samples(execution, tile, samples_of(header_), planes);
    for (int c = 0; c < header_.picture.components; ++c) {
      codec::forward_cdf_5_3(execution, plane(c), header_.levels);
    }
  }

  /// Calls body(worker, group, block number) for one of every `stride` blocks.
  template <class Body>
  void for_blocks(std::int64_t stride, const Body& body) {
    parallel_for(threads_, layout_.blocks / stride, [&](std::int64_t i, unsigned thread) {
      const std::int64_t number = counted_block(i, stride);
      body(*workers_[thread], *group_of(layout_, number), number);
    });
  }

  /// Loads block `number` and settles the parameters of its walk.
  codec::block_parameters<> load(worker& w, const block_group& g, std::int64_t number, int fast_planes, int& q) {
    const block_rectangle place = block_of(g, number, shape::width, shape::height);
    const image_view<T> from = plane(g.component);
    const int planes =
        w.coder.load(place.width, place.height, [&](int x, int y) { return from(place.x + x, place.y + y); });
    codec::block_parameters<> p = parameters_of(header_, place, planes, fast_planes);
    q = w.coder.raw_sign_rows(p);
    p.raw_sign_row = codec::raw_sign_row(place.height, q);
    return p;
  }

  bool choose_tables(const encode_options& options) {
    if (options.choice == table_choice::standard) { return false; }
    std::vector<fitted_row> rows(all_rows);
    static constexpr fitting_constants constants{};
    if (options.choice == table_choice::given) {
      rows = rows_of(layout_, constants.ladder, *options.tables, tables_);
    } else {
      fit_tables(options, constants, rows);
    }
    apply_rows(constants.ladder, rows, tables_);
    return write_tables(layout_, rows, table_words_);
  }

  /// Counts the symbols of one of every `stride` blocks: [class][set][plane][cell][symbol].
  const std::vector<std::uint64_t>& count_symbols(const encode_options& options, std::int64_t stride) {
    for (auto& w : workers_) { w->totals.assign(std::size_t{table_classes} * class_cells * 2, 0); }
    for_blocks(stride, [&](worker& w, const block_group& g, std::int64_t number) {
      int q = 0;
      const auto p = load(w, g, number, options.fast_planes, q);
      if (p.planes == 0) { return; }
      const auto used = w.counts.begin() + p.planes * codec::cells_per_row * 2;
      std::fill(w.counts.begin(), used, 0u);
      w.coder.count(p, w.counts.data());
      std::uint64_t* totals = w.totals.data() + static_cast<std::ptrdiff_t>(g.table) * set_cells * 2;
      for (auto c = w.counts.begin(); c != used; ++c, ++totals) { *totals += *c; }
    });
    std::vector<std::uint64_t>& totals = workers_.front()->totals;
    for (std::size_t w = 1; w < workers_.size(); ++w) {
      for (std::size_t i = 0; i < totals.size(); ++i) { totals[i] += workers_[w]->totals[i]; }
    }
    return totals;
  }

  void fit_tables(const encode_options& options, const fitting_constants& constants, std::vector<fitted_row>& rows) {
    const std::int64_t stride = counting_stride(layout_.blocks);
    const std::vector<std::uint64_t>& totals = count_symbols(options, stride);
    // A chunk pays for its rows one by one; all of them together pay for the length words.
    std::int64_t saving = -16 * 4096 * static_cast<std::int64_t>(layout_.chunks.size());
    for (const int chunk : layout_.chunks) {
      for (int plane = 0; plane < table_rows; ++plane) {
        const int i = chunk * table_rows + plane;
        const std::uint8_t* defaults = tables_[static_cast<std::size_t>(chunk / table_sets)].data() +
                                       chunk % table_sets * set_cells + plane * codec::cells_per_row;
        rows[static_cast<std::size_t>(i)] = fit_row(
            constants, totals.data() + static_cast<std::ptrdiff_t>(i) * codec::cells_per_row * 2, stride, defaults);
        saving += rows[static_cast<std::size_t>(i)].saving;
      }
    }
    if (saving <= 0) { std::fill(rows.begin(), rows.end(), fitted_row{}); }
  }

  /// Encodes all blocks to the front of `to`. @returns their bytes, or some number of at least `limit` once that is
  /// reached.
  /// @throws error buffer_too_small when they are below the limit and do not fit.
  std::uint64_t encode_blocks(const encode_options& options, std::uint64_t limit, std::span<std::byte> to) {
    constexpr std::int64_t blocks_per_part = 16;
    const std::int64_t parts = (layout_.blocks + blocks_per_part - 1) / blocks_per_part;
    // Parts that are done before an earlier one wait here; few, as they are begun in order.
    waiting_.clear();
    byte_sink sink(to.first(static_cast<std::size_t>(std::min<std::uint64_t>(limit, to.size()))));
    const bool is_cut = to.size() < limit;
    std::int64_t next = 0;
    std::mutex lock;
    std::atomic<bool> is_full{false};
    const auto put = [&](std::span<const std::uint16_t> words) {
      is_full = is_full || (!is_cut && 2 * words.size() > limit - sink.size());
      if (!is_full) { sink.put_words(words); }
      ++next;
    };
    parallel_for(threads_, parts, [&](std::int64_t part, unsigned thread) {
      if (is_full.load(std::memory_order_relaxed)) { return; }
      worker& w = *workers_[thread];
      w.words.clear();
      const std::int64_t end = std::min(layout_.blocks, (part + 1) * blocks_per_part);
      auto group = group_of(layout_, part * blocks_per_part);
      for (std::int64_t number = part * blocks_per_part; number < end; ++number) {
        while (number >= group->first_block + group->blocks()) { ++group; }
        records_[static_cast<std::size_t>(number)] = encode_block(w, *group, number, options.fast_planes, w.words);
      }
      const std::lock_guard guard(lock);
      if (part != next) {
        waiting_[part] = w.words;
        return;
      }
      put(w.words);
      for (auto i = waiting_.begin(); i != waiting_.end() && i->first == next; i = waiting_.erase(i)) {
        put(i->second);
      }
    });
    waiting_.clear();
    return is_full ? limit : sink.size();
  }

  block_record encode_block(worker& w, const block_group& g, std::int64_t number, int fast_planes,
                            std::vector<std::uint16_t>& words) {
    int q = 0;
    const auto p = load(w, g, number, fast_planes, q);
    block_record r;
    if (p.planes == 0) { return r; }
    const std::size_t before = words.size();
    const std::uint8_t* table =
        tables_[static_cast<std::size_t>(g.table / table_sets)].data() + g.table % table_sets * set_cells;
    w.coder.encode(p, table, words);
    r.planes = static_cast<std::uint8_t>(p.planes);
    r.fast_planes = static_cast<std::uint8_t>(p.fast_planes);
    r.raw_sign_rows = static_cast<std::uint8_t>(q);
    r.words = static_cast<std::uint32_t>(words.size() - before);
    const std::uint32_t raw_words = raw_block_words(p.width, p.height, p.planes);
    if (r.words >= raw_words) {
      words.resize(before);
      w.coder.write_raw(p, words);
      r = {.words = raw_words, .planes = r.planes, .raw = true};
    }
    return r;
  }

  stream_header header_;
  tile_layout layout_;
  unsigned threads_ = 1;
  std::vector<T> coefficients_;
  std::array<class_table, table_classes> tables_{};
  std::vector<block_record> records_;
  std::vector<std::uint16_t> table_words_;
  std::vector<std::uint16_t> index_words_;
  std::map<std::int64_t, std::vector<std::uint16_t>> waiting_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace gpuimg::paco::detail
