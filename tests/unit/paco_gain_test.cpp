// The largest coefficients that any picture can have: pictures made of the signs of the analysis filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "tests/codec/paco_oracle.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

using signal = std::vector<double>;

/// 5/3 analysis without rounding, in Mallat's order.
signal analyse(signal x, int levels) {
  std::size_t n = x.size();
  for (int level = 0; level < levels && n > 1; ++level) {
    signal low((n + 1) / 2);
    signal high(n / 2);
    for (std::size_t i = 0; i < high.size(); ++i) {
      const double next = 2 * i + 2 < n ? x[2 * i + 2] : x[2 * i];
      high[i] = x[2 * i + 1] - (x[2 * i] + next) / 2;
    }
    for (std::size_t i = 0; i < low.size(); ++i) {
      const double before = high[i > 0 ? i - 1 : 0];
      const double after = high[std::min(i, high.size() - 1)];
      low[i] = x[2 * i] + (before + after) / 4;
    }
    std::copy(low.begin(), low.end(), x.begin());
    std::copy(high.begin(), high.end(), x.begin() + static_cast<std::ptrdiff_t>(low.size()));
    n = low.size();
  }
  return x;
}

/// The filter of a coefficient: how much each sample counts.
struct filter {
  signal taps;
  int levels = 0;
  bool is_high = false;
  double gain() const {
    double sum = 0;
    for (const double t : taps) { sum += std::abs(t); }
    return sum;
  }
};

/// The filters of all coefficients of the last level.
std::vector<filter> filters_of(std::size_t n, int levels) {
  std::vector<filter> filters(n);
  for (auto& f : filters) { f.taps.resize(n); }
  for (std::size_t x = 0; x < n; ++x) {
    signal impulse(n);
    impulse[x] = 1;
    const auto response = analyse(impulse, levels);
    for (std::size_t k = 0; k < n; ++k) { filters[k].taps[x] = response[k]; }
  }
  std::size_t low = n;
  std::size_t last = n;
  for (int level = 0; level < levels; ++level) {
    last = low;
    low = (low + 1) / 2;
  }
  filters.resize(last);
  for (std::size_t k = 0; k < last; ++k) {
    filters[k].levels = levels;
    filters[k].is_high = k >= low;
  }
  return filters;
}

/// The filters with the largest gain, low and high, of each number of levels, for signals of these lengths.
struct largest_filters {
  std::map<int, filter> low;
  std::map<int, filter> high;

  largest_filters(const std::vector<std::size_t>& lengths, int most_levels) {
    for (const std::size_t n : lengths) {
      for (int levels = 1; levels <= most_levels; ++levels) {
        for (const auto& f : filters_of(n, levels)) {
          auto& best = (f.is_high ? high : low)[levels];
          if (f.gain() > best.gain()) { best = f; }
        }
      }
    }
  }
};

/// Planes that the coefficients of a picture take, by the oracle's transforms.
template <class S>
int planes_of(const paco::stream_header& h, const stored_picture<S>& picture) {
  int planes = 0;
  for (const auto& c : oracle::forward_transforms(oracle_header(h), oracle_picture(picture.read_only()))) {
    planes = std::max(planes, oracle::planes_of(c));
  }
  return planes;
}

/// Samples at one end of their range where the product of the filters is positive, at the other where it is negative;
/// of three components, those of red and green the other way round, so that differences are largest.
template <class S>
int check_extreme(const filter& x_filter, const filter& y_filter, int depth, int components, bool flip) {
  const int span = 1 << depth;
  const int lowest = std::is_signed_v<S> ? -span / 2 : 0;
  const auto width = static_cast<std::int64_t>(x_filter.taps.size());
  const auto height = static_cast<std::int64_t>(y_filter.taps.size());
  stored_picture<S> picture({width, height, components, depth, std::is_signed_v<S>}, arrangement::planar);
  picture.each([&](S& s, auto x, auto y, auto c) {
    const double t = x_filter.taps[static_cast<std::size_t>(x)] * y_filter.taps[static_cast<std::size_t>(y)];
    const bool high = (t > 0) != flip;
    s = static_cast<S>(lowest + (high != (components == 3 && c == 1) ? span - 1 : 0));
  });
  const auto codec = make_host_codec(64, {.levels = x_filter.levels});
  const auto h = codec->header({width, height, components, depth, std::is_signed_v<S>});
  const int planes = planes_of(h, picture);
  CHECK(planes <= paco::largest_planes(depth, components == 3));
  const auto stream = encode(*codec, picture.read_only(), depth);
  CHECK(decodes_to(*codec, stream, picture.read_only(), arrangement::planar));
  return planes;
}

}  // namespace

TEST_CASE("the largest coefficients stay within their planes, and come back") {
  std::vector<std::size_t> lengths = {64, 129};
  for (std::size_t n = 2; n < 40; ++n) { lengths.push_back(n); }
  const largest_filters largest(lengths, 7);
  for (const auto& [levels, f] : largest.low) { CHECK(f.gain() < 1.72); }
  for (const auto& [levels, f] : largest.high) { CHECK(f.gain() < 2.867); }
  for (const int depth : {1, 2, 7, 8, 11, 12, 15, 16}) {
    for (const int components : {1, 3}) {
      int most = 0;
      for (int levels = 1; levels <= 7; ++levels) {
        for (const auto* x_filter : {&largest.low.at(levels), &largest.high.at(levels)}) {
          for (const auto* y_filter : {&largest.low.at(levels), &largest.high.at(levels)}) {
            for (const bool flip : {false, true}) {
              CAPTURE(depth);
              CAPTURE(levels);
              CAPTURE(components);
              most = std::max({most, check_extreme<std::int16_t>(*x_filter, *y_filter, depth, components, flip),
                               check_extreme<std::uint16_t>(*x_filter, *y_filter, depth, components, flip)});
            }
          }
        }
      }
      CHECK(most >= paco::largest_planes(depth, components == 3) - 1);
    }
  }
}

TEST_CASE("deep decompositions of larger pictures reach the last plane") {
  const largest_filters largest({513}, 7);
  const auto& f = largest.high.at(7);
  for (const int depth : {8, 12}) {
    CHECK(check_extreme<std::int16_t>(f, f, depth, 1, true) == paco::largest_planes(depth, false));
  }
}

TEST_CASE("which coefficients 16 bits hold") {
  paco::stream_header h;
  h.picture.depth = 12;
  CHECK(paco::has_narrow_coefficients(h));
  h.color_transform = true;
  CHECK_FALSE(paco::has_narrow_coefficients(h));
  h.picture.depth = 11;
  CHECK(paco::has_narrow_coefficients(h));
  h.color_transform = false;
  h.picture.depth = 13;
  CHECK_FALSE(paco::has_narrow_coefficients(h));
}
