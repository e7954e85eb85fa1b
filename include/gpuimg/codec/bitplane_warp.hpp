/// @file
/// The bitplane block coder of one warp: encoder, decoder, context counter, and the raw tail.
///
/// In a kernel of your own, one warp a block (see tests/kernel/block_coder_test.cpp for a whole kernel):
/// @code
/// using shape = gpuimg::codec::block_shape<64, 64>;
/// __shared__ gpuimg::codec::warp_block_storage<shape, 16> shared;
/// gpuimg::codec::block_parameters<> p{.width = 64, .height = 64, .raw_planes = 2, .raw_sign_row = 64};
/// p.planes = gpuimg::codec::load_block<shape>(warp, coefficients, shared.block);
/// const auto words = gpuimg::codec::encode_block<shape>(warp, shared, p, table, output, capacity);
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/codec/arithmetic_coder.hpp"
#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/bitplane_walk.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// Shared memory of a warp that codes blocks. Written before it is read; no initial state.
template <class Shape, int Planes>
struct warp_block_storage {
  using shape = Shape;
  static constexpr int stage_words = 56;  ///< up to 31 + 512 bits of head, a batch of 1024 bits, rounded up

  block_planes<Shape, Planes> block;
  significance_history<Shape> history;
  std::uint32_t stage[stage_words];
};

/// As above, with room for the lists of compact refinement.
template <class Shape, int Planes>
struct compact_warp_block_storage : warp_block_storage<Shape, Planes> {
  std::uint32_t list[(Shape::steps + 31) / 32][32];
  std::uint32_t list_bits[(Shape::steps + 31) / 32][32];
};

namespace detail {

/// What the three coders of a warp have in common. Derived::event(plane, cell, active, bit) codes one symbol a lane.
template <class Derived, class Storage, class Warp>
class warp_lanes {
 public:
  using shape = typename Storage::shape;

  GPUIMG_FUNCTION warp_lanes(Warp& warp, Storage& storage) : warp_(warp), storage_(storage) {}

  GPUIMG_FUNCTION std::uint32_t significance(int plane, std::uint32_t lanes, const neighbour_masks& around,
                                             std::uint32_t known) {
    std::uint32_t phi = 0;
    GPUIMG_UNROLL
    for (int i = 0; i < 8; ++i) { phi += own_bit(around.n[i]); }
    return collect(known, self().event(plane, static_cast<int>(phi), own_bit(lanes) != 0, own_bit(known) != 0));
  }

  GPUIMG_FUNCTION std::uint32_t sign(int plane, std::uint32_t lanes, const sign_context& context, std::uint32_t known) {
    const std::uint32_t cell = sign_cell + own_bit(context.class_bit0) + 2 * own_bit(context.class_bit1);
    const bool predicted = own_bit(context.negative) != 0;
    const bool active = own_bit(lanes) != 0;
    const bool symbol = self().event(plane, static_cast<int>(cell), active, (own_bit(known) != 0) != predicted);
    return collect(known, active && symbol != predicted);
  }

  GPUIMG_FUNCTION std::uint32_t refinement(int plane, std::uint32_t lanes, std::uint32_t known) {
    return collect(known, self().event(plane, refinement_cell, own_bit(lanes) != 0, own_bit(known) != 0));
  }

  template <class Strip>
  GPUIMG_FUNCTION std::uint32_t strip_flags(int plane, const Strip& strip) {
    const strip_state s = strip(warp_.rank());
    const bool bit = self().event(plane, strip_cell + static_cast<int>(s.active), s.present, s.occupied);
    return warp_.ballot(s.present && bit);
  }

  template <class Masks, class Plane>
  GPUIMG_FUNCTION void refinement_lists(int plane, const Masks& masks, Plane& known, int height) {
    if constexpr (requires { storage_.list; }) { code_lists(plane, masks, known, height); }
  }

