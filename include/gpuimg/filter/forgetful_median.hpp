/// @file
/// An order statistic of N values with few of them at a time: forgetful selection.
///
/// Of the values seen so far, the least cannot be the wanted one if fewer are to come than the wanted one has below it,
/// nor the greatest if enough others are below. Both are forgotten, the next value takes their place, and the last one
/// left is the result. A median of N holds N / 2 + 2 values at most. After G. Perrot, S. Domas and R. Couturier,
/// "Fine-tuned high-speed implementation of a GPU-based median filter" (2014).
///
/// @code
/// const std::uint8_t* pixels = ...;
/// const auto middle = gpuimg::filter::forgetful_median<25>([&](int i) { return pixels[i]; });
/// const auto second = gpuimg::filter::forgetful_rank<9, 1>([&](int i) { return gpuimg::filter::u16x2{words[i]}; });
/// @endcode
#pragma once

#include <cstddef>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/median_options.hpp"

namespace gpuimg::filter {

namespace detail {

/// Values held when the first can be forgotten: of `Count` in all, where rank `Rank` is wanted.
template <int Count, int Rank>
constexpr int first_held() {
  int held = 1;
  while (held < Count && Rank <= Count - held && held - 1 <= Rank) { ++held; }
  return held;
}

/// Goes on with `Held` values of `Room`, `Coming` to come, and rank `Rank` wanted of both together.
template <int Held, int Coming, int Rank, class Word, class Next>
GPUIMG_FUNCTION constexpr Word forget(Word* held, const Next& next, int taken) {
  constexpr bool least = Rank > Coming;
  constexpr bool greatest = Held - 1 > Rank;
  if constexpr (Held == 1 && Coming == 0) {
    return held[0];
  } else if constexpr (least || greatest) {
    // Pairs from both ends: minima in the lower half, maxima in the upper one.
    GPUIMG_UNROLL
    for (int i = 0; i < Held / 2; ++i) { compare_exchange(held[i], held[Held - 1 - i]); }
    if constexpr (least) {
      GPUIMG_UNROLL
      for (int i = 1; i < (Held + 1) / 2; ++i) { compare_exchange(held[0], held[i]); }
    }
    if constexpr (greatest) {
      GPUIMG_UNROLL
      for (int i = Held / 2; i < Held - 1; ++i) { compare_exchange(held[i], held[Held - 1]); }
    }
    return forget<Held - (least ? 1 : 0) - (greatest ? 1 : 0), Coming, Rank - (least ? 1 : 0)>(held + (least ? 1 : 0),
                                                                                               next, taken);
  } else {
    // The place of a forgotten least value lies before the others; the new one goes behind them.
    held[Held] = next(taken);
    return forget<Held + 1, Coming - 1, Rank>(held, next, taken + 1);
  }
}

}  // namespace detail

/// Rank `Rank` (0 is the minimum) of the `Count` words next(0), next(1), ..., lane by lane. O(Count^2) comparators.
template <int Count, int Rank, class Next>
GPUIMG_FUNCTION constexpr auto forgetful_rank(const Next& next) {
  static_assert(Count > 0 && Rank >= 0 && Rank < Count);
  using word = decltype(next(0));
  constexpr int first = detail::first_held<Count, Rank>();
  word held[static_cast<std::size_t>(Count + 1)];  // each has its own place: registers are not moved
  GPUIMG_UNROLL
  for (int i = 0; i < first; ++i) { held[i] = next(i); }
  return detail::forget<first, Count - first, Rank>(held, next, first);
}

/// The median of `Count` words; of an even number, the upper of the two in the middle.
template <int Count, class Next>
GPUIMG_FUNCTION constexpr auto forgetful_median(const Next& next) {
  return forgetful_rank<Count, median_rank(Count)>(next);
}

}  // namespace gpuimg::filter
