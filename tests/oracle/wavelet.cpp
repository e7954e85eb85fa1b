#include "tests/oracle/wavelet.hpp"

namespace gpuimg::oracle {
namespace {

/// A number modulo 2^32: what a decoder's 32-bit arithmetic makes of damaged coefficients.
std::int32_t wrap(std::int64_t number) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(number)); }

coordinate length(const std::vector<std::int32_t>& signal) { return static_cast<coordinate>(signal.size()); }

std::int32_t value(const std::vector<std::int32_t>& signal, coordinate i) {
  return signal.at(static_cast<std::size_t>(i));
}

/// d[i] for i from -1 to floor(n/2): d[-1] means d[0], d[floor(n/2)] means d[floor(n/2)-1].
std::int32_t extended_high(const std::vector<std::int32_t>& high, coordinate i) {
  if (i == -1) return value(high, 0);
  if (i == length(high)) return value(high, i - 1);
  return value(high, i);
}

/// What the low-pass filter adds to x[2i].
std::int32_t update(const std::vector<std::int32_t>& high, coordinate i) {
  return wrap(std::int64_t{extended_high(high, i - 1)} + extended_high(high, i) + 2) >> 2;
}

/// What the high-pass filter subtracts from x[2i+1]; x[n] means x[n-2].
std::int32_t prediction(const std::vector<std::int32_t>& signal, coordinate i) {
  const coordinate n = length(signal);
  const coordinate next = 2 * i + 2 == n ? n - 2 : 2 * i + 2;
  return wrap(std::int64_t{value(signal, 2 * i)} + value(signal, next)) >> 1;
}

std::vector<std::int32_t> column(const plane& source, coordinate x, coordinate count) {
  std::vector<std::int32_t> result;
  for (coordinate y = 0; y < count; ++y) result.push_back(source.at(x, y));
  return result;
}

std::vector<std::int32_t> row(const plane& source, coordinate y, coordinate count) {
  std::vector<std::int32_t> result;
  for (coordinate x = 0; x < count; ++x) result.push_back(source.at(x, y));
  return result;
}

std::vector<std::int32_t> joined(const halves& parts) {
  std::vector<std::int32_t> result = parts.low;
  result.insert(result.end(), parts.high.begin(), parts.high.end());
  return result;
}

halves split(const std::vector<std::int32_t>& signal) {
  const auto middle = signal.begin() + divide_up(length(signal), 2);
  return {{signal.begin(), middle}, {middle, signal.end()}};
}

void put_column(plane& destination, coordinate x, const std::vector<std::int32_t>& values) {
  for (coordinate y = 0; y < length(values); ++y) destination.at(x, y) = value(values, y);
}

void put_row(plane& destination, coordinate y, const std::vector<std::int32_t>& values) {
  for (coordinate x = 0; x < length(values); ++x) destination.at(x, y) = value(values, x);
}

}  // namespace

halves forward_wavelet(const std::vector<std::int32_t>& signal) {
  const coordinate n = length(signal);
  if (n == 1) return {signal, {}};
  halves result;
  for (coordinate i = 0; i < n / 2; ++i) {
    result.high.push_back(wrap(std::int64_t{value(signal, 2 * i + 1)} - prediction(signal, i)));
  }
  for (coordinate i = 0; i < divide_up(n, 2); ++i) {
    result.low.push_back(wrap(std::int64_t{value(signal, 2 * i)} + update(result.high, i)));
  }
  return result;
}

std::vector<std::int32_t> inverse_wavelet(const halves& transformed) {
  const coordinate n = length(transformed.low) + length(transformed.high);
  if (n == 1) return transformed.low;
  std::vector<std::int32_t> signal(static_cast<std::size_t>(n), 0);
  for (coordinate i = 0; i < divide_up(n, 2); ++i) {
    signal.at(static_cast<std::size_t>(2 * i)) =
        wrap(std::int64_t{value(transformed.low, i)} - update(transformed.high, i));
  }
  for (coordinate i = 0; i < n / 2; ++i) {
    signal.at(static_cast<std::size_t>(2 * i + 1)) =
        wrap(std::int64_t{value(transformed.high, i)} + prediction(signal, i));
  }
  return signal;
}

rectangle low_pass_rectangle(coordinate width, coordinate height, int levels) {
  for (int level = 0; level < levels; ++level) {
    width = divide_up(width, 2);
    height = divide_up(height, 2);
  }
  return {0, 0, width, height};
}

rectangle sub_band_rectangle(coordinate width, coordinate height, int level, band which) {
  const rectangle low = low_pass_rectangle(width, height, level);
  if (which == band::ll) return low;
  const rectangle whole = low_pass_rectangle(width, height, level - 1);
  const coordinate high_width = whole.width - low.width;
  const coordinate high_height = whole.height - low.height;
  if (which == band::hl) return {low.width, 0, high_width, low.height};
  if (which == band::lh) return {0, low.height, low.width, high_height};
  return {low.width, low.height, high_width, high_height};
}

void forward_wavelet(plane& samples, int levels) {
  for (int level = 1; level <= levels; ++level) {
    const rectangle area = low_pass_rectangle(samples.width(), samples.height(), level - 1);
    for (coordinate x = 0; x < area.width; ++x) {
      put_column(samples, x, joined(forward_wavelet(column(samples, x, area.height))));
    }
    for (coordinate y = 0; y < area.height; ++y) {
      put_row(samples, y, joined(forward_wavelet(row(samples, y, area.width))));
    }
  }
}

void inverse_wavelet(plane& coefficients, int levels) {
  for (int level = levels; level >= 1; --level) {
    const rectangle area = low_pass_rectangle(coefficients.width(), coefficients.height(), level - 1);
    for (coordinate y = 0; y < area.height; ++y) {
      put_row(coefficients, y, inverse_wavelet(split(row(coefficients, y, area.width))));
    }
    for (coordinate x = 0; x < area.width; ++x) {
      put_column(coefficients, x, inverse_wavelet(split(column(coefficients, x, area.height))));
    }
  }
}

}  // namespace gpuimg::oracle
