/// @file
/// An order statistic of every window of a small tile, from columns sorted once for all of them.
///
/// The windows of a tile of TileWidth x TileHeight pixels have a core in common. Its columns are sorted (neighbouring
/// tiles share them), then merged; of the result only those ranks are kept that can still be the wanted one in some
/// window. The tile is halved again and again; a half adds the sorted columns or rows that its windows have in
/// common beyond those, and keeps fewer ranks, until one rank of one pixel is left. No step depends on the data.
/// After A. Adams, "Fast median filters using separable sorting networks" (2021) and L. Sugy, "Fast median filtering
/// by hierarchical tiling" (2025), from their descriptions.
///
/// @code
/// struct window_source {          // where a thread finds its pixels; here a packed array in its own memory
///   const std::uint32_t* pixels;  // (TileWidth + W - 1) x (TileHeight + H - 1)
///   std::uint32_t pixel(int x, int y) const { return pixels[y * (4 + 5 - 1) + x]; }
///   ...                           // sorted_column, keep, kept, emit: see tile_source
/// };
/// gpuimg::filter::tile_selection<gpuimg::filter::tile_shape<5, 5, 4, 4>, 12>::run<std::uint32_t>(source);
/// @endcode
#pragma once

#include <concepts>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/selection_network.hpp"

namespace gpuimg::filter {

/// A tile of outputs and the window of each.
///
/// Tile columns are 0..TileWidth+Width-2: pixel (x, y) of the tile sees columns x..x+Width-1 and rows y..y+Height-1.
/// The core is what all pixels see: columns TileWidth-1..Width-1, rows TileHeight-1..Height-1.
template <int Width, int Height, int TileWidth, int TileHeight>
struct tile_shape {
  static_assert(Width >= TileWidth && Height >= TileHeight, "the windows of a tile have a core in common");
  static_assert((TileWidth & (TileWidth - 1)) == 0 && (TileHeight & (TileHeight - 1)) == 0, "a tile is halved");

  static constexpr int width = Width;
  static constexpr int height = Height;
  static constexpr int tile_width = TileWidth;
  static constexpr int tile_height = TileHeight;
  static constexpr int columns = TileWidth + Width - 1;
  static constexpr int rows = TileHeight + Height - 1;
  static constexpr int core_columns = Width - TileWidth + 1;
  static constexpr int core_rows = Height - TileHeight + 1;
};

/// Where tile_selection finds the pixels of a tile, and leaves its results.
///
/// - pixel(x, y) is the word of a tile column and row;
/// - sorted_column(x, i) the i-th least of the core rows of tile column x;
/// - emit(x, y, word) takes the result of a pixel;
/// - in_registers says, if it is there and true, that coordinates have to be known when the code is compiled.
template <class S, class Word>
concept tile_source = requires(S& s, int i, Word word) {
  { s.pixel(i, i) } -> std::convertible_to<Word>;
  { s.sorted_column(i, i) } -> std::convertible_to<Word>;
  s.emit(i, i, word);
};

/// What selections with `Keep` need beyond that: keep(i, word) and kept(i) store words for later, where registers are
/// scarce; settle() separates the two.
template <class S, class Word>
concept keeping_source = tile_source<S, Word> && requires(S& s, int i, Word word) {
  s.keep(i, word);
  { s.kept(i) } -> std::convertible_to<Word>;
  s.settle();
};

namespace detail {

/// The ranks worth keeping of `Count` sorted keys, when `Extra` more are to come and rank `Rank` of all is wanted.
template <int Count, int Rank, int Extra>
struct rank_window {
  static constexpr int first = Rank > Extra ? Rank - Extra : 0;
  static constexpr int last = Rank < Count - 1 ? Rank : Count - 1;
  static constexpr int count = last - first + 1;
};

/// Sorted keys that are left of those of some core: `Count` of them, `Rank` the wanted rank among them and the `Extra`
/// ones to come.
template <class Word, int Count, int Rank, int Extra>
struct candidates {
  Word keys[static_cast<std::size_t>(Count)];

  /// With `Added` more sorted keys.
  template <int Added>
  GPUIMG_FUNCTION auto with(const Word (&added)[static_cast<std::size_t>(Added)]) const {
    using kept = rank_window<Count + Added, Rank, Extra - Added>;
    Word both[static_cast<std::size_t>(Count + Added)];
    GPUIMG_UNROLL
    for (int i = 0; i < Count; ++i) { both[i] = keys[i]; }
    GPUIMG_UNROLL
    for (int i = 0; i < Added; ++i) { both[Count + i] = added[i]; }
    candidates<Word, kept::count, Rank - kept::first, Extra - Added> result;
    merge_runs<Count, Added, kept::first, kept::count>(both, result.keys);
    return result;
  }

