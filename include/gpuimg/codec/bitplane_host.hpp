/// @file
/// The bitplane block coder in plain C++: one thread does the work of the 32 lanes, bit-identical to the warp's.
///
/// @code
/// gpuimg::codec::host_block_coder<gpuimg::codec::block_shape<64, 64>> coder;   // scratch memory, one a thread
/// p.planes = coder.load(width, height, [&](int x, int y) { return coefficients(x, y); });
/// coder.encode(p, table, words);                                              // appends to a vector of words
/// @endcode
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gpuimg/codec/arithmetic_coder.hpp"
#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/bitplane_walk.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::codec {

namespace detail {

/// Calls `body(lane)` for the set bits of `lanes`, ascending.
template <class Body>
inline void for_each_lane(std::uint32_t lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1) { body(static_cast<unsigned>(std::countr_zero(lanes))); }
}

/// Entry b: byte i is 1 where bit i of b is set.
struct spread_table {
  std::array<std::uint64_t, 256> of{};
  constexpr spread_table() {
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint64_t bytes = 0;
      for (std::uint32_t b = 0; b < 8; ++b) { bytes |= std::uint64_t{(i >> b) & 1u} << (8 * b); }
      of[i] = bytes;
    }
  }
};
inline constexpr spread_table spread{};

/// Sum of eight masks for each lane, as a byte a lane.
class lane_sums {
 public:
  explicit lane_sums(const neighbour_masks& around) {
    const auto& n = around.n;
    // Carry-save adders: three masks of one weight become one of the same weight and one of twice it.
    const std::uint32_t a = n[0] ^ n[1] ^ n[2];
    const std::uint32_t a2 = (n[0] & n[1]) | (n[2] & (n[0] ^ n[1]));
    const std::uint32_t b = n[3] ^ n[4] ^ n[5];
    const std::uint32_t b2 = (n[3] & n[4]) | (n[5] & (n[3] ^ n[4]));
    const std::uint32_t c = n[6] ^ n[7];
    const std::uint32_t c2 = n[6] & n[7];
    const std::uint32_t s0 = a ^ b ^ c;
    const std::uint32_t d2 = (a & b) | (c & (a ^ b));
    const std::uint32_t e = a2 ^ b2 ^ c2;
    const std::uint32_t e4 = (a2 & b2) | (c2 & (a2 ^ b2));
    const std::uint32_t s1 = e ^ d2;
    const std::uint32_t f4 = e & d2;
    const std::uint32_t s2 = e4 ^ f4;
    const std::uint32_t s3 = e4 & f4;
    all_zero_ = (s0 | s1 | s2 | s3) == 0;
    if (all_zero_) { return; }
    for (unsigned g = 0; g < 4; ++g) {
      const auto byte = [g](std::uint32_t s) { return spread.of[(s >> (8 * g)) & 0xFFu]; };
      bytes_[g] = byte(s0) | (byte(s1) << 1) | (byte(s2) << 2) | (byte(s3) << 3);
    }
  }
  bool all_zero() const noexcept { return all_zero_; }
  unsigned operator[](unsigned lane) const noexcept {
    return static_cast<unsigned>(bytes_[lane / 8] >> (8 * (lane % 8))) & 0xFu;
  }

 private:
  std::uint64_t bytes_[4] = {};
  bool all_zero_;
};