  GPUIMG_FUNCTION void set(std::uint32_t& word, std::uint32_t value) {
    if (warp_.rank() == 0) { word = value; }
  }
  GPUIMG_FUNCTION void clear(std::uint32_t* words, int count) {
    for (int i = warp_.rank(); i < count; i += simt::warp_size) { words[i] = 0; }
  }
  GPUIMG_FUNCTION void end_pass(int) const {}
  GPUIMG_FUNCTION void sync() { warp_.sync(); }

 protected:
  template <class Masks, class Plane>
  GPUIMG_FUNCTION void code_lists(int plane, const Masks& masks, Plane& known, int height) {
    constexpr int words = (shape::steps + 31) / 32;
    const int lane = warp_.rank();
    // Turn the masks of 32 steps into a word for each lane: its own column of the bit matrix.
    for (int w = 0; w < words; ++w) {
      std::uint32_t list = 0;
      std::uint32_t bits = 0;
      for (int i = 0; i < 32; ++i) {
        const int y = (32 * w + i) / shape::columns;
        if (y >= height) { break; }
        const int k = (32 * w + i) % shape::columns;
        list |= own_bit(masks(y, k)) << i;
        bits |= own_bit(self().known(known.row[y][k])) << i;
      }
      storage_.list[w][lane] = list;
      storage_.list_bits[w][lane] = bits & list;
    }
    int word = 0;
    std::uint32_t left = storage_.list[0][lane];
    while (true) {
      while (left == 0 && word + 1 < words) { left = storage_.list[++word][lane]; }
      const bool active = left != 0;
      if (!warp_.any(active)) { break; }
      const std::uint32_t place = left & (0 - left);
      left ^= place;
      const bool bit = self().event(plane, refinement_cell, active, (storage_.list_bits[word][lane] & place) != 0);
      if (bit && active) { storage_.list_bits[word][lane] |= place; }
    }
    warp_.sync();
    self().record_lists(known, masks, height);
  }

  /// Turns the lists' bits back into masks; decoders record them.
  template <class Plane, class Masks>
  GPUIMG_FUNCTION void record_list_bits(Plane& plane, const Masks& masks, int height) {
    for (int y = 0; y < height; ++y) {
      for (int k = 0; k < shape::columns; ++k) {
        if (masks(y, k) == 0) { continue; }
        const int step = y * shape::columns + k;
        const std::uint32_t own = storage_.list_bits[step / 32][warp_.rank()] >> (step % 32);
        const std::uint32_t bits = warp_.ballot((own & 1u) != 0);
        self().record(plane.row[y][k], bits);
      }
    }
  }

  GPUIMG_FUNCTION std::uint32_t own_bit(std::uint32_t mask) const { return (mask >> warp_.rank()) & 1u; }
  GPUIMG_FUNCTION std::uint32_t collect(std::uint32_t known, bool own) {
    if constexpr (Derived::decodes) { return warp_.ballot(own); }
    return known;
  }
  GPUIMG_FUNCTION Derived& self() { return static_cast<Derived&>(*this); }

  Warp& warp_;
  Storage& storage_;
};

/// Encoders and counters read the block and leave it as it is.
template <class Derived, class Storage, class Warp>
class warp_reader : public warp_lanes<Derived, Storage, Warp> {
 public:
  static constexpr bool decodes = false;
  using warp_lanes<Derived, Storage, Warp>::warp_lanes;
  GPUIMG_FUNCTION std::uint32_t known(std::uint32_t word) const { return word; }
  GPUIMG_FUNCTION void record(const std::uint32_t&, std::uint32_t) const {}
  template <class Plane, class Masks>
  GPUIMG_FUNCTION void record_lists(Plane&, const Masks&, int) const {}
  GPUIMG_FUNCTION bool stopped() const { return false; }
};

template <class Storage, class Warp, int W, int P>
class warp_block_encoder : public warp_reader<warp_block_encoder<Storage, Warp, W, P>, Storage, Warp> {
 public:
  GPUIMG_FUNCTION warp_block_encoder(Warp& warp, Storage& storage, const std::uint8_t* table, std::uint16_t* words,
                                     std::uint32_t capacity, std::uint32_t* truncation)
      : warp_reader<warp_block_encoder, Storage, Warp>(warp, storage),
        table_(table),
        truncation_(truncation),
        coder_(words, capacity) {}

