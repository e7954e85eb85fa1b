/// @file
/// Comparator networks made at compile time: sorting, merging of two sorted runs, and any contiguous part of their
/// results. Steps that no wanted result depends on are left out, and of a comparator the half that is not wanted.
///
/// Batcher's odd-even merge for runs of any two lengths (Knuth, The Art of Computer Programming 3, 5.3.4).
///
/// @code
/// std::uint32_t values[9] = {...};
/// gpuimg::filter::sort<9>(values);                           // all nine in order
/// std::uint32_t joined[12] = {...};                          // 8 sorted values, then 4 sorted ones
/// std::uint32_t middle[2];
/// gpuimg::filter::merge_runs<8, 4, 5, 2>(joined, middle);    // ranks 5 and 6 of the twelve
/// @endcode
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/compare_exchange.hpp"

namespace gpuimg::filter {

namespace detail {

/// What a comparator of two places has to deliver.
enum class comparator_part : std::uint8_t { none, low, high, both };

struct comparator {
  std::uint16_t low = 0;
  std::uint16_t high = 0;
  comparator_part part = comparator_part::both;
};

/// Places of a run of keys, in order.
template <int Most>
struct place_run {
  std::uint16_t places[static_cast<std::size_t>(Most)] = {};
  int count = 0;

  constexpr void push(std::uint16_t place) { places[count++] = place; }
  constexpr place_run every_second(int first) const {
    place_run half;
    for (int i = first; i < count; i += 2) { half.push(places[i]); }
    return half;
  }
};

/// Counts comparators, or stores them.
struct comparator_counter {
  int count = 0;
  constexpr void add(std::uint16_t, std::uint16_t) { ++count; }
};
template <int Count>
struct comparator_store {
  comparator steps[std::max<std::size_t>(Count, 1)] = {};
  int count = 0;
  constexpr void add(std::uint16_t low, std::uint16_t high) { steps[count++] = {low, high}; }
};

/// Merges two sorted runs; returns where their keys are then, in order.
template <class Sink, int Most>
constexpr place_run<Most> add_merge(Sink& sink, const place_run<Most>& a, const place_run<Most>& b) {
  if (a.count == 0) { return b; }
  if (b.count == 0) { return a; }
  place_run<Most> result;
  if (a.count == 1 && b.count == 1) {
    sink.add(a.places[0], b.places[0]);
    result.push(a.places[0]);
    result.push(b.places[0]);
    return result;
  }
  const auto even = add_merge(sink, a.every_second(0), b.every_second(0));
  const auto odd = add_merge(sink, a.every_second(1), b.every_second(1));
  result.push(even.places[0]);
  int i = 0;
  for (; i < odd.count && i + 1 < even.count; ++i) {
    sink.add(odd.places[i], even.places[i + 1]);
    result.push(odd.places[i]);
    result.push(even.places[i + 1]);
  }
  if (i < odd.count) { result.push(odd.places[i]); }
  if (i + 1 < even.count) { result.push(even.places[i + 1]); }
  return result;
}

template <class Sink, int Most>
constexpr place_run<Most> add_sort(Sink& sink, int first, int count) {
  if (count == 1) {
    place_run<Most> run;
    run.push(static_cast<std::uint16_t>(first));
    return run;
  }
  const int half = count / 2;
  const auto low = add_sort<Sink, Most>(sink, first, half);
  const auto high = add_sort<Sink, Most>(sink, first + half, count - half);
  return add_merge(sink, low, high);
}

template <int First, int Count, int Most>
constexpr place_run<Most> consecutive() {
  place_run<Most> run;
  for (int i = 0; i < Count; ++i) { run.push(static_cast<std::uint16_t>(First + i)); }
  return run;
}

/// Sorts A + B keys: both runs unsorted (B == 0), or two runs sorted already.
template <int A, int B, class Sink>
constexpr place_run<A + B> add_network(Sink& sink) {
  if constexpr (B == 0) {
    return add_sort<Sink, A>(sink, 0, A);
  } else {
    return add_merge(sink, consecutive<0, A, A + B>(), consecutive<A, B, A + B>());
  }
}

template <int A, int B>
constexpr int comparator_count() {
  comparator_counter counter;
  add_network<A, B>(counter);
  return counter.count;
}

template <int A, int B>
inline constexpr auto comparators = static_cast<std::size_t>(comparator_count<A, B>());

/// The network that leaves ranks First..First+Wanted-1 at `results`.
template <int A, int B, int First, int Wanted>
struct selection_network {
  static constexpr int size = comparator_count<A, B>();
  comparator_store<size> store;
  std::uint16_t results[static_cast<std::size_t>(Wanted)] = {};