/// What the host's coders have in common. Derived::code(plane, lanes, known, cell_of_lane) codes one event.
template <class Derived, class Shape>
class host_lanes {
 public:
  std::uint32_t significance(int plane, std::uint32_t lanes, const neighbour_masks& around, std::uint32_t known) {
    const lane_sums sums(around);
    if (sums.all_zero()) {
      return self().code(plane, lanes, known, [](unsigned) { return 0u; });
    }
    return self().code(plane, lanes, known, [&](unsigned lane) { return sums[lane]; });
  }
  std::uint32_t sign(int plane, std::uint32_t lanes, const sign_context& c, std::uint32_t known) {
    const std::uint32_t symbols = self().code(plane, lanes, (known ^ c.negative) & lanes, [&](unsigned lane) {
      return sign_cell + ((c.class_bit0 >> lane) & 1u) + 2 * ((c.class_bit1 >> lane) & 1u);
    });
    return (symbols ^ c.negative) & lanes;
  }
  std::uint32_t refinement(int plane, std::uint32_t lanes, std::uint32_t known) {
    return self().code(plane, lanes, known, [](unsigned) { return static_cast<unsigned>(refinement_cell); });
  }
  template <class Strip>
  std::uint32_t strip_flags(int plane, const Strip& strip) {
    std::uint32_t present = 0;
    std::uint32_t active = 0;
    std::uint32_t occupied = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const strip_state s = strip(lane);
      present |= static_cast<std::uint32_t>(s.present) << lane;
      active |= static_cast<std::uint32_t>(s.active) << lane;
      occupied |= static_cast<std::uint32_t>(s.present && s.occupied) << lane;
    }
    return self().code(plane, present, occupied, [&](unsigned lane) { return strip_cell + ((active >> lane) & 1u); });
  }
  template <class Masks>
  void refinement_lists(int plane, const Masks& masks, plane_masks<Shape>& known, int height) {
    struct entry {
      std::uint16_t y;
      std::uint16_t k;
    };
    std::array<std::array<entry, Shape::steps>, 32> lists;
    std::array<std::uint32_t, 32> count{};
    for (int y = 0; y < height; ++y) {
      for (int k = 0; k < Shape::columns; ++k) {
        for_each_lane(masks(y, k), [&](unsigned lane) {
          lists[lane][count[lane]++] = {static_cast<std::uint16_t>(y), static_cast<std::uint16_t>(k)};
        });
      }
    }
    for (std::uint32_t e = 0;; ++e) {
      std::uint32_t lanes = 0;
      std::uint32_t bits = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (e < count[lane]) {
          const entry at = lists[lane][e];
          lanes |= 1u << lane;
          bits |= self().known(known.row[at.y][at.k]) & (1u << lane);
        }
      }
      if (lanes == 0) { break; }
      const std::uint32_t coded = refinement(plane, lanes, bits);
      for_each_lane(coded, [&](unsigned lane) {
        const entry at = lists[lane][e];
        self().record(known.row[at.y][at.k], 1u << lane);
      });
    }
  }
  static void set(std::uint32_t& word, std::uint32_t value) { word = value; }
  static void clear(std::uint32_t* words, int count) {
    std::memset(words, 0, sizeof(std::uint32_t) * static_cast<std::size_t>(count));
  }
  static void end_pass(int) noexcept {}
  static void sync() {}

 protected:
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// Encoder: state of 32 lanes, words at the place that was reserved for them.
template <class Shape, int W, int P>
class host_block_encoder : public host_lanes<host_block_encoder<Shape, W, P>, Shape> {
 public:
  host_block_encoder(const std::uint8_t* table, std::vector<std::uint16_t>& words,
                     std::vector<std::uint32_t>* truncation)
      : table_(table), words_(words), first_(words.size()), truncation_(truncation) {}

  template <class Cell>
  std::uint32_t code(int plane, std::uint32_t lanes, std::uint32_t known, const Cell& cell) {
    const std::uint8_t* row = table_ + plane * cells_per_row;
    for_each_lane(lanes, [&](unsigned lane) {
      auto& interval = interval_[lane];
      if (!interval.open()) {
        interval.start();
        place_[lane] = words_.size();
        words_.push_back(0);
      }
      interval.narrow(((known >> lane) & 1u) != 0, interval.split(row[cell(lane)]));
      if (!interval.open()) { words_[place_[lane]] = static_cast<std::uint16_t>(interval.low); }
    });
    return known;
  }
  static std::uint32_t known(std::uint32_t word) noexcept { return word; }
  static void record(const std::uint32_t&, std::uint32_t) noexcept {}
  static bool stopped() noexcept { return false; }

  void end_pass(int) const {
    if (truncation_ != nullptr) { truncation_->push_back(static_cast<std::uint32_t>(words_.size() - first_)); }
  }

  /// Bits of payload that all open codewords can carry.
  std::uint64_t room() const {
    std::uint64_t bits = 0;
    for (const auto& interval : interval_) {
      if (interval.open()) { bits += static_cast<std::uint64_t>(interval.spare_bits()); }
    }
    return bits;
  }
  /// Stores the open codewords; `take(n)` gives the next n bits of payload.
  template <class Take>
  void flush(const Take& take) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto& interval = interval_[lane];
      if (interval.open()) {
        words_[place_[lane]] = static_cast<std::uint16_t>(interval.low + take(interval.spare_bits()));
      }
    }
  }

 private:
  const std::uint8_t* table_;
  std::vector<std::uint16_t>& words_;
  std::size_t first_;
  std::vector<std::uint32_t>* truncation_;
  std::array<codeword_interval<W, P>, 32> interval_{};
  std::array<std::size_t, 32> place_{};
};

