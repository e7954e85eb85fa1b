/// @file
/// A job on samples of one type, wherever they are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "job.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/filter/smoothing.hpp"

#if defined(__CUDACC__)  // calls by qualified names find what is declared before them
#include "gpuimg/filter/convolution.cuh"
#include "gpuimg/filter/median.cuh"
#endif

namespace gpuimg::examples {

/// A view of the pixels of a packed, interleaved picture.
template <class S>
cube_view<S> pixels(S* samples, const picture_format& format) {
  return {samples, format.width, format.height, format.components, interleave::bip};
}

/// Lays the job's kernel over each sample. On the host integer kernels are exact at any size; devices take those whose
/// sums are exact in float, so that results do not depend on the device.
template <class S, class Execution>
void apply_kernel(const Execution& execution, const filter_job& job, const cube_view<const S>& in,
                  const cube_view<S>& out, const filter::convolution_options& options) {
  const auto lay = [&]<class Sum>(Sum, const auto& kernel) {
    if (job.command == filter_command::convolve) {
      filter::convolve<Sum>(execution, in, out, kernel, options);
    } else {
      filter::correlate<Sum>(execution, in, out, kernel, options);
    }
  };
  const kernel_file& file = job.kernel;
  if (!file.is_integer()) {
    const std::vector<float> values(file.values.begin(), file.values.end());
    lay(filter::automatic_sum{}, filter::kernel_view<float>(values.data(), file.width, file.height));
    return;
  }
  const std::vector<std::int32_t> values(file.values.begin(), file.values.end());
  const filter::kernel_view<std::int32_t> kernel(values.data(), file.width, file.height);
  if constexpr (std::is_same_v<Execution, host>) {
    lay(filter::automatic_sum{}, kernel);
  } else if (filter::detail::largest_sum<S>(std::span(values)) <= filter::detail::exact_in_float) {
    lay(float{}, kernel);
  } else {
    throw error(errc::unsupported, "sums of this kernel exceed 2^24, which --device host can add exactly");
  }
}

/// Filters once.
template <class S, class Execution>
void apply(const Execution& execution, const filter_job& job, const cube_view<const S>& in, const cube_view<S>& out) {
  const filter::convolution_options options{.mode = job.mode, .value = job.value};
  filter::median_options<S> ranks;
  ranks.border_value = filter::saturate_round<S>(job.value);
  switch (job.command) {
    case filter_command::median: return filter::median(execution, in, out, job.size, job.mode, ranks);
    case filter_command::rank: return filter::rank(execution, in, out, job.size, job.rank, job.mode, ranks);
    case filter_command::box: return filter::box(execution, in, out, job.size, options);
    case filter_command::gaussian: return filter::gaussian(execution, in, out, job.sigma, options);
    case filter_command::convolve:
    case filter_command::correlate: return apply_kernel(execution, job, in, out, options);
  }
}

/// Filters as often as the job says, by way of `between`, from `in` to `out`.
template <class S, class Execution>
void apply_all(const Execution& execution, const filter_job& job, cube_view<const S> in, const cube_view<S>& out,
               const cube_view<S>& between) {
  for (int left = job.iterations; left > 0; --left) {
    const cube_view<S>& to = left % 2 == 1 ? out : between;
    apply(execution, job, in, to);
    in = to;
  }
}

}  // namespace gpuimg::examples