  GPUIMG_FUNCTION bool event(int plane, int cell, bool active, bool bit) {
    coder_.encode(this->warp_, active, bit, table_[plane * cells_per_row + cell]);
    return bit;
  }
  GPUIMG_FUNCTION void end_pass(int pass) const {
    if (truncation_ != nullptr && this->warp_.rank() == 0) { truncation_[pass] = coder_.words(); }
  }
  GPUIMG_FUNCTION warp_arithmetic_encoder<W, P>& coder() { return coder_; }

 private:
  const std::uint8_t* table_;
  std::uint32_t* truncation_;
  warp_arithmetic_encoder<W, P> coder_;
};

template <class Storage, class Warp, int W, int P>
class warp_block_decoder : public warp_lanes<warp_block_decoder<Storage, Warp, W, P>, Storage, Warp> {
 public:
  static constexpr bool decodes = true;
  GPUIMG_FUNCTION warp_block_decoder(Warp& warp, Storage& storage, const std::uint8_t* table,
                                     const std::uint16_t* words, std::uint32_t count)
      : warp_lanes<warp_block_decoder, Storage, Warp>(warp, storage), table_(table), coder_(words, count) {}

  GPUIMG_FUNCTION bool event(int plane, int cell, bool active, bool) {
    return coder_.decode(this->warp_, active, table_[plane * cells_per_row + cell]);
  }
  GPUIMG_FUNCTION std::uint32_t known(const std::uint32_t&) const { return 0; }
  GPUIMG_FUNCTION void record(std::uint32_t& word, std::uint32_t bits) {
    if (this->warp_.rank() == 0) { word |= bits; }
  }
  template <class Plane, class Masks>
  GPUIMG_FUNCTION void record_lists(Plane& plane, const Masks& masks, int height) {
    this->record_list_bits(plane, masks, height);
  }
  GPUIMG_FUNCTION bool stopped() const { return coder_.exhausted(); }
  GPUIMG_FUNCTION const warp_arithmetic_decoder<W, P>& coder() const { return coder_; }

 private:
  const std::uint8_t* table_;
  warp_arithmetic_decoder<W, P> coder_;
};

/// Counts how often each cell sees each symbol, in shared memory: counts[plane][cell][symbol].
template <class Storage, class Warp>
class warp_block_counter : public warp_reader<warp_block_counter<Storage, Warp>, Storage, Warp> {
 public:
  GPUIMG_FUNCTION warp_block_counter(Warp& warp, Storage& storage, std::uint32_t* counts)
      : warp_reader<warp_block_counter, Storage, Warp>(warp, storage), counts_(counts) {}

  GPUIMG_FUNCTION bool event(int plane, int cell, bool active, bool bit) {
    if (active) { simt::atomic_add(counts_[2 * (plane * cells_per_row + cell) + static_cast<int>(bit)], 1u); }
    return bit;
  }