/// Decoder: the same lanes, reading.
template <class Shape, int W, int P>
class host_block_decoder : public host_lanes<host_block_decoder<Shape, W, P>, Shape> {
 public:
  host_block_decoder(const std::uint8_t* table, std::span<const std::uint16_t> words) : table_(table), words_(words) {}

  template <class Cell>
  std::uint32_t code(int plane, std::uint32_t lanes, std::uint32_t, const Cell& cell) {
    const std::uint8_t* row = table_ + plane * cells_per_row;
    std::uint32_t symbols = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      auto& interval = interval_[lane];
      if (!interval.open()) {
        interval.start();
        word_[lane] = next_ < words_.size() ? words_[next_] & codeword_interval<W, P>::full : 0;
        ++next_;
      }
      const std::uint32_t t = interval.split(row[cell(lane)]);
      const bool bit = word_[lane] - interval.low >= t;
      interval.narrow(bit, t);
      symbols |= static_cast<std::uint32_t>(bit) << lane;
    });
    return symbols;
  }
  static std::uint32_t known(std::uint32_t) noexcept { return 0; }
  static void record(std::uint32_t& word, std::uint32_t bits) noexcept { word |= bits; }
  bool stopped() const noexcept { return next_ > words_.size(); }

  std::size_t words() const noexcept { return next_; }
  /// Calls `give(payload, spare bits)` for each open codeword, in lane order.
  template <class Give>
  void payload(const Give& give) const {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto& interval = interval_[lane];
      if (interval.open()) { give(word_[lane] - interval.low, interval.spare_bits()); }
    }
  }

 private:
  const std::uint8_t* table_;
  std::span<const std::uint16_t> words_;
  std::size_t next_ = 0;
  std::array<codeword_interval<W, P>, 32> interval_{};
  std::array<std::uint32_t, 32> word_{};
};

/// Counts symbols: counts[plane][cell][symbol].
template <class Shape>
class host_block_counter : public host_lanes<host_block_counter<Shape>, Shape> {
 public:
  explicit host_block_counter(std::uint32_t* counts) : counts_(counts) {}

  template <class Cell>
  std::uint32_t code(int plane, std::uint32_t lanes, std::uint32_t known, const Cell& cell) {
    std::uint32_t* row = counts_ + 2 * plane * cells_per_row;
    events_ += lanes != 0 ? 1 : 0;
    for_each_lane(lanes, [&](unsigned lane) { ++row[2 * cell(lane) + ((known >> lane) & 1u)]; });
    return known;
  }
  static std::uint32_t known(std::uint32_t word) noexcept { return word; }
  static void record(const std::uint32_t&, std::uint32_t) noexcept {}
  static bool stopped() noexcept { return false; }
  std::uint64_t events() const noexcept { return events_; }

 private:
  std::uint32_t* counts_;
  std::uint64_t events_ = 0;
};

/// Transposes a matrix of 8 x 8 bits: bit j of byte i goes to bit i of byte j.
constexpr std::uint64_t transpose_bits(std::uint64_t m) noexcept {
  std::uint64_t t = (m ^ (m >> 7)) & 0x00AA00AA00AA00AAu;
  m ^= t ^ (t << 7);
  t = (m ^ (m >> 14)) & 0x0000CCCC0000CCCCu;
  m ^= t ^ (t << 14);
  t = (m ^ (m >> 28)) & 0x00000000F0F0F0F0u;
  return m ^ t ^ (t << 28);
}

}  // namespace detail

