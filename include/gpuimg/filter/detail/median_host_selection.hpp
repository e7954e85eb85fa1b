/// @file
/// An order statistic of every window of two neighbouring rows on a host, a vector of neighbours at once.
///
/// The rows that both windows see are sorted column by column, once for all windows that see the column; the columns of
/// a window are merged, only those ranks being kept that can still be wanted; each of the two windows adds its own row.
/// That is what sorted_columns.hpp has for a tile of one column and two rows, and plain code takes it from there. For
/// AVX2 it is written a second time: all that handles its vectors has to be compiled for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/median_host_words.hpp"
#include "gpuimg/filter/selection_network.hpp"
#include "gpuimg/filter/sorted_columns.hpp"

namespace gpuimg::filter::detail {
inline namespace GPUIMG_KEY_WORDS {

/// Rank `Rank` of windows of Width x Height keys, for rows in pairs (a window of one row: row by row).
template <int Width, int Height, int Rank>
struct row_selection {
  static constexpr int rows = Height < 2 ? 1 : 2;  ///< of results at once
  static constexpr int lines = Height + rows - 1;  ///< of keys that these see
  static constexpr int core = Height - rows + 1;   ///< lines that all of them see

  /// What can still be wanted of `Columns` merged core columns.
  template <int Columns>
  using kept = rank_window<Columns * core, Rank, Width * Height - Columns * core>;
};

/// Where rows of keys and of results are, and where sorted columns may be left.
template <class Key>
struct row_lines {
  const Key* const* keys;  ///< lines, of which the windows at x begin at x; readable up to `pitch`
  std::int64_t count;      ///< windows in a row
  Key* sorted;             ///< room for row_selection::core lines of `pitch` keys
  std::int64_t pitch;      ///< a multiple of a word's keys, Width - 1 above the count rounded up to one
  Key* const* results;     ///< rows of `count` bit patterns of samples
  Key flip;                ///< what makes keys such bit patterns: see key_vector::unordered
};

/// A tile of sorted_columns.hpp: a word of windows at x.
template <class Word, bool Turned, class Key>
struct row_tile {
  const row_lines<Key>& in;
  std::int64_t x;

  GPUIMG_FUNCTION Word pixel(int column, int line) const { return loaded(in.keys[line] + x + column); }
  GPUIMG_FUNCTION Word sorted_column(int column, int i) const { return loaded(in.sorted + i * in.pitch + x + column); }
  GPUIMG_FUNCTION void emit(int, int row, const Word& result) const { put(result, row); }
  GPUIMG_FUNCTION static void keep(int, const Word&) {}
  GPUIMG_FUNCTION static Word kept(int) { return Word{}; }
  GPUIMG_FUNCTION static void settle() {}

 private:
  GPUIMG_FUNCTION void put(const Word& result, int row) const {
    const Word bits = result.template unordered<Turned>(in.flip);
    Key* const to = in.results[row] + x;
    if (x + Word::lanes <= in.count) {
      bits.store(to);
    } else {
      for (std::int64_t i = 0; i < in.count - x; ++i) {
        const Key key = bits.keys[static_cast<int>(i)];
        memcpy(to + i, &key, sizeof(key));
      }
    }
  }
  GPUIMG_FUNCTION static Word loaded(const Key* from) {
    Word word;
    word.load(from);
    return word;
  }
};

template <int Width, int Height, int Rank, bool Turned, class Key>
void select_rows_plain(const row_lines<Key>& in) noexcept {
  using word = host_word<Key>;
  using selection = row_selection<Width, Height, Rank>;
  for (std::int64_t x = 0; x < in.pitch; x += word::lanes) {
    word column[static_cast<std::size_t>(selection::core)];
    for (int i = 0; i < selection::core; ++i) { column[i].load(in.keys[selection::rows - 1 + i] + x); }
    sort<selection::core>(column);
    for (int i = 0; i < selection::core; ++i) { column[i].store(in.sorted + i * in.pitch + x); }
  }
  for (std::int64_t x = 0; x < in.count; x += word::lanes) {
    row_tile<word, Turned, Key> tile{in, x};
    tile_selection<tile_shape<Width, Height, 1, selection::rows>, Rank>::template run<word>(tile);
  }
}

#if GPUIMG_HAS_AVX2_TARGET
template <int Low, int High, comparator_part Part, class Word>
GPUIMG_AVX2_INLINE void avx2_comparator(Word* keys) noexcept {
  if constexpr (Part == comparator_part::both) {
    const Word least = minimum(keys[Low], keys[High]);
    keys[High] = maximum(keys[Low], keys[High]);
    keys[Low] = least;
  } else if constexpr (Part == comparator_part::low) {
    keys[Low] = minimum(keys[Low], keys[High]);
  } else if constexpr (Part == comparator_part::high) {
    keys[High] = maximum(keys[Low], keys[High]);
  }
}

template <int A, int B, int First, int Wanted, class Word, std::size_t... Step, std::size_t... Result>
GPUIMG_AVX2_INLINE void run_avx2_network(Word* keys, Word* results, std::index_sequence<Step...>,
                                         std::index_sequence<Result...>) noexcept {
  (avx2_comparator<network_of<A, B, First, Wanted>.store.steps[Step].low,
                   network_of<A, B, First, Wanted>.store.steps[Step].high,
                   network_of<A, B, First, Wanted>.store.steps[Step].part>(keys),
   ...);
  ((results[Result] = keys[network_of<A, B, First, Wanted>.results[Result]]), ...);
}

/// Ranks First..First+Wanted-1 of A + B keys: of two sorted runs, or with B = 0 of A keys in any order.
template <int A, int B, int First, int Wanted, class Word>
GPUIMG_AVX2_INLINE void avx2_network(Word* keys, Word* results) noexcept {
  run_avx2_network<A, B, First, Wanted>(keys, results, std::make_index_sequence<comparators<A, B>>{},
                                        std::make_index_sequence<static_cast<std::size_t>(Wanted)>{});
}

// Words one by one as packs: of a loop, g++ may leave the words in memory.
template <class Word, class Key, std::size_t... I>
GPUIMG_AVX2_INLINE void load_words_avx2(Word* words, const Key* from, std::int64_t step,
                                        std::index_sequence<I...>) noexcept {
  (words[I].load(from + static_cast<std::int64_t>(I) * step), ...);
}
template <class Word, class Key, std::size_t... I>
GPUIMG_AVX2_INLINE void sort_column_avx2(const row_lines<Key>& in, int first, std::int64_t x,
                                         std::index_sequence<I...>) noexcept {
  Word column[sizeof...(I)];
  Word in_order[sizeof...(I)];
  (column[I].load(in.keys[first + static_cast<int>(I)] + x), ...);
  avx2_network<static_cast<int>(sizeof...(I)), 0, 0, static_cast<int>(sizeof...(I))>(column, in_order);
  (in_order[I].store(in.sorted + static_cast<std::int64_t>(I) * in.pitch + x), ...);
}
template <class Word, std::size_t... I>
GPUIMG_AVX2_INLINE void copy_words_avx2(const Word* from, Word* to, std::index_sequence<I...>) noexcept {
  ((to[I] = from[I]), ...);
}
template <int Count>
using up_to = std::make_index_sequence<static_cast<std::size_t>(Count)>;

/// Core columns First..First+Columns-1 of the windows at `sorted`, merged.
template <class Selection, int First, int Columns, class Word, class Key>
GPUIMG_AVX2_INLINE void merge_columns_avx2(const Key* sorted, std::int64_t pitch, Word* result) noexcept {
  using kept = typename Selection::template kept<Columns>;
  if constexpr (Columns == 1) {
    load_words_avx2(result, sorted + kept::first * pitch + First, pitch, up_to<kept::count>{});
  } else {
    constexpr int left = Columns - Columns / 2;
    using left_kept = typename Selection::template kept<left>;
    using right_kept = typename Selection::template kept<Columns - left>;
    Word both[static_cast<std::size_t>(left_kept::count + right_kept::count)];
    merge_columns_avx2<Selection, First, left>(sorted, pitch, both);
    merge_columns_avx2<Selection, First + left, Columns - left>(sorted, pitch, both + left_kept::count);
    avx2_network<left_kept::count, right_kept::count, kept::first - left_kept::first - right_kept::first, kept::count>(
        both, result);
  }
}

template <bool Turned, class Word, class Key>
GPUIMG_AVX2_INLINE void store_word_avx2(const Word& word, const row_lines<Key>& in, int row, std::int64_t x) noexcept {
  const Word bits = word.template unordered<Turned>(in.flip);
  Key* const to = in.results[row] + x;
  if (x + Word::lanes <= in.count) {
    bits.store(to);
  } else {
    for (std::int64_t i = 0; i < in.count - x; ++i) {
      const Key key = bits.keys[i];
      __builtin_memcpy(to + i, &key, sizeof(key));
    }
  }
}

/// Of the core's candidates and the row of its own that a window has.
template <int Width, int Rank, class Kept, class Word, class Key>
GPUIMG_AVX2_INLINE Word select_row_avx2(const Word* candidates, const Key* own) noexcept {
  Word line[static_cast<std::size_t>(Width)];
  load_words_avx2(line, own, 1, up_to<Width>{});
  Word both[static_cast<std::size_t>(Kept::count + Width)];
  copy_words_avx2(candidates, both, up_to<Kept::count>{});
  avx2_network<Width, 0, 0, Width>(line, both + Kept::count);
  Word result;
  avx2_network<Kept::count, Width, Rank - Kept::first, 1>(both, &result);
  return result;
}

template <int Width, int Height, int Rank, bool Turned, class Key>
GPUIMG_TARGET_AVX2 void select_rows_avx2(const row_lines<Key>& lines) noexcept {
  using word = avx2_word<Key>;
  using selection = row_selection<Width, Height, Rank>;
  // Pointers of its own, which stay in registers: no store of results can change them.
  const Key* keys[static_cast<std::size_t>(selection::lines)];
  Key* results[static_cast<std::size_t>(selection::rows)];
  std::copy_n(lines.keys, selection::lines, keys);
  std::copy_n(lines.results, selection::rows, results);
  const row_lines<Key> in{keys, lines.count, lines.sorted, lines.pitch, results, lines.flip};
  for (std::int64_t x = 0; x < in.pitch; x += word::lanes) {
    sort_column_avx2<word>(in, selection::rows - 1, x, up_to<selection::core>{});
  }
  using kept = typename selection::template kept<Width>;
  for (std::int64_t x = 0; x < in.count; x += word::lanes) {
    word candidates[static_cast<std::size_t>(kept::count)];
    merge_columns_avx2<selection, 0, Width>(in.sorted + x, in.pitch, candidates);
    if constexpr (selection::rows == 1) {
      store_word_avx2<Turned>(candidates[0], in, 0, x);
    } else {  // the first line, and the one behind the core
      store_word_avx2<Turned>(select_row_avx2<Width, Rank, kept>(candidates, in.keys[0] + x), in, 0, x);
      store_word_avx2<Turned>(select_row_avx2<Width, Rank, kept>(candidates, in.keys[Height] + x), in, 1, x);
    }
  }
}
#endif

/// Results for x in 0..count-1.
template <int Width, int Height, int Rank, bool Turned, class Key>
void select_rows([[maybe_unused]] host_isa isa, const row_lines<Key>& in) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return select_rows_avx2<Width, Height, Rank, Turned>(in); }
#endif
  select_rows_plain<Width, Height, Rank, Turned>(in);
}

}  // namespace GPUIMG_KEY_WORDS
}  // namespace gpuimg::filter::detail
