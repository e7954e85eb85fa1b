// Public reports of bugs in other medians, as tests: each names what went wrong there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/median.hpp"

using namespace median_tests;

namespace {

// A row filtered by a window of width x 1.
template <class T>
std::vector<T> filtered(const std::vector<T>& row, int window, border mode, T value = {},
                        nan_policy policy = nan_policy::propagate) {
  std::vector<T> result(row.size());
  const auto n = static_cast<std::int64_t>(row.size());
  filter::median_options<T> options;
  options.border_value = value;
  options.nan = policy;
  filter::median(host{1}, image_view<const T>(row.data(), n, 1), image_view<T>(result.data(), n, 1), {window, 1}, mode,
                 options);
  return result;
}

}  // namespace

TEST_SUITE("median field cases") {
  TEST_CASE("scipy/scipy#22000: NaN follows the declared policy alone") {
    const float nan = std::nanf("");
    const std::vector<float> row{nan, 2, 3, 4, 10, 6, 7, nan, 9, 10, 11};
    for (const border mode : modes) {
      const auto all = filtered(row, 5, mode);
      for (std::size_t i = 0; i < row.size(); ++i) {
        // Samples 0 and 7 reach pixels at a distance of two, and by mirrors and wraps those at the other end.
        if (i >= 3 && i <= 4) { CHECK_FALSE(std::isnan(all[i])); }
        if (i >= 5 && i <= 9) { CHECK(std::isnan(all[i])); }
      }
      CHECK(all[3] == 4.0f);
      const auto ignored = filtered(row, 5, mode, 0.0f, nan_policy::ignore);
      CHECK(std::none_of(ignored.begin(), ignored.end(), [](float sample) { return std::isnan(sample); }));
      CHECK(ignored[7] == 9.0f);  // 6 7 9 10: the upper of the two in the middle
      const auto kept = filtered(row, 5, mode, 0.0f, nan_policy::preserve);
      CHECK(std::isnan(kept[7]));
      CHECK(kept[6] == ignored[6]);
    }
  }

  TEST_CASE("scipy test_gh_22333: a window as long as the row") {
    const std::vector<int> row{272, 58, 67, 163, 463, 608, 87, 108, 1378};
    CHECK(filtered(row, 9, border::constant) == std::vector<int>{58, 67, 87, 108, 163, 108, 108, 108, 87});
  }

  TEST_CASE("scipy test_gh_23075: a window far larger than the picture") {
    for (const int window : {1, 5, 100}) {
      for (const border mode : {border::replicate, border::reflect, border::reflect101, border::wrap}) {
        CHECK(filtered<double>({2}, window, mode) == std::vector<double>{2});
      }
      for (const double value : {0.0, 17.7}) {
        CHECK(filtered<double>({2}, window, border::constant, value) == std::vector<double>{window == 1 ? 2 : value});
      }
    }
    CHECK(filtered<int>({1, 2}, 5, border::reflect) == std::vector<int>{2, 1});
  }

  TEST_CASE("opencv/opencv#12505, #10993, #12721: zeros stay zeros, a sub-window is a picture") {
    picture<std::uint8_t> zeros{512, 64, std::vector<std::uint8_t>(512 * 64)};
    auto result = unwritten(zeros);
    host_backend{}.run(zeros, result, [](const auto& execution, const auto& from, const auto& to) {
      filter::median<7>(execution, from, to);
    });
    CHECK(result.samples == zeros.samples);

    const auto whole = make_picture<std::uint8_t>(128, 128, 2);
    const auto part = image_view<const std::uint8_t>(whole.samples.data(), 128, 128).crop(16, 16, 96, 96);
    picture<std::uint8_t> packed{96, 96, {}};
    for (std::int64_t y = 0; y < 96; ++y) {
      packed.samples.insert(packed.samples.end(), part.row(y), part.row(y) + 96);
    }
    for (const int side : {3, 5, 9, 15, 21, 31}) {
      auto from_part = unwritten(packed);
      auto from_packed = unwritten(packed);
      const image_view<std::uint8_t> first(from_part.samples.data(), 96, 96);
      const image_view<std::uint8_t> second(from_packed.samples.data(), 96, 96);
      filter::median(host{2}, part, first, filter::window_size(side));
      filter::median(host{2}, image_view<const std::uint8_t>(packed.samples.data(), 96, 96), second,
                     filter::window_size(side));
      CHECK(from_part.samples == from_packed.samples);
    }
  }

  TEST_CASE("albumentations-team/albucore#119: floats do not pass through 8 bits") {
    picture<float> ramp{64, 64, {}};
    for (int i = 0; i < 64 * 64; ++i) { ramp.samples.push_back(static_cast<float>(i) / 4096.0f); }
    const std::set<float> members(ramp.samples.begin(), ramp.samples.end());
    for (const int side : {3, 5, 7, 11}) {
      auto result = unwritten(ramp);
      host_backend{}.run(ramp, result, [&](const auto& execution, const auto& from, const auto& to) {
        filter::median(execution, from, to, filter::window_size(side));
      });
      for (const float sample : result.samples) { CHECK(members.count(sample) == 1); }
      CHECK(std::set<float>(result.samples.begin(), result.samples.end()).size() > 3000);
    }
  }

  TEST_CASE("scipy/scipy#22000: even windows take the upper sample, right of the centre, in one dimension and two") {
    const std::vector<int> row{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    CHECK(filtered(row, 2, border::reflect) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(filtered(row, 4, border::reflect) == std::vector<int>{2, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    picture<int> rows{10, 4, {}};
    for (int y = 0; y < 4; ++y) { rows.samples.insert(rows.samples.end(), row.begin(), row.end()); }
    auto result = unwritten(rows);
    host_backend{}.run(rows, result, [](const auto& execution, const auto& from, const auto& to) {
      filter::median<4, 2>(execution, from, to);
    });
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 10; ++x) {
        CHECK(result.at(x, y) == filtered(row, 4, border::reflect)[static_cast<std::size_t>(x)]);
      }
    }
  }

  TEST_CASE("a monotone change of the samples changes the median the same way") {
    const auto source = make_picture<std::uint8_t>(50, 30, 2);
    auto changed = source;
    const auto curve = [](std::uint8_t sample) {
      return static_cast<std::uint8_t>(sample < 100 ? sample / 2 : sample - 20);
    };
    std::transform(changed.samples.begin(), changed.samples.end(), changed.samples.begin(), curve);
    for (const int side : {3, 7, 25}) {
      auto of_source = unwritten(source);
      auto of_changed = unwritten(source);
      const auto body = [side](const auto& execution, const auto& from, const auto& to) {
        filter::median(execution, from, to, filter::window_size(side));
      };
      host_backend{}.run(source, of_source, body);
      host_backend{}.run(changed, of_changed, body);
      std::transform(of_source.samples.begin(), of_source.samples.end(), of_source.samples.begin(), curve);
      CHECK(of_source.samples == of_changed.samples);
    }
  }
}