/// Codes blocks of one shape, one after another, on one thread; holds the scratch memory for it.
template <class Shape, int W = 16, int P = 8>
class host_block_coder {
 public:
  /// Reads the block's coefficients, `at(x, y)`. @returns M, at most 24.
  template <class At>
  int load(int width, int height, const At& at) {
    std::uint32_t all = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) { all |= magnitude_of(at(x, y)); }
    }
    const auto planes = static_cast<int>(std::bit_width(all));
    for (int y = 0; y < height; ++y) {
      for (int k = 0; k < Shape::columns; ++k) {
        std::uint32_t magnitude[32] = {};
        std::uint32_t sign = 0;
        for (int lane = 0, x = k; lane < 32 && x < width; ++lane, x += Shape::columns) {
          magnitude[lane] = magnitude_of(at(x, y));
          sign |= static_cast<std::uint32_t>(at(x, y) < 0) << lane;
        }
        block_.sign.row[y][k] = sign;
        for (int byte = 0; 8 * byte < planes; ++byte) {
          std::uint32_t plane[8] = {};
          for (unsigned g = 0; g < 4; ++g) {
            std::uint64_t m = 0;
            for (unsigned i = 0; i < 8; ++i) {
              m |= std::uint64_t{(magnitude[8 * g + i] >> (8 * byte)) & 0xFFu} << (8 * i);
            }
            m = detail::transpose_bits(m);
            for (unsigned j = 0; j < 8; ++j) {
              plane[j] |= (static_cast<std::uint32_t>(m >> (8 * j)) & 0xFFu) << (8 * g);
            }
          }
          for (int j = 0; j < 8; ++j) { block_.magnitude[8 * byte + j].row[y][k] = plane[j]; }
        }
      }
    }
    return planes;
  }

  /// Gives the decoded coefficients to `put(x, y, value)`.
  template <class Put>
  void store(int width, int height, int planes, const Put& put) const {
    for (int y = 0; y < height; ++y) {
      for (int k = 0; k < Shape::columns; ++k) {
        std::uint32_t magnitude[32] = {};
        for (int byte = 0; 8 * byte < planes; ++byte) {
          for (unsigned g = 0; g < 4; ++g) {
            std::uint64_t m = 0;
            for (int j = 0; j < 8 && 8 * byte + j < planes; ++j) {
              m |= std::uint64_t{(block_.magnitude[8 * byte + j].row[y][k] >> (8 * g)) & 0xFFu} << (8 * j);
            }
            m = detail::transpose_bits(m);
            for (unsigned i = 0; i < 8; ++i) {
              magnitude[8 * g + i] |= (static_cast<std::uint32_t>(m >> (8 * i)) & 0xFFu) << (8 * byte);
            }
          }
        }
        const std::uint32_t sign = planes > 0 ? block_.sign.row[y][k] : 0;
        for (int lane = 0, x = k; lane < 32 && x < width; ++lane, x += Shape::columns) {
          const auto m = static_cast<std::int32_t>(magnitude[lane]);
          put(x, y, ((sign >> lane) & 1u) != 0 ? -m : m);
        }
      }
    }
  }

  /// The encoder's q for the block that load() read: see choose_raw_sign_rows().
  template <class Features>
  int raw_sign_rows(const block_parameters<Features>& p) const {
    return choose_raw_sign_rows<Shape>(block_, p, 0, 1, [](std::uint32_t found) { return found; });
  }

  /// Adds the block's symbols to counts[plane][cell][symbol]. @returns the events: what a warp has to step through.
  template <class Features>
  std::uint64_t count(const block_parameters<Features>& p, std::uint32_t* counts) {
    detail::host_block_counter<Shape> counter(counts);
    walk_bitplanes<Shape>(block_, history_, p, counter);
    return counter.events();
  }

  /// Appends the block's words to `words`. `table` has 16 probabilities a plane. To `truncation`, if given, are
  /// appended the words that decode everything up to each pass (docs/paco-format.md section 5.8).
  template <class Features>
  void encode(const block_parameters<Features>& p, const std::uint8_t* table, std::vector<std::uint16_t>& words,
              std::vector<std::uint32_t>* truncation = nullptr) {
    detail::host_block_encoder<Shape, W, P> encoder(table, words, truncation);
    walk_bitplanes<Shape>(block_, history_, p, encoder);
    pool_.clear();
    bit_writer pool(pool_);
    visit_raw_bits<Shape>(block_, p, 0, 1, [&](int, std::uint32_t lanes, int plane, int y, int k) {
      const std::uint32_t value = plane < 0 ? block_.sign.row[y][k] : block_.magnitude[plane].row[y][k];
      pool.put(gather_bits(value, lanes), std::popcount(lanes));
    });
    pool.finish();
    const std::uint64_t bits = pool.bits();
    const std::uint64_t head = std::min(bits, encoder.room());
    const std::uint64_t tail = bits - head;
    std::uint64_t at = tail;
    encoder.flush([&](int n) {
      const int taken = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(n), bits - at));
      const std::uint32_t payload = read_bits(pool_.data(), pool_.size(), at, taken);
      at += static_cast<std::uint64_t>(taken);
      return payload;
    });
    const std::size_t whole = static_cast<std::size_t>(tail / 16);
    words.insert(words.end(), pool_.begin(), pool_.begin() + static_cast<std::ptrdiff_t>(whole));
    if (tail % 16 != 0) {
      words.push_back(static_cast<std::uint16_t>(pool_[whole] & low_bits(static_cast<int>(tail % 16))));
    }
  }

  /// Appends the block as it is (docs/paco-format.md section 5.7).
  template <class Features>
  void write_raw(const block_parameters<Features>& p, std::vector<std::uint16_t>& words) const {
    std::vector<std::int32_t> values(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height));
    store(p.width, p.height, p.planes,
          [&](int x, int y, std::int32_t v) { values[static_cast<std::size_t>(y * p.width + x)] = v; });
    bit_writer bits(words);
    for (const std::int32_t v : values) {
      bits.put(static_cast<std::uint32_t>(v < 0 ? -v : v), p.planes);
      bits.put(v < 0 ? 1 : 0, 1);
    }
    bits.finish();
  }

  /// Decodes a block, or with p.passes the first passes of one; store() then gives its coefficients. @returns false
  /// when the words are damaged.
  template <class Features>
  bool decode(const block_parameters<Features>& p, const std::uint8_t* table, std::span<const std::uint16_t> words) {
    for (int j = 0; j < p.planes; ++j) { std::memset(&block_.magnitude[j], 0, sizeof(block_.magnitude[j])); }
    std::memset(&block_.sign, 0, sizeof(block_.sign));
    detail::host_block_decoder<Shape, W, P> decoder(table, words);
    walk_bitplanes<Shape>(block_, history_, p, decoder);
    if (decoder.stopped() || p.truncated()) { return !decoder.stopped(); }

    std::uint64_t bits = 0;
    visit_raw_bits<Shape>(block_, p, 0, 1, [&](int, std::uint32_t lanes, int, int, int) {
      bits += static_cast<std::uint64_t>(std::popcount(lanes));
    });
    // Tail, then head: the pool in one piece.
    std::uint64_t room = 0;
    bool sound = true;
    decoder.payload([&](std::uint32_t payload, int spare) {
      room += static_cast<std::uint64_t>(spare);
      sound = sound && payload <= low_bits(spare);
    });
    const std::uint64_t head = std::min(bits, room);
    const std::uint64_t tail = bits - head;
    if (!sound || decoder.words() + words_of_bits(tail) != words.size()) { return false; }
    const auto tail_words = words.subspan(decoder.words());
    pool_.clear();
    bit_writer pool(pool_);
    for (std::uint64_t i = 0; i < tail; i += 16) {
      pool.put(tail_words[i / 16], static_cast<int>(std::min<std::uint64_t>(16, tail - i)));
    }
    decoder.payload([&](std::uint32_t payload, int spare) { pool.put(payload, spare); });
    pool.finish();
    std::uint64_t at = 0;
    visit_raw_bits<Shape>(block_, p, 0, 1, [&](int, std::uint32_t lanes, int plane, int y, int k) {
      const int n = std::popcount(lanes);
      const std::uint32_t value = scatter_bits(read_bits(pool_.data(), pool_.size(), at, n), lanes);
      at += static_cast<std::uint64_t>(n);
      (plane < 0 ? block_.sign.row[y][k] : block_.magnitude[plane].row[y][k]) |= value;
    });
    return true;
  }

  /// Gives the coefficients of a raw block, `put(x, y, value)`. The caller has checked the number of words.
  template <class Put>
  static void read_raw(int width, int height, int planes, std::span<const std::uint16_t> words, const Put& put) {
    std::uint64_t at = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x, at += static_cast<std::uint64_t>(planes) + 1) {
        const std::uint32_t bits = read_bits(words.data(), words.size(), at, planes + 1);
        const auto m = static_cast<std::int32_t>(bits & low_bits(planes));
        put(x, y, (bits >> planes) != 0 ? -m : m);
      }
    }
  }

 private:
  template <class Value>
  static std::uint32_t magnitude_of(Value v) noexcept {
    return static_cast<std::uint32_t>(v < 0 ? -static_cast<std::int32_t>(v) : static_cast<std::int32_t>(v));
  }

  block_planes<Shape, largest_plane_count> block_;
  significance_history<Shape> history_;
  std::vector<std::uint16_t> pool_;
};

}  // namespace gpuimg::codec