 private:
  std::uint32_t* counts_;
};

/// A block's pool of raw bits, shared out: the head fills the last codewords of all lanes, the tail has words of its
/// own.
struct pool_split {
  int items;  ///< of visit_raw_bits()
  std::uint32_t head;
  std::uint32_t tail;
  std::uint32_t spare;         ///< bits that the calling lane's last codeword takes
  std::uint32_t spare_before;  ///< bits that those of the lanes before it take
};

template <class Shape, class Warp, class Block, class Features>
GPUIMG_FUNCTION pool_split split_pool(Warp& warp, const Block& block, const block_parameters<Features>& p,
                                      int spare_bits) {
  std::uint32_t bits = 0;
  const int items = visit_raw_bits<Shape>(
      block, p, warp.rank(), simt::warp_size,
      [&](int, std::uint32_t lanes, int, int, int) { bits += static_cast<std::uint32_t>(simt::popcount(lanes)); });
  const std::uint32_t pool = warp.reduce(bits, simt::plus{});
  const auto spare = static_cast<std::uint32_t>(spare_bits);
  const std::uint32_t spare_before = warp.exclusive_scan(spare, simt::plus{});
  const std::uint32_t room = warp.reduce(spare, simt::plus{});
  const std::uint32_t head = pool < room ? pool : room;
  return {items, head, pool - head, spare, spare_before};
}

/// Where the bits of an item of the pool are; beyond the last item no lanes.
struct pool_item {
  std::uint32_t* word;
  std::uint32_t lanes;
};

template <class Shape, class Block, class Features>
GPUIMG_FUNCTION pool_item find_pool_item(Block& block, const block_parameters<Features>& p, int number) {
  pool_item item{&block.sign.row[0][0], 0};
  visit_raw_bits<Shape>(block, p, number, 1 << 20, [&](int, std::uint32_t lanes, int plane, int y, int k) {
    item = {plane < 0 ? &block.sign.row[y][k] : &block.magnitude[plane].row[y][k], lanes};
  });
  return item;
}

/// `length` (0 .. 32) bits of the stage from bit `at` on.
GPUIMG_FUNCTION inline std::uint32_t staged_bits(const std::uint32_t* stage, std::uint32_t at, int length) {
  const std::uint64_t two = stage[at / 32] | (std::uint64_t{stage[at / 32 + 1]} << 32);
  return static_cast<std::uint32_t>(two >> (at % 32)) & low_bits(length);
}

}  // namespace detail

/// Reads coefficients into bit planes. `at(x, y)` gives the coefficient of the block's column x, row y. A warp
/// collective.
/// @returns M, the number of planes; planes beyond it, and rows beyond the block, are not written. M is at most
/// `Planes`: the caller chooses Planes by the range of its coefficients.
template <class Shape, class Warp, class Planes, class At>
GPUIMG_FUNCTION int load_block(Warp& warp, int width, int height, const At& at, Planes& block) {
  const int lane = warp.rank();
  std::uint32_t all = 0;
  for (int y = 0; y < height; ++y) {
    for (int k = 0; k < Shape::columns; ++k) {
      const int x = lane * Shape::columns + k;
      const std::int32_t v = x < width ? static_cast<std::int32_t>(at(x, y)) : 0;
      all |= static_cast<std::uint32_t>(v < 0 ? -v : v);
    }
  }
  const int needed = simt::bit_width(warp.reduce(all, simt::bit_or{}));
  const int planes = needed < Planes::capacity ? needed : Planes::capacity;
  for (int y = 0; y < height; ++y) {
    for (int k = 0; k < Shape::columns; ++k) {
      const int x = lane * Shape::columns + k;
      const std::int32_t v = x < width ? static_cast<std::int32_t>(at(x, y)) : 0;
      const auto m = static_cast<std::uint32_t>(v < 0 ? -v : v);
      std::uint32_t own = warp.ballot(v < 0);
      if (lane == 31) { block.sign.row[y][k] = own; }
      for (int j = 0; j < planes; ++j) {
        const std::uint32_t mask = warp.ballot(((m >> j) & 1u) != 0);
        if (lane == j) { own = mask; }
      }
      if (lane < planes) { block.magnitude[lane].row[y][k] = own; }
    }
  }
  warp.sync();
  return planes;
}

/// Gives the block's coefficients to `put(x, y, value)`. Reads `planes` planes. A warp collective.
template <class Shape, class Warp, class Planes, class Put>
GPUIMG_FUNCTION void store_block(Warp& warp, int width, int height, int planes, const Planes& block, const Put& put) {
  const int lane = warp.rank();
  for (int y = 0; y < height; ++y) {
    for (int k = 0; k < Shape::columns; ++k) {
      const int x = lane * Shape::columns + k;
      std::int32_t m = 0;
      for (int j = 0; j < planes; ++j) {
        m |= static_cast<std::int32_t>((block.magnitude[j].row[y][k] >> lane) & 1u) << j;
      }
      const bool negative = planes > 0 && ((block.sign.row[y][k] >> lane) & 1u) != 0;
      if (x < width) { put(x, y, negative ? -m : m); }
    }
  }
  warp.sync();  // a lane that is ahead may decode the next block into the same storage
}