  static constexpr int count = Count;
  static constexpr int rank = Rank;
  static constexpr int extra = Extra;
};

}  // namespace detail

/// Rank `Rank` (0 is the minimum) of each window of a tile; see the file's documentation.
/// @tparam Shape  a tile_shape
/// @tparam Keep   whether the core's candidates wait in the source's memory rather than in registers
template <class Shape, int Rank, bool Keep = false>
class tile_selection {
  static_assert(Rank >= 0 && Rank < Shape::width * Shape::height);

 public:
  /// Words that the source has to keep.
  static constexpr int kept_words =
      Keep ? detail::rank_window<Shape::core_columns * Shape::core_rows, Rank,
                                 Shape::width * Shape::height - Shape::core_columns * Shape::core_rows>::count
           : 0;

  /// Emits the result of every pixel of the tile.
  template <class Word, tile_source<Word> Source>
  requires(!Keep || keeping_source<Source, Word>) GPUIMG_FUNCTION static void run(Source& source) {
    const auto core = merged_columns<Word, Shape::tile_width - 1, Shape::core_columns>(source);
    constexpr int all = Shape::width * Shape::height;
    constexpr int core_size = Shape::core_columns * Shape::core_rows;
    using kept = detail::rank_window<core_size, Rank, all - core_size>;
    detail::candidates<Word, kept::count, Rank - kept::first, all - core_size> candidates;
    static_assert(sizeof(core) == sizeof(candidates));
    GPUIMG_UNROLL
    for (int i = 0; i < kept::count; ++i) { candidates.keys[i] = core.keys[i]; }
    split<Word, Shape::tile_width, Shape::tile_height, 0>(source, candidates, 0);
  }

 private:
  template <class Word, int Count>
  struct run_of {
    Word keys[static_cast<std::size_t>(Count)];
  };

  /// How many words of `Columns` merged core columns can still matter.
  template <int Columns>
  using column_window =
      detail::rank_window<Columns * Shape::core_rows, Rank, Shape::width * Shape::height - Columns * Shape::core_rows>;

  /// Core columns First..First+Count-1 in one sorted run, without the ranks that no window wants.
  template <class Word, int First, int Count, class Source>
  GPUIMG_FUNCTION static auto merged_columns(Source& source) {
    using window = column_window<Count>;
    run_of<Word, window::count> result;
    if constexpr (Count == 1) {
      GPUIMG_UNROLL
      for (int i = 0; i < window::count; ++i) { result.keys[i] = source.sorted_column(First, window::first + i); }
    } else {
      constexpr int left = Count - Count / 2;
      constexpr int right = Count - left;
      using left_window = column_window<left>;
      using right_window = column_window<right>;
      Word both[static_cast<std::size_t>(left_window::count + right_window::count)];
      const auto a = merged_columns<Word, First, left>(source);
      GPUIMG_UNROLL
      for (int i = 0; i < left_window::count; ++i) { both[i] = a.keys[i]; }
      const auto b = merged_columns<Word, First + left, right>(source);
      GPUIMG_UNROLL
      for (int i = 0; i < right_window::count; ++i) { both[left_window::count + i] = b.keys[i]; }
      constexpr int dropped = left_window::first + right_window::first;
      merge_runs<left_window::count, right_window::count, window::first - dropped, window::count>(both, result.keys);
    }
    return result;
  }

  /// The sorted run of column x that all rows of a tile part of `TileHeight` rows, the first of them y, see.
  template <class Word, int TileHeight, class Source>
  GPUIMG_FUNCTION static auto column(Source& source, int x, int y) {
    constexpr int core = Shape::core_rows;
    constexpr int added = Shape::tile_height - TileHeight;
    run_of<Word, core + added> result;
    if constexpr (added == 0) {
      GPUIMG_UNROLL
      for (int i = 0; i < core; ++i) { result.keys[i] = source.sorted_column(x, i); }
    } else {
      Word both[static_cast<std::size_t>(core + added)];
      Word more[static_cast<std::size_t>(added)];
      GPUIMG_UNROLL
      for (int i = 0; i < added; ++i) {
        const int row = y + TileHeight - 1 + i;
        more[i] = source.pixel(x, row < Shape::tile_height - 1 ? row : row + core);
      }
      sort<added>(more);
      GPUIMG_UNROLL
      for (int i = 0; i < core; ++i) { both[i] = source.sorted_column(x, i); }
      GPUIMG_UNROLL
      for (int i = 0; i < added; ++i) { both[core + i] = more[i]; }
      merge_runs<core, added, 0, core + added>(both, result.keys);
    }
    return result;
  }

