/// @file
/// A thread's strip of pixels in its registers: 16 bytes of each row and a halo, loaded once.
///
/// @code
/// gpuimg::filter::register_window<std::uint8_t, 1, 4> window;   // 16 pixels of 4 rows, and one more on each side
/// window.load(bands, x, y - 1, band, wide);
/// auto least = window.word(0, 0);                               // pixel x of row y - 1, and pixel x + 8
/// for (int c = -1; c <= 1; ++c) {
///   for (int row = 0; row < 3; ++row) { least = minimum(least, window.word(c, row)); }
/// }
/// @endcode
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/detail/median_words.hpp"
#include "gpuimg/filter/median_key.hpp"

namespace gpuimg::filter {

/// Four bytes out of the eight of `low` and `high`: nibble i of `selector` names byte i, 0..3 of `low`, 4..7 of `high`.
GPUIMG_FUNCTION inline std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high,
                                                  std::uint32_t selector) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t all = low | std::uint64_t{high} << 32;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= static_cast<std::uint32_t>((all >> (8 * (selector >> (4 * i) & 7u))) & 0xFFu) << (8 * i);
  }
  return result;
#endif
}

/// Whether samples of type T can be in a register_window.
template <class T>
inline constexpr bool has_register_window = ordered_sample<T> && sizeof(T) <= 4 &&
                                            !(sample_order<T>::has_nan && sizeof(T) == 2);

/// Samples of `Rows` rows as words of ordered keys: `words` columns to a row and `Halo` more on each side. Lane l of
/// column c is sample c + l * words. An 8-bit key fills both bytes of its lane.
template <ordered_sample T, int Halo, int Rows>
requires has_register_window<T>
class register_window {
  using order = sample_order<T>;
  using key_type = typename order::key_type;
  using packing = detail::device_word<key_type>;

 public:
  using word_type = typename packing::type;
  static constexpr int pixels = 16 / static_cast<int>(sizeof(T));  ///< of a row, without the halo
  static constexpr int lanes = packing::lanes;
  static constexpr int words = pixels / lanes;

  /// Loads from (x, y) on; any coordinate is valid. @param wide  whether 16 bytes at x may be read at once: adjacent
  /// samples, addresses of whole multiples of 16 bytes. @returns whether there is a NaN among the samples
  GPUIMG_FUNCTION bool load(const detail::bordered_bands<T>& source, std::int64_t x, std::int64_t y, std::int64_t band,
                            bool wide) noexcept {
    const bool at_once = wide && x >= 0 && x + pixels <= source.cube.width;
    bool has_nan = false;
    std::int64_t lines[static_cast<std::size_t>(Rows)];
    GPUIMG_UNROLL
    for (int row = 0; row < Rows; ++row) { lines[row] = map_coordinate(source.mode, y + row, source.cube.height); }
    std::int64_t halo[static_cast<std::size_t>(2 * Halo)];
    GPUIMG_UNROLL
    for (int i = 0; i < Halo; ++i) {
      halo[i] = map_coordinate(source.mode, x - Halo + i, source.cube.width);
      halo[Halo + i] = map_coordinate(source.mode, x + pixels + i, source.cube.width);
    }
    GPUIMG_UNROLL
    for (int row = 0; row < Rows; ++row) {
      key_type around[static_cast<std::size_t>(2 * Halo)];
      GPUIMG_UNROLL
      for (int i = 0; i < 2 * Halo; ++i) { around[i] = key_at(source, halo[i], lines[row], band, has_nan); }
      std::uint32_t raw[4];
      if (at_once && lines[row] >= 0) {
        load_16(&source.cube(x, lines[row], band), raw);
        to_keys(raw, has_nan);
      } else {
        gather(source, x, lines[row], band, raw, has_nan);
      }
      GPUIMG_UNROLL
      for (int c = -Halo; c < words + Halo; ++c) { columns_[row][c + Halo] = column(c, raw, around, around + Halo); }
    }
    return has_nan;
  }

  /// Column c, -Halo..words+Halo-1, of row 0..Rows-1.
  GPUIMG_FUNCTION const word_type& word(int c, int row) const noexcept { return columns_[row][c + Halo]; }

  /// Stores the `words` words of a row at (x, y) of a picture; samples outside of it are left out.
  GPUIMG_FUNCTION static void store(const word_type (&row)[static_cast<std::size_t>(words)],
                                    const cube_view<T>& destination, std::int64_t x, std::int64_t y, std::int64_t band,
                                    bool wide) noexcept {
    if (y >= destination.height) { return; }
    if (wide && x + pixels <= destination.width) {
      std::uint32_t raw[4];
      to_samples(row, raw);
      store_16(&destination(x, y, band), raw);
      return;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < pixels; ++i) {
      if (x + i < destination.width) {
        destination(x + i, y, band) = order::sample(packing::lane(row[i % words], i / words));
      }
    }
  }

 private:
  struct alignas(16) sixteen_bytes {
    std::uint32_t words[4];
  };

