/// @file
/// Box and Gaussian filters: separable kernels by name. For the host and, with convolution.cuh, for CUDA devices.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/median_options.hpp"

namespace gpuimg::filter {

/// Coefficients of a Gaussian of standard deviation `sigma` in samples: exp(-x^2 / (2 sigma^2)) for |x| up to the
/// radius truncate * sigma, rounded to the nearest integer, divided by their sum. SciPy's gaussian_filter has the same
/// rule.
/// @throws error invalid_argument, when sigma or truncate is not a positive number or the radius is above 100000
template <coefficient C>
std::vector<C> gaussian_coefficients(double sigma, double truncate = 4.0) {
  if (!(sigma > 0) || !(truncate > 0) || !(sigma * truncate <= 100000)) {
    throw error(errc::invalid_argument, "gaussian: sigma " + std::to_string(sigma) + " and truncate " +
                                            std::to_string(truncate) + " must be positive, their product to 100000");
  }
  const auto radius = static_cast<int>(std::floor(truncate * sigma + 0.5));
  std::vector<double> weights;
  weights.reserve(2 * static_cast<std::size_t>(radius) + 1);
  double sum = 0;
  for (int x = -radius; x <= radius; ++x) {
    weights.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
    sum += weights.back();
  }
  std::vector<C> result;
  result.reserve(weights.size());
  for (const double w : weights) { result.push_back(static_cast<C>(w / sum)); }
  return result;
}

/// A Gaussian as a kernel; sigmas along x and y.
template <coefficient C>
separable_kernel<C> gaussian_kernel(double sigma_x, double sigma_y, double truncate = 4.0) {
  return {gaussian_coefficients<C>(sigma_x, truncate), gaussian_coefficients<C>(sigma_y, truncate)};
}

/// Smooths by a Gaussian, in double where sums are double by the rules of convolution_arithmetic.hpp.
/// @throws error as gaussian_coefficients() and correlate()
template <class Execution, picture Source, writable_picture Destination>
void gaussian(const Execution& execution, const Source& source, const Destination& destination, double sigma_x,
              double sigma_y, const convolution_options& options = {}) {
  using sum = detail::floating_sum<typename Source::value_type, float>;
  correlate(execution, source, destination, gaussian_kernel<sum>(sigma_x, sigma_y), options);
}
template <class Execution, picture Source, writable_picture Destination>
void gaussian(const Execution& execution, const Source& source, const Destination& destination, double sigma,
              const convolution_options& options = {}) {
  gaussian(execution, source, destination, sigma, sigma, options);
}

/// Mean of a window of width x height, anchored as a kernel of that size is.
///
/// Of integer samples: their exact sum, divided by their number and rounded to the nearest, halves to even. Of
/// floating-point samples: sums along x, then along y of these times 1 / number.
/// @throws error as correlate(), and invalid_argument for a divisor other than 1
template <class Execution, picture Source, writable_picture Destination>
void box(const Execution& execution, const Source& source, const Destination& destination, const window_size& size,
         convolution_options options = {}) {
  check_kernel_shape(size.width, size.height, 0, 0);
  if (options.divisor != 1) {
    throw error(errc::invalid_argument,
                "box: divisor " + std::to_string(options.divisor) + " is not 1; the mean has its own");
  }
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  const std::int64_t count = std::int64_t{size.width} * size.height;
  using sample = typename Source::value_type;
  if constexpr (std::is_integral_v<sample>) {
    options.divisor = count;
    correlate(execution, source, destination,
              separable_kernel<std::int32_t>(std::vector<std::int32_t>(width, 1), std::vector<std::int32_t>(height, 1)),
              options);
  } else {
    correlate(execution, source, destination,
              separable_kernel<sample>(std::vector<sample>(width, sample{1}),
                                       std::vector<sample>(height, sample{1} / static_cast<sample>(count))),
              options);
  }
}

}  // namespace gpuimg::filter
