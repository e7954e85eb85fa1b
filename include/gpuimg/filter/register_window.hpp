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

/// Samples of `Rows` rows as words that compare: `words` columns to a row and `Halo` more on each side. Lane l of
/// column c is sample c + l * words. Integers are ordered keys, of which one of 8 bits fills both bytes of its lane;
/// floats are themselves.
template <ordered_sample T, int Halo, int Rows>
requires(has_register_window<T>&& Halo > 0 && Rows > 0) class register_window {
  using packing = detail::register_word<T>;
  using bits_type = detail::unsigned_of<T>;

 public:
  using word_type = typename packing::type;
  static constexpr int pixels = 16 / static_cast<int>(sizeof(T));  ///< of a row, without the halo
  static constexpr int lanes = packing::lanes;
  static constexpr int words = pixels / lanes;

  /// Loads from (x, y) on; any coordinate is valid. @param wide  whether 16 bytes at x may be read at once: adjacent
  /// samples, addresses of whole multiples of 16 bytes
  GPUIMG_FUNCTION void load(const detail::bordered_bands<T>& source, std::int64_t x, std::int64_t y, std::int64_t band,
                            bool wide) noexcept {
    line lines[static_cast<std::size_t>(Rows)];
    if (wide && x >= 0 && x + pixels <= source.cube.width) {
      load_at_once(source, x, y, band, lines);
    } else {
      load_one_by_one(source, x, y, band, lines);
    }
    GPUIMG_UNROLL
    for (int row = 0; row < Rows; ++row) {
      to_keys(lines[row]);
      GPUIMG_UNROLL
      for (int c = -Halo; c < words + Halo; ++c) { columns_[row][c + Halo] = column(c, lines[row]); }
    }
  }

  /// Column c, -Halo..words+Halo-1, of row 0..Rows-1.
  GPUIMG_FUNCTION const word_type& word(int c, int row) const noexcept { return columns_[row][c + Halo]; }

  /// Whether one of the samples is a NaN.
  GPUIMG_FUNCTION bool has_nan() const noexcept {
    if constexpr (sample_order<T>::has_nan) {
      word_type greatest = columns_[0][0];
      GPUIMG_UNROLL
      for (const auto& row : columns_) {
        GPUIMG_UNROLL
        for (const auto& word : row) { greatest = maximum(greatest, word); }
      }
      return detail::unordered(greatest, greatest);
    } else {
      return false;
    }
  }

  /// Stores the `words` words of a row at (x, y) of a picture; samples outside of it are left out.
  GPUIMG_FUNCTION static void store(const word_type (&row)[static_cast<std::size_t>(words)],
                                    const cube_view<T>& destination, std::int64_t x, std::int64_t y, std::int64_t band,
                                    bool wide) noexcept {
    if (y >= destination.height) { return; }
    if (wide && x + pixels <= destination.width) {
      *reinterpret_cast<sixteen_bytes*>(&destination(x, y, band)) = to_samples(row);
      return;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < pixels; ++i) {
      if (x + i < destination.width) { destination(x + i, y, band) = packing::sample(row[i % words], i / words); }
    }
  }

 private:
  struct alignas(16) sixteen_bytes {
    std::uint32_t words[4];
  };

  /// A row's samples by their bits: 16 bytes, and those to the left and to the right.
  struct line {
    sixteen_bytes inner;
    bits_type around[static_cast<std::size_t>(2 * Halo)];
  };

  /// Where the 16 bytes are inside of the picture; the halo may be beyond its sides, and rows above or below.
  GPUIMG_FUNCTION static void load_at_once(const detail::bordered_bands<T>& source, std::int64_t x, std::int64_t y,
                                           std::int64_t band, line (&lines)[static_cast<std::size_t>(Rows)]) noexcept {
    const auto& cube = source.cube;
    std::int64_t offsets[static_cast<std::size_t>(2 * Halo)];  // of the halo's columns from x
    bool exists[static_cast<std::size_t>(2 * Halo)];
    const bool at_side = x < Halo || x + pixels + Halo > cube.width;
    GPUIMG_UNROLL
    for (int i = 0; i < 2 * Halo; ++i) {
      offsets[i] = i < Halo ? i - Halo : pixels + i - Halo;
      exists[i] = true;
      if (at_side) {
        const std::int64_t column = mapped(source.mode, x + offsets[i], cube.width);
        exists[i] = column >= 0;
        offsets[i] = exists[i] ? column - x : 0;
      }
    }
    const auto read = [&](const T* at, line& row) {
      row.inner = *reinterpret_cast<const sixteen_bytes*>(at);
      GPUIMG_UNROLL
      for (int i = 0; i < 2 * Halo; ++i) { row.around[i] = __builtin_bit_cast(bits_type, at[offsets[i]]); }
    };
    if (y >= 0 && y + Rows <= cube.height) {
      const T* at = &cube(x, y, band);
      GPUIMG_UNROLL
      for (auto& row : lines) {
        read(at, row);
        at = gpuimg::detail::advance_bytes(at, cube.y_stride);
      }
    } else {
      GPUIMG_UNROLL
      for (auto& row : lines) { row = {}; }
      GPUIMG_NO_UNROLL
      for (int j = 0; j < Rows; ++j) {
        const std::int64_t from = mapped(source.mode, y + j, cube.height);
        line row;
        if (from < 0) {
          fill(row, source.value);
        } else {
          read(&cube(x, from, band), row);
        }
        shift_in(lines, row);
      }
    }
    if (at_side) {
      GPUIMG_UNROLL
      for (auto& row : lines) {
        GPUIMG_UNROLL
        for (int i = 0; i < 2 * Halo; ++i) {
          if (!exists[i]) { row.around[i] = __builtin_bit_cast(bits_type, source.value); }
        }
      }
    }
  }

  GPUIMG_FUNCTION static void shift_in(line (&lines)[static_cast<std::size_t>(Rows)], const line& row) noexcept {
    GPUIMG_UNROLL
    for (int above = 0; above + 1 < Rows; ++above) { lines[above] = lines[above + 1]; }
    lines[Rows - 1] = row;
  }

  GPUIMG_FUNCTION GPUIMG_COLD static std::int64_t mapped(border mode, std::int64_t i, std::int64_t n) noexcept {
    return map_coordinate(mode, i, n);
  }

  GPUIMG_FUNCTION static void fill(line& row, T value) noexcept {
    const auto bits = __builtin_bit_cast(bits_type, value);
    GPUIMG_UNROLL
    for (auto& word : row.inner.words) { word = bits * ones; }
    GPUIMG_UNROLL
    for (auto& sample : row.around) { sample = bits; }
  }

  /// Where a border or the pitch forbids that. Samples are shifted in from the end, and so are rows: loops that are not
  /// unrolled need no more registers than that.
  GPUIMG_FUNCTION static void load_one_by_one(const detail::bordered_bands<T>& source, std::int64_t x, std::int64_t y,
                                              std::int64_t band,
                                              line (&lines)[static_cast<std::size_t>(Rows)]) noexcept {
    constexpr int count = pixels + 2 * Halo;
    constexpr int batch = count % 6 == 0 ? 6 : count % 5 == 0 ? 5 : count % 4 == 0 ? 4 : 2;  // on their way at once
    GPUIMG_UNROLL
    for (auto& row : lines) { row = {}; }
    GPUIMG_NO_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::int64_t from = mapped(source.mode, y + j, source.cube.height);
      line row{};
      GPUIMG_NO_UNROLL
      for (int first = -Halo; first < pixels + Halo; first += batch) {
        T samples[static_cast<std::size_t>(batch)];
        GPUIMG_UNROLL
        for (int i = 0; i < batch; ++i) {
          const std::int64_t column = detail::map_near(source.mode, x + first + i, source.cube.width);
          samples[i] = from < 0 || column < 0 ? source.value : source.cube(column, from, band);
        }
        GPUIMG_UNROLL
        for (int i = 0; i < batch; ++i) { append(row, __builtin_bit_cast(bits_type, samples[i])); }
      }
      shift_in(lines, row);
    }
  }

  /// Drops a row's first sample, and takes one in behind the last.
  GPUIMG_FUNCTION static void append(line& row, bits_type sample) noexcept {
    constexpr unsigned bits = 8 * sizeof(T);
    auto& raw = row.inner.words;
    const auto first = static_cast<bits_type>(raw[0]);
    GPUIMG_UNROLL
    for (int i = 0; i < 3; ++i) {
      raw[i] = static_cast<std::uint32_t>((raw[i] | std::uint64_t{raw[i + 1]} << 32) >> bits);
    }
    raw[3] = static_cast<std::uint32_t>(std::uint64_t{raw[3]} >> bits | std::uint64_t{row.around[Halo]} << (32 - bits));
    GPUIMG_UNROLL
    for (int i = 0; i + 1 < Halo; ++i) {
      row.around[i] = row.around[i + 1];
      row.around[Halo + i] = row.around[Halo + i + 1];
    }
    row.around[Halo - 1] = first;
    row.around[2 * Halo - 1] = sample;
  }

  /// What turns samples into keys, and back.
  static constexpr bits_type offset = [] {
    if constexpr (std::integral<T>) {
      return sample_order<T>::offset;
    } else {
      return bits_type{0};
    }
  }();
  static constexpr std::uint32_t ones = sizeof(T) == 1 ? 0x01010101u : sizeof(T) == 2 ? 0x00010001u : 1u;
  static constexpr std::uint32_t repeated_offset = offset * ones;

  GPUIMG_FUNCTION static void to_keys(line& row) noexcept {
    GPUIMG_UNROLL
    for (auto& word : row.inner.words) { word ^= repeated_offset; }
    GPUIMG_UNROLL
    for (auto& key : row.around) { key = static_cast<bits_type>(key ^ offset); }
  }

  GPUIMG_FUNCTION static word_type column(int c, const line& row) noexcept {
    const auto& inner = row.inner.words;
    if constexpr (lanes == 1) {
      return packing::word(c < 0 ? row.around[c + Halo] : c >= words ? row.around[Halo + c - words] : inner[c]);
    } else {
      // Where a sample is: which word, and which of its bytes.
      constexpr int size = static_cast<int>(sizeof(T));
      constexpr int per_word = 4 / size;
      const auto place = [&](int i) { return i < 0 || i >= pixels ? 0u : static_cast<unsigned>(i % per_word * size); };
      const auto holder = [&](int i) -> std::uint32_t {
        return i < 0 ? row.around[i + Halo] : i >= pixels ? row.around[Halo + i - pixels] : inner[i / per_word];
      };
      const unsigned low = place(c);
      const unsigned high = place(c + words) + 4;
      const unsigned second = size - 1;  // of two bytes; a single one is repeated
      return {
          select_bytes(holder(c), holder(c + words), low | (low + second) << 4 | high << 8 | (high + second) << 12)};
    }
  }

  GPUIMG_FUNCTION static sixteen_bytes to_samples(const word_type (&row)[static_cast<std::size_t>(words)]) noexcept {
    sixteen_bytes samples;
    if constexpr (sizeof(T) == 4) {
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) { samples.words[i] = __builtin_bit_cast(std::uint32_t, packing::sample(row[i], 0)); }
    } else if constexpr (sizeof(T) == 2) {
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) {
        samples.words[i] = select_bytes(row[2 * i].bits, row[2 * i + 1].bits, 0x5410u) ^ repeated_offset;
        samples.words[i + 2] = select_bytes(row[2 * i].bits, row[2 * i + 1].bits, 0x7632u) ^ repeated_offset;
      }
    } else {
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t first = select_bytes(row[4 * i].bits, row[4 * i + 1].bits, 0x6240u);
        const std::uint32_t second = select_bytes(row[4 * i + 2].bits, row[4 * i + 3].bits, 0x6240u);
        samples.words[i] = select_bytes(first, second, 0x5410u) ^ repeated_offset;
        samples.words[i + 2] = select_bytes(first, second, 0x7632u) ^ repeated_offset;
      }
    }
    return samples;
  }

  word_type columns_[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(words + 2 * Halo)];
};

}  // namespace gpuimg::filter