  constexpr selection_network() {
    const auto order = add_network<A, B>(store);
    bool wanted[A + B] = {};
    for (int i = 0; i < Wanted; ++i) {
      results[i] = order.places[First + i];
      wanted[results[i]] = true;
    }
    for (int i = size - 1; i >= 0; --i) {
      comparator& step = store.steps[i];
      const bool low = wanted[step.low];
      const bool high = wanted[step.high];
      step.part = low ? (high ? comparator_part::both : comparator_part::low)
                      : (high ? comparator_part::high : comparator_part::none);
      wanted[step.low] = wanted[step.high] = low || high;
    }
  }

  /// Minima and maxima that the network takes.
  constexpr int operations() const {
    int sum = 0;
    for (int i = 0; i < size; ++i) {
      const auto part = store.steps[i].part;
      sum += part == comparator_part::both ? 2 : part == comparator_part::none ? 0 : 1;
    }
    return sum;
  }
};

template <int A, int B, int First, int Wanted>
inline constexpr selection_network<A, B, First, Wanted> network_of{};

template <int Low, int High, comparator_part Part, class Word>
GPUIMG_FUNCTION constexpr void comparator_step(Word* keys) noexcept {
  if constexpr (Part == comparator_part::both) {
    compare_exchange(keys[Low], keys[High]);
  } else if constexpr (Part == comparator_part::low) {
    keys[Low] = minimum(keys[Low], keys[High]);
  } else if constexpr (Part == comparator_part::high) {
    keys[High] = maximum(keys[Low], keys[High]);
  }
}

template <int A, int B, int First, int Wanted, class Word, std::size_t... Step, std::size_t... Result>
GPUIMG_FUNCTION constexpr void run_network(Word* keys, Word* results, std::index_sequence<Step...>,
                                           std::index_sequence<Result...>) noexcept {
  // A list, not a fold: compilers limit how deep those nest.
  const int all[] = {0, (comparator_step<network_of<A, B, First, Wanted>.store.steps[Step].low,
                                         network_of<A, B, First, Wanted>.store.steps[Step].high,
                                         network_of<A, B, First, Wanted>.store.steps[Step].part>(keys),
                         0)...};
  static_cast<void>(all);
  const int copies[] = {
      0, (results[Result] = keys[std::integral_constant<int, network_of<A, B, First, Wanted>.results[Result]>::value],
          0)...};
  static_cast<void>(copies);
}

}  // namespace detail

/// Sorts `Count` words, ascending in each lane. O(Count log^2 Count) comparators, none of them conditional.
template <int Count, class Word>
GPUIMG_FUNCTION constexpr void sort(Word (&keys)[static_cast<std::size_t>(Count)]) noexcept {
  if constexpr (Count > 1) {
    Word sorted[static_cast<std::size_t>(Count)];
    detail::run_network<Count, 0, 0, Count>(keys, sorted, std::make_index_sequence<detail::comparators<Count, 0>>{},
                                            std::make_index_sequence<static_cast<std::size_t>(Count)>{});
    GPUIMG_UNROLL
    for (int i = 0; i < Count; ++i) { keys[i] = sorted[i]; }
  }
}

/// Ranks First..First+Wanted-1 of A + B words, of which the first A and the last B are sorted already.
/// @param keys     overwritten
/// @param results  `Wanted` words, not overlapping `keys`
template <int A, int B, int First, int Wanted, class Word>
GPUIMG_FUNCTION constexpr void merge_runs(Word* keys, Word* results) noexcept {
  static_assert(A > 0 && B > 0 && First >= 0 && Wanted > 0 && First + Wanted <= A + B);
  detail::run_network<A, B, First, Wanted>(keys, results, std::make_index_sequence<detail::comparators<A, B>>{},
                                           std::make_index_sequence<static_cast<std::size_t>(Wanted)>{});
}

}  // namespace gpuimg::filter