/// Counts the block's coded symbols into counts[plane][cell][symbol] (shared memory, zeroed by the caller). A warp
/// collective.
template <class Shape, class Warp, class Storage, class Features>
GPUIMG_FUNCTION void count_block(Warp& warp, Storage& storage, const block_parameters<Features>& p,
                                 std::uint32_t* counts) {
  detail::warp_block_counter<Storage, Warp> counter(warp, storage, counts);
  walk_bitplanes<Shape>(storage.block, storage.history, p, counter);
  warp.sync();
}

/// Encodes storage.block. `table` has 16 probabilities a plane. Compact refinement needs a compact_warp_block_storage,
/// here and in the decoder and the counter. A warp collective.
///
/// With `truncation`, entry i becomes the number of words that decode everything up to pass i (docs/paco-format.md
/// section 5.8): p.pass_count() entries.
/// @returns the words that the block needs; when that exceeds `capacity` the words are incomplete and the block has to
/// be sent raw.
template <class Shape, int W = 16, int P = 8, class Warp, class Storage, class Features>
GPUIMG_FUNCTION std::uint32_t encode_block(Warp& warp, Storage& storage, const block_parameters<Features>& p,
                                           const std::uint8_t* table, std::uint16_t* words, std::uint32_t capacity,
                                           std::uint32_t* truncation = nullptr) {
  detail::warp_block_encoder<Storage, Warp, W, P> walker(warp, storage, table, words, capacity, truncation);
  walk_bitplanes<Shape>(storage.block, storage.history, p, walker);
  auto& coder = walker.coder();
  const int lane = warp.rank();

  const auto pool = detail::split_pool<Shape>(warp, storage.block, p, coder.spare_bits());
  const std::uint32_t tail_at = coder.words();

  // The stage holds the pool from bit `base` on; whole words of the tail leave it after each batch of 32 masks.
  walker.clear(storage.stage, Storage::stage_words);
  warp.sync();
  std::uint32_t base = 0;
  std::uint32_t at = 0;
  for (int first = 0; first < pool.items; first += simt::warp_size) {
    const auto item = detail::find_pool_item<Shape>(storage.block, p, first + lane);
    const std::uint32_t value = gather_bits(*item.word, item.lanes);
    at += pack_bits(warp, value, simt::popcount(item.lanes), storage.stage, at - base);
    warp.sync();
    const std::uint32_t done = (at < pool.tail ? at : pool.tail) / 32;
    const std::uint32_t leaving = done > base / 32 ? done - base / 32 : 0;
    if (leaving > 0) {
      for (std::uint32_t i = static_cast<std::uint32_t>(lane); i < 2 * leaving; i += simt::warp_size) {
        const std::uint32_t slot = tail_at + base / 16 + i;
        if (slot < capacity) { words[slot] = static_cast<std::uint16_t>(storage.stage[i / 2] >> (16 * (i % 2))); }
      }
      std::uint32_t kept[2];
      for (std::uint32_t r = 0; r < 2; ++r) {
        const std::uint32_t from = leaving + static_cast<std::uint32_t>(lane) + 32 * r;
        kept[r] = from < Storage::stage_words ? storage.stage[from] : 0;
      }
      warp.sync();
      for (std::uint32_t r = 0; r < 2; ++r) {
        const std::uint32_t to = static_cast<std::uint32_t>(lane) + 32 * r;
        if (to < Storage::stage_words) { storage.stage[to] = kept[r]; }
      }
      base += 32 * leaving;
      warp.sync();
    }
  }
  // What is left of the tail, below one word of 32 bits; then the head, from bit tail - base on.
  const std::uint32_t rest = pool.tail - base;
  if (static_cast<std::uint32_t>(lane) < words_of_bits(rest)) {
    const std::uint32_t from = 16 * static_cast<std::uint32_t>(lane);
    const std::uint32_t n = rest - from < 16 ? rest - from : 16;
    const std::uint32_t slot = tail_at + base / 16 + static_cast<std::uint32_t>(lane);
    if (slot < capacity) {
      words[slot] = static_cast<std::uint16_t>(detail::staged_bits(storage.stage, from, static_cast<int>(n)));
    }
  }
  const std::uint32_t own = pool.spare_before >= pool.head               ? 0
                            : pool.head - pool.spare_before < pool.spare ? pool.head - pool.spare_before
                                                                         : pool.spare;
  coder.flush(own > 0 ? detail::staged_bits(storage.stage, rest + pool.spare_before, static_cast<int>(own)) : 0);
  warp.sync();
  return tail_at + static_cast<std::uint32_t>(words_of_bits(pool.tail));
}