  /// The sorted run of row y that all columns of a tile part of `TileWidth` columns, the first of them X, see.
  template <class Word, int TileWidth, int X, class Source>
  GPUIMG_FUNCTION static auto row(Source& source, int y) {
    constexpr int count = Shape::width - TileWidth + 1;
    run_of<Word, count> result;
    GPUIMG_UNROLL
    for (int i = 0; i < count; ++i) { result.keys[i] = source.pixel(X + TileWidth - 1 + i, y); }
    sort<count>(result.keys);
    return result;
  }

  /// `Count` runs that make(i) returns, merged.
  template <class Word, int Length, int Count, int First, class Make>
  GPUIMG_FUNCTION static auto joined(const Make& make) {
    if constexpr (Count == 1) {
      return make(First);
    } else {
      constexpr int half = Length * Count / 2;
      Word both[static_cast<std::size_t>(2 * half)];
      const auto a = joined<Word, Length, Count / 2, First>(make);
      const auto b = joined<Word, Length, Count / 2, First + Count / 2>(make);
      GPUIMG_UNROLL
      for (int i = 0; i < half; ++i) {
        both[i] = a.keys[i];
        both[half + i] = b.keys[i];
      }
      run_of<Word, 2 * half> result;
      merge_runs<half, half, 0, 2 * half>(both, result.keys);
      return result;
    }
  }

  /// Goes on with the halves of a tile part of TileWidth x TileHeight pixels, the first of them (X, y).
  template <class Word, int TileWidth, int TileHeight, int X, class Source, class Candidates>
  GPUIMG_FUNCTION static void split(Source& source, const Candidates& candidates, int y) {
    if constexpr (TileWidth == 1 && TileHeight == 1) {
      static_assert(Candidates::count == 1 && Candidates::extra == 0);
      source.emit(X, y, candidates.keys[0]);
    } else if constexpr (TileWidth > TileHeight || (TileWidth == TileHeight && TileWidth > 2)) {
      constexpr bool waits = Keep && TileWidth == Shape::tile_width && TileHeight == Shape::tile_height;
      if constexpr (waits) {
        GPUIMG_UNROLL
        for (int i = 0; i < Candidates::count; ++i) { source.keep(i, candidates.keys[i]); }
        source.settle();
      }
      constexpr int half = TileWidth / 2;
      halve_columns<Word, TileWidth, TileHeight, X, X + half - 1>(source, candidates, y);
      if constexpr (waits) {
        Candidates again;
        GPUIMG_UNROLL
        for (int i = 0; i < Candidates::count; ++i) { again.keys[i] = source.kept(i); }
        halve_columns<Word, TileWidth, TileHeight, X + half, X + Shape::width>(source, again, y);
      } else {
        halve_columns<Word, TileWidth, TileHeight, X + half, X + Shape::width>(source, candidates, y);
      }
    } else {
      constexpr int half = TileHeight / 2;
      constexpr int length = Shape::width - TileWidth + 1;
      const auto halve_rows = [&](int part) {
        const int first = part == 0 ? y + half - 1 : y + Shape::height;
        const auto added =
            joined<Word, length, half, 0>([&](int i) { return row<Word, TileWidth, X>(source, first + i); });
        split<Word, TileWidth, half, X>(source, candidates.template with<length * half>(added.keys), y + part * half);
      };
      if constexpr (requires { requires Source::in_registers; }) {
        halve_rows(0);
        halve_rows(1);
      } else {
        GPUIMG_NO_UNROLL
        for (int part = 0; part < 2; ++part) { halve_rows(part); }
      }
    }
  }

  /// The half whose first pixel is in tile column X, and which sees columns First.. beyond those of the whole.
  template <class Word, int TileWidth, int TileHeight, int X, int First, class Source, class Candidates>
  GPUIMG_FUNCTION static void halve_columns(Source& source, const Candidates& candidates, int y) {
    constexpr int half = TileWidth / 2;
    constexpr int length = Shape::height - TileHeight + 1;
    const auto added =
        joined<Word, length, half, 0>([&](int i) { return column<Word, TileHeight>(source, First + i, y); });
    split<Word, half, TileHeight, X>(source, candidates.template with<length * half>(added.keys), y);
  }
};

}  // namespace gpuimg::filter