  GPUIMG_FUNCTION static void load_16(const T* from, std::uint32_t (&raw)[4]) noexcept {
    const auto value = *reinterpret_cast<const sixteen_bytes*>(from);
    GPUIMG_UNROLL
    for (int i = 0; i < 4; ++i) { raw[i] = value.words[i]; }
  }
  GPUIMG_FUNCTION static void store_16(T* to, const std::uint32_t (&raw)[4]) noexcept {
    *reinterpret_cast<sixteen_bytes*>(to) = {{raw[0], raw[1], raw[2], raw[3]}};
  }

  /// The key of a mapped column and line.
  GPUIMG_FUNCTION static key_type key_at(const detail::bordered_bands<T>& source, std::int64_t column,
                                         std::int64_t line, std::int64_t band, bool& has_nan) noexcept {
    const key_type key = order::key(line < 0 || column < 0 ? source.value : source.cube(column, line, band));
    if constexpr (order::has_nan) { has_nan |= key == order::nan_key; }
    return key;
  }

  /// Keys one by one, where a border or the pitch forbids more. They are shifted in from the top, so that the loop
  /// need not be unrolled for the sake of the registers.
  GPUIMG_FUNCTION static void gather(const detail::bordered_bands<T>& source, std::int64_t x, std::int64_t line,
                                     std::int64_t band, std::uint32_t (&raw)[4], bool& has_nan) noexcept {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    GPUIMG_NO_UNROLL
    for (int i = 0; i < pixels; ++i) {
      const std::int64_t column = map_coordinate(source.mode, x + i, source.cube.width);
      const std::uint64_t key = key_at(source, column, line, band, has_nan);
      low = low >> bits | high << (64 - bits);
      high = high >> bits | key << (64 - bits);
    }
    raw[0] = static_cast<std::uint32_t>(low);
    raw[1] = static_cast<std::uint32_t>(low >> 32);
    raw[2] = static_cast<std::uint32_t>(high);
    raw[3] = static_cast<std::uint32_t>(high >> 32);
  }

  /// Samples to keys, and back, in packed form.
  GPUIMG_FUNCTION static void to_keys(std::uint32_t (&raw)[4], bool& has_nan) noexcept {
    GPUIMG_UNROLL
    for (auto& word : raw) {
      if constexpr (sizeof(T) == 4) {
        word = order::key(__builtin_bit_cast(T, word));
        if constexpr (order::has_nan) { has_nan |= word == order::nan_key; }
      } else {
        word ^= repeated_offset;
      }
    }
  }

  static constexpr std::uint32_t repeated_offset = [] {
    if constexpr (std::integral<T>) {
      const std::uint32_t offset = order::offset;
      return sizeof(T) == 1 ? offset * 0x01010101u : sizeof(T) == 2 ? offset * 0x00010001u : offset;
    } else {
      return 0u;
    }
  }();

  GPUIMG_FUNCTION static word_type column(int c, const std::uint32_t (&raw)[4], const key_type* left,
                                          const key_type* right) noexcept {
    if constexpr (lanes == 1) {
      return c < 0 ? left[c + Halo] : c >= words ? right[c - words] : raw[c];
    } else {
      // Where a sample is: which word, and which of its bytes.
      constexpr int size = static_cast<int>(sizeof(T));
      constexpr int per_word = 4 / size;
      const auto place = [&](int i) { return i < 0 || i >= pixels ? 0u : static_cast<unsigned>(i % per_word * size); };
      const auto holder = [&](int i) -> std::uint32_t {
        return i < 0 ? left[i + Halo] : i >= pixels ? right[i - pixels] : raw[i / per_word];
      };
      const unsigned low = place(c);
      const unsigned high = place(c + words) + 4;
      const unsigned second = size - 1;  // of two bytes; a single one is repeated
      return {
          select_bytes(holder(c), holder(c + words), low | (low + second) << 4 | high << 8 | (high + second) << 12)};
    }
  }

  GPUIMG_FUNCTION static void to_samples(const word_type (&row)[static_cast<std::size_t>(words)],
                                         std::uint32_t (&raw)[4]) noexcept {
    if constexpr (sizeof(T) == 4) {
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) { raw[i] = __builtin_bit_cast(std::uint32_t, order::sample(row[i])); }
    } else if constexpr (sizeof(T) == 2) {
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) {
        raw[i] = select_bytes(row[2 * i].bits, row[2 * i + 1].bits, 0x5410u) ^ repeated_offset;
        raw[i + 2] = select_bytes(row[2 * i].bits, row[2 * i + 1].bits, 0x7632u) ^ repeated_offset;
      }
    } else {
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t first = select_bytes(row[4 * i].bits, row[4 * i + 1].bits, 0x6240u);
        const std::uint32_t second = select_bytes(row[4 * i + 2].bits, row[4 * i + 3].bits, 0x6240u);
        raw[i] = select_bytes(first, second, 0x5410u) ^ repeated_offset;
        raw[i + 2] = select_bytes(first, second, 0x7632u) ^ repeated_offset;
      }
    }
  }

  word_type columns_[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(words + 2 * Halo)];
};

}  // namespace gpuimg::filter