/// Decodes `count` words into storage.block (planes 0 .. p.planes-1 and signs); with p.passes only the first passes,
/// from the words that encode_block() noted for them. A warp collective.
/// @returns false, in all lanes, when the words are damaged.
template <class Shape, int W = 16, int P = 8, class Warp, class Storage, class Features>
GPUIMG_FUNCTION bool decode_block(Warp& warp, Storage& storage, const block_parameters<Features>& p,
                                  const std::uint8_t* table, const std::uint16_t* words, std::uint32_t count) {
  detail::warp_block_decoder<Storage, Warp, W, P> walker(warp, storage, table, words, count);
  for (int j = 0; j < p.planes; ++j) { walker.clear(&storage.block.magnitude[j].row[0][0], Shape::steps); }
  walker.clear(&storage.block.sign.row[0][0], Shape::steps);
  walk_bitplanes<Shape>(storage.block, storage.history, p, walker);
  const auto& coder = walker.coder();
  if (coder.exhausted() || p.truncated()) { return !coder.exhausted(); }
  const int lane = warp.rank();

  const auto pool = detail::split_pool<Shape>(warp, storage.block, p, coder.spare_bits());
  const std::uint32_t tail_at = coder.words();
  const bool sound = tail_at + words_of_bits(pool.tail) == count &&
                     (pool.spare == 0 || coder.payload() <= low_bits(static_cast<int>(pool.spare)));
  if (!warp.all(sound)) { return false; }

  walker.clear(storage.stage, Storage::stage_words);
  warp.sync();
  deposit_bits(storage.stage, pool.spare_before, coder.payload(), static_cast<int>(pool.spare));
  warp.sync();

  const auto pool_bits = [&](std::uint32_t from, int n) {
    const std::uint32_t in_tail = from >= pool.tail                                  ? 0
                                  : pool.tail - from < static_cast<std::uint32_t>(n) ? pool.tail - from
                                                                                     : static_cast<std::uint32_t>(n);
    std::uint32_t value = read_bits(words + tail_at, count - tail_at, from, static_cast<int>(in_tail));
    if (in_tail < static_cast<std::uint32_t>(n)) {
      const std::uint32_t rest =
          detail::staged_bits(storage.stage, from + in_tail - pool.tail, n - static_cast<int>(in_tail));
      value |= in_tail < 32 ? rest << in_tail : 0;
    }
    return value;
  };
  std::uint32_t at = 0;
  for (int first = 0; first < pool.items; first += simt::warp_size) {
    const auto item = detail::find_pool_item<Shape>(storage.block, p, first + lane);
    const int n = simt::popcount(item.lanes);
    const std::uint32_t before = warp.exclusive_scan(static_cast<std::uint32_t>(n), simt::plus{});
    warp.sync();  // all masks are read before any is written
    if (n > 0) { *item.word |= scatter_bits(pool_bits(at + before, n), item.lanes); }
    at += warp.reduce(static_cast<std::uint32_t>(n), simt::plus{});
    warp.sync();
  }
  return true;
}

}  // namespace gpuimg::codec
