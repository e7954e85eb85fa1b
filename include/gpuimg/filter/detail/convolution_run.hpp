/// @file
/// From a call to an engine: checks, the type of sums, the kernel in that type.
///
/// An engine computes correlations: convolve(source, destination, kernel, store), convolve_fixed<Width, Height>(the
/// same) and convolve_separably(source, destination, row, column, store).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_checks.hpp"
#include "gpuimg/filter/kernel_splitting.hpp"

namespace gpuimg::filter::detail {

/// A view of any kind as a cube that is only read.
template <class Source>
cube_view<const typename Source::value_type> readable(const Source& view) {
  using sample = typename Source::value_type;
  if constexpr (std::is_convertible_v<const Source&, cube_view<const sample>>) {
    return view;
  } else {
    return cube_view<sample>(view);
  }
}

template <class Sum, class Engine, class S, class D, class C>
void run_separable(const Engine& engine, const cube_view<const S>& source, const cube_view<D>& destination,
                   const separable_kernel<C>& kernel, bool turned, const convolution_options& options) {
  check_kernel_shape(kernel.width(), kernel.height(), kernel.anchor_x, kernel.anchor_y);
  check_pictures(source, destination);
  double bound = 0;
  if constexpr (exact_sums<S, C>) {
    bound = largest_sum<S>(std::span(kernel.row)) * largest_sum<std::int8_t>(std::span(kernel.column)) / 128;
  }
  choose_sum<Sum, S, D, C>(options, bound, [&](auto sum, const auto& store) {
    using sum_type = typename decltype(sum)::type;
    const kernel_view<C> along_x(kernel.row.data(), kernel.width(), 1, kernel.anchor_x, 0);
    const kernel_view<C> along_y(kernel.column.data(), 1, kernel.height(), 0, kernel.anchor_y);
    const auto row = prepare_kernel<sum_type>(along_x, turned);
    const auto column = prepare_kernel<sum_type>(along_y, turned);
    const auto taps = make_source(source, options, row.anchor_x, column.anchor_y);
    if (!source.empty()) { engine.convolve_separably(taps, destination, row, column, store); }
  });
}

template <class Sum, class Engine, class S, class D, class C>
void run(const Engine& engine, const cube_view<const S>& source, const cube_view<D>& destination,
         const separable_kernel<C>& kernel, bool turned, const convolution_options& options) {
  run_separable<Sum>(engine, source, destination, kernel, turned, options);
}

/// @param fixed  how an engine's function for this size is called, or for any
template <class Sum, class Engine, class S, class D, class C, class Call>
void run_whole(const Engine&, const cube_view<const S>& source, const cube_view<D>& destination,
               const kernel_view<C>& kernel, bool turned, const convolution_options& options, const Call& call) {
  double bound = 0;
  if constexpr (exact_sums<S, C>) { bound = largest_sum<S>(std::span(kernel.data, kernel.size())); }
  choose_sum<Sum, S, D, C>(options, bound, [&](auto sum, const auto& store) {
    using sum_type = typename decltype(sum)::type;
    const auto prepared = prepare_kernel<sum_type>(kernel, turned);
    const auto taps = make_source(source, options, prepared.anchor_x, prepared.anchor_y);
    if (!source.empty()) { call(taps, destination, prepared, store); }
  });
}

template <class Sum, class Engine, class S, class D, class C>
void run(const Engine& engine, const cube_view<const S>& source, const cube_view<D>& destination,
         const kernel_view<C>& kernel, bool turned, const convolution_options& options) {
  check_kernel_shape(kernel.width, kernel.height, kernel.anchor_x, kernel.anchor_y);
  check_pictures(source, destination);
  if constexpr (exact_sums<S, C> && !std::is_floating_point_v<Sum>) {
    if (kernel.width >= 5 && kernel.height >= 5) {  // exact sums do not depend on their order
      if (const auto split = split_kernel(kernel)) {
        run_separable<Sum>(engine, source, destination, *split, turned, options);
        return;
      }
    }
  }
  run_whole<Sum>(engine, source, destination, kernel, turned, options,
                 [&](const auto& taps, const auto& to, const auto& prepared, const auto& store) {
                   engine.convolve(taps, to, prepared, store);
                 });
}

template <class Sum, class Engine, class S, class D, class C, int Width, int Height>
void run(const Engine& engine, const cube_view<const S>& source, const cube_view<D>& destination,
         const static_kernel<C, Width, Height>& kernel, bool turned, const convolution_options& options) {
  check_kernel_shape(Width, Height, kernel.anchor_x, kernel.anchor_y);
  check_pictures(source, destination);
  run_whole<Sum>(engine, source, destination, kernel.view(), turned, options,
                 [&](const auto& taps, const auto& to, const auto& prepared, const auto& store) {
                   engine.template convolve_fixed<Width, Height>(taps, to, prepared, store);
                 });
}

}  // namespace gpuimg::filter::detail
